// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

/**
 * The numbers of a user pool at one moment; the counters run from its creation. Immutable.
 *
 * @param serverName the server
 * @param localUser the user
 * @param remoteUser as whom he connects
 * @param totalConnections open
 * @param activeConnections in use
 * @param idleConnections not in use
 * @param openingConnections on the way
 * @param waitingRequests acquires that wait
 * @param longestWaitNanos how long the first of them has waited
 * @param totalAcquires acquires that succeeded
 * @param totalReleases connections that came back
 * @param connectionsCreated connections opened
 * @param connectionsDestroyed connections closed
 * @param connectionErrors connections that could not be opened
 * @param acquireTimeouts acquires that waited in vain
 * @param validationFailures connections that failed a check or their reset
 * @param queriesExecuted statements run, if they are counted
 * @param lifetimeNanos how long the destroyed ones lived together
 * @param acquireNanos how long all successful acquires took together
 * @param queryNanos how long all statements took together
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

    /** How long a destroyed connection had lived on average; 0 without one. */
    public double avgConnectionLifetimeSec() {
        return Tally.millisEach(lifetimeNanos, connectionsDestroyed) / 1000;
    }

    /** How long an acquire took on average; 0 without one. */
    public double avgAcquireWaitMs() {
        return Tally.millisEach(acquireNanos, totalAcquires);
    }
}
