// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

/**
 * The numbers of a registry at one moment; the counters run from its start and include servers that are gone. Immutable.
 *
 * @param totalServers servers that are registered
 * @param healthyServers those that are healthy
 * @param unhealthyServers the others
 * @param totalConnections open, in use or not, those of servers that were dropped and not returned yet included
 * @param activeConnections in use
 * @param totalAcquires acquires that succeeded
 * @param totalReleases connections that came back
 * @param totalErrors connections that could not be opened
 */
public record RegistryStats(
        int totalServers,
        int healthyServers,
        int unhealthyServers,
        long totalConnections,
        long activeConnections,
        long totalAcquires,
        long totalReleases,
        long totalErrors) {}
