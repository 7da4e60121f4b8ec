// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.time.Instant;
import java.util.Optional;

/**
 * The numbers of a server at one moment; the counters run from its registration and include user pools that are gone.
 * Immutable.
 *
 * @param serverName its name
 * @param type its type
 * @param healthy whether it is healthy
 * @param unhealthyReason the reason if it is not
 * @param paused whether it hands out nothing
 * @param totalUserPools user pools that take part
 * @param totalConnections open, those of former user pools that are still in use included
 * @param activeConnections in use
 * @param idleConnections not in use
 * @param openingConnections on the way
 * @param pendingRequests acquires that wait
 * @param cap the most it may have
 * @param totalAcquires acquires that succeeded
 * @param totalReleases connections that came back
 * @param acquireTimeouts acquires that waited in vain
 * @param connectionErrors connections that could not be opened
 * @param connectionsCreated connections opened
 * @param connectionsDestroyed connections closed, for whatever reason
 * @param validationFailures connections that failed a check or their reset
 * @param queriesExecuted statements run, if they are counted
 * @param acquireNanos the time of all successful acquires together
 * @param queryNanos the time of all statements together
 * @param createdAt the time it was registered
 * @param lastActivity the time a connection was last used, as far as it was seen
 */
public record ServerPoolStats(
        String serverName,
        DatabaseType type,
        boolean healthy,
        Optional<String> unhealthyReason,
        boolean paused,
        int totalUserPools,
        int totalConnections,
        int activeConnections,
        int idleConnections,
        int openingConnections,
        int pendingRequests,
        int cap,
        long totalAcquires,
        long totalReleases,
        long acquireTimeouts,
        long connectionErrors,
        long connectionsCreated,
        long connectionsDestroyed,
        long validationFailures,
        long queriesExecuted,
        long acquireNanos,
        long queryNanos,
        Instant createdAt,
        Instant lastActivity) {

    /** The average time of an acquire; 0 without one. */
    public double avgAcquireTimeMs() {
        return Tally.millisEach(acquireNanos, totalAcquires);
    }

    /** The average time of a statement; 0 without one. */
    public double avgQueryTimeMs() {
        return Tally.millisEach(queryNanos, queriesExecuted);
    }
}
