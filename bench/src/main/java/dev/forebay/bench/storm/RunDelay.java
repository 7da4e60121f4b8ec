// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.storm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The time in which a thread was ready to run and the machine ran another, as Linux counts it. */
final class RunDelay {

    private static final Path COUNTERS = Path.of("/proc/thread-self/schedstat");
    private static final boolean KNOWN = Files.isReadable(COUNTERS);

    private RunDelay() {}

    /** Returns that of the current thread since it began; 0 where it is not counted. */
    static long nanos() {
        if (!KNOWN) {
            return 0;
        }
        try {
            return Long.parseLong(Files.readString(COUNTERS).split(" ", -1)[1]);
        } catch (IOException e) {
            return 0;
        }
    }
}
