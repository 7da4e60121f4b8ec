// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import java.time.Duration;

/**
 * The settings of a {@link Ledger}. Immutable.
 *
 * @param endpoint the cluster whose connections are counted
 * @param serviceName their holder, for operators
 * @param limit the most connections all instances may have
 * @param ttl the time without a sign of life after which the slots of an instance are given to others
 * @param renewal the time between two signs of life
 * @param outage the treatment of new connections while the store is out of reach
 */
record LedgerConfig(
        String endpoint, String serviceName, int limit, Duration ttl, Duration renewal, FleetConfig.Outage outage) {

    /** The time-to-live less a tenth, for clocks that do not run at quite the same pace. */
    long goodForNanos() {
        return ttl.toNanos() / 10 * 9;
    }
}
