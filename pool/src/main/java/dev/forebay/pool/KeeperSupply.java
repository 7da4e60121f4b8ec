// SPDX-License-Identifier: Apache-2.0
package dev.forebay.pool;

import java.time.Duration;

/**
 * Standard mode: a warm-up that opens one connection after the other, then a keeper that each tick replaces what is
 * missing, a few at a time.
 */
final class KeeperSupply implements Supply {

    private final int size;
    private final long tickNanos;
    private final int perTick;

    KeeperSupply(int size, Duration tick) {
        if (size < 0 || tick.isZero() || tick.isNegative()) {
            throw new IllegalArgumentException("keeper needs size >= 0 and a tick: " + size + ", " + tick);
        }
        this.size = size;
        this.tickNanos = tick.toNanos();
        this.perTick = Supply.keeperBatch(size);
    }

    @Override
    public Demand wanted(Census census, long nowNanos) {
        int missing = Math.max(0, Math.min(size - census.open(), census.room()));
        if (census.opened() + census.abandoned() < size) {
            return new Demand(Math.min(1, missing), 0, Long.MAX_VALUE);
        }
        if (missing == 0) {
            return Demand.NONE;
        }
        long startedAt = census.horizon().startedAtNanos();
        long tickStart = nowNanos - (nowNanos - startedAt) % tickNanos;
        int left = Math.max(0, perTick - census.horizon().startedSince(tickStart));
        return new Demand(Math.min(missing, census.opening() + left), 0, tickStart + tickNanos);
    }

    @Override
    public int target() {
        return size;
    }

    @Override
    public String toString() {
        return "keeper of " + size;
    }
}
