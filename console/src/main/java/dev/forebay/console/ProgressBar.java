// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.io.PrintWriter;
import java.util.function.LongSupplier;

/** The progress of a task, in one line of a terminal, once it takes longer than a moment. Not thread-safe. */
final class ProgressBar implements AutoCloseable {

    private static final long MOMENT_NANOS = 500_000_000;
    private static final long BETWEEN_NANOS = 100_000_000;
    private static final int WIDTH = 30;
    private static final String CLEAR = "\r\u001b[K";

    private final PrintWriter err;
    private final boolean terminal;
    private final LongSupplier clock;
    private long nextNanos;
    private boolean drawn;

    /** A bar on {@code err}, if that is a terminal. */
    ProgressBar(PrintWriter err, boolean terminal, LongSupplier clock) {
        this.err = err;
        this.terminal = terminal;
        this.clock = clock;
        this.nextNanos = clock.getAsLong() + MOMENT_NANOS;
    }

    /** Shows that {@code done} of {@code all} are done. */
    void show(long done, long all, String text) {
        if (!terminal || clock.getAsLong() - nextNanos < 0) {
            return;
        }
        nextNanos = clock.getAsLong() + BETWEEN_NANOS;
        double share = all <= 0 ? 1 : Math.min(1, (double) done / all);
        int full = (int) (share * WIDTH);
        err.print(
                CLEAR + "[" + "#".repeat(full) + "-".repeat(WIDTH - full) + "] " + (int) (share * 100) + " %  " + text);
        err.flush();
        drawn = true;
    }

    /** Removes the bar. */
    @Override
    public void close() {
        if (drawn) {
            err.print(CLEAR);
            err.flush();
            drawn = false;
        }
    }
}
