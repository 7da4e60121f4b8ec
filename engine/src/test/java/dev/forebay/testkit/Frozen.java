// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Whether a process that was sent a STOP has stopped: its threads go on for a moment, and one may answer once more. */
public final class Frozen {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private Frozen() {}

    /** Returns when every thread of the process stands still, or the process is gone. */
    public static void await(long pid) throws IOException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!standsStill(Path.of("/proc", Long.toString(pid), "task"))) {
            if (System.nanoTime() > until) {
                throw new IllegalStateException("process " + pid + " does not stop");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static boolean standsStill(Path threads) throws IOException {
        List<Path> all;
        try (Stream<Path> listed = Files.list(threads)) {
            all = listed.toList();
        } catch (NoSuchFileException e) {
            return true;
        }
        for (Path thread : all) {
            try {
                String stat = Files.readString(thread.resolve("stat"));
                char state = stat.charAt(stat.lastIndexOf(')') + 2); // the name before it may hold anything
                if ("tTZX".indexOf(state) < 0) {
                    return false;
                }
            } catch (NoSuchFileException e) {
                return false; // it ended meanwhile: look again
            }
        }
        return true;
    }
}
