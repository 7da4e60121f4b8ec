// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.FilterReader;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * Streams of values that live on the driver's connection: of use only while the loan of the connection lasts. A driver
 * fetches the rest of a large object as it is read, and writes it as it is closed.
 */
final class LoanedStreams {

    private LoanedStreams() {}

    /** Returns a guard for {@code value} if it is a stream, otherwise the value itself. */
    static @Nullable Object of(ConnectionHandle connection, @Nullable Object value) {
        if (value instanceof InputStream in) {
            return new In(connection, in);
        }
        if (value instanceof OutputStream out) {
            return new Out(connection, out);
        }
        if (value instanceof Reader reader) {
            return new Characters(connection, reader);
        }
        return value instanceof Writer writer ? new Text(connection, writer) : value;
    }

    private static void check(ConnectionHandle connection) throws IOException {
        if (!connection.isCurrent()) {
            throw new IOException(ConnectionHandle.closed());
        }
    }

    private static final class In extends FilterInputStream {
        private final ConnectionHandle connection;

        In(ConnectionHandle connection, InputStream in) {
            super(in);
            this.connection = connection;
        }

        @Override
        public int read() throws IOException {
            check(connection);
            return super.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            check(connection);
            return super.read(bytes, offset, length);
        }

        @Override
        public long skip(long count) throws IOException {
            check(connection);
            return super.skip(count);
        }

        @Override
        public int available() throws IOException {
            check(connection);
            return super.available();
        }

        @Override
        public boolean markSupported() {
            return false;
        }

        @Override
        public void close() throws IOException {
            if (connection.isCurrent()) {
                super.close();
            }
        }
    }

    private static final class Out extends FilterOutputStream {
        private final ConnectionHandle connection;

        Out(ConnectionHandle connection, OutputStream out) {
            super(out);
            this.connection = connection;
        }

        @Override
        public void write(int value) throws IOException {
            check(connection);
            out.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            check(connection);
            out.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            check(connection);
            out.flush();
        }

        @Override
        public void close() throws IOException {
            check(connection); // what was not written yet is lost, and its writer is told
            out.close();
        }
    }

    private static final class Characters extends FilterReader {
        private final ConnectionHandle connection;

        Characters(ConnectionHandle connection, Reader in) {
            super(in);
            this.connection = connection;
        }

        @Override
        public int read() throws IOException {
            check(connection);
            return super.read();
        }

        @Override
        public int read(char[] characters, int offset, int length) throws IOException {
            check(connection);
            return super.read(characters, offset, length);
        }

        @Override
        public long skip(long count) throws IOException {
            check(connection);
            return super.skip(count);
        }

        @Override
        public boolean ready() throws IOException {
            check(connection);
            return super.ready();
        }

        @Override
        public void reset() throws IOException {
            check(connection);
            super.reset();
        }

        @Override
        public void close() throws IOException {
            if (connection.isCurrent()) {
                super.close();
            }
        }
    }

    private static final class Text extends FilterWriter {
        private final ConnectionHandle connection;

        Text(ConnectionHandle connection, Writer out) {
            super(out);
            this.connection = connection;
        }

        @Override
        public void write(int character) throws IOException {
            check(connection);
            super.write(character);
        }

        @Override
        public void write(char[] characters, int offset, int length) throws IOException {
            check(connection);
            super.write(characters, offset, length);
        }

        @Override
        public void write(String text, int offset, int length) throws IOException {
            check(connection);
            super.write(text, offset, length);
        }

        @Override
        public void flush() throws IOException {
            check(connection);
            super.flush();
        }

        @Override
        public void close() throws IOException {
            check(connection); // what was not written yet is lost, and its writer is told
            super.close();
        }
    }
}
