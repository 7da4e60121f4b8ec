// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Mutable states as one thing: the execution, its maps, its buffered events, the tasks that follow, and what the workflow's name
 * stands for. Each operation is one transaction, and one that fails changes nothing. Thread-safe.
 *
 * <h2>Fences</h2>
 *
 * <ul>
 *   <li>Who writes in a shard owns it: the shard's row is read FOR UPDATE first, and its {@code range_id} is as said.
 *   <li>Who changes a state has read its latest version: the execution's row is updated only where it has that version. Everything
 *       that hangs on the execution is written after that, in the same transaction, so two writers of one state conflict there.
 *   <li>Who changes what a name stands for knows what it stood for: that row is updated only where it has that run.
 *   <li>Who relies on what a name stands for, without changing it, reads the row FOR UPDATE.
 * </ul>
 *
 * <p>All of these are rows that are written or read FOR UPDATE, by their whole keys; none is a plain read. So no two
 * transactions that must not both commit can, whether or not two readers FOR UPDATE conflict.
 */
public final class Workflows {

    private final Database database;
    private final BufferedEvents bufferedEvents;

    Workflows(Database database, BufferedEvents bufferedEvents) {
        this.database = database;
        this.bufferedEvents = bufferedEvents;
    }

    /**
     * Creates a run.
     *
     * @param rangeId that of the shard's owner
     * @param current {@link CurrentRun#brandNew}, {@link CurrentRun#reuse} or {@link CurrentRun#bypass}
     * @throws ShardOwnershipLostException if the shard has another owner
     * @throws CurrentWorkflowConditionFailedException if the name stands for another run than was said
     * @throws WorkflowConditionFailedException if the run is there already
     */
    public void create(long rangeId, CurrentRun current, Snapshot snapshot) throws SQLException {
        Executions.Key key = snapshot.execution().key();
        database.run("CreateWorkflowExecution", c -> {
            Shards.require(c, key.shardId(), rangeId);
            CurrentExecutions.Current row = current(snapshot.execution(), snapshot.run(), current);
            switch (current.mode) {
                case BRAND_NEW -> beginName(c, row);
                case REUSE -> reuseName(c, row, current);
                case BYPASS -> requireNotCurrent(c, key, current);
                default -> throw unfit(current, "creating");
            }
            writeNew(c, snapshot);
        });
    }

    /**
     * Changes a run, and creates the one that comes after it, if there is one.
     *
     * @param rangeId that of the shard's owner
     * @param current {@link CurrentRun#update}, {@link CurrentRun#bypass} or {@link CurrentRun#ignore}
     * @param expected the fence that the run was read with
     * @param next of the same workflow
     * @throws ShardOwnershipLostException if the shard has another owner
     * @throws CurrentWorkflowConditionFailedException if the name stands for another run than was said
     * @throws WorkflowConditionFailedException if the run was changed meanwhile, or the next is there already
     * @throws NotFoundException if the run is not there
     */
    public void update(
            long rangeId, CurrentRun current, Executions.Fence expected, Mutation mutation, @Nullable Snapshot next)
            throws SQLException {
        Executions.Key key = mutation.execution().key();
        if (next != null) {
            requireSameWorkflow(key, next.execution());
        }
        database.run("UpdateWorkflowExecution", c -> {
            Shards.require(c, key.shardId(), rangeId);
            switch (current.mode) {
                case UPDATE ->
                    CurrentExecutions.update(
                            c,
                            next == null
                                    ? current(mutation.execution(), mutation.run(), current)
                                    : current(next.execution(), next.run(), current),
                            key.runId());
                case BYPASS -> requireNotCurrent(c, key, current);
                case IGNORE -> {}
                default -> throw unfit(current, "updating");
            }
            mutate(c, mutation, expected);
            if (next != null) {
                writeNew(c, next);
            }
        });
    }

    /**
     * Replaces a run by another state of it; changes the run that was current instead, if one was; and creates the one that comes
     * after it, if there is one.
     *
     * @param rangeId that of the shard's owner
     * @param current {@link CurrentRun#update} or {@link CurrentRun#bypass}
     * @param resetExpected the fence that the run was read with
     * @param suppressed the change of the run that was current until now, with its fence; null if the name stands for
     *     the run that is replaced
     * @throws ShardOwnershipLostException if the shard has another owner
     * @throws CurrentWorkflowConditionFailedException if the name stands for another run than was said
     * @throws WorkflowConditionFailedException if one of the runs was changed meanwhile, or the next is there already
     * @throws NotFoundException if one of the runs is not there
     */
    public void resolveConflict(
            long rangeId,
            CurrentRun current,
            Executions.Fence resetExpected,
            Snapshot reset,
            @Nullable Suppressed suppressed,
            @Nullable Snapshot next)
            throws SQLException {
        Executions.Key key = reset.execution().key();
        if (suppressed != null) {
            requireSameWorkflow(key, suppressed.mutation().execution());
        }
        if (next != null) {
            requireSameWorkflow(key, next.execution());
        }
        database.run("ConflictResolveWorkflowExecution", c -> {
            Shards.require(c, key.shardId(), rangeId);
            Snapshot latest = next == null ? reset : next;
            UUID previous = suppressed == null
                    ? key.runId()
                    : suppressed.mutation().execution().key().runId();
            switch (current.mode) {
                case UPDATE ->
                    CurrentExecutions.update(c, current(latest.execution(), latest.run(), current), previous);
                case BYPASS -> requireNotCurrent(c, key, current);
                default -> throw unfit(current, "resolving a conflict");
            }
            reset(c, reset, resetExpected);
            if (suppressed != null) {
                mutate(c, suppressed.mutation(), suppressed.expected());
            }
            if (next != null) {
                writeNew(c, next);
            }
        });
    }

    /** The change of a run that is no longer to be current. */
    public record Suppressed(Mutation mutation, Executions.Fence expected) {}

    /**
     * Replaces a run by another state of it, whatever the name stands for.
     *
     * @throws ShardOwnershipLostException if the shard has another owner
     * @throws WorkflowConditionFailedException if the run was changed meanwhile
     * @throws NotFoundException if the run is not there
     */
    public void set(long rangeId, Executions.Fence expected, Snapshot snapshot) throws SQLException {
        database.run("SetWorkflowExecution", c -> {
            Shards.require(c, snapshot.execution().key().shardId(), rangeId);
            reset(c, snapshot, expected);
        });
    }

    /** The whole state of a run, if it is there: one transaction with one statement. */
    public Optional<State> get(Executions.Key key) throws SQLException {
        return database.call("GetWorkflowExecution", c -> StateReader.read(c, key));
    }

    /**
     * Deletes a run with everything that hangs on it, but not what the name stands for. Deleting what is not there does nothing.
     *
     * @throws ShardOwnershipLostException if the shard has another owner
     */
    public void delete(long rangeId, Executions.Key key) throws SQLException {
        database.run("DeleteWorkflowExecution", c -> {
            Shards.require(c, key.shardId(), rangeId);
            Executions.delete(c, key); // another writer of the state writes this row too, and one of the two fails
            clear(c, key);
        });
    }

    /**
     * Lets the name stand for nothing if it stands for {@code runId}, and returns whether it did.
     *
     * @throws ShardOwnershipLostException if the shard has another owner
     */
    public boolean deleteCurrent(long rangeId, Name workflow, long archetypeId, UUID runId) throws SQLException {
        return database.call("DeleteCurrentWorkflowExecution", c -> {
            Shards.require(c, workflow.shardId(), rangeId);
            return CurrentExecutions.delete(c, workflow, archetypeId, runId);
        });
    }

    // ---- what the name stands for

    private static CurrentExecutions.Current current(Executions.Execution execution, RunState run, CurrentRun current) {
        return new CurrentExecutions.Current(
                execution.key().workflow(),
                current.archetypeId,
                execution.key().runId(),
                run.createRequestId(),
                run.state(),
                run.status(),
                run.startVersion(),
                run.startTime(),
                execution.lastWriteVersion(),
                execution.state());
    }

    private static void beginName(Connection c, CurrentExecutions.Current row) throws SQLException {
        CurrentExecutions.Current there = CurrentExecutions.lockWithExecution(c, row.workflow(), row.archetypeId())
                .orElse(null);
        if (there != null) {
            throw new CurrentWorkflowConditionFailedException(
                    row.workflow() + " has a current run already, " + there.runId(), there);
        }
        try {
            CurrentExecutions.insert(c, row);
        } catch (SQLException e) {
            // it came after our snapshot: the next attempt will see it
            throw Database.conflictIfDuplicate(e, row.workflow() + " was begun by another");
        }
    }

    private static void reuseName(Connection c, CurrentExecutions.Current row, CurrentRun current) throws SQLException {
        CurrentExecutions.Current there = CurrentExecutions.lockWithExecution(c, row.workflow(), row.archetypeId())
                .orElse(null);
        if (there == null
                || !there.runId().equals(current.previousRunId)
                || there.lastWriteVersion() != current.previousLastWriteVersion
                || there.state() != CurrentExecutions.Current.COMPLETED) {
            throw new CurrentWorkflowConditionFailedException(
                    "the current run of " + row.workflow() + " should have been " + current.previousRunId
                            + ", completed and last written in version " + current.previousLastWriteVersion
                            + ", but was "
                            + (there == null
                                    ? "none"
                                    : there.runId() + " in state " + there.state() + " and version "
                                            + there.lastWriteVersion()),
                    there);
        }
        CurrentExecutions.update(c, row, current.previousRunId);
    }

    private static void requireNotCurrent(Connection c, Executions.Key key, CurrentRun current) throws SQLException {
        CurrentExecutions.Current there =
                CurrentExecutions.lock(c, key.workflow(), current.archetypeId).orElse(null);
        if (there != null && there.runId().equals(key.runId())) {
            throw new CurrentWorkflowConditionFailedException(
                    key + " is the current one, and should not be",
                    CurrentExecutions.lockWithExecution(c, key.workflow(), current.archetypeId)
                            .orElse(there));
        }
    }

    // ---- states

    private static void writeNew(Connection c, Snapshot snapshot) throws SQLException {
        Executions.insert(c, snapshot.execution());
        put(c, snapshot.execution().key(), snapshot.maps());
        add(c, snapshot.execution().key().shardId(), snapshot.tasks());
    }

    private static void reset(Connection c, Snapshot snapshot, Executions.Fence expected) throws SQLException {
        Executions.Key key = snapshot.execution().key();
        Executions.update(c, snapshot.execution(), expected);
        clear(c, key);
        put(c, key, snapshot.maps());
        add(c, key.shardId(), snapshot.tasks());
    }

    private void mutate(Connection c, Mutation mutation, Executions.Fence expected) throws SQLException {
        Executions.Key key = mutation.execution().key();
        Executions.update(c, mutation.execution(), expected);
        for (MapKind<?, ?> kind : MapKind.ALL) {
            ExecutionMap.delete(c, kind, key, mutation.deletes().get(kind));
        }
        put(c, key, mutation.puts());
        if (mutation.clearsBufferedEvents()) {
            BufferedEvents.delete(c, key);
        }
        bufferedEvents.insert(c, key, mutation.newBufferedEvents());
        add(c, key.shardId(), mutation.tasks());
    }

    private static void put(Connection c, Executions.Key key, StateMaps maps) throws SQLException {
        for (MapKind<?, ?> kind : MapKind.ALL) {
            ExecutionMap.replace(c, kind, key, maps.get(kind));
        }
    }

    private static void add(Connection c, int shardId, Map<HistoryTasks.Category, List<HistoryTasks.Task>> tasks)
            throws SQLException {
        for (Map.Entry<HistoryTasks.Category, List<HistoryTasks.Task>> some : tasks.entrySet()) {
            HistoryTasks.insert(c, shardId, some.getKey(), some.getValue());
        }
    }

    private static void clear(Connection c, Executions.Key key) throws SQLException {
        for (MapKind<?, ?> kind : MapKind.ALL) {
            ExecutionMap.deleteAll(c, kind, key);
        }
        BufferedEvents.delete(c, key);
    }

    // ---- arguments

    /** Requires one workflow: of another, perhaps in another shard, nothing here is a fence. */
    private static void requireSameWorkflow(Executions.Key key, Executions.Execution other) {
        if (!other.key().workflow().equals(key.workflow())) {
            throw new IllegalArgumentException(
                    key.workflow() + " does not go together with " + other.key().workflow());
        }
    }

    private static IllegalArgumentException unfit(CurrentRun current, String what) {
        return new IllegalArgumentException(what + " a run does not go with " + current);
    }

    /**
     * A whole mutable state to be written, with the tasks that follow from it. Immutable.
     *
     * @param tasks may be of several categories
     */
    public record Snapshot(
            Executions.Execution execution,
            RunState run,
            StateMaps maps,
            Map<HistoryTasks.Category, List<HistoryTasks.Task>> tasks) {

        public Snapshot {
            tasks = Map.copyOf(tasks);
        }
    }

    /**
     * A change of a mutable state, with the tasks that follow from it. Immutable.
     *
     * @param execution the row as it is to be
     * @param puts entries of the maps that are new or changed
     * @param deletes entries of the maps that go
     * @param clearsBufferedEvents whether those that are there go
     * @param newBufferedEvents those that come, after that
     */
    public record Mutation(
            Executions.Execution execution,
            RunState run,
            StateMaps puts,
            StateMaps.Keys deletes,
            boolean clearsBufferedEvents,
            List<Blob> newBufferedEvents,
            Map<HistoryTasks.Category, List<HistoryTasks.Task>> tasks) {

        public Mutation {
            newBufferedEvents = List.copyOf(newBufferedEvents);
            tasks = Map.copyOf(tasks);
        }
    }

    /** A whole mutable state as it was read. Immutable. */
    public record State(Executions.Execution execution, StateMaps maps, List<Blob> bufferedEvents) {

        public State {
            bufferedEvents = List.copyOf(bufferedEvents);
        }

        /** The fence of a change to it. */
        public Executions.Fence fence() {
            return Executions.Fence.of(execution);
        }
    }

    /**
     * The part of a run's state that the row of the current execution repeats in columns. Immutable.
     *
     * @param state as Temporal numbers WorkflowExecutionState
     * @param status as Temporal numbers WorkflowExecutionStatus
     */
    public record RunState(
            String createRequestId,
            int state,
            int status,
            long startVersion,
            @Nullable Instant startTime) {}

    /** A workflow, whichever of its runs. Immutable. */
    public record Name(int shardId, UUID namespaceId, String workflowId) {

        public Name {
            Objects.requireNonNull(namespaceId);
            Objects.requireNonNull(workflowId);
        }

        /** One run of it. */
        public Executions.Key run(UUID runId) {
            return new Executions.Key(shardId, namespaceId, workflowId, runId);
        }

        @Override
        public String toString() {
            return "workflow " + workflowId + " of namespace " + namespaceId + " in shard " + shardId;
        }
    }
}
