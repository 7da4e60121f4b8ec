// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.Admission;
import dev.forebay.engine.OpenFailure;

/** Decides about new connections while the store of a {@link FleetRateLimit} is lost. Thread-safe. */
sealed interface Fallback extends Admission permits Fallback.Refusing, OutageShare {

    /** The connections a second this instance opens, should the store be lost now. */
    @Override
    double sustainedPerSecond();

    /** Ends its work beside answering. */
    default void close() {}

    /** Opens nothing while {@code store} is lost. */
    record Refusing(GuardedStore store) implements Fallback {

        @Override
        public void ask(long nowNanos, Answer answer) {
            StoreException lost = store.lost();
            Exception why = lost == null ? new IllegalStateException("the store was out of reach") : lost;
            answer.failed(new OpenFailure(OpenFailure.Cause.RATE_LIMIT, why));
        }

        @Override
        public double sustainedPerSecond() {
            return 0;
        }
    }
}
