// SPDX-License-Identifier: Apache-2.0
/**
 * Limits on connections that many services share: leases for open connections, permits for new ones. It knows the
 * engine and a small store with conditional writes, {@link dev.forebay.fleet.FleetStore}, and neither JDBC nor a cloud.
 * Begin at {@link dev.forebay.fleet.FleetLimits}, behind which leases are {@code Ledger}'s and permits {@code
 * FleetRateLimit}'s.
 */
@NullMarked
package dev.forebay.fleet;

import org.jspecify.annotations.NullMarked;
