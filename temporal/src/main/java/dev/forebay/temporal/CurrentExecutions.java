// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The run that each workflow's name stands for. Changes name the run that it stood for before. Archetype 0 is a workflow; all others
 * are in a table of their own. Thread-safe.
 */
public final class CurrentExecutions {

    private final Database database;

    CurrentExecutions(Database database) {
        this.database = database;
    }

    /**
     * Lets a name that stands for nothing yet stand for a run.
     *
     * @throws SQLException also if it stands for one already
     */
    public void insert(Current current) throws SQLException {
        database.run("InsertIntoCurrentExecutions", c -> insert(c, current));
    }

    /**
     * Lets a name that stands for {@code expectedRunId} stand for another run, or for the same in another state.
     *
     * @throws CurrentWorkflowConditionFailedException if it stands for another, or for none
     */
    public void update(Current current, UUID expectedRunId) throws SQLException {
        database.run("UpdateCurrentExecutions", c -> update(c, current, expectedRunId));
    }

    /** The run that the name stands for, if any. */
    public Optional<Current> select(Workflows.Name workflow, long archetypeId) throws SQLException {
        return database.call("SelectFromCurrentExecutions", c -> read(c, workflow, archetypeId, false));
    }

    /** Lets a name that stands for {@code runId} stand for nothing, and returns whether it did. */
    public boolean delete(Workflows.Name workflow, long archetypeId, UUID runId) throws SQLException {
        return database.call("DeleteFromCurrentExecutions", c -> delete(c, workflow, archetypeId, runId));
    }

    /** The run that the name stands for; lets the transaction commit only if that is not changed meanwhile. */
    public Optional<Current> lock(Workflows.Name workflow, long archetypeId) throws SQLException {
        return database.call("LockCurrentExecutions", c -> read(c, workflow, archetypeId, true));
    }

    /**
     * The same, with the last write version that the execution itself has: two statements on one table each, where Temporal's other
     * databases join the two. Both rows take part in the check for conflicts, since the version decides what is written.
     */
    public Optional<Current> lockWithExecution(Workflows.Name workflow, long archetypeId) throws SQLException {
        return database.call("LockCurrentExecutionsJoinExecutions", c -> lockWithExecution(c, workflow, archetypeId));
    }

    // ---- parts of other operations

    static void insert(Connection c, Current current) throws SQLException {
        Database.update(
                c,
                table(current.archetypeId()).insert(),
                Database.join(key(current.workflow(), current.archetypeId()), others(current)));
    }

    static void update(Connection c, Current current, UUID expectedRunId) throws SQLException {
        int rows = Database.update(
                c,
                table(current.archetypeId()).update() + " AND run_id = ?",
                Database.join(
                        others(current), key(current.workflow(), current.archetypeId()), new Object[] {expectedRunId}));
        if (rows == 0) {
            Current actual = lockWithExecution(c, current.workflow(), current.archetypeId())
                    .orElse(null);
            throw new CurrentWorkflowConditionFailedException(
                    "the current run of " + current.workflow() + " should have been " + expectedRunId + " but was "
                            + (actual == null ? "none" : actual.runId()),
                    actual);
        }
    }

    static boolean delete(Connection c, Workflows.Name workflow, long archetypeId, UUID runId) throws SQLException {
        Table table = table(archetypeId);
        return Database.update(
                        c,
                        table.delete(table.keyColumns().size()) + " AND run_id = ?",
                        Database.join(key(workflow, archetypeId), new Object[] {runId}))
                == 1;
    }

    static Optional<Current> lockWithExecution(Connection c, Workflows.Name workflow, long archetypeId)
            throws SQLException {
        Current locked = read(c, workflow, archetypeId, true).orElse(null);
        if (locked == null) {
            return Optional.empty();
        }
        Optional<Long> version = Database.one(
                c,
                Table.EXECUTIONS.lock("last_write_version"),
                row -> row.getLong("last_write_version"),
                Executions.values(workflow.run(locked.runId())));
        return Optional.of(version.map(locked::withLastWriteVersion).orElse(locked));
    }

    static Optional<Current> lock(Connection c, Workflows.Name workflow, long archetypeId) throws SQLException {
        return read(c, workflow, archetypeId, true);
    }

    private static Optional<Current> read(Connection c, Workflows.Name workflow, long archetypeId, boolean lock)
            throws SQLException {
        Table table = table(archetypeId);
        String wanted = Table.names(table.otherColumns());
        String sql = lock
                ? table.lock(wanted)
                : table.select(wanted, table.keyColumns().size());
        return Database.one(c, sql, row -> read(row, workflow, archetypeId), key(workflow, archetypeId));
    }

    private static Current read(ResultSet row, Workflows.Name workflow, long archetypeId) throws SQLException {
        return new Current(
                workflow,
                archetypeId,
                Database.uuid(row, "run_id"),
                row.getString("create_request_id"),
                row.getInt("state"),
                row.getInt("status"),
                row.getLong("start_version"),
                Database.timeOrNull(row, "start_time"),
                row.getLong("last_write_version"),
                Database.blobOrNull(row, "data"));
    }

    private static Table table(long archetypeId) {
        return archetypeId == 0 ? Table.CURRENT_EXECUTIONS : Table.CURRENT_CHASM_EXECUTIONS;
    }

    private static Object[] key(Workflows.Name workflow, long archetypeId) {
        Object[] name = {workflow.shardId(), workflow.namespaceId(), workflow.workflowId()};
        return archetypeId == 0 ? name : new Object[] {name[0], name[1], name[2], archetypeId};
    }

    private static @Nullable Object[] others(Current current) {
        Blob data = current.data();
        return new @Nullable Object[] {
            current.runId(),
            current.createRequestId(),
            current.state(),
            current.status(),
            current.startVersion(),
            current.startTime(),
            current.lastWriteVersion(),
            data == null ? null : data.data(),
            data == null ? "" : data.encoding()
        };
    }

    /**
     * The run that a workflow's name stands for: a row of {@code current_executions}, or with an archetype of {@code
     * current_chasm_executions}. Immutable.
     *
     * @param archetypeId 0 for a workflow
     * @param state as Temporal numbers WorkflowExecutionState
     * @param status as Temporal numbers WorkflowExecutionStatus
     * @param lastWriteVersion of the execution, where it was locked together with it
     * @param data the execution's state, serialized
     */
    public record Current(
            Workflows.Name workflow,
            long archetypeId,
            UUID runId,
            String createRequestId,
            int state,
            int status,
            long startVersion,
            @Nullable Instant startTime,
            long lastWriteVersion,
            @Nullable Blob data) {

        /** The number of the state COMPLETED. */
        public static final int COMPLETED = 3;

        Current withLastWriteVersion(long version) {
            return new Current(
                    workflow,
                    archetypeId,
                    runId,
                    createRequestId,
                    state,
                    status,
                    startVersion,
                    startTime,
                    version,
                    data);
        }
    }
}
