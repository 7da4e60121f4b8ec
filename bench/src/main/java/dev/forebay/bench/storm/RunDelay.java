// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.storm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How long a thread was ready to run while the machine ran something else, as Linux counts it. */
final class RunDelay {

    private static final Path COUNTERS = Path.of("/proc/thread-self/schedstat");
    private static final boolean KNOWN = Files.isReadable(COUNTERS);

    private RunDelay() {}

    /** Of the current thread since it began; 0 where nobody counts. */
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
