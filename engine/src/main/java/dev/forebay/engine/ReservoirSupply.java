// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.engine.Supply.Census;

/**
 * Keeps a number of connections ready and replaces each before it has to go.
 *
 * <p>The level is simple: missing connections are wanted. Replacing ahead works on the connections in the order of
 * their expiry. New ones come one after the other, so the k-th replacement arrives k intervals after the first; for the
 * k-th connection to be replaced in time, opening must therefore begin k intervals, and a connect, before it enters its
 * guard window. The largest k whose moment has come is the number of replacements that should be on their way. The
 * interval is that of the grants, or that in which the spare lets slow connects follow each other, whichever is longer.
 */
final class ReservoirSupply implements Supply {

    /** A tenth more time than the pace suggests: it is an estimate, and late costs more than early. */
    private static final double MARGIN = 1.1;

    /** A clock's tick and a thread's wake-up. */
    private static final long SLACK_NANOS = 50_000_000;

    /** The time between two looks while checkouts, which report nothing, may have lowered the level. */
    private static final long LEVEL_CHECK_NANOS = 100_000_000;

    /** Ten years. */
    private static final double FOREVER_NANOS = 3e17;

    private final int targetReady;

    ReservoirSupply(int targetReady) {
        if (targetReady < 0) {
            throw new IllegalArgumentException("targetReady must not be negative: " + targetReady);
        }
        this.targetReady = targetReady;
    }

    @Override
    public Demand wanted(Census census, long nowNanos) {
        int room = census.room();
        int missing = room > 0 ? Math.max(0, Math.min(targetReady - census.ready(), room)) : 0;
        Census.Horizon horizon = census.horizon();
        double intervalNanos = MARGIN * Math.max(1e9 / horizon.grantsPerSecond(), turnNanos(census, missing));
        long connectNanos = 2 * horizon.connectNanos() + SLACK_NANOS;
        int due = 0;
        long recheckAt = census.maxOpen() > targetReady && room > 0 ? nowNanos + LEVEL_CHECK_NANOS : Long.MAX_VALUE;
        // However many there are, only those can be due that go within the time it takes to replace all of them.
        long longestNanos = connectNanos + (long) Math.min(FOREVER_NANOS, intervalNanos * horizon.size());
        int near = countUntil(nowNanos + longestNanos, horizon);
        if (near < horizon.size()) {
            recheckAt = Math.min(recheckAt, horizon.dueAtNanos(near) - longestNanos);
        }
        for (int i = near - 1; i >= 0; i--) {
            long startAt = horizon.dueAtNanos(i) - connectNanos - (long) (intervalNanos * (i + 1));
            if (startAt <= nowNanos) {
                due = i + 1;
                break;
            }
            recheckAt = Math.min(recheckAt, startAt);
        }
        return new Demand(missing, due, recheckAt);
    }

    /** The interval of slow connects: they come in turns, bounded by what may be open beside the level. */
    private static double turnNanos(Census census, int missing) {
        int atOnce = census.spare() + Math.max(0, census.room() - missing);
        return atOnce == 0 ? 0 : (double) census.horizon().connectNanos() / atOnce;
    }

    /** The number of connections that have to go until {@code nanos}. */
    private static int countUntil(long nanos, Census.Horizon horizon) {
        int low = 0;
        int high = horizon.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (horizon.dueAtNanos(middle) <= nanos) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public int target() {
        return targetReady;
    }

    @Override
    public String toString() {
        return "reservoir of " + targetReady;
    }
}
