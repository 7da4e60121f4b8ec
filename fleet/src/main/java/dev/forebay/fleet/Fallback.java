// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.Admission;
import dev.forebay.engine.FailureCause;
import dev.forebay.engine.OpenFailure;
import dev.forebay.time.Time;
import java.util.random.RandomGenerator;

/** Decides about new connections while the store of a {@link FleetRateLimit} is lost. Thread-safe. */
sealed interface Fallback extends Admission permits Fallback.Refusing, OutageShare {

    /** How many connections a second this instance opens, should the store be lost now. */
    @Override
    double sustainedPerSecond();

    /** Ends what it does beside answering. */
    default void close() {}

    /** Opens nothing while {@code store} is lost. */
    static Fallback refusing(GuardedStore store) {
        return new Refusing(store);
    }

    /**
     * Opens at this instance's share of the fleet's rate: the rate divided by the instances last seen.
     *
     * @param perSecond the rate of the fleet
     * @param minimum how many connections a second an instance opens that has seen none, not even itself
     */
    static Fallback share(
            String endpoint,
            double perSecond,
            double minimum,
            GuardedStore store,
            Time time,
            RandomGenerator random,
            FleetListener listener) {
        return new OutageShare(new Instances(endpoint, store, time, random), perSecond, minimum, time, listener);
    }

    /** Opens nothing. */
    record Refusing(GuardedStore store) implements Fallback {

        @Override
        public void ask(long nowNanos, Answer answer) {
            StoreException lost = store.lost();
            Exception why = lost == null ? new IllegalStateException("the store was out of reach") : lost;
            answer.failed(new OpenFailure(FailureCause.RATE_LIMIT, why));
        }

        @Override
        public double sustainedPerSecond() {
            return 0;
        }
    }
}
