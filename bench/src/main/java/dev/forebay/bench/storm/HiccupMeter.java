// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.storm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that do nothing but wake up every millisecond, and note when they could not.
 *
 * <p>When the machine or a collection stops a thread that only wanted to wake up, it stops a checkout just as well; that
 * part of a slow checkout is no fault of the pool. There is one thread for each processor, since one may be stopped while
 * another goes on.
 */
final class HiccupMeter implements AutoCloseable {

    private static final long PERIOD_NANOS = 1_000_000;
    private static final long WORTH_NOTING_NANOS = 1_000_000;

    record Span(long startNanos, long endNanos) {
        long nanos() {
            return endNanos - startNanos;
        }
    }

    private final ConcurrentLinkedQueue<Span> hiccups = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    HiccupMeter() {
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            Thread thread = new Thread(this::run, "hiccup-meter-" + i);
            thread.setDaemon(true);
            thread.setPriority(Thread.NORM_PRIORITY);
            threads.add(thread);
            thread.start();
        }
    }

    private void run() {
        while (!stopped) {
            long due = System.nanoTime() + PERIOD_NANOS;
            LockSupport.parkNanos(PERIOD_NANOS);
            long now = System.nanoTime();
            if (now - due > WORTH_NOTING_NANOS) {
                hiccups.add(new Span(due, now));
            }
        }
    }

    /** Returns the part of {@code wait} without a hiccup; those of different threads count once. */
    long unexplainedNanos(Span wait) {
        return unexplainedNanos(wait, hiccups);
    }

    static long unexplainedNanos(Span wait, Iterable<Span> hiccups) {
        List<Span> inside = new ArrayList<>();
        for (Span hiccup : hiccups) {
            if (hiccup.endNanos() - wait.startNanos() > 0 && wait.endNanos() - hiccup.startNanos() > 0) {
                inside.add(hiccup);
            }
        }
        inside.sort((a, b) -> Long.compare(a.startNanos() - b.startNanos(), 0));
        long from = wait.startNanos();
        long unexplained = 0;
        for (Span hiccup : inside) {
            unexplained += Math.max(0, hiccup.startNanos() - from);
            from += Math.max(0, hiccup.endNanos() - from);
        }
        return unexplained + Math.max(0, wait.endNanos() - from);
    }

    /** Returns the longest hiccup so far. */
    long longestNanos() {
        return hiccups.stream().mapToLong(Span::nanos).max().orElse(0);
    }

    @Override
    public void close() {
        stopped = true;
    }
}
