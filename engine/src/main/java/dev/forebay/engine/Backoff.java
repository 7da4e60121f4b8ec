// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The wait after a failed open: exponential with jitter, forgotten at the first success. Immutable.
 *
 * @param base the wait after the first failure, before jitter
 * @param max the longest wait, before jitter
 * @param tries the failures in a row after which a connection counts as given up; the next one starts over
 */
public record Backoff(Duration base, Duration max, int tries) {

    /** 250 ms, doubled up to 5 s, and never given up. */
    public static final Backoff DEFAULT = new Backoff(Duration.ofMillis(250), Duration.ofSeconds(5), Integer.MAX_VALUE);

    public Backoff {
        if (base.isNegative() || base.isZero() || max.compareTo(base) < 0) {
            throw new IllegalArgumentException("backoff needs 0 < base <= max: base " + base + ", max " + max);
        }
        if (tries < 1) {
            throw new IllegalArgumentException("backoff needs at least one try: " + tries);
        }
    }

    /** The wait after the {@code failures}-th failure in a row: between half and one and a half of the nominal one. */
    public long delayNanos(int failures, RandomGenerator random) {
        int doublings = Math.min(failures - 1, 30);
        long nominal = Math.min(max.toNanos(), base.toNanos() << doublings);
        if (nominal <= 0) {
            nominal = max.toNanos();
        }
        return (long) (nominal * (0.5 + random.nextDouble()));
    }
}
