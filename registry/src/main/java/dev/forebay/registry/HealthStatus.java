// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.time.Instant;
import java.util.Optional;

/**
 * The known health of a server. Immutable.
 *
 * @param serverName the server
 * @param healthy whether connections are handed out
 * @param byHand whether somebody said so, and only somebody can change it
 * @param lastCheck when the last probe ended; empty before the first
 * @param consecutiveFailures probes that failed since the last that did not
 * @param consecutiveSuccesses probes that succeeded since the last that did not
 * @param checks probes that have ended
 * @param failures those of them that failed
 * @param unknowns those of them that found out nothing, such as at a server that is full
 * @param known whether the last probe, or a connect since, found the server alive or dead
 * @param errorMessage why it is unhealthy, or what the last probe met
 */
public record HealthStatus(
        String serverName,
        boolean healthy,
        boolean byHand,
        Optional<Instant> lastCheck,
        int consecutiveFailures,
        int consecutiveSuccesses,
        long checks,
        long failures,
        long unknowns,
        boolean known,
        Optional<String> errorMessage) {}
