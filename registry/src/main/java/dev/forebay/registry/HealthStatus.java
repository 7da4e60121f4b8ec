// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.time.Instant;
import java.util.Optional;

/**
 * The known health of a server. Immutable.
 *
 * @param serverName the server
 * @param healthy whether connections are handed out
 * @param byHand whether it was declared by hand, and can only be changed by hand
 * @param lastCheck the time the last probe ended; empty before the first
 * @param consecutiveFailures probes that failed since the last that did not
 * @param consecutiveSuccesses probes that succeeded since the last that did not
 * @param checks probes that have ended
 * @param failures those of them that failed
 * @param unknowns those of them that found out nothing, such as at a server that is full
 * @param known whether the last probe, or a connect since, found the server alive or dead
 * @param errorMessage the reason it is unhealthy, or the error of the last probe
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
