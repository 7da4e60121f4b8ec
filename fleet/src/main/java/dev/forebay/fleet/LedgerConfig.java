// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import java.time.Duration;

/**
 * The settings of a {@link Ledger}. Immutable.
 *
 * @param endpoint the cluster whose connections are counted
 * @param serviceName who holds them, for operators
 * @param limit how many connections all instances may have
 * @param ttl after how long without a sign of life the slots of an instance are given to others
 * @param renewal how often an instance gives one
 * @param outage what becomes of new connections while the store is out of reach
 */
record LedgerConfig(
        String endpoint, String serviceName, int limit, Duration ttl, Duration renewal, FleetConfig.Outage outage) {

    /** A tenth of the time-to-live: for clocks that do not run at quite the same pace. */
    long goodForNanos() {
        return ttl.toNanos() / 10 * 9;
    }
}
