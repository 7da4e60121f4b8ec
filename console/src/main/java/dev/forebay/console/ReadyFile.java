// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Collectors;

/** A file that tells other programs how to reach this one, for as long as it runs; it may hold secrets. */
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
        Path aside = Files.createTempFile(
                file.toAbsolutePath().getParent(),
                "ready",
                ".tmp",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.writeString(aside, text);
            Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(aside, file, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(aside);
        }
        return new ReadyFile(file);
    }

    /** Removes it. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }
}
