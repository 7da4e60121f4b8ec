// SPDX-License-Identifier: Apache-2.0
package dev.forebay.pool;

import dev.forebay.time.Time;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Runs the pool's step when it is due and, from its answer, knows when it is due next. Thread-safe. */
final class Alarm {

    private final Time time;
    private final LongUnaryOperator step;
    private final ReentrantLock lock = new ReentrantLock();

    /** When it rings next. Written under lock. */
    private volatile long atNanos = Long.MAX_VALUE;

    /** Guarded by lock. */
    private Time.@Nullable Scheduled scheduled;

    /** Tells a ring that came too late to be cancelled from the one that counts. Guarded by lock. */
    private long generation;

    /** Guarded by lock. */
    private boolean stopped;

    Alarm(Time time, LongUnaryOperator step) {
        this.time = time;
        this.step = step;
    }

    /** Rings at {@code nanos} at the latest. */
    void set(long nanos) {
        if (nanos >= atNanos) {
            return;
        }
        lock.lock();
        try {
            if (nanos >= atNanos || stopped) {
                return;
            }
            if (scheduled != null) {
                scheduled.cancel();
            }
            atNanos = nanos;
            long mine = ++generation;
            scheduled = time.schedule(nanos, () -> ring(mine));
        } finally {
            lock.unlock();
        }
    }

    /** Rings as soon as possible. */
    void setNow() {
        set(0);
    }

    void stop() {
        lock.lock();
        try {
            stopped = true;
            if (scheduled != null) {
                scheduled.cancel();
            }
        } finally {
            lock.unlock();
        }
    }

    private void ring(long mine) {
        lock.lock();
        try {
            if (mine != generation || stopped) {
                return;
            }
            atNanos = Long.MAX_VALUE;
            scheduled = null;
        } finally {
            lock.unlock();
        }
        set(step.applyAsLong(time.nanos()));
    }
}
