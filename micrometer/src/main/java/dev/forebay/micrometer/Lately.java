// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Metric.Distribution;
import dev.forebay.time.Time;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The values of the last minute, or a little more, of a distribution that only grows. Thread-safe. */
final class Lately implements Supplier<Distribution> {

    private static final long STEP_NANOS = 30_000_000_000L;
    private static final long SPAN_NANOS = 60_000_000_000L;

    private final Supplier<Distribution> source;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    /** The values at some moments, the oldest first. */
    @GuardedBy("lock")
    private final Deque<Look> looks = new ArrayDeque<>();

    private record Look(long atNanos, Distribution values) {}

    Lately(Supplier<Distribution> source, Time time) {
        this.source = source;
        this.time = time;
    }

    /** Returns the values since the latest look that is a minute old; all of them in the first minute. */
    @Override
    public Distribution get() {
        Distribution now = source.get();
        long nanos = time.coarseNanos();
        lock.lock();
        try {
            if (looks.isEmpty()) {
                looks.addLast(new Look(nanos, now.minus(now)));
            } else if (nanos - looks.getLast().atNanos >= STEP_NANOS) {
                looks.addLast(new Look(nanos, now));
            }
            Look start = looks.removeFirst();
            while (!looks.isEmpty() && nanos - looks.getFirst().atNanos >= SPAN_NANOS) {
                start = looks.removeFirst();
            }
            looks.addFirst(start);
            return now.minus(start.values);
        } finally {
            lock.unlock();
        }
    }
}
