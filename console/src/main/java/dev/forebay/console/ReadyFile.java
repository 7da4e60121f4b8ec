// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Collectors;

/** A file with the addresses of this program for others, for as long as it runs; it may hold secrets. */
final class ReadyFile implements AutoCloseable {

    private final Path file;

    private ReadyFile(Path file) {
        this.file = file;
    }

    /** Writes {@code facts}, one key=value a line, for its owner only, and whole or not at all. */
    static ReadyFile write(Path file, Map<String, String> facts) throws IOException {
        String text = facts.entrySet().stream()
                .map(fact -> fact.getKey() + "=" + fact.getValue() + "\n")
                .collect(Collectors.joining());
        requireDirectory(file);
        Path aside = Files.createTempFile(
                file.toAbsolutePath().getParent(),
                "ready",
                ".tmp",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            fill(file, () -> Files.writeString(aside, text));
            Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(aside, file, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(aside);
        }
        return new ReadyFile(file);
    }

    /** Fails if {@code file} cannot be written since its directory is missing. */
    static void requireDirectory(Path file) throws IOException {
        Path directory = file.toAbsolutePath().normalize().getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            throw new NoSuchFileException(file.toString(), null, "there is no directory " + directory);
        }
    }

    /** Runs {@code writing} and names {@code file} in its failure; that of a full disk names none. */
    static void fill(Path file, Writing writing) throws IOException {
        try {
            writing.run();
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            throw new FileSystemException(file.toString(), null, e.getMessage());
        }
    }

    /** Writes a file. */
    interface Writing {
        void run() throws IOException;
    }

    /** Removes it. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }
}
