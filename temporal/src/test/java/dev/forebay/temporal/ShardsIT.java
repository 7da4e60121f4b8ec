// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ShardsIT extends OnBothDatabases {

    private static final Blob DATA = Blob.proto3(new byte[] {1, 2, 3});

    @Test
    void aShardIsReadAsItWasInserted() throws SQLException {
        Shards.Shard shard = new Shards.Shard(7, 1, DATA);
        temporal.shards().insert(shard);
        assertEquals(Optional.of(shard), temporal.shards().select(7));
        assertEquals(Optional.empty(), temporal.shards().select(8));
        assertEquals(1, temporal.shards().writeLock(7));
    }

    @Test
    void aDuplicateInsertIsAnError() throws SQLException {
        temporal.shards().insert(new Shards.Shard(7, 1, DATA));
        assertThrows(SQLException.class, () -> temporal.shards().insert(new Shards.Shard(7, 2, DATA)));
        assertEquals(1, temporal.shards().writeLock(7));
    }

    @Test
    void anUpdateByADeposedOwnerChangesNothing() throws SQLException {
        temporal.shards().insert(new Shards.Shard(7, 1, DATA));
        temporal.shards().update(new Shards.Shard(7, 2, DATA), 1);
        assertThrows(
                ShardOwnershipLostException.class,
                () -> temporal.shards().update(new Shards.Shard(7, 2, Blob.proto3(new byte[0])), 1));
        assertEquals(
                Optional.of(new Shards.Shard(7, 2, DATA)), temporal.shards().select(7));
        assertThrows(NotFoundException.class, () -> temporal.shards().update(new Shards.Shard(8, 2, DATA), 1));
    }

    @Test
    void aRangeIdNeverGoesBack() throws SQLException {
        temporal.shards().insert(new Shards.Shard(7, 5, DATA));
        assertThrows(IllegalArgumentException.class, () -> temporal.shards().update(new Shards.Shard(7, 4, DATA), 5));
        assertEquals(
                Optional.of(new Shards.Shard(7, 5, DATA)), temporal.shards().select(7));
        Shards.Shard changed = new Shards.Shard(7, 5, Blob.proto3(new byte[] {9}));
        temporal.shards().update(changed, 5);
        assertEquals(Optional.of(changed), temporal.shards().select(7));
    }
}
