// SPDX-License-Identifier: Apache-2.0
package dev.forebay.pool;

/** Opens because someone waits, and keeps a few idle ones at hand. */
final class OnDemandSupply implements Supply {

    /** How often to look while checkouts, which tell nobody, may have left too few idle. */
    private static final long LEVEL_CHECK_NANOS = 500_000_000;

    private final int minIdle;
    private final int maxOpen;
    private final Exhaustion exhaustion;

    OnDemandSupply(int minIdle, int maxOpen, Exhaustion exhaustion) {
        if (minIdle < 0 || minIdle > maxOpen) {
            throw new IllegalArgumentException(
                    "minIdle must lie between 0 and maxOpen: " + minIdle + ", maxOpen " + maxOpen);
        }
        this.minIdle = minIdle;
        this.maxOpen = maxOpen;
        this.exhaustion = exhaustion;
    }

    @Override
    public Demand wanted(Census census, long nowNanos) {
        int opens = 0;
        int extras = 0;
        if (census.waiting() + minIdle > 0) {
            int ready = census.ready();
            opens = Math.max(0, Math.min(census.waiting() + minIdle - ready, census.room()));
            if (exhaustion == Exhaustion.OVERFLOW) {
                extras = Math.max(0, Math.min(census.waiting() - ready - opens, census.spare()));
            }
        }
        long recheckAt = minIdle > 0 && census.room() > 0 ? nowNanos + LEVEL_CHECK_NANOS : Long.MAX_VALUE;
        return new Demand(opens, extras, recheckAt);
    }

    @Override
    public int target() {
        return maxOpen;
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
