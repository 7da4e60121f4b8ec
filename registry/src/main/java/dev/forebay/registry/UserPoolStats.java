// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

/**
 * The numbers of a user pool at one moment; the counters run from its creation. Immutable.
 *
 * @param serverName the server
 * @param localUser the user
 * @param remoteUser the remote user of its mapping
 * @param totalConnections open
 * @param activeConnections in use
 * @param idleConnections not in use
 * @param openingConnections on the way
 * @param waitingRequests acquires that wait
 * @param longestWaitNanos the wait of the first of them so far
 * @param totalAcquires acquires that succeeded
 * @param totalReleases connections that came back
 * @param connectionsCreated connections opened
 * @param connectionsDestroyed connections closed
 * @param connectionErrors connections that could not be opened
 * @param acquireTimeouts acquires that waited in vain
 * @param validationFailures connections that failed a check or their reset
 * @param queriesExecuted statements run, if they are counted
 * @param lifetimeNanos the lifetimes of the destroyed ones together
 * @param acquireNanos the time of all successful acquires together
 * @param queryNanos the time of all statements together
 */
public record UserPoolStats(
        String serverName,
        String localUser,
        String remoteUser,
        int totalConnections,
        int activeConnections,
        int idleConnections,
        int openingConnections,
        int waitingRequests,
        long longestWaitNanos,
        long totalAcquires,
        long totalReleases,
        long connectionsCreated,
        long connectionsDestroyed,
        long connectionErrors,
        long acquireTimeouts,
        long validationFailures,
        long queriesExecuted,
        long lifetimeNanos,
        long acquireNanos,
        long queryNanos) {

    /** The average lifetime of a destroyed connection; 0 without one. */
    public double avgConnectionLifetimeSec() {
        return Tally.millisEach(lifetimeNanos, connectionsDestroyed) / 1000;
    }

    /** The average time of an acquire; 0 without one. */
    public double avgAcquireWaitMs() {
        return Tally.millisEach(acquireNanos, totalAcquires);
    }
}
