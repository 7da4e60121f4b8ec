// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Sample.RANGE;
import static dev.forebay.temporal.Sample.SHARD;
import static dev.forebay.temporal.Sample.WORKFLOW;
import static dev.forebay.temporal.Sample.blob;
import static dev.forebay.temporal.Sample.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.LocalDsql;
import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** A process that writes a state again and again is killed in the middle: what it was told is there, and nothing is there in part. */
final class ProcessKillIT extends OnBothDatabases {

    private static final int KILLS = 10; // on each of the two databases

    @TempDir
    Path directory;

    @Test
    void aKilledProcessLeavesTheStateWhole(LocalDsql server) throws Exception {
        temporal.shards().insert(new Shards.Shard(SHARD, RANGE, blob("shard")));
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), Writer.snapshot());
        RandomGenerator random = new SplittableRandom(1);
        for (int i = 0; i < KILLS; i++) {
            long told = killAfter(random.nextInt(3, 20), server);

            Workflows.State state = temporal.workflows().get(Writer.KEY).orElseThrow();
            long version = state.execution().dbRecordVersion();
            assertTrue(version == told || version == told + 1, "was told " + told + ", found " + version);
            assertEquals(Writer.maps(version), state.maps());
            assertEquals(version - 1, state.bufferedEvents().size());
            assertEquals(
                    state.execution().state(),
                    temporal.currentExecutions()
                            .select(WORKFLOW, 0)
                            .orElseThrow()
                            .data());
            assertEquals(
                    version - 1,
                    temporal.historyTasks()
                            .select(
                                    SHARD,
                                    HistoryTasks.Category.TRANSFER,
                                    HistoryTasks.Key.of(0),
                                    HistoryTasks.Key.of(10_000),
                                    10_000,
                                    null)
                            .rows()
                            .size());
        }
    }

    /** The version that the process told last, after it had told {@code count}. */
    private long killAfter(int count, LocalDsql server) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xshare:auto",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName())
                .redirectError(directory.resolve("errors").toFile());
        builder.environment().putAll(login(server));
        Process process = builder.start();
        try (BufferedReader told =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String last = null;
            for (int i = 0; i < count; i++) {
                String line = told.readLine();
                assertTrue(
                        line != null,
                        () -> "it ended by itself: "
                                + read(directory.resolve("errors").toFile()));
                last = line;
            }
            process.toHandle().destroyForcibly(); // the process itself would close what it told
            for (String line = told.readLine(); line != null; line = told.readLine()) {
                last = line; // told before it was killed
            }
            return Long.parseLong(String.valueOf(last));
        } finally {
            process.destroyForcibly();
        }
    }

    private static String read(File file) {
        try {
            return Files.readString(file.toPath());
        } catch (IOException e) {
            return e.toString();
        }
    }

    private Map<String, String> login(LocalDsql server) {
        if (on == On.DSQL) {
            return Map.of(
                    "WRITER_URL",
                    server.jdbcUrl() + "&currentSchema=" + on.schema(),
                    "WRITER_USER",
                    "admin",
                    "WRITER_PASSWORD",
                    server.token("admin", Duration.ofMinutes(5)));
        }
        PGSimpleDataSource behind = (PGSimpleDataSource) unpooled(server, on, on.schema());
        return Map.of(
                "WRITER_URL", behind.getURL(),
                "WRITER_USER", String.valueOf(behind.getUser()),
                "WRITER_PASSWORD", String.valueOf(behind.getPassword()));
    }

    /** The process: changes the state in every part of it, and prints each version once it is committed. */
    static final class Writer {

        static final Executions.Key KEY = WORKFLOW.run(run(1));

        private Writer() {}

        public static void main(String[] arguments) throws SQLException {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(System.getenv("WRITER_URL"));
            source.setUser(System.getenv("WRITER_USER"));
            source.setPassword(System.getenv("WRITER_PASSWORD"));
            Temporal temporal = Temporal.on(Transactions.of(source), SnowflakeIds.forNode(9));
            while (true) {
                Workflows.State read = temporal.workflows().get(KEY).orElseThrow();
                long version = read.execution().dbRecordVersion() + 1;
                temporal.workflows().update(RANGE, CurrentRun.update(), read.fence(), mutation(version), null);
                System.out.println(version);
            }
        }

        static Workflows.Snapshot snapshot() {
            return new Workflows.Snapshot(Sample.execution(run(1), 1, 1), Sample.running(run(1)), maps(1), Map.of());
        }

        private static Workflows.Mutation mutation(long version) {
            return new Workflows.Mutation(
                    Sample.execution(run(1), version, version),
                    Sample.running(run(1)),
                    maps(version),
                    StateMaps.Keys.NONE,
                    false,
                    List.of(blob("event " + version)),
                    Map.of(
                            HistoryTasks.Category.TRANSFER,
                            List.of(new HistoryTasks.Task(HistoryTasks.Key.of(version), blob("task")))));
        }

        static StateMaps maps(long version) {
            return StateMaps.builder()
                    .put(MapKind.ACTIVITIES, 1L, blob("activity " + version))
                    .put(MapKind.TIMERS, "t", blob("timer " + version))
                    .put(
                            MapKind.CHASM_NODES,
                            "n",
                            new MapKind.ChasmNode(blob("node " + version), blob("data " + version)))
                    .build();
        }
    }
}
