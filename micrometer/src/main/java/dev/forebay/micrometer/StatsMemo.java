// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.time.Time;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes a pool's numbers at most once in a short while: a scrape reads some forty meters, and the pool walks all its
 * connections for each snapshot. Thread-safe; what one thread has seen, a later reading never falls behind.
 *
 * @param <T> the numbers
 */
final class StatsMemo<T> implements Supplier<T> {

    static final long KEPT_NANOS = 20_000_000;

    private final Supplier<T> source;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable T last;

    @GuardedBy("lock")
    private long takenAtNanos;

    StatsMemo(Supplier<T> source, Time time) {
        this.source = source;
        this.time = time;
    }

    @Override
    public T get() {
        lock.lock();
        try {
            long now = time.coarseNanos();
            T stats = last;
            if (stats == null || now - takenAtNanos >= KEPT_NANOS) {
                stats = source.get();
                last = stats;
                takenAtNanos = now;
            }
            return stats;
        } finally {
            lock.unlock();
        }
    }
}
