// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.time.Instant;
import java.util.UUID;

/**
 * A row of {@code cluster_membership}: a host of the cluster, as it said itself. Immutable.
 *
 * @param role as Temporal counts them: 1 frontend, 2 history, 3 matching, 4 worker
 * @param recordExpiry until when it counts if it does not say so again
 */
public record ClusterMember(
        UUID hostId,
        String rpcAddress,
        int rpcPort,
        int role,
        Instant sessionStart,
        Instant lastHeartbeat,
        Instant recordExpiry) {

    public ClusterMember {
        if (rpcPort < 0 || rpcPort > Short.MAX_VALUE) {
            throw new IllegalArgumentException("the column of ports ends at " + Short.MAX_VALUE + ": " + rpcPort);
        }
    }
}
