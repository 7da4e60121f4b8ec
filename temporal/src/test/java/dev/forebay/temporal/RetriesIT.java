// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Sample.blob;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxListener;
import dev.forebay.tx.TxRetryPolicy;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Operations of a store whose COMMIT fails some times. */
final class RetriesIT extends OnBothDatabases {

    private static final int CONFLICTS = 6;

    private final List<Long> waits = new ArrayList<>();

    @Test
    void aConflictIsFoundBehindCausesAndNextExceptions() throws SQLException {
        SQLException batch = new BatchUpdateException("a batch", new int[0]);
        batch.setNextException(conflict());
        SQLException wrapped = new SQLException("flattened", new IllegalStateException("by a layer", conflict()));
        SQLException both = new SQLException("outer", batch);
        int shard = 0;
        for (SQLException error : List.of(conflict(), batch, wrapped, both)) {
            Shards.Shard added = new Shards.Shard(++shard, 1, blob("shard"));
            failing(1, () -> error).shards().insert(added);
            assertEquals(shard, waits.size());
            assertEquals(Optional.of(added), temporal.shards().select(shard));
        }
    }

    @Test
    void anotherErrorIsNotTakenForAConflict() throws SQLException {
        SQLException other = new SQLException("40001", new SQLException("not at COMMIT", "22012"));
        Temporal failing = failing(1, () -> other);
        SQLException told =
                assertThrows(SQLException.class, () -> failing.shards().insert(new Shards.Shard(1, 1, blob("shard"))));
        assertEquals(other, told);
        assertEquals(List.of(), waits);
        assertEquals(Optional.empty(), temporal.shards().select(1));
    }

    /** Were they the same for two who have met, these would meet again. */
    @Test
    void retriesWaitBrieflyAndEachForATimeOfItsOwn() throws SQLException {
        failing(CONFLICTS, RetriesIT::conflict).shards().insert(new Shards.Shard(1, 1, blob("one")));
        failing(CONFLICTS, RetriesIT::conflict).shards().insert(new Shards.Shard(2, 1, blob("two")));
        assertEquals(2 * CONFLICTS, waits.size());
        assertEquals(2 * CONFLICTS, new HashSet<>(waits).size(), () -> "waits: " + waits);
        for (int i = 0; i < waits.size(); i++) {
            long most = TimeUnit.MILLISECONDS.toNanos(4) << i % CONFLICTS;
            assertTrue(waits.get(i) <= most, waits.get(i) + " ns, and should be " + most + " at most");
        }
    }

    private static SQLException conflict() {
        return new SQLException("change conflicts with another transaction", "40001");
    }

    /** Stores whose first {@code times} COMMITs are not sent and fail with {@code error}. */
    private Temporal failing(int times, Supplier<SQLException> error) {
        int[] left = {times};
        return Temporal.on(
                Transactions.builder(Intercepted.of(dataSource, (sql, connection) -> {
                            if (sql.equals("COMMIT") && left[0]-- > 0) {
                                throw error.get();
                            }
                        }))
                        .policy(TxRetryPolicy.BRIEF)
                        .listener(new TxListener() {
                            @Override
                            public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
                                assertEquals("40001", sqlState);
                                waits.add(delayNanos);
                            }
                        })
                        .build(),
                SnowflakeIds.forNode(8));
    }
}
