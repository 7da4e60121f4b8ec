// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.time.Time;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Runs a step when it is due and, from its answer, knows when it is due next. Thread-safe. */
public final class Alarm {

    /** The wait after a step that failed: that is a bug, but it must not be the last step. */
    private static final long AFTER_FAILURE_NANOS = 1_000_000_000;

    private final Time time;
    private final LongUnaryOperator step;
    private final ReentrantLock lock = new ReentrantLock();

    /** The time it rings next. Written under lock. */
    private volatile long atNanos = Long.MAX_VALUE;

    @GuardedBy("lock")
    private Time.@Nullable Scheduled scheduled;

    /** Tells a ring that came too late to be cancelled from the one that counts. */
    @GuardedBy("lock")
    private long generation;

    /** Makes an alarm that is not set yet; {@code step} takes the time and returns when it is due again. */
    public Alarm(Time time, LongUnaryOperator step) {
        this.time = time;
        this.step = step;
    }

    /** Rings at {@code nanos} at the latest. */
    public void set(long nanos) {
        if (nanos >= atNanos) {
            return;
        }
        lock.lock();
        try {
            if (nanos >= atNanos) {
                return;
            }
            if (scheduled != null) {
                scheduled.cancel();
            }
            atNanos = nanos;
            long mine = ++generation;
            scheduled = null;
            try {
                scheduled = time.schedule(nanos, () -> ring(mine));
            } finally {
                if (scheduled == null) {
                    atNanos = Long.MAX_VALUE; // it could not be set: the next caller must not be turned away
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Rings as soon as possible. */
    public void setNow() {
        set(0);
    }

    private void ring(long mine) {
        lock.lock();
        try {
            if (mine != generation) {
                return;
            }
            atNanos = Long.MAX_VALUE;
            scheduled = null;
        } finally {
            lock.unlock();
        }
        long next = time.nanos() + AFTER_FAILURE_NANOS;
        try {
            next = step.applyAsLong(time.nanos());
        } finally {
            set(next);
        }
    }
}
