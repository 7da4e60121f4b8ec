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
 * @param lane the key of its lane, null for none
 */
record TxOptions(
        TxRetryPolicy policy,
        @Nullable Duration time,
        Cancellation cancellation,
        boolean idempotent,
        boolean joining,
        @Nullable String lane) {

    TxOptions withPolicy(TxRetryPolicy other) {
        return new TxOptions(other, time, cancellation, idempotent, joining, lane);
    }

    TxOptions within(Duration limit) {
        return new TxOptions(policy, limit, cancellation, idempotent, joining, lane);
    }

    TxOptions cancelledBy(Cancellation other) {
        return new TxOptions(policy, time, other, idempotent, joining, lane);
    }

    TxOptions asIdempotent() {
        return new TxOptions(policy, time, cancellation, true, joining, lane);
    }

    TxOptions asJoining() {
        return new TxOptions(policy, time, cancellation, idempotent, true, lane);
    }

    TxOptions inLane(String key) {
        return new TxOptions(policy, time, cancellation, idempotent, joining, key);
    }
}
