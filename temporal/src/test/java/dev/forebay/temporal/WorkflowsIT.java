// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Sample.RANGE;
import static dev.forebay.temporal.Sample.SHARD;
import static dev.forebay.temporal.Sample.WORKFLOW;
import static dev.forebay.temporal.Sample.blob;
import static dev.forebay.temporal.Sample.completed;
import static dev.forebay.temporal.Sample.execution;
import static dev.forebay.temporal.Sample.mutation;
import static dev.forebay.temporal.Sample.run;
import static dev.forebay.temporal.Sample.snapshot;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

final class WorkflowsIT extends OnBothDatabases {

    private static final UUID ONE = run(1);
    private static final UUID TWO = run(2);
    private static final UUID THREE = run(3);

    private static final Executions.Fence FIRST = Executions.Fence.dbRecordVersion(1);
    private static final Executions.Fence STALE = Executions.Fence.dbRecordVersion(77);

    @BeforeEach
    void addShard() throws SQLException {
        temporal.shards().insert(new Shards.Shard(SHARD, RANGE, blob("shard")));
    }

    // ---- create

    @Test
    void aStateIsReadAsItWasCreated() throws SQLException {
        Workflows.Snapshot snapshot = snapshot(ONE, 4, 1);
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot);

        assertEquals(
                Optional.of(new Workflows.State(snapshot.execution(), snapshot.maps(), List.of())),
                temporal.workflows().get(WORKFLOW.run(ONE)));
        assertEquals(Optional.empty(), temporal.workflows().get(WORKFLOW.run(TWO)));
        CurrentExecutions.Current current = current();
        assertEquals(ONE, current.runId());
        assertEquals(snapshot.run().createRequestId(), current.createRequestId());
        assertEquals(snapshot.run().startTime(), current.startTime());
        assertEquals(snapshot.execution().lastWriteVersion(), current.lastWriteVersion());
        assertEquals(snapshot.execution().state(), current.data());
        snapshot.tasks().forEach((category, tasks) -> assertEquals(tasks, tasks(category)));
    }

    @Test
    void aStateIsReadInOneStatementAndOneTransaction() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        List<String> sent = new ArrayList<>();
        Transactions counted = Transactions.of(Intercepted.of(dataSource, (sql, connection) -> sent.add(sql)));
        Temporal.on(counted, SnowflakeIds.forNode(3)).workflows().get(WORKFLOW.run(ONE));

        assertEquals(2, sent.size(), sent::toString);
        assertEquals("COMMIT", sent.get(1));
    }

    @Test
    void anotherArchetypeHasNamesOfItsOwn() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew().of(5), snapshot(ONE, 4, 1));
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(TWO, 5, 1));

        assertEquals(TWO, current().runId());
        assertEquals(
                ONE,
                temporal.currentExecutions().select(WORKFLOW, 5).orElseThrow().runId());
    }

    @Test
    void aNameThatStandsForARunIsNotBegunAgain() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));

        CurrentWorkflowConditionFailedException failure = changesNothing(
                CurrentWorkflowConditionFailedException.class,
                () -> temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(TWO, 4, 1)));
        assertEquals(Optional.of(current()), failure.current());
    }

    /** As Temporal, which joins the two: a caller reuses the name with what it was told. */
    @Test
    void aNameIsReusedWithTheVersionThatTheFailureTold() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.workflows()
                .update(RANGE, CurrentRun.update(), FIRST, mutation(execution(ONE, 6, 2), completed(ONE), 6), null);
        temporal.workflows()
                .update(
                        RANGE,
                        CurrentRun.ignore(),
                        Executions.Fence.dbRecordVersion(2),
                        mutation(execution(ONE, 7, 3), completed(ONE), 7),
                        null);
        assertEquals(102, current().lastWriteVersion());

        CurrentExecutions.Current told = changesNothing(
                        CurrentWorkflowConditionFailedException.class,
                        () -> temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(TWO, 4, 1)))
                .current()
                .orElseThrow();
        assertEquals(103, told.lastWriteVersion());
        temporal.workflows()
                .create(RANGE, CurrentRun.reuse(told.runId(), told.lastWriteVersion()), snapshot(TWO, 4, 1));
        assertEquals(TWO, current().runId());
    }

    @Test
    void everyFailureOfANameTellsTheVersionOfItsRun() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.workflows().create(RANGE, CurrentRun.bypass(), snapshot(TWO, 4, 1));
        temporal.workflows().update(RANGE, CurrentRun.ignore(), FIRST, mutation(ONE, 6, 2), null);
        for (Executable call : List.<Executable>of(
                () -> temporal.workflows().update(RANGE, CurrentRun.update(), FIRST, mutation(TWO, 6, 2), null),
                () -> temporal.workflows()
                        .update(
                                RANGE,
                                CurrentRun.bypass(),
                                Executions.Fence.dbRecordVersion(2),
                                mutation(ONE, 7, 3),
                                null))) {
            CurrentWorkflowConditionFailedException failure =
                    changesNothing(CurrentWorkflowConditionFailedException.class, call);
            assertEquals(102, failure.current().orElseThrow().lastWriteVersion());
        }
    }

    /** On PostgreSQL the others find the key taken, on DSQL they conflict: both are told what the name stands for. */
    @Test
    void ofManyWhoBeginANameOneWins() throws Exception {
        Contenders.Outcome<Integer> outcome = Contenders.run(8, i -> {
            temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(run(i), 4, 1));
            return i;
        });
        assertEquals(1, outcome.won().size());
        assertEquals(7, outcome.lost());
        assertEquals(run(outcome.won().get(0)), current().runId());
    }

    @Test
    void aNameIsReusedAfterTheRunThatItStoodForHasCompleted() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        long version = 101;
        Workflows.Snapshot second = snapshot(TWO, 4, 1);

        changesNothing(
                CurrentWorkflowConditionFailedException.class, // it runs
                () -> temporal.workflows().create(RANGE, CurrentRun.reuse(ONE, version), second));
        temporal.workflows()
                .update(RANGE, CurrentRun.update(), FIRST, mutation(execution(ONE, 6, 2), completed(ONE), 6), null);
        changesNothing(
                CurrentWorkflowConditionFailedException.class, // it was written since
                () -> temporal.workflows().create(RANGE, CurrentRun.reuse(ONE, version), second));
        changesNothing(
                CurrentWorkflowConditionFailedException.class, // it is another
                () -> temporal.workflows().create(RANGE, CurrentRun.reuse(THREE, version + 1), second));

        temporal.workflows().create(RANGE, CurrentRun.reuse(ONE, version + 1), second);
        assertEquals(TWO, current().runId());
        assertTrue(temporal.workflows().get(WORKFLOW.run(ONE)).isPresent());
    }

    @Test
    void aNameThatStandsForNothingIsNotReused() {
        CurrentWorkflowConditionFailedException failure = changesNothing(
                CurrentWorkflowConditionFailedException.class,
                () -> temporal.workflows().create(RANGE, CurrentRun.reuse(ONE, 1), snapshot(TWO, 4, 1)));
        assertEquals(Optional.empty(), failure.current());
    }

    @Test
    void aRunMayBeCreatedBesideTheCurrentOneButNotInItsPlace() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.workflows().create(RANGE, CurrentRun.bypass(), snapshot(TWO, 4, 1));

        assertEquals(ONE, current().runId());
        assertTrue(temporal.workflows().get(WORKFLOW.run(TWO)).isPresent());
        changesNothing(
                CurrentWorkflowConditionFailedException.class,
                () -> temporal.workflows().create(RANGE, CurrentRun.bypass(), snapshot(ONE, 8, 1)));
    }

    @Test
    void aRunThatIsThereIsNotCreatedAgain() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.bypass(), snapshot(ONE, 4, 1));

        changesNothing(
                WorkflowConditionFailedException.class,
                () -> temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 8, 1)));
    }

    // ---- update

    @Test
    void aMutationPutsDeletesAndAdds() throws SQLException {
        Workflows.Snapshot snapshot = snapshot(ONE, 4, 1);
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot);
        Workflows.Mutation mutation = mutation(ONE, 6, 2);
        temporal.workflows().update(RANGE, CurrentRun.update(), FIRST, mutation, null);

        Workflows.State state = temporal.workflows().get(WORKFLOW.run(ONE)).orElseThrow();
        assertEquals(mutation.execution(), state.execution());
        assertEquals(
                Map.of(8L, blob("changed 6"), 20L, blob("added 6")),
                state.maps().get(MapKind.ACTIVITIES));
        assertEquals(Map.of(), state.maps().get(MapKind.TIMERS));
        assertEquals(Set.of("s1", "s6"), state.maps().members(MapKind.SIGNALS_REQUESTED));
        assertEquals(Set.of("a/c"), state.maps().get(MapKind.CHASM_NODES).keySet());
        assertEquals(snapshot.maps().get(MapKind.CHILDREN), state.maps().get(MapKind.CHILDREN));
        assertEquals(mutation.newBufferedEvents(), state.bufferedEvents());
        assertEquals(2, tasks(HistoryTasks.Category.TRANSFER).size());
        assertEquals(mutation.execution().lastWriteVersion(), current().lastWriteVersion());
    }

    @Test
    void bufferedEventsAreClearedBeforeNewOnesCome() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.workflows().update(RANGE, CurrentRun.update(), FIRST, mutation(ONE, 6, 2), null);
        Workflows.Mutation clearing = new Workflows.Mutation(
                execution(ONE, 7, 3),
                completed(ONE),
                StateMaps.EMPTY,
                StateMaps.Keys.NONE,
                true,
                List.of(blob("after")),
                Map.of());
        temporal.workflows().update(RANGE, CurrentRun.update(), Executions.Fence.dbRecordVersion(2), clearing, null);

        assertEquals(
                List.of(blob("after")),
                temporal.workflows().get(WORKFLOW.run(ONE)).orElseThrow().bufferedEvents());
    }

    @Test
    void aRunContinuesAsAnother() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.workflows()
                .update(
                        RANGE,
                        CurrentRun.update(),
                        FIRST,
                        mutation(execution(ONE, 6, 2), completed(ONE), 6),
                        snapshot(TWO, 2, 1));

        assertEquals(TWO, current().runId());
        assertEquals(
                snapshot(TWO, 2, 1).maps(),
                temporal.workflows().get(WORKFLOW.run(TWO)).orElseThrow().maps());
        assertThrows(
                IllegalArgumentException.class,
                () -> temporal.workflows()
                        .update(RANGE, CurrentRun.update(), FIRST, mutation(ONE, 6, 2), elsewhere(TWO)));
    }

    @Test
    void anUpdateWithAStaleVersionChangesNothing() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));

        WorkflowConditionFailedException failure = changesNothing(
                WorkflowConditionFailedException.class,
                () -> temporal.workflows().update(RANGE, CurrentRun.update(), STALE, mutation(ONE, 6, 2), null));
        assertEquals(1, failure.dbRecordVersion());
        assertEquals(4, failure.nextEventId());
    }

    @Test
    void anUpdateThatFailsAtItsLastPartChangesNothing() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.workflows().create(RANGE, CurrentRun.bypass(), snapshot(TWO, 4, 1));

        changesNothing(
                WorkflowConditionFailedException.class, // the next run is there already
                () -> temporal.workflows()
                        .update(RANGE, CurrentRun.update(), FIRST, mutation(ONE, 6, 2), snapshot(TWO, 9, 1)));
    }

    @Test
    void whatTheNameStandsForIsCheckedAsTheUpdateSays() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.workflows().create(RANGE, CurrentRun.bypass(), snapshot(TWO, 4, 1));

        changesNothing(
                CurrentWorkflowConditionFailedException.class,
                () -> temporal.workflows().update(RANGE, CurrentRun.update(), FIRST, mutation(TWO, 6, 2), null));
        changesNothing(
                CurrentWorkflowConditionFailedException.class,
                () -> temporal.workflows().update(RANGE, CurrentRun.bypass(), FIRST, mutation(ONE, 6, 2), null));
        temporal.workflows().update(RANGE, CurrentRun.bypass(), FIRST, mutation(TWO, 6, 2), null);
        temporal.workflows().update(RANGE, CurrentRun.ignore(), FIRST, mutation(ONE, 6, 2), null);
        assertEquals(101, current().lastWriteVersion());
    }

    @Test
    void whatIsNotThereIsNotUpdated() {
        changesNothing(
                NotFoundException.class,
                () -> temporal.workflows().update(RANGE, CurrentRun.ignore(), FIRST, mutation(ONE, 6, 2), null));
    }

    // ---- resolving conflicts, setting, deleting

    @Test
    void aStateIsResetAndTheCurrentRunSuppressed() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.workflows().create(RANGE, CurrentRun.bypass(), snapshot(TWO, 4, 1));
        temporal.workflows().update(RANGE, CurrentRun.bypass(), FIRST, mutation(TWO, 6, 2), null);
        StateMaps less =
                StateMaps.builder().put(MapKind.TIMERS, "t9", blob("t9")).build();
        Workflows.Snapshot reset = new Workflows.Snapshot(execution(TWO, 5, 3), Sample.running(TWO), less, Map.of());
        Workflows.Suppressed suppressed =
                new Workflows.Suppressed(mutation(execution(ONE, 6, 2), completed(ONE), 6), FIRST);

        changesNothing(
                CurrentWorkflowConditionFailedException.class, // it is not current
                () -> temporal.workflows()
                        .resolveConflict(
                                RANGE, CurrentRun.update(), Executions.Fence.dbRecordVersion(2), reset, null, null));
        changesNothing(
                WorkflowConditionFailedException.class,
                () -> temporal.workflows().resolveConflict(RANGE, CurrentRun.update(), FIRST, reset, suppressed, null));
        changesNothing(
                WorkflowConditionFailedException.class,
                () -> temporal.workflows()
                        .resolveConflict(
                                RANGE,
                                CurrentRun.update(),
                                Executions.Fence.dbRecordVersion(2),
                                reset,
                                new Workflows.Suppressed(suppressed.mutation(), STALE),
                                null));

        temporal.workflows()
                .resolveConflict(
                        RANGE,
                        CurrentRun.update(),
                        Executions.Fence.dbRecordVersion(2),
                        reset,
                        suppressed,
                        snapshot(THREE, 1, 1));
        assertEquals(THREE, current().runId());
        assertEquals(
                Optional.of(new Workflows.State(reset.execution(), less, List.of())),
                temporal.workflows().get(WORKFLOW.run(TWO)));
        assertEquals(
                execution(ONE, 6, 2),
                temporal.workflows().get(WORKFLOW.run(ONE)).orElseThrow().execution());
    }

    @Test
    void aStateBesideTheCurrentOneIsReset() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.workflows().create(RANGE, CurrentRun.bypass(), snapshot(TWO, 4, 1));

        changesNothing(
                CurrentWorkflowConditionFailedException.class,
                () -> temporal.workflows()
                        .resolveConflict(RANGE, CurrentRun.bypass(), FIRST, snapshot(ONE, 5, 2), null, null));
        temporal.workflows().resolveConflict(RANGE, CurrentRun.bypass(), FIRST, snapshot(TWO, 5, 2), null, null);
        assertEquals(ONE, current().runId());
        assertEquals(
                5,
                temporal.workflows()
                        .get(WORKFLOW.run(TWO))
                        .orElseThrow()
                        .execution()
                        .nextEventId());
    }

    @Test
    void aStateIsSetWhateverTheNameStandsFor() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.workflows().update(RANGE, CurrentRun.update(), FIRST, mutation(ONE, 6, 2), null);
        CurrentExecutions.Current before = current();

        changesNothing(
                WorkflowConditionFailedException.class,
                () -> temporal.workflows().set(RANGE, FIRST, snapshot(ONE, 7, 3)));
        temporal.workflows().set(RANGE, Executions.Fence.dbRecordVersion(2), snapshot(ONE, 7, 3));
        assertEquals(
                Optional.of(new Workflows.State(
                        execution(ONE, 7, 3), snapshot(ONE, 7, 3).maps(), List.of())),
                temporal.workflows().get(WORKFLOW.run(ONE)));
        assertEquals(before, current());
    }

    @Test
    void aRunIsDeletedWithEverythingThatHangsOnIt() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.workflows().create(RANGE, CurrentRun.bypass(), snapshot(TWO, 4, 1));
        temporal.workflows().update(RANGE, CurrentRun.update(), FIRST, mutation(ONE, 6, 2), null);
        temporal.workflows().delete(RANGE, WORKFLOW.run(TWO));
        temporal.workflows().delete(RANGE, WORKFLOW.run(ONE));
        temporal.workflows().delete(RANGE, WORKFLOW.run(ONE));

        Map<String, Long> left = rows();
        for (MapKind<?, ?> kind : MapKind.ALL) {
            assertEquals(0, left.get(kind.toString()), kind.toString());
        }
        assertEquals(0, left.get("executions"));
        assertEquals(0, left.get("buffered_events"));
        assertEquals(1, left.get("current_executions"));
        assertFalse(temporal.workflows().deleteCurrent(RANGE, WORKFLOW, 0, TWO));
        assertTrue(temporal.workflows().deleteCurrent(RANGE, WORKFLOW, 0, ONE));
        assertEquals(0, rows().get("current_executions"));
    }

    // ---- owners

    @Test
    void aDeposedOwnerChangesNothing() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(ONE, 4, 1));
        temporal.shards().update(new Shards.Shard(SHARD, RANGE + 1, blob("taken over")), RANGE);

        List<Executable> late = List.of(
                () -> temporal.workflows().create(RANGE, CurrentRun.bypass(), snapshot(TWO, 4, 1)),
                () -> temporal.workflows().update(RANGE, CurrentRun.update(), FIRST, mutation(ONE, 6, 2), null),
                () -> temporal.workflows()
                        .resolveConflict(RANGE, CurrentRun.update(), FIRST, snapshot(ONE, 5, 2), null, null),
                () -> temporal.workflows().set(RANGE, FIRST, snapshot(ONE, 5, 2)),
                () -> temporal.workflows().delete(RANGE, WORKFLOW.run(ONE)),
                () -> temporal.workflows().deleteCurrent(RANGE, WORKFLOW, 0, ONE));
        for (Executable operation : late) {
            changesNothing(ShardOwnershipLostException.class, operation);
        }
        temporal.workflows().update(RANGE + 1, CurrentRun.update(), FIRST, mutation(ONE, 6, 2), null);
    }

    @Test
    void whatDoesNotGoTogetherIsRefused() {
        List<Executable> unfit = List.of(
                () -> temporal.workflows().create(RANGE, CurrentRun.update(), snapshot(TWO, 4, 1)),
                () -> temporal.workflows().update(RANGE, CurrentRun.brandNew(), FIRST, mutation(ONE, 6, 2), null),
                () -> temporal.workflows()
                        .resolveConflict(RANGE, CurrentRun.ignore(), FIRST, snapshot(ONE, 5, 2), null, null),
                () -> temporal.workflows()
                        .resolveConflict(
                                RANGE,
                                CurrentRun.update(),
                                FIRST,
                                snapshot(TWO, 5, 2),
                                new Workflows.Suppressed(inAnotherShard(), FIRST),
                                null));
        for (Executable operation : unfit) {
            changesNothing(IllegalArgumentException.class, operation);
        }
    }

    /** A change that the owner of the test's shard may not make. */
    private static Workflows.Mutation inAnotherShard() {
        Executions.Execution here = execution(ONE, 6, 2);
        Executions.Key key = new Workflows.Name(SHARD + 1, WORKFLOW.namespaceId(), WORKFLOW.workflowId()).run(ONE);
        return mutation(
                new Executions.Execution(
                        key,
                        here.nextEventId(),
                        here.lastWriteVersion(),
                        here.info(),
                        here.state(),
                        here.dbRecordVersion()),
                completed(ONE),
                6);
    }

    // ---- helpers

    private CurrentExecutions.Current current() throws SQLException {
        return temporal.currentExecutions().select(WORKFLOW, 0).orElseThrow();
    }

    private List<HistoryTasks.Task> tasks(HistoryTasks.Category category) {
        try {
            return temporal.historyTasks()
                    .select(
                            SHARD,
                            category,
                            HistoryTasks.Key.of(0),
                            new HistoryTasks.Key(Instant.parse("2100-01-01T00:00:00Z"), Long.MAX_VALUE),
                            100,
                            null)
                    .rows();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static Workflows.Snapshot elsewhere(UUID run) {
        Executions.Execution there = new Executions.Execution(
                new Executions.Key(SHARD, Sample.NAMESPACE, "order-2", run), 1, 1, blob("info"), blob("state"), 1);
        return new Workflows.Snapshot(there, Sample.running(run), StateMaps.EMPTY, Map.of());
    }

    /** Fails with {@code type}, and every row of every table is as it was. */
    private <T extends Throwable> T changesNothing(Class<T> type, Executable operation) {
        Map<String, List<String>> before = contents();
        T failure = assertThrows(type, operation);
        assertEquals(before, contents());
        return failure;
    }

    private Map<String, Long> rows() {
        Map<String, Long> rows = new TreeMap<>();
        contents().forEach((table, content) -> rows.put(table, (long) content.size()));
        return rows;
    }

    private Map<String, List<String>> contents() {
        Map<String, List<String>> contents = new TreeMap<>();
        try {
            transactions.run("contents", c -> {
                for (Table table : Table.values()) {
                    contents.put(
                            table.sqlName(),
                            Database.query(
                                    c,
                                    "SELECT CAST(t AS VARCHAR) AS content FROM " + table.sqlName() + " t ORDER BY 1",
                                    row -> row.getString("content")));
                }
            });
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return contents;
    }
}
