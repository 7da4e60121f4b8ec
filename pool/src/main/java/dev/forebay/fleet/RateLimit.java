// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.pool.Admission;
import dev.forebay.time.Time;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits how many connections this process opens a second; the local limit, for one pool or for several. Thread-safe.
 *
 * <p>A permit that was not used is given back. When the server says that it came too fast all the same, the bucket is
 * emptied: others spend from the same budget, and what seemed saved up is not there.
 */
public final class RateLimit implements Admission {

    private final TokenBucket bucket;
    private final Time time;
    private final AtomicLong state;
    private final AtomicLong postponed = new AtomicLong();
    private final List<Runnable> wakes = new CopyOnWriteArrayList<>();

    /** A limit whose bucket is full now. */
    public RateLimit(TokenBucket bucket, Time time) {
        this(bucket, time, bucket.full(time.nanos()));
    }

    private RateLimit(TokenBucket bucket, Time time, long state) {
        this.bucket = bucket;
        this.time = time;
        this.state = new AtomicLong(state);
    }

    /** A limit whose bucket is empty now. */
    static RateLimit empty(TokenBucket bucket, Time time) {
        return new RateLimit(bucket, time, bucket.empty(time.nanos()));
    }

    @Override
    public void ask(long nowNanos, Answer answer) {
        while (true) {
            long before = state.get();
            long at = bucket.availableAt(before, 1);
            if (at > nowNanos) {
                postponed.incrementAndGet();
                answer.notBefore(at);
                return;
            }
            if (state.compareAndSet(before, bucket.take(before, nowNanos, 1))) {
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
        return bucket.perSecond();
    }

    /** How many opens it would admit at once now. */
    public long available() {
        return bucket.available(state.get(), time.nanos());
    }

    /** How often an open was told to wait. */
    public long postponed() {
        return postponed.get();
    }

    private final class Permit implements Grant {
        @Override
        public void openEnded(Outcome outcome) {
            if (outcome == Outcome.NOT_TRIED) {
                state.updateAndGet(before -> bucket.giveBack(before, 1));
                wakes.forEach(Runnable::run); // whoever was refused was told a later time
            } else if (outcome == Outcome.THROTTLED) {
                long empty = bucket.empty(time.nanos());
                state.updateAndGet(before -> Math.max(before, empty));
            }
        }

        @Override
        public void release() {
            // A permit is spent on the connect; there is nothing to give back when the connection ends.
        }
    }
}
