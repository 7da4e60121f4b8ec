// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/**
 * A row of {@code history_node}: a batch of events. Immutable.
 *
 * @param nodeId the id of its first event
 * @param txnId which write it is; of two with the same node the higher is the newer
 * @param prevTxnId the write that it follows
 * @param data the events
 */
public record HistoryNode(long nodeId, long txnId, long prevTxnId, Blob data) {

    HistoryNode.Metadata metadata() {
        return new Metadata(nodeId, txnId, prevTxnId);
    }

    /** The same without the events. Immutable. */
    public record Metadata(long nodeId, long txnId, long prevTxnId) {}
}
