// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Sample.RANGE;
import static dev.forebay.temporal.Sample.SHARD;
import static dev.forebay.temporal.Sample.WORKFLOW;
import static dev.forebay.temporal.Sample.blob;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.forebay.local.LocalDsql;
import dev.forebay.tx.ErrorMeaning;
import dev.forebay.tx.OutcomeUnknownException;
import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxListener;
import dev.forebay.tx.TxRetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The correctness properties that the stores promise, with operations and troubles drawn by chance: after each, a model in memory
 * and the database agree. A failure names the seed, and the run with that seed is the same again.
 */
final class PropertiesIT extends OnBothDatabases {

    private static final int RUNS = Boolean.getBoolean("test.full") ? 100 : 25;
    private static final int MANY_RUNS = 1_000;
    private static final int OPERATIONS = 12;
    private static final SnowflakeIds IDS = SnowflakeIds.forNode(2);

    private final Striker striker = new Striker();
    private final Heard heard = new Heard();
    private @Nullable LocalDsql server;

    // ---- property 2: an operation takes place as a whole, or is refused for the right reason and changes nothing

    @Test
    void operationsDoWhatTheModelSays(LocalDsql local) throws SQLException {
        this.server = local;
        runs(RUNS, (random, run) -> run.operate(random, Calm.INSTANCE));
    }

    @Tag("soak")
    @Test
    void operationsDoWhatTheModelSaysForLong(LocalDsql local) throws SQLException {
        this.server = local;
        runs(MANY_RUNS, (random, run) -> run.operate(random, Calm.INSTANCE));
    }

    // ---- property 3: conflicts are retried and leave no trace

    @Test
    void conflictsAtAnyStatementAndAtCommitAreNotNoticed(LocalDsql local) throws SQLException {
        this.server = local;
        runs(RUNS, (random, run) -> run.operate(random, this::conflict));
        assertTrue(heard.failures.get(ErrorMeaning.CONFLICT) > RUNS);
    }

    @Tag("soak")
    @Test
    void conflictsAtAnyStatementAndAtCommitAreNotNoticedForLong(LocalDsql local) throws SQLException {
        this.server = local;
        runs(MANY_RUNS, (random, run) -> run.operate(random, this::conflict));
    }

    // ---- properties 5 and 6: an error is told as what it is, tried only if it is a conflict, and leaves the data
    // whole

    @Test
    void troubleAtAnyStatementAndAtCommitLeavesTheDataWhole(LocalDsql local) throws SQLException {
        this.server = local;
        runs(RUNS, (random, run) -> run.operate(random, this::anything));
        assertTrue(heard.failures.get(ErrorMeaning.OUTCOME_UNKNOWN) > 0);
        assertTrue(heard.failures.keySet().stream()
                .anyMatch(meaning -> meaning.label().equals("permanent")));
    }

    @Tag("soak")
    @Test
    void troubleAtAnyStatementAndAtCommitLeavesTheDataWholeForLong(LocalDsql local) throws SQLException {
        this.server = local;
        runs(MANY_RUNS, (random, run) -> run.operate(random, this::anything));
    }

    // ---- property 4: of those who change the same thing at once, one succeeds

    @Test
    void everyChangeOfAStateIsMadeByOneOfThoseWhoTried(LocalDsql local) throws Exception {
        this.server = local;
        contend(RUNS);
    }

    @Tag("soak")
    @Test
    void everyChangeOfAStateIsMadeByOneOfThoseWhoTriedForLong(LocalDsql local) throws Exception {
        this.server = local;
        contend(MANY_RUNS);
    }

    private void contend(int count) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int seed = 0; seed < count; seed++) {
                empty();
                temporal.workflows().create(RANGE, CurrentRun.brandNew(), Sample.snapshot(Sample.run(1), 2, 1));
                List<Future<Integer>> tries = new ArrayList<>();
                for (int thread = 0; thread < 4; thread++) {
                    tries.add(threads.submit(changes(new SplittableRandom(seed * 100L + thread), thread)));
                }
                int successes = 0;
                for (Future<Integer> one : tries) {
                    successes += one.get();
                }
                Workflows.State state =
                        temporal.workflows().get(WORKFLOW.run(Sample.run(1))).orElseThrow();
                assertEquals(1 + successes, state.execution().dbRecordVersion(), "seed " + seed);
                assertEquals(successes, state.bufferedEvents().size(), "seed " + seed);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private Callable<Integer> changes(RandomGenerator random, int thread) {
        return () -> {
            int successes = 0;
            for (int i = 0; i < 2; i++) {
                Workflows.State read =
                        temporal.workflows().get(WORKFLOW.run(Sample.run(1))).orElseThrow();
                Executions.Execution next = Sample.execution(
                        Sample.run(1), random.nextInt(100), read.execution().dbRecordVersion() + 1);
                Workflows.Mutation mutation = new Workflows.Mutation(
                        next,
                        Sample.running(Sample.run(1)),
                        StateMaps.builder()
                                .put(MapKind.ACTIVITIES, (long) thread, blob("by " + thread))
                                .build(),
                        StateMaps.Keys.NONE,
                        false,
                        List.of(blob("event")),
                        Map.of());
                try {
                    temporal.workflows().update(RANGE, CurrentRun.update(), read.fence(), mutation, null);
                    successes++;
                } catch (WorkflowConditionFailedException lost) {
                    assertTrue(lost.dbRecordVersion() > read.execution().dbRecordVersion());
                }
            }
            return successes;
        };
    }

    // ---- property 7: what happened is counted by operation

    @Test
    void whatHappenedIsCountedByOperation(LocalDsql local) throws SQLException {
        this.server = local;
        empty();
        Temporal stores = Temporal.on(
                Transactions.builder(Intercepted.of(dataSource, striker))
                        .policy(TxRetryPolicy.BRIEF)
                        .listener(heard)
                        .build(),
                IDS);
        striker.arm(Trouble.OC000, 2, false);
        stores.workflows().create(RANGE, CurrentRun.brandNew(), Sample.snapshot(Sample.run(1), 2, 1));
        try {
            stores.workflows().create(RANGE, CurrentRun.brandNew(), Sample.snapshot(Sample.run(2), 2, 1));
            fail("the name stands for a run");
        } catch (CurrentWorkflowConditionFailedException expected) {
            assertEquals(1, heard.failures.get(ErrorMeaning.CONDITION_FAILED));
        }
        assertEquals(1, heard.failures.get(ErrorMeaning.CONFLICT));
        assertEquals(Map.of("CreateWorkflowExecution", 3), heard.attempts);
    }

    // ---- runs

    private interface Body {
        void run(RandomGenerator random, Run run) throws SQLException;
    }

    private void runs(int count, Body body) throws SQLException {
        for (int seed = 0; seed < count; seed++) {
            empty();
            Run run = new Run();
            try {
                body.run(new SplittableRandom(seed), run);
            } catch (AssertionError | SQLException | RuntimeException e) {
                throw new AssertionError("seed " + seed + ", after " + run.done, e);
            }
        }
    }

    private void empty() throws SQLException {
        LocalDsql local = server;
        assertNotNull(local);
        behind(local, emptied(on.schema()));
        striker.disarm();
        temporal.shards().insert(new Shards.Shard(SHARD, RANGE, blob("shard")));
    }

    /** The trouble in the next operation. */
    private interface Weather {
        void change(RandomGenerator random);
    }

    private enum Calm implements Weather {
        INSTANCE;

        @Override
        public void change(RandomGenerator random) {}
    }

    private void conflict(RandomGenerator random) {
        striker.arm(Trouble.any(random, Trouble.OC000, Trouble.OC001), random.nextInt(1, 14), false);
    }

    private void anything(RandomGenerator random) {
        striker.arm(Trouble.any(random, Trouble.values()), random.nextInt(1, 14), random.nextBoolean());
    }

    /** A database and a model of it. */
    private final class Run {

        final List<String> done = new ArrayList<>();
        private final Temporal stores = Temporal.on(
                Transactions.builder(Intercepted.of(dataSource, striker))
                        .policy(TxRetryPolicy.BRIEF)
                        .listener(heard)
                        .build(),
                IDS);
        private StateModel model = new StateModel(RANGE);

        void operate(RandomGenerator random, Weather weather) throws SQLException {
            for (int i = 0; i < OPERATIONS; i++) {
                StateOperation operation = StateOperation.draw(random, model);
                StateModel after = new StateModel(model);
                Class<? extends TemporalException> refusal = refusal(operation, after);
                done.add(operation.name());
                striker.disarm();
                weather.change(random);
                Throwable thrown = attempt(operation);
                Trouble struck = striker.struck;
                if (struck == null || struck.isConflict()) {
                    assertEquals(refusal, thrown == null ? null : thrown.getClass(), "how it ended");
                    model = refusal == null ? after : model;
                    assertEquals(Contents.of(model), inDatabase());
                } else if (striker.struckAtCommit) {
                    assertEquals(OutcomeUnknownException.class, thrown == null ? null : thrown.getClass());
                    model = striker.after ? after : model;
                    assertEquals(Contents.of(model), inDatabase());
                } else {
                    assertTrue(thrown instanceof SQLException, "struck, but " + thrown);
                    assertEquals(Contents.of(model), inDatabase());
                }
            }
        }

        private Contents inDatabase() throws SQLException {
            return temporal.call("Compare", () -> Contents.of(temporal));
        }

        private @Nullable Class<? extends TemporalException> refusal(StateOperation operation, StateModel on) {
            try {
                operation.onModel().accept(on);
                return null;
            } catch (StateModel.Refused e) {
                return e.with;
            }
        }

        private @Nullable Throwable attempt(StateOperation operation) {
            try {
                operation.onStores().run(stores);
                return null;
            } catch (SQLException e) {
                return e;
            }
        }
    }

    /** Everything that the tables hold of the workflow. */
    private record Contents(
            long rangeId,
            Optional<CurrentExecutions.Current> current,
            Map<UUID, Workflows.State> states,
            Map<HistoryTasks.Category, Map<HistoryTasks.Key, Blob>> tasks) {

        static Contents of(StateModel model) {
            return new Contents(model.rangeId, model.current, Map.copyOf(model.states), new HashMap<>(model.tasks));
        }

        static Contents of(Temporal stores) throws SQLException {
            Map<UUID, Workflows.State> states = new HashMap<>();
            for (int i = 0; i < 4; i++) {
                UUID run = Sample.run(i);
                stores.workflows().get(WORKFLOW.run(run)).ifPresent(state -> states.put(run, state));
            }
            Map<HistoryTasks.Category, Map<HistoryTasks.Key, Blob>> tasks = new HashMap<>();
            for (HistoryTasks.Category category :
                    List.of(HistoryTasks.Category.TRANSFER, HistoryTasks.Category.immediate(7))) {
                HistoryTasks.Key end = new HistoryTasks.Key(Instant.parse("2100-01-01T00:00:00Z"), Long.MAX_VALUE);
                Map<HistoryTasks.Key, Blob> some = new TreeMap<>();
                stores.historyTasks()
                        .select(SHARD, category, HistoryTasks.Key.of(0), end, 1_000, null)
                        .rows()
                        .forEach(task -> some.put(task.key(), task.data()));
                if (!some.isEmpty()) {
                    tasks.put(category, some);
                }
            }
            return new Contents(
                    stores.shards().select(SHARD).orElseThrow().rangeId(),
                    stores.currentExecutions().select(WORKFLOW, 0),
                    states,
                    tasks);
        }
    }

    /** Strikes once, at the call that it was told. */
    private static final class Striker implements Intercepted.Guard {

        private @Nullable Trouble armed;
        private int left;
        boolean after;

        @Nullable
        Trouble struck;

        boolean struckAtCommit;

        /**
         * Gets ready.
         *
         * @param call at which statement or COMMIT, from 1
         * @param afterwards whether a COMMIT takes place, and only its answer is lost
         */
        void arm(Trouble trouble, int call, boolean afterwards) {
            disarm();
            armed = trouble;
            left = call;
            after = afterwards && !trouble.isConflict();
        }

        void disarm() {
            armed = null;
            struck = null;
            struckAtCommit = false;
        }

        @Override
        public void before(String sql, Connection connection) throws SQLException {
            Trouble trouble = armed;
            if (trouble == null || --left > 0 || (after && sql.equals("COMMIT"))) {
                return;
            }
            armed = null;
            struck = trouble;
            struckAtCommit = sql.equals("COMMIT");
            if (trouble != Trouble.CUT) {
                connection.rollback();
            }
            trouble.strike(connection);
        }

        @Override
        public void after(String sql, Connection connection) throws SQLException {
            Trouble trouble = armed;
            if (trouble == null || left > 0 || !sql.equals("COMMIT")) {
                return;
            }
            armed = null;
            struck = trouble;
            struckAtCommit = true;
            trouble.strike(connection);
        }
    }

    /** Counts what it hears. */
    private static final class Heard implements TxListener {

        final Map<ErrorMeaning, Integer> failures = new EnumMap<>(ErrorMeaning.class);
        final Map<String, Integer> attempts = new HashMap<>();

        @Override
        public void attemptFailed(String operation, ErrorMeaning failure, String sqlState, Throwable error) {
            failures.merge(failure, 1, Integer::sum);
        }

        @Override
        public void ended(String operation, Outcome outcome, int number, long nanos) {
            attempts.merge(operation, number, Integer::sum);
        }
    }
}
