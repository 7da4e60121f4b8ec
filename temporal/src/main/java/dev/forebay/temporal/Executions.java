// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Runs of workflows. Every change of one, and of what hangs on it in other tables, names the version that it was read with.
 * Thread-safe.
 */
public final class Executions {

    private static final int KEY = 4;
    private static final String SELECT = Table.EXECUTIONS.select(Table.names(Table.EXECUTIONS.otherColumns()), KEY);
    private static final String LOCK = Table.EXECUTIONS.lock("db_record_version, next_event_id");
    private static final String UPDATE = Table.EXECUTIONS.update();

    private final Database database;

    Executions(Database database) {
        this.database = database;
    }

    /**
     * Adds a run.
     *
     * @throws WorkflowConditionFailedException if it is there already
     */
    public void insert(Execution execution) throws SQLException {
        database.run("InsertIntoExecutions", c -> insert(c, execution));
    }

    /** The run, if it is there. */
    public Optional<Execution> select(ExecutionKey key) throws SQLException {
        return database.call(
                "SelectFromExecutions",
                c -> Database.one(
                        c,
                        SELECT,
                        row -> new Execution(
                                key,
                                row.getLong("next_event_id"),
                                row.getLong("last_write_version"),
                                Database.blob(row, "data"),
                                Database.blob(row, "state"),
                                row.getLong("db_record_version")),
                        values(key)));
    }

    /**
     * Changes a run that still has {@code expected}.
     *
     * @throws IllegalArgumentException if the token that fences the run would become smaller
     * @throws WorkflowConditionFailedException if it has not
     * @throws NotFoundException if it is not there
     */
    public void update(Execution execution, ExecutionFence expected) throws SQLException {
        database.run("UpdateExecutions", c -> update(c, execution, expected));
    }

    /** Deletes a run that still has {@code expected}; fails as {@link #update} does. */
    public void delete(ExecutionKey key, ExecutionFence expected) throws SQLException {
        database.run("DeleteFromExecutions", c -> {
            require(c, key, expected);
            delete(c, key);
        });
    }

    /**
     * Reads the versions, and lets the transaction commit only if nobody changes the row meanwhile. Temporal's other databases
     * have a weaker lock for readers besides; DSQL has not, and a plain read would let two of them write what only one may.
     */
    public ExecutionVersions writeLock(ExecutionKey key) throws SQLException {
        return database.call("WriteLockExecutions", c -> lock(c, key));
    }

    // ---- parts of other operations

    static void insert(Connection c, Execution execution) throws SQLException {
        try {
            Database.update(c, Table.EXECUTIONS.insert(), Database.join(values(execution.key()), others(execution)));
        } catch (SQLException e) {
            if (Database.isDuplicate(e)) {
                WorkflowConditionFailedException there =
                        new WorkflowConditionFailedException(execution.key() + " is there already", 0, 0);
                there.initCause(e);
                throw there;
            }
            throw e;
        }
    }

    static void update(Connection c, Execution execution, ExecutionFence expected) throws SQLException {
        if (expected.token(execution) < expected.expected()) {
            require(c, execution.key(), expected);
            throw Fence.back(
                    expected.column().column + " of " + execution.key(),
                    expected.expected(),
                    expected.token(execution));
        }
        String sql = UPDATE + " AND " + expected.column().column + " = ?";
        int rows = Database.update(
                c, sql, Database.join(others(execution), values(execution.key()), new Object[] {expected.expected()}));
        if (rows == 0) {
            require(c, execution.key(), expected);
            throw new IllegalStateException("bug: " + execution.key() + " has what it was not found by");
        }
    }

    /** Lets the transaction commit only if the run has {@code expected} at its end. */
    static void require(Connection c, ExecutionKey key, ExecutionFence expected) throws SQLException {
        ExecutionVersions actual = lock(c, key);
        if (!expected.holds(actual)) {
            throw new WorkflowConditionFailedException(
                    key + " should have had " + expected.column().column + " " + expected.expected() + " but had "
                            + actual,
                    actual.nextEventId(),
                    actual.dbRecordVersion());
        }
    }

    static int delete(Connection c, ExecutionKey key) throws SQLException {
        return Database.update(c, Table.EXECUTIONS.delete(KEY), values(key));
    }

    private static ExecutionVersions lock(Connection c, ExecutionKey key) throws SQLException {
        return Database.one(
                        c,
                        LOCK,
                        row -> new ExecutionVersions(row.getLong("db_record_version"), row.getLong("next_event_id")),
                        values(key))
                .orElseThrow(() -> new NotFoundException(key.toString()));
    }

    /** The key's columns, in order. */
    static Object[] values(ExecutionKey key) {
        return new Object[] {key.shardId(), key.namespaceId(), key.workflowId(), key.runId()};
    }

    private static Object[] others(Execution execution) {
        return new Object[] {
            execution.nextEventId(),
            execution.lastWriteVersion(),
            execution.info().data(),
            execution.info().encoding(),
            execution.state().data(),
            execution.state().encoding(),
            execution.dbRecordVersion()
        };
    }
}
