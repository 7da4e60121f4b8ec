// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one PostgreSQL's data, with a note of the process that made it.
 *
 * <p>A process that is killed together with all of its children cannot delete its data, so the next one does. It deletes a
 * directory only if it cannot be in use: the note is its own user's, of this boot and this space of process ids; the process in it has ended;
 * and so has the PostgreSQL, which may have outlived it. A directory without a note is left alone.
 */
final class DataDirectory {

    private static final Logger log = LoggerFactory.getLogger(DataDirectory.class);

    private static final String PREFIX = "forebay-dsql";
    private static final String NOTE = "owner";

    /** An id that changes at each boot, and one that differs between containers; neither exists outside of Linux. */
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    private static final Path PROCESS_IDS = Path.of("/proc/self/ns/pid");

    private DataDirectory() {}

    /** Makes one below {@code parent}. */
    static Path create(Path parent) throws IOException {
        Path directory = Files.createTempDirectory(parent, PREFIX);
        ProcessHandle self = ProcessHandle.current();
        Files.writeString(directory.resolve(NOTE), String.join("\n", world(), self.pid() + "", started(self), ""));
        return directory;
    }

    /** Deletes those below {@code parent} that were left behind; one that cannot be deleted stays. */
    static void sweep(Path parent) {
        List<Path> all = new ArrayList<>();
        try (var found = Files.newDirectoryStream(parent, PREFIX + "*")) {
            found.forEach(all::add);
        } catch (IOException e) {
            log.debug("{} cannot be listed", parent, e);
        }
        for (Path directory : all) {
            try {
                if (isLeft(directory)) {
                    Directories.delete(directory);
                    log.info("deleted {}, left behind by a process that was killed", directory);
                }
            } catch (IOException e) {
                log.debug("{} cannot be deleted", directory, e);
            }
        }
    }

    private static boolean isLeft(Path directory) throws IOException {
        Path note = directory.resolve(NOTE);
        if (!Files.isRegularFile(note, LinkOption.NOFOLLOW_LINKS)
                || !Files.getOwner(note, LinkOption.NOFOLLOW_LINKS).getName().equals(System.getProperty("user.name"))) {
            return false;
        }
        List<String> lines = Files.readAllLines(note);
        return lines.size() == 3
                && lines.get(0).equals(world())
                && !isAlive(lines.get(1), lines.get(2))
                && !servesYet(directory);
    }

    private static boolean servesYet(Path directory) throws IOException {
        Path file = directory.resolve("pg/postmaster.pid");
        if (!Files.exists(file)) {
            return false;
        }
        List<String> lines = Files.readAllLines(file);
        return lines.isEmpty() || find(lines.get(0)).isPresent();
    }

    private static boolean isAlive(String pid, String started) {
        return find(pid).filter(process -> started(process).equals(started)).isPresent();
    }

    private static Optional<ProcessHandle> find(String pid) {
        return pid.matches("[0-9]{1,9}") ? ProcessHandle.of(Long.parseLong(pid)) : Optional.empty();
    }

    private static String started(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toString).orElse("unknown");
    }

    /** The boot and the space of process ids in which a process id means what it means here. */
    private static String world() throws IOException {
        String boot = Files.isReadable(BOOT) ? Files.readString(BOOT).strip() : "";
        return boot + " " + (Files.exists(PROCESS_IDS) ? Files.readSymbolicLink(PROCESS_IDS) : "");
    }
}
