// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import java.util.Collection;

/**
 * The recent pace of opens, with which replacing ahead of expiry plans. Guarded by the pool's lock.
 *
 * <p>Only the time in which more was wanted is counted: a pool that opens one a minute because it needs no more has not
 * learned that it could not have had a hundred. And it is time that is counted, not grants: where many share a limit,
 * the first that want something get it at once, and a plan made of those quick grants would leave no time for the crowd
 * that is about to come.
 */
final class Pace {

    /** The part of the time spent wanting that is remembered, about. */
    private static final double MEMORY_NANOS = 60e9;

    /** The weight of the latest connect in the estimate of the next. */
    private static final double WEIGHT = 0.1;

    private static final long NEVER = Long.MIN_VALUE;

    private final Collection<Admission> admissions;
    private final int inFlightLimit;
    private double grants;
    private double wantedNanos;
    private long lastGrantNanos = NEVER;
    private long connectNanos;

    Pace(Collection<Admission> admissions, int inFlightLimit) {
        this.admissions = admissions;
        this.inFlightLimit = inFlightLimit;
    }

    void granted(long nowNanos) {
        if (lastGrantNanos != NEVER) {
            double interval = nowNanos - lastGrantNanos;
            double kept = MEMORY_NANOS / (MEMORY_NANOS + interval);
            grants = grants * kept + 1;
            wantedNanos = wantedNanos * kept + interval;
        }
        lastGrantNanos = nowNanos;
    }

    /** Notes that nothing more is wanted: the time until the next grant means nothing. */
    void relaxed() {
        lastGrantNanos = NEVER;
    }

    /** Notes the duration of a connect; slow ones are remembered for longer than quick ones. */
    void connected(long nanos) {
        connectNanos = Math.max(nanos, (long) (connectNanos * (1 - WEIGHT) + nanos * WEIGHT));
    }

    double grantsPerSecond() {
        double perSecond = wantedNanos > 0 ? 1e9 * grants / wantedNanos : Double.POSITIVE_INFINITY;
        for (Admission admission : admissions) {
            perSecond = Math.min(perSecond, admission.sustainedPerSecond());
        }
        return connectNanos > 0 ? Math.min(perSecond, inFlightLimit * 1e9 / connectNanos) : perSecond;
    }

    long connectNanos() {
        return connectNanos;
    }
}
