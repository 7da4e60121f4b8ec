// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.engine.Supply.Census;
import java.time.Duration;

/**
 * Standard mode: a warm-up that opens one connection after the other, then a keeper that each tick replaces what is
 * missing, a few at a time. Beside both, one is opened for each caller that finds nothing, as soon as the admissions
 * let it.
 *
 * <p>The keeper is patient because no caller waits for what it opens; a pool that has lost its connections under load
 * must not be. An open begun for a waiter is finished even if a return has served that waiter meanwhile: it is missing.
 */
final class KeeperSupply implements Supply {

    private final int size;
    private final long tickNanos;
    private final int perTick;

    KeeperSupply(int size, Duration tick, int perTick) {
        if (size < 0 || perTick < 0 || tick.isZero() || tick.isNegative()) {
            throw new IllegalArgumentException(
                    "keeper needs size >= 0, a tick and a batch >= 0: " + size + ", " + tick + ", " + perTick);
        }
        this.size = size;
        this.tickNanos = tick.toNanos();
        this.perTick = perTick;
    }

    @Override
    public Demand wanted(Census census, long nowNanos) {
        int missing = Math.max(0, Math.min(size - census.open(), census.room()));
        if (missing == 0) {
            return Demand.NONE;
        }
        int unserved = census.waiting() == 0 ? 0 : census.waiting() - census.ready();
        if (census.opened() + census.givenUp() < size) {
            return new Demand(Math.min(Math.max(1, unserved), missing), 0, Long.MAX_VALUE);
        }
        long startedAt = census.horizon().startedAtNanos();
        long tickStart = nowNanos - (nowNanos - startedAt) % tickNanos;
        int left = Math.max(0, perTick - census.horizon().startedSince(tickStart));
        int opens = Math.max(census.opening() + left, unserved);
        return new Demand(Math.min(opens, missing), 0, tickStart + tickNanos);
    }

    @Override
    public int target() {
        return size;
    }

    @Override
    public boolean reactsToWaiting() {
        return true;
    }

    @Override
    public String toString() {
        return "keeper of " + size;
    }
}
