// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine.internal;

import dev.forebay.time.Time;
import java.util.concurrent.locks.ReentrantLock;

/** The greatest value of this minute and the one before, by the coarse clock. Thread-safe. */
public final class Peak {

    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    /** Written under lock. */
    private volatile Minute last;

    private record Minute(long number, long greatest, long greatestBefore) {

        Minute at(long now) {
            return now <= number ? this : new Minute(now, 0, now == number + 1 ? greatest : 0);
        }
    }

    public Peak(Time time) {
        this.time = time;
        this.last = new Minute(minute(), 0, 0);
    }

    private long minute() {
        return Math.floorDiv(time.coarseNanos(), MINUTE_NANOS);
    }

    /** Takes {@code value} in. */
    public void offer(long value) {
        long now = minute();
        if (value <= last.at(now).greatest) {
            return;
        }
        lock.lock();
        try {
            Minute current = last.at(now);
            if (value > current.greatest) {
                last = new Minute(current.number, value, current.greatestBefore);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The greatest value, 0 if there was none. */
    public long get() {
        Minute current = last.at(minute());
        return Math.max(current.greatest, current.greatestBefore);
    }
}
