// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine.internal;

import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Changes a state in steps: each is decided under one lock, done after it is released, and sets the time of the next
 * look. Thread-safe.
 */
public final class Steps {

    private final Time time;
    private final ReentrantLock lock;
    private final long afterFailureNanos;
    private final Advance advance;
    private final Alarm alarm;

    /** The second half of every step, under the lock. */
    @FunctionalInterface
    public interface Advance {

        /** Does everything possible now and returns when to look again. */
        long advance(long now, Actions actions);
    }

    /** Makes steps under {@code lock}; after one that failed, which is a bug, it looks again in {@code afterFailureNanos}. */
    public Steps(Time time, ReentrantLock lock, long afterFailureNanos, Advance advance) {
        this.time = time;
        this.lock = lock;
        this.afterFailureNanos = afterFailureNanos;
        this.advance = advance;
        this.alarm = new Alarm(time, now -> {
            take((again, actions) -> {});
            return Long.MAX_VALUE; // the step has set the alarm
        });
    }

    /** Takes a step that begins with {@code event}. */
    public void take(Actions.Decision event) {
        long next = time.nanos() + afterFailureNanos;
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                long now = time.nanos();
                event.decide(now, actions);
                next = advance.advance(now, actions);
            } finally {
                lock.unlock();
            }
        } finally {
            alarm.set(next);
        }
    }

    /** Takes a step at {@code nanos} at the latest. */
    public void takeAt(long nanos) {
        alarm.set(nanos);
    }
}
