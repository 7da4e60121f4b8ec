// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.Supply;
import dev.forebay.engine.Supply.Census;

/**
 * The engine's on-demand supply with a floor under the connections open, in use or not. Immutable.
 *
 * @param onDemand the supply for those that wait
 * @param least the number kept open
 */
record Floor(Supply onDemand, int least) implements Supply {

    @Override
    public Demand wanted(Census census, long nowNanos) {
        Demand demand = onDemand.wanted(census, nowNanos);
        int missing = Math.max(0, Math.min(least - census.open(), census.room()));
        return missing <= demand.opens() ? demand : new Demand(missing, demand.extras(), demand.recheckAtNanos());
    }

    @Override
    public int target() {
        return onDemand.target();
    }

    @Override
    public Extra extra() {
        return onDemand.extra();
    }

    @Override
    public boolean reactsToWaiting() {
        return onDemand.reactsToWaiting();
    }

    @Override
    public String toString() {
        return onDemand + ", at least " + least;
    }
}
