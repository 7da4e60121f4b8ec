// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Limits the connections this process opens a second; the local limit, for one pool or for several. Thread-safe.
 *
 * <p>A permit that was not used is given back. When the server refuses an open as too fast anyway, the bucket is
 * emptied: others spend from the same budget, and the permits that seemed saved up are not there.
 */
public final class RateLimit implements Admission {

    private final Time time;
    private final AtomicReference<Level> level;
    private final AtomicLong postponed = new AtomicLong();
    private final List<Runnable> wakes = new CopyOnWriteArrayList<>();

    /** A bucket and its state, exchanged together. */
    private record Level(TokenBucket bucket, long state) {

        Level with(long next) {
            return new Level(bucket, next);
        }
    }

    /** A limit whose bucket is full now. */
    public RateLimit(TokenBucket bucket, Time time) {
        this(bucket, time, bucket.full(time.nanos()));
    }

    private RateLimit(TokenBucket bucket, Time time, long state) {
        this.time = time;
        this.level = new AtomicReference<>(new Level(bucket, state));
    }

    /** A limit whose bucket is empty now. */
    public static RateLimit empty(TokenBucket bucket, Time time) {
        return new RateLimit(bucket, time, bucket.empty(time.nanos()));
    }

    @Override
    public void ask(long nowNanos, Answer answer) {
        while (true) {
            Level before = level();
            TokenBucket bucket = before.bucket;
            long at = bucket.availableAt(before.state, 1);
            if (at > nowNanos) {
                postponed.incrementAndGet();
                answer.notBefore(at);
                return;
            }
            if (level.compareAndSet(before, before.with(bucket.take(before.state, nowNanos, 1)))) {
                answer.granted(new Permit());
                return;
            }
        }
    }

    @Override
    public Runnable whenFreed(Runnable wake) {
        wakes.add(wake);
        return () -> wakes.remove(wake);
    }

    @Override
    public double sustainedPerSecond() {
        return bucket().perSecond();
    }

    private Level level() {
        return Objects.requireNonNull(level.get());
    }

    /** The bucket in force. */
    public TokenBucket bucket() {
        return level().bucket;
    }

    /** Puts {@code next} in force with the permits there are, as far as it holds them: a change mints none. */
    public void change(TokenBucket next, Actions actions) {
        long now = time.nanos();
        level.updateAndGet(before -> new Level(next, next.holding(before.bucket.permits(before.state, now), now)));
        actions.addAll(wakes); // those that wait were given a time by the former limit
    }

    /** The time at which the bucket is full, now or earlier if it is. */
    public long fullAtNanos() {
        return level().state;
    }

    /** The number of opens it would admit at once now. */
    public long available() {
        Level now = level();
        return now.bucket.available(now.state, time.nanos());
    }

    /** The number of times an open had to wait. */
    public long postponed() {
        return postponed.get();
    }

    private final class Permit implements Grant {
        @Override
        public void openEnded(Outcome outcome) {
            if (outcome == Outcome.NOT_TRIED) {
                level.updateAndGet(before -> before.with(before.bucket.giveBack(before.state, 1)));
                Actions.runAll(wakes); // those refused were given a later time
            } else if (outcome == Outcome.THROTTLED) {
                long now = time.nanos();
                level.updateAndGet(before -> before.with(Math.max(before.state, before.bucket.empty(now))));
            }
        }

        @Override
        public void release() {
            // A permit is spent on the connect; there is nothing to give back when the connection ends.
        }
    }
}
