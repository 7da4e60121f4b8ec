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
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.tx.ErrorMeaning;
import dev.forebay.tx.GivenUpException;
import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxListener;
import dev.forebay.tx.TxRetryPolicy;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two who may not both commit, the second of them when the first has done everything but COMMIT: a plain read of what the first relies
 * on would let both. Only on DSQL, where no one waits; on PostgreSQL the second waits for the first.
 */
final class TakeOverIT extends OnBothDatabases {

    private static final Executions.Fence READ = Executions.Fence.dbRecordVersion(1);

    private Temporal first;
    private Temporal second;
    private @Nullable Operation meanwhile;
    private boolean secondSucceeded;

    static List<On> databases() {
        return List.of(On.DSQL);
    }

    private interface Operation {
        void run() throws SQLException;
    }

    @BeforeEach
    void addShard() throws SQLException {
        temporal.shards().insert(new Shards.Shard(SHARD, RANGE, blob("shard")));
        temporal.workflows().create(RANGE, CurrentRun.brandNew(), snapshot(run(1), 4, 1));
        first = Temporal.on(
                Transactions.builder(Intercepted.of(dataSource, (sql, connection) -> interrupt(sql)))
                        .policy(TxRetryPolicy.BRIEF)
                        .build(),
                SnowflakeIds.forNode(4));
        second = Temporal.on(
                Transactions.builder(dataSource)
                        .policy(TxRetryPolicy.BRIEF.withMaxRetries(0))
                        .build(),
                SnowflakeIds.forNode(5));
    }

    private void interrupt(String sql) throws SQLException {
        Operation once = meanwhile;
        if (sql.equals("COMMIT") && once != null) {
            meanwhile = null;
            try {
                once.run();
                secondSucceeded = true;
            } catch (GivenUpException e) {
                secondSucceeded = false;
            }
        }
    }

    private void onlyOneOf(Operation one, Operation other) throws SQLException {
        meanwhile = other;
        boolean firstSucceeded;
        try {
            one.run();
            firstSucceeded = true;
        } catch (TemporalException e) {
            firstSucceeded = false;
        }
        assertTrue(meanwhile == null, "the second had its turn");
        assertNotEquals(firstSucceeded, secondSucceeded, "who succeeded");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void anOwnerWhoIsDeposedInTheMiddleOfAnOperationCommitsNothing(int which) throws SQLException {
        List<Operation> operations = List.of(
                () -> first.workflows().create(RANGE, CurrentRun.bypass(), snapshot(run(2), 4, 1)),
                () -> first.workflows().update(RANGE, CurrentRun.update(), READ, mutation(run(1), 6, 2), null),
                () -> first.workflows()
                        .resolveConflict(RANGE, CurrentRun.update(), READ, snapshot(run(1), 6, 2), null, null),
                () -> first.workflows().set(RANGE, READ, snapshot(run(1), 6, 2)),
                () -> first.workflows().delete(RANGE, WORKFLOW.run(run(1))),
                () -> first.workflows().deleteCurrent(RANGE, WORKFLOW, 0, run(1)),
                () -> first.historyTasks()
                        .insert(
                                SHARD,
                                RANGE,
                                HistoryTasks.Category.TRANSFER,
                                List.of(new HistoryTasks.Task(HistoryTasks.Key.of(99), blob("late")))));
        onlyOneOf(
                operations.get(which),
                () -> second.shards().update(new Shards.Shard(SHARD, RANGE + 1, blob("another's")), RANGE));
    }

    @Test
    void whoReliesOnWhatANameDoesNotStandForSeesThatChange() throws SQLException {
        temporal.workflows().create(RANGE, CurrentRun.bypass(), snapshot(run(2), 4, 1));
        CurrentExecutions.Current changed =
                new CurrentExecutions.Current(WORKFLOW, 0, run(2), "request", 2, 1, 0, null, 101, null);
        onlyOneOf(
                () -> first.workflows().update(RANGE, CurrentRun.bypass(), READ, mutation(run(2), 6, 2), null),
                () -> second.currentExecutions().update(changed, run(1)));
    }

    @Test
    void whoReusesANameSeesThatTheRunBeforeWasWrittenMeanwhile() throws SQLException {
        temporal.workflows()
                .update(
                        RANGE,
                        CurrentRun.update(),
                        READ,
                        mutation(execution(run(1), 6, 2), completed(run(1)), 6),
                        null);
        onlyOneOf(
                () -> first.workflows().create(RANGE, CurrentRun.reuse(run(1), 102), snapshot(run(3), 4, 1)),
                () -> second.executions().update(execution(run(1), 7, 3), Executions.Fence.dbRecordVersion(2)));
    }

    /** However few attempts it has, it loses by the fence and not by a conflict. */
    @Test
    void whoGivesUpLearnsWhichConditionHasFailedMeanwhile() throws SQLException {
        Executions.Key key = WORKFLOW.run(run(1));
        Temporal once = second;
        meanwhile = () -> temporal.executions().update(execution(run(1), 7, 2), READ);
        WorkflowConditionFailedException lost = assertThrows(
                WorkflowConditionFailedException.class,
                () -> once.run("Update", () -> {
                    once.executions().select(key); // its snapshot
                    interrupt("COMMIT");
                    once.executions().update(execution(run(1), 8, 2), READ);
                }));
        assertEquals(2, lost.dbRecordVersion());
        assertEquals(7, lost.nextEventId());
        assertEquals(7, temporal.executions().writeLock(key).nextEventId());
    }

    /** The winner commits when the loser has tried a dozen times. */
    @Test
    void aLoserOutwaitsAWinnerThatTakesLong() throws Exception {
        CountDownLatch conflicts = new CountDownLatch(12);
        Temporal loser = Temporal.on(
                Transactions.builder(dataSource)
                        .policy(TxRetryPolicy.BRIEF)
                        .listener(new TxListener() {
                            @Override
                            public void attemptFailed(
                                    String name, ErrorMeaning failure, @Nullable String state, Throwable error) {
                                conflicts.countDown();
                            }
                        })
                        .build(),
                SnowflakeIds.forNode(6));
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            List<Future<?>> lost = new ArrayList<>();
            meanwhile = () -> {
                lost.add(thread.submit(() -> {
                    loser.executions().update(execution(run(1), 8, 2), READ);
                    return null;
                }));
                await(conflicts);
            };
            first.executions().update(execution(run(1), 7, 2), READ);
            ExecutionException e =
                    assertThrows(ExecutionException.class, () -> lost.get(0).get(60, TimeUnit.SECONDS));
            assertInstanceOf(WorkflowConditionFailedException.class, e.getCause());
        } finally {
            thread.shutdownNow();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(10, TimeUnit.SECONDS); // or it has given up before
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whoGivesUpWithoutAFailedConditionSaysSo() throws SQLException {
        Temporal once = second;
        assertThrows(
                GivenUpException.class,
                () -> once.run("Add", () -> {
                    once.executions().select(WORKFLOW.run(run(1)));
                    temporal.executions().update(execution(run(1), 7, 1), READ);
                    once.executions().writeLock(WORKFLOW.run(run(1)));
                    once.historyTrees()
                            .insert(new HistoryTrees.Tree(
                                    new HistoryTrees.Branch(SHARD, run(1), run(9)), blob("not there")));
                }));
        assertEquals(0, temporal.historyTrees().select(SHARD, run(1)).size());
    }

    @Test
    void aMapIsNotChangedWhenItsExecutionIsMeanwhile() throws SQLException {
        onlyOneOf(
                () -> first.map(MapKind.ACTIVITIES).deleteAll(WORKFLOW.run(run(1)), READ),
                () -> second.executions().update(execution(run(1), 7, 2), READ));
    }

    /** A lock, and a change of what it locks. */
    private record Lock(Operation lock, Operation change) {}

    private Map<String, Lock> locks() throws SQLException {
        Blob data = blob("data");
        TaskQueues.Id queue = TaskQueues.Id.of(Sample.NAMESPACE, "orders", 1);
        QueueV2.Name name = new QueueV2.Name(1, "orders");
        for (TaskQueues.Version version : TaskQueues.Version.values()) {
            temporal.taskQueues(version).insert(new TaskQueues.Queue(queue, 1, data));
        }
        temporal.queueV1().insertMetadata(3, data);
        temporal.queueV2().insert(name, data);
        temporal.clusters().save(new Clusters.Cluster("east", 0, data));
        Executions.Key run = WORKFLOW.run(run(1));
        Operation changeRun = () -> second.executions().update(execution(run(1), 7, 2), READ);
        CurrentExecutions.Current other =
                new CurrentExecutions.Current(WORKFLOW, 0, run(2), "request", 2, 1, 0, null, 101, null);
        Operation changeName = () -> second.currentExecutions().update(other, run(1));
        return Map.ofEntries(
                Map.entry(
                        "shard",
                        new Lock(
                                () -> first.shards().writeLock(SHARD),
                                () -> second.shards().update(new Shards.Shard(SHARD, RANGE + 1, data), RANGE))),
                Map.entry("run", new Lock(() -> first.executions().writeLock(run), changeRun)),
                Map.entry("name", new Lock(() -> first.currentExecutions().lock(WORKFLOW, 0), changeName)),
                Map.entry(
                        "name with its run",
                        new Lock(() -> first.currentExecutions().lockWithExecution(WORKFLOW, 0), changeName)),
                Map.entry(
                        "run with its name",
                        new Lock(() -> first.currentExecutions().lockWithExecution(WORKFLOW, 0), changeRun)),
                Map.entry("task queue", lock(TaskQueues.Version.V1, queue)),
                Map.entry("fair task queue", lock(TaskQueues.Version.V2, queue)),
                Map.entry(
                        "namespaces",
                        new Lock(
                                () -> first.namespaces().lockMetadata(),
                                () -> second.namespaces().updateMetadata(1))),
                Map.entry(
                        "queue with a number",
                        new Lock(
                                () -> first.queueV1().lockMetadata(3),
                                () -> second.queueV1().updateMetadata(3, data, 0))),
                Map.entry(
                        "queue with a name",
                        new Lock(
                                () -> first.queueV2().lockMetadata(name),
                                () -> second.queueV2().updateMetadata(name, before -> blob("changed")))),
                Map.entry(
                        "cluster",
                        new Lock(
                                () -> first.clusters().writeLock("east"),
                                () -> second.clusters().save(new Clusters.Cluster("east", 1, data)))));
    }

    private Lock lock(TaskQueues.Version version, TaskQueues.Id queue) {
        return new Lock(
                () -> first.taskQueues(version).lock(queue),
                () -> second.taskQueues(version).update(new TaskQueues.Queue(queue, 2, blob("data")), 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "shard",
                "run",
                "name",
                "name with its run",
                "run with its name",
                "task queue",
                "fair task queue",
                "namespaces",
                "queue with a number",
                "queue with a name",
                "cluster"
            })
    void whoLocksARowDoesNotCommitOnWhatItWasBeforeAnotherChangedIt(String which) throws SQLException {
        Lock locked = Objects.requireNonNull(locks().get(which));
        int[] attempts = {0};
        meanwhile = locked.change();
        first.run("Lock", () -> {
            attempts[0]++;
            locked.lock().run();
            first.historyTrees()
                    .insert(new HistoryTrees.Tree(
                            new HistoryTrees.Branch(SHARD, run(1), run(attempts[0])), blob("written by it")));
        });
        assertTrue(meanwhile == null, "the second had its turn");
        assertTrue(attempts[0] == 2 || !secondSucceeded, "both committed");
    }
}
