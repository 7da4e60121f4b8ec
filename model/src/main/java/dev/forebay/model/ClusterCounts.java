// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import java.util.Map;

/**
 * The counts of a {@link Cluster} at one moment. Immutable.
 *
 * @param admitted connects that were admitted, ever
 * @param refused connects that were refused, ever, by reason; every reason is there
 * @param open sessions that have not ended
 * @param inTransaction those of them that are in a transaction
 * @param expired sessions handed over to be closed because their time was over, ever
 * @param dropped sessions handed over to be closed by a fault, ever
 */
public record ClusterCounts(
        long admitted, Map<ConnectRefusal, Long> refused, int open, int inTransaction, long expired, long dropped) {

    public ClusterCounts {
        refused = Map.copyOf(refused);
    }
}
