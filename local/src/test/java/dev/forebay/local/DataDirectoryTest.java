// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which directories are swept, and which may be in use. */
class DataDirectoryTest {

    @TempDir
    private Path parent;

    @Test
    void oneOfAProcessThatIsGoneIsSwept() throws Exception {
        Path directory = DataDirectory.create(parent);
        Files.createDirectories(directory.resolve("pg/base"));
        Files.writeString(directory.resolve("pg/base/1"), "data");
        note(directory, 1, Long.toString(gone()));
        DataDirectory.sweep(parent);
        assertFalse(Files.exists(directory));
    }

    @Test
    void oneWhoseProcessIdHasANewOwnerIsSwept() throws Exception {
        Path directory = DataDirectory.create(parent);
        note(directory, 2, "2001-01-01T00:00:00Z");
        DataDirectory.sweep(parent);
        assertFalse(Files.exists(directory));
    }

    @Test
    void oneOfALivingProcessStays() throws Exception {
        assertStays(DataDirectory.create(parent));
    }

    @Test
    void oneWhosePostgresOutlivedItsProcessStays() throws Exception {
        Path directory = DataDirectory.create(parent);
        note(directory, 1, Long.toString(gone()));
        Files.createDirectory(directory.resolve("pg"));
        Files.writeString(
                directory.resolve("pg/postmaster.pid"), ProcessHandle.current().pid() + "\n");
        assertStays(directory);
    }

    @Test
    void oneOfAnotherMachineStays() throws Exception {
        Path directory = DataDirectory.create(parent);
        note(directory, 0, "elsewhere");
        note(directory, 1, Long.toString(gone()));
        assertStays(directory);
    }

    @Test
    void oneWithoutANoteStays() throws Exception {
        assertStays(Files.createTempDirectory(parent, "forebay-dsql"));
    }

    @Test
    void oneWithHalfANoteStays() throws Exception {
        Path directory = DataDirectory.create(parent);
        List<String> lines = Files.readAllLines(directory.resolve("owner"));
        assertEquals(3, lines.size());
        Files.writeString(directory.resolve("owner"), lines.get(0) + "\n");
        assertStays(directory);
    }

    @Test
    void whatALinkLeadsToStays() throws Exception {
        Path elsewhere = Files.createDirectory(parent.resolve("elsewhere"));
        Path precious = Files.writeString(elsewhere.resolve("precious"), "data");
        Path directory = DataDirectory.create(parent);
        Files.createSymbolicLink(directory.resolve("link"), elsewhere);
        note(directory, 1, Long.toString(gone()));
        DataDirectory.sweep(parent);
        assertFalse(Files.exists(directory));
        assertTrue(Files.exists(precious));
    }

    private void assertStays(Path directory) {
        DataDirectory.sweep(parent);
        assertTrue(Files.isDirectory(directory));
    }

    private static void note(Path directory, int line, String text) throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(directory.resolve("owner")));
        lines.set(line, text);
        Files.write(directory.resolve("owner"), lines);
    }

    private static long gone() throws Exception {
        Process process = new ProcessBuilder("true").start();
        assertTrue(process.waitFor(20, TimeUnit.SECONDS));
        return process.pid();
    }
}
