// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.Supply.Census;
import java.time.Duration;

/** Opens for waiters, and keeps a few idle ones at hand. */
final class OnDemandSupply implements Supply {

    /** The time between two looks while checkouts, which report nothing, may have left too few idle. */
    private static final long LEVEL_CHECK_NANOS = 500_000_000;

    private final int minIdle;
    private final long idleAfterNanos;
    private final int maxOpen;
    private final Exhaustion exhaustion;

    OnDemandSupply(int minIdle, Duration idleAfter, int maxOpen, Exhaustion exhaustion) {
        if (minIdle < 0 || minIdle > maxOpen) {
            throw new IllegalArgumentException(
                    "minIdle must lie between 0 and maxOpen: " + minIdle + ", maxOpen " + maxOpen);
        }
        this.minIdle = minIdle;
        this.idleAfterNanos = idleAfter.toNanos();
        this.maxOpen = maxOpen;
        this.exhaustion = exhaustion;
    }

    @Override
    public Demand wanted(Census census, long nowNanos) {
        long idleFrom = census.horizon().startedAtNanos() + idleAfterNanos;
        int idle = nowNanos < idleFrom ? 0 : minIdle;
        int opens = 0;
        int extras = 0;
        if (census.waiting() + idle > 0) {
            int ready = census.ready();
            opens = Math.max(0, Math.min(census.waiting() + idle - ready, census.room()));
            if (exhaustion == Exhaustion.OVERFLOW) {
                extras = Math.max(0, Math.min(census.waiting() - ready - opens, census.spare()));
            }
        }
        long recheckAt = minIdle == 0 || census.room() <= 0
                ? Long.MAX_VALUE
                : nowNanos < idleFrom ? idleFrom : nowNanos + LEVEL_CHECK_NANOS;
        return new Demand(opens, extras, recheckAt);
    }

    @Override
    public int target() {
        return minIdle;
    }

    @Override
    public Extra extra() {
        return exhaustion == Exhaustion.OVERFLOW ? Extra.OVERFLOW : Extra.REPLACEMENT;
    }

    @Override
    public boolean reactsToWaiting() {
        return true;
    }

    @Override
    public String toString() {
        return "on demand, " + minIdle + " to " + maxOpen;
    }
}
