// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.TableNodeLease;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxRetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import javax.sql.DataSource;

/** The code of docs/temporal.md, as it stands there. */
final class TemporalGuide {

    private TemporalGuide() {}

    // spotless:off

    static void update(
            DataSource dataSource,
            ScheduledExecutorService background,
            Executions.Key key,
            long rangeId,
            Workflows.Mutation mutation)
            throws SQLException {
        Transactions tx = Transactions.builder(dataSource).policy(TxRetryPolicy.BRIEF).build();
        TableNodeLease node = TableNodeLease.take(tx, "id_nodes", Duration.ofHours(1)).extendedOn(background);
        Temporal temporal = Temporal.on(tx, SnowflakeIds.forLease(node));

        Workflows.State state = temporal.workflows().get(key).orElseThrow();
        temporal.workflows().update(rangeId, CurrentRun.update(), state.fence(), mutation, null);
    }

    static void handOver(Temporal temporal, Shards.Shard shard, long expected, List<HistoryTasks.Task> tasks) throws SQLException {
        temporal.run("HandOver", () -> {
            temporal.shards().update(shard, expected);
            temporal.historyTasks().insert(shard.id(), shard.rangeId(), HistoryTasks.Category.TRANSFER, tasks);
        });
    }

    // spotless:on
}
