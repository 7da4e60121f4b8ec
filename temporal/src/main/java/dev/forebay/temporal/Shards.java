// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Shards and who owns them. An owner knows the {@code range_id}; taking a shard over raises it, and whatever an
 * owner does in the shard it does in a transaction that has read the row FOR UPDATE. On DSQL that reading takes part in the
 * check at COMMIT, so an owner that was deposed meanwhile commits nothing, whichever of the two came first. A plain SELECT
 * would not: both would commit. Thread-safe.
 */
public final class Shards {

    private static final String LOCK = Table.SHARDS.lock("range_id");
    private static final String SELECT = Table.SHARDS.select("range_id, data, data_encoding", 1);
    private static final String UPDATE = Table.SHARDS.update() + " AND range_id = ?";

    private final Database database;

    Shards(Database database) {
        this.database = database;
    }

    /**
     * Adds a shard.
     *
     * @throws SQLException also if it is there already
     */
    public void insert(Shard shard) throws SQLException {
        database.run(
                "InsertIntoShards",
                c -> Database.update(
                        c,
                        Table.SHARDS.insert(),
                        shard.id(),
                        shard.rangeId(),
                        shard.data().data(),
                        shard.data().encoding()));
    }

    /** The shard, if it is there. */
    public Optional<Shard> select(int shardId) throws SQLException {
        return database.call(
                "SelectFromShards",
                c -> Database.one(
                        c,
                        SELECT,
                        row -> new Shard(shardId, row.getLong("range_id"), Database.blob(row, "data")),
                        shardId));
    }

    /**
     * Changes a shard that still has {@code expectedRangeId}; a new owner raises it by this, and the owner keeps it.
     *
     * @throws IllegalArgumentException if the shard's new range id is smaller
     * @throws ShardOwnershipLostException if it has another
     * @throws NotFoundException if there is no such shard
     */
    public void update(Shard shard, long expectedRangeId) throws SQLException {
        database.run("UpdateShards", c -> {
            if (shard.rangeId() < expectedRangeId) {
                require(c, shard.id(), expectedRangeId);
                throw Tokens.back("the range_id of shard " + shard.id(), expectedRangeId, shard.rangeId());
            }
            Blob data = shard.data();
            int rows = Database.update(
                    c, UPDATE, shard.rangeId(), data.data(), data.encoding(), shard.id(), expectedRangeId);
            if (rows == 0) {
                require(c, shard.id(), expectedRangeId);
                throw new IllegalStateException("bug: shard " + shard.id() + " has the range_id it was not found by");
            }
        });
    }

    /**
     * Reads the {@code range_id}, and lets the transaction commit only if it is not changed meanwhile. Temporal's other databases
     * have a weaker lock for readers besides; DSQL has not, and a plain read would let a deposed owner write.
     */
    public long writeLock(int shardId) throws SQLException {
        return database.call("WriteLockShards", c -> rangeId(c, shardId));
    }

    /**
     * Lets the transaction commit only if the shard has {@code expectedRangeId} at its end.
     *
     * @throws ShardOwnershipLostException if it has another now
     */
    static void require(Connection c, int shardId, long expectedRangeId) throws SQLException {
        long actual = rangeId(c, shardId);
        if (actual != expectedRangeId) {
            throw new ShardOwnershipLostException(shardId, expectedRangeId, actual);
        }
    }

    private static long rangeId(Connection c, int shardId) throws SQLException {
        return Database.one(c, LOCK, row -> row.getLong("range_id"), shardId)
                .orElseThrow(() -> new NotFoundException("shard " + shardId));
    }

    /** A row of {@code shards}: who owns it has the latest {@code rangeId}. Immutable. */
    public record Shard(int id, long rangeId, Blob data) {}
}
