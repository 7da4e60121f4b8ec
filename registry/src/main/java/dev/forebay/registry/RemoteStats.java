// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.PoolStats.Times;

/**
 * The numbers of one of many servers at one moment, for metrics. Immutable.
 *
 * @param healthy whether connections are handed out
 * @param active connections in use
 * @param idle connections not in use
 * @param opening connections on the way
 * @param pending acquires that wait
 * @param cap the most connections it may have
 * @param acquires acquires that succeeded
 * @param releases connections that came back
 * @param timeouts acquires that waited in vain
 * @param errors connections that could not be opened
 * @param acquireNanos the time of all successful acquires together
 * @param queries statements run
 * @param checks probes that have ended
 * @param checkFailures those of them that failed
 * @param checkUnknowns those of them that found out nothing
 * @param bytesSent the bytes sent to it over the network; -1 if its driver does not let them be counted
 * @param bytesReceived the bytes received from it; -1 likewise
 * @param times how long acquires took and connections were held
 */
record RemoteStats(
        boolean healthy,
        int active,
        int idle,
        int opening,
        int pending,
        int cap,
        long acquires,
        long releases,
        long timeouts,
        long errors,
        long acquireNanos,
        long queries,
        long checks,
        long checkFailures,
        long checkUnknowns,
        long bytesSent,
        long bytesReceived,
        Times times) {}
