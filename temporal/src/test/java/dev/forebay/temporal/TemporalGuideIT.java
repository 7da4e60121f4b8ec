// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Sample.RANGE;
import static dev.forebay.temporal.Sample.SHARD;
import static dev.forebay.temporal.Sample.WORKFLOW;
import static dev.forebay.temporal.Sample.blob;
import static dev.forebay.temporal.Sample.mutation;
import static dev.forebay.temporal.Sample.run;
import static dev.forebay.temporal.Sample.snapshot;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page's code, run on an installed schema. */
final class TemporalGuideIT extends OnBothDatabases {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");

    @Test
    void theCodeOfThePageIsTheCodeThatRuns() throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/forebay/temporal/TemporalGuide.java"))
                .replaceAll("(?m)^ {8}", "");
        List<String> blocks = BLOCK.matcher(Files.readString(Path.of("..", "docs", "temporal.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertEquals(2, blocks.size());
        blocks.forEach(block -> assertTrue(source.contains("\n" + block), () -> "not in TemporalGuide:\n" + block));
    }

    @Test
    void aStateIsUpdatedWithALeasedNode() throws SQLException {
        temporal.shards().insert(new Shards.Shard(SHARD, RANGE, blob("shard")));
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(run(1), 4, 1));
        Executions.Key key = WORKFLOW.run(run(1));
        ScheduledExecutorService background = Executors.newSingleThreadScheduledExecutor();
        try {
            TemporalGuide.update(dataSource, background, key, RANGE, mutation(run(1), 6, 2));
        } finally {
            background.shutdownNow();
        }
        assertEquals(2, temporal.executions().writeLock(key).dbRecordVersion());
        assertEquals(2, temporal.bufferedEvents().select(key).size());
    }

    @Test
    void aShardIsHandedOver() throws SQLException {
        temporal.shards().insert(new Shards.Shard(SHARD, RANGE, blob("shard")));
        HistoryTasks.Task task = new HistoryTasks.Task(HistoryTasks.Key.of(1), blob("task"));
        TemporalGuide.handOver(temporal, new Shards.Shard(SHARD, RANGE + 1, blob("shard")), RANGE, List.of(task));
        assertEquals(RANGE + 1, temporal.shards().writeLock(SHARD));
        assertEquals(
                List.of(task),
                temporal.historyTasks()
                        .select(
                                SHARD,
                                HistoryTasks.Category.TRANSFER,
                                HistoryTasks.Key.of(0),
                                HistoryTasks.Key.of(9),
                                10,
                                null)
                        .rows());
    }
}
