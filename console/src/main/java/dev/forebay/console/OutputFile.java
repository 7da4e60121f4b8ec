// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file that is there whole or not at all: it is written aside, and moved to its place when it is done. A file that cannot
 * be written fails before there is anything to write. Not thread-safe.
 */
final class OutputFile implements AutoCloseable {

    private final Path file;
    private final Path aside;

    private OutputFile(Path file, Path aside) {
        this.file = file;
        this.aside = aside;
    }

    /**
     * Makes the file aside.
     *
     * @throws IllegalArgumentException with the reason, if {@code path} cannot be written
     */
    static OutputFile at(Path path) {
        if (Files.isDirectory(path)) {
            throw new IllegalArgumentException(path + " is a directory");
        }
        try {
            if (Files.exists(path) && !Files.isRegularFile(path)) { // such as /dev/null: nothing to move there
                return new OutputFile(path, path);
            }
            Path file = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
            Path directory = file.getParent();
            if (directory == null || !Files.isDirectory(directory)) {
                throw new IllegalArgumentException("there is no directory " + directory);
            }
            if (Files.exists(file) && !Files.isWritable(file)) {
                throw new IllegalArgumentException(path + " may not be written");
            }
            Path aside = directory.resolve(
                    "." + file.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
            Files.deleteIfExists(aside); // left by a process that had this number and was killed
            Files.createFile(aside);
            return new OutputFile(file, aside);
        } catch (IOException e) {
            throw new IllegalArgumentException(path + " cannot be written: " + Reason.of(e), e);
        }
    }

    Path file() {
        return file;
    }

    /** Writes to the file aside. */
    Writer writer() throws IOException {
        return Files.newBufferedWriter(aside, StandardOpenOption.WRITE);
    }

    /** Writes the whole of it. */
    void write(String text) throws IOException {
        try (Writer out = writer()) {
            out.write(text);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** The exception to throw if {@code why} kept it from being written. */
    IOException failed(Exception why) {
        return new IOException(file + " could not be written: " + Reason.of(why), why);
    }

    /** Moves the file to its place. */
    void done() throws IOException {
        if (aside.equals(file)) {
            return;
        }
        try {
            Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(aside, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Removes the file aside, if it is still there. */
    @Override
    public void close() throws IOException {
        if (!aside.equals(file)) {
            Files.deleteIfExists(aside);
        }
    }
}
