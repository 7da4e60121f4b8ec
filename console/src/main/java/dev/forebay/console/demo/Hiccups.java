// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The time that the machine took from its threads, which is no fault of a pool: a wait is measured without it. Thread-safe.
 *
 * <p>One thread for each processor wakes up every millisecond and adds up by how much it was late: a collection or a busy
 * machine that stops such a thread stops a checkout just as well. Linux also counts for each thread how long it was ready to
 * run and did not. Of both, the larger one is left out.
 */
final class Hiccups implements AutoCloseable {

    private static final long PERIOD_NANOS = 1_000_000;
    private static final Path RUN_DELAY = Path.of("/proc/thread-self/schedstat");
    private static final boolean HAS_RUN_DELAY = Files.isReadable(RUN_DELAY);

    private final List<Meter> meters = new ArrayList<>();
    private volatile boolean closed;

    Hiccups() {
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            Meter meter = new Meter();
            meters.add(meter);
            Thread thread = new Thread(() -> run(meter), "forebay-demo-hiccups");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** The time that one thread has lost, and when it is due to wake up next. */
    record Lateness(long lostNanos, long dueNanos) {

        /** The time lost until {@code nowNanos}, that of a wake-up which is overdue included. */
        long until(long nowNanos) {
            return lostNanos + Math.max(0, nowNanos - dueNanos);
        }

        Lateness awakeAt(long nowNanos) {
            return new Lateness(until(nowNanos), nowNanos + PERIOD_NANOS);
        }
    }

    private static final class Meter {
        private volatile Lateness lateness = new Lateness(0, System.nanoTime() + PERIOD_NANOS);
    }

    private void run(Meter meter) {
        while (!closed) {
            LockSupport.parkNanos(PERIOD_NANOS);
            meter.lateness = meter.lateness.awakeAt(System.nanoTime());
        }
    }

    /** Begins to measure a wait of the calling thread. */
    Wait begin() {
        return new Wait();
    }

    /** A wait of one thread, from its construction on. */
    final class Wait {
        private final long runDelayNanos = runDelayNanos();
        private final long beganNanos = System.nanoTime();
        private final long[] lostNanos = lostNanos(beganNanos);

        /** Returns its length until now without what the machine took. */
        long nanos() {
            long now = System.nanoTime();
            long[] lostNow = lostNanos(now);
            long taken = runDelayNanos() - runDelayNanos;
            for (int i = 0; i < lostNow.length; i++) {
                taken = Math.max(taken, lostNow[i] - lostNanos[i]);
            }
            return Math.max(0, now - beganNanos - taken);
        }
    }

    private long[] lostNanos(long now) {
        return meters.stream().mapToLong(meter -> meter.lateness.until(now)).toArray();
    }

    private static long runDelayNanos() {
        if (!HAS_RUN_DELAY) {
            return 0;
        }
        try {
            return Long.parseLong(Files.readString(RUN_DELAY).split(" ", -1)[1]);
        } catch (IOException e) {
            return 0; // as where it is not counted
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
