// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.temporal;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;

/**
 * Sockets for pgjdbc that count round trips: reads that follow a write. They count under TLS too, since they are below it. pgjdbc makes one
 * of these by its name, so the count is common to all. Thread-safe.
 */
public final class CountingSockets extends SocketFactory {

    private static final AtomicLong ROUND_TRIPS = new AtomicLong();

    /** Returns the round trips since the JVM began. */
    static long roundTrips() {
        return ROUND_TRIPS.get();
    }

    @Override
    public Socket createSocket() {
        return new Counting();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw new UnsupportedOperationException("pgjdbc connects by itself");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        throw new UnsupportedOperationException("pgjdbc connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        throw new UnsupportedOperationException("pgjdbc connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        throw new UnsupportedOperationException("pgjdbc connects by itself");
    }

    /** Used by one thread at a time, as a connection is. */
    private static final class Counting extends Socket {

        private boolean hasWritten;

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int one) throws IOException {
                    hasWritten = true;
                    out.write(one);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    hasWritten = true;
                    out.write(bytes, offset, length);
                }
            };
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    count();
                    return in.read();
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    count();
                    return in.read(bytes, offset, length);
                }
            };
        }

        private void count() {
            if (hasWritten) {
                hasWritten = false;
                ROUND_TRIPS.incrementAndGet();
            }
        }
    }
}
