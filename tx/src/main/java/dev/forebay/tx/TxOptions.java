// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of one call. Immutable.
 *
 * @param policy the policy of retries
 * @param time the most time for all attempts, null for no limit
 * @param cancellation stops it
 * @param idempotent whether it may be applied twice
 * @param joining whether it takes part in a transaction that its thread is in
 */
record TxOptions(
        TxRetryPolicy policy, @Nullable Duration time, Cancellation cancellation, boolean idempotent, boolean joining) {

    TxOptions withPolicy(TxRetryPolicy other) {
        return new TxOptions(other, time, cancellation, idempotent, joining);
    }

    TxOptions within(Duration limit) {
        return new TxOptions(policy, limit, cancellation, idempotent, joining);
    }

    TxOptions cancelledBy(Cancellation other) {
        return new TxOptions(policy, time, other, idempotent, joining);
    }

    TxOptions asIdempotent() {
        return new TxOptions(policy, time, cancellation, true, joining);
    }

    TxOptions asJoining() {
        return new TxOptions(policy, time, cancellation, idempotent, true);
    }
}
