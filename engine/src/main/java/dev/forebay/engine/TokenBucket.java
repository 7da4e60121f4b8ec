// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

/**
 * The arithmetic of a token bucket: a rate of permits, and the most it saves up. Pure and immutable.
 *
 * <p>The state is one number, kept by the caller: the moment at which the bucket will be full again. A permit moves it
 * on by one interval; a bucket that is full has it in the past; one that is empty has it a whole capacity ahead. There
 * is no fraction to round and no clock to trust: time comes in as an argument.
 */
public final class TokenBucket {

    /** Nanoseconds count three centuries; this leaves room for the sums. */
    private static final double LONGEST_FILL_SECONDS = 100 * 365.0 * 86_400;

    private final double perSecond;
    private final long intervalNanos;
    private final long capacity;

    /**
     * A bucket.
     *
     * @param perSecond the permits that flow in each second
     * @param capacity the most permits it holds
     */
    public TokenBucket(double perSecond, long capacity) {
        if (!(perSecond > 0) || perSecond > 1e9) {
            throw new IllegalArgumentException("a rate must lie between 0 and a billion a second: " + perSecond);
        }
        if (capacity < 1) {
            throw new IllegalArgumentException("a bucket must hold at least one permit: " + capacity);
        }
        if (capacity / perSecond > LONGEST_FILL_SECONDS) {
            throw new IllegalArgumentException(
                    "a bucket must fill within a century: " + capacity + " at " + perSecond + " a second");
        }
        this.perSecond = perSecond;
        this.intervalNanos = Math.max(1, Math.round(1e9 / perSecond));
        this.capacity = capacity;
    }

    /** The permits that flow in each second. */
    public double perSecond() {
        return perSecond;
    }

    /** The most permits it holds. */
    public long capacity() {
        return capacity;
    }

    /** The time one permit takes to flow in. */
    public long intervalNanos() {
        return intervalNanos;
    }

    /** The state of a full bucket at {@code now}. */
    public long full(long now) {
        return now;
    }

    /** The state of an empty bucket at {@code now}. */
    public long empty(long now) {
        return now + capacity * intervalNanos;
    }

    /** The number of whole permits at {@code now}. */
    public long available(long state, long now) {
        return Math.min(capacity, Math.max(0, (empty(now) - state) / intervalNanos));
    }

    /** The permits at {@code now}, with the part of one that has flowed in. */
    double permits(long state, long now) {
        return Math.max(0.0, Math.min((double) capacity, (double) (empty(now) - state) / intervalNanos));
    }

    /** The state at {@code now} of a bucket with {@code permits}, of which it takes no more than it holds. */
    long holding(double permits, long now) {
        double held = Math.max(0.0, Math.min((double) capacity, permits));
        return now + (long) Math.ceil(((double) capacity - held) * intervalNanos);
    }

    /** The time {@code permits} can be taken: now or earlier if they are there. */
    public long availableAt(long state, long permits) {
        return state + (permits - capacity) * intervalNanos;
    }

    /** The state after {@code permits} were taken at {@code now}; only right if they were available. */
    public long take(long state, long now, long permits) {
        return Math.max(state, now) + permits * intervalNanos;
    }

    /** The state after {@code permits} were given back unused. */
    public long giveBack(long state, long permits) {
        return state - permits * intervalNanos;
    }
}
