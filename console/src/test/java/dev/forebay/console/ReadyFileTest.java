// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadyFileTest {

    @TempDir
    private Path directory;

    @Test
    void itIsThereUntilItIsClosed() throws Exception {
        Path file = directory.resolve("ready");
        try (ReadyFile ready = ReadyFile.write(file, Map.of("key", "value"))) {
            assertEquals(List.of("key=value"), Files.readAllLines(file));
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void aMissingDirectoryIsNamedWithTheFile() {
        Path file = directory.resolve("missing/ready");
        IOException e = assertThrows(IOException.class, () -> ReadyFile.write(file, Map.of()));
        assertEquals(file + ": there is no directory " + file.getParent(), Reason.of(e));
    }

    /** As Java reports it: without the file. */
    @Test
    void aFullDiskIsNamedWithTheFile() {
        Path file = directory.resolve("ready");
        IOException e = assertThrows(
                IOException.class,
                () -> ReadyFile.fill(file, () -> {
                    throw new IOException("No space left on device");
                }));
        assertEquals(file + ": No space left on device", Reason.of(e));
    }
}
