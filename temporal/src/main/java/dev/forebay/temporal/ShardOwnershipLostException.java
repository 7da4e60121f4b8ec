// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** The shard belongs to another by now: its range_id has moved on. Thread-safe. */
public final class ShardOwnershipLostException extends TemporalException {

    private static final long serialVersionUID = 1;

    private final int shardId;

    ShardOwnershipLostException(int shardId, long expected, long actual) {
        super("shard " + shardId + " should have had range_id " + expected + " but had " + actual);
        this.shardId = shardId;
    }

    /** The shard that was lost. */
    public int shardId() {
        return shardId;
    }
}
