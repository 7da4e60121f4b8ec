// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The policy of retries: how often and after which wait, only after SQLSTATE 40001. Immutable.
 *
 * <p>{@link Transactions} follows it; code that owns its transaction loop asks {@link #after} itself.
 *
 * @param maxRetries the most retries; there is one attempt more than this
 * @param baseDelay the wait after the first attempt, before jitter; of a fair one, what an attempt takes if nobody says
 * @param maxDelay the longest wait, jitter included
 * @param jitter the range of the real wait, so that transactions that met do not meet again
 * @param fair whether it does as {@link #FAIR} does; otherwise its waits double
 */
public record TxRetryPolicy(int maxRetries, Duration baseDelay, Duration maxDelay, Jitter jitter, boolean fair) {

    private static final int MOST_RETRIES = 1_000;
    private static final Duration LONGEST = Duration.ofHours(1);

    /**
     * 5 retries after 100 ms, doubled up to 5 s, each a quarter shorter to a quarter longer: what a pool's settings
     * {@code dsql.retry.*} begin with, for conflicts that are few and long.
     */
    public static final TxRetryPolicy PATIENT =
            new TxRetryPolicy(5, Duration.ofMillis(100), Duration.ofSeconds(5), Jitter.of(0.25));

    /**
     * 100 retries after 0 to 4 ms, doubled up to 250 ms: for Aurora DSQL, where a loser learns of its conflict at COMMIT, when
     * the winner is done, so that nothing is gained by waiting longer than it takes to get out of each other's way. It outwaits a
     * crowd for about 12 s; {@link Transactions#within} sets another limit.
     */
    public static final TxRetryPolicy BRIEF =
            new TxRetryPolicy(100, Duration.ofMillis(4), Duration.ofMillis(250), Jitter.FULL);

    /**
     * The default. Retries at once; those of one name that go on conflicting run in the order in which they came, as many together as do not
     * get in each other's way. One that is alone and still loses, so to another process, waits for up to a few times what its
     * attempt took. It is given up when its {@linkplain Transactions#within time} is over, or after 1,000 retries if it has no limit.
     */
    public static final TxRetryPolicy FAIR =
            new TxRetryPolicy(MOST_RETRIES, Duration.ofMillis(4), Duration.ofSeconds(5), Jitter.FULL, true);

    /** A policy whose waits double. */
    public TxRetryPolicy(int maxRetries, Duration baseDelay, Duration maxDelay, Jitter jitter) {
        this(maxRetries, baseDelay, maxDelay, jitter, false);
    }

    public TxRetryPolicy {
        if (maxRetries < 0 || maxRetries > MOST_RETRIES) {
            throw new IllegalArgumentException("max retries must be 0 to " + MOST_RETRIES + ": " + maxRetries);
        }
        if (baseDelay.isNegative() || maxDelay.compareTo(baseDelay) < 0 || maxDelay.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("delays need 0 <= base delay <= max delay <= 1 h: base delay "
                    + baseDelay + ", max delay " + maxDelay);
        }
    }

    /** Returns the same with another number of retries; 0 never retries. */
    public TxRetryPolicy withMaxRetries(int retries) {
        return new TxRetryPolicy(retries, baseDelay, maxDelay, jitter, fair);
    }

    /**
     * Returns the wait before the whole transaction is retried, empty to stop, now that the {@code attempt}-th attempt,
     * counted from 1, has failed with {@code error} and has been rolled back.
     */
    public Optional<Duration> after(int attempt, Throwable error, RandomGenerator random) {
        return after(attempt, baseDelay, error, random);
    }

    /** Returns the same after an attempt that took {@code took}, the measure of {@link #FAIR}. */
    public Optional<Duration> after(int attempt, Duration took, Throwable error, RandomGenerator random) {
        if (took.isNegative()) {
            throw new IllegalArgumentException("an attempt cannot have taken " + took);
        }
        long tookNanos = (took.compareTo(maxDelay) < 0 ? took : maxDelay).toNanos();
        return ErrorMeaning.of(error) == ErrorMeaning.CONFLICT && mayFollow(attempt, false)
                ? Optional.of(Duration.ofNanos(delayNanos(attempt, tookNanos, random)))
                : Optional.empty();
    }

    /** Returns whether another attempt may follow the {@code attempt}-th of a transaction with or without a deadline. */
    boolean mayFollow(int attempt, boolean deadline) {
        if (attempt < 1) {
            throw new IllegalArgumentException("attempts are counted from 1: " + attempt);
        }
        return attempt <= maxRetries || (fair && deadline && maxRetries == MOST_RETRIES);
    }

    /** Returns the wait after the {@code attempt}-th attempt, which took {@code tookNanos}. */
    long delayNanos(int attempt, long tookNanos, RandomGenerator random) {
        double most = (double) maxDelay.toNanos();
        double nominal = fair ? fairNanos(attempt, tookNanos) : Math.scalb((double) baseDelay.toNanos(), attempt - 1);
        double factor = jitter.least + (jitter.most - jitter.least) * random.nextDouble();
        return (long) Math.min(most, Math.min(most, nominal) * factor);
    }

    /** Nothing, then the time of 1, 2, 4, 8, 4, 2 and always 1 attempt: who has lost long must not lose to newcomers. */
    private static double fairNanos(int attempt, long tookNanos) {
        return attempt == 1 ? 0 : Math.scalb((double) tookNanos, Math.max(0, 3 - Math.abs(attempt - 5)));
    }

    /**
     * The range, in multiples of the nominal wait, from which the real one is drawn.
     *
     * @param least the least multiple
     * @param most the greatest
     */
    public record Jitter(double least, double most) {

        /** From nothing to the nominal wait: spreads best. */
        public static final Jitter FULL = new Jitter(0, 1);

        public Jitter {
            if (!(least >= 0 && least <= most && most <= 2)) {
                throw new IllegalArgumentException("jitter needs 0 <= least <= most <= 2: " + least + ", " + most);
            }
        }

        /** Returns the range from {@code factor} below the nominal wait to {@code factor} above it. */
        public static Jitter of(double factor) {
            if (!(factor >= 0 && factor <= 1)) {
                throw new IllegalArgumentException("the jitter factor must be 0 to 1: " + factor);
            }
            return new Jitter(1 - factor, 1 + factor);
        }
    }
}
