// SPDX-License-Identifier: Apache-2.0
package dev.forebay.pool;

import java.util.Collection;

/**
 * How fast connections come lately: what replacing ahead of expiry plans with. Guarded by the pool's lock.
 *
 * <p>Only intervals between grants while more was wanted are counted: a pool that opens one a minute because it needs no
 * more has not learned that it could not have had a hundred.
 */
final class Pace {

    private static final double WEIGHT = 0.1;
    private static final long NEVER = Long.MIN_VALUE;

    private final Collection<Admission> admissions;
    private final int inFlightLimit;
    private double meanIntervalNanos;
    private long lastGrantNanos = NEVER;
    private long connectNanos;

    Pace(Collection<Admission> admissions, int inFlightLimit) {
        this.admissions = admissions;
        this.inFlightLimit = inFlightLimit;
    }

    void granted(long nowNanos) {
        if (lastGrantNanos != NEVER) {
            meanIntervalNanos += WEIGHT * ((nowNanos - lastGrantNanos) - meanIntervalNanos);
        }
        lastGrantNanos = nowNanos;
    }

    /** Nothing more is wanted: the time until the next grant says nothing. */
    void relaxed() {
        lastGrantNanos = NEVER;
    }

    /** A connect took so long; slow ones are remembered for longer than quick ones. */
    void connected(long nanos) {
        connectNanos = Math.max(nanos, (long) (connectNanos * (1 - WEIGHT) + nanos * WEIGHT));
    }

    double grantsPerSecond() {
        double perSecond = meanIntervalNanos > 0 ? 1e9 / meanIntervalNanos : Double.POSITIVE_INFINITY;
        for (Admission admission : admissions) {
            perSecond = Math.min(perSecond, admission.sustainedPerSecond());
        }
        return connectNanos > 0 ? Math.min(perSecond, inFlightLimit * 1e9 / connectNanos) : perSecond;
    }

    long connectNanos() {
        return connectNanos;
    }
}
