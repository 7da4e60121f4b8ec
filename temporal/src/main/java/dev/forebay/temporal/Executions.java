// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

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
    public Optional<Execution> select(Key key) throws SQLException {
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
    public void update(Execution execution, Fence expected) throws SQLException {
        database.run("UpdateExecutions", c -> update(c, execution, expected));
    }

    /** Deletes a run that still has {@code expected}; fails as {@link #update} does. */
    public void delete(Key key, Fence expected) throws SQLException {
        database.run("DeleteFromExecutions", c -> {
            require(c, key, expected);
            delete(c, key);
        });
    }

    /**
     * Reads the versions, and lets the transaction commit only if the row is not changed meanwhile. Temporal's other databases
     * have a weaker lock for readers besides; DSQL has not, and a plain read would let two of them write what only one may.
     */
    public Versions writeLock(Key key) throws SQLException {
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

    static void update(Connection c, Execution execution, Fence expected) throws SQLException {
        if (expected.token(execution) < expected.expected()) {
            require(c, execution.key(), expected);
            throw Tokens.back(
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
    static void require(Connection c, Key key, Fence expected) throws SQLException {
        Versions actual = lock(c, key);
        if (!expected.holds(actual)) {
            throw new WorkflowConditionFailedException(
                    key + " should have had " + expected.column().column + " " + expected.expected() + " but had "
                            + actual,
                    actual.nextEventId(),
                    actual.dbRecordVersion());
        }
    }

    static int delete(Connection c, Key key) throws SQLException {
        return Database.update(c, Table.EXECUTIONS.delete(KEY), values(key));
    }

    private static Versions lock(Connection c, Key key) throws SQLException {
        return Database.one(
                        c,
                        LOCK,
                        row -> new Versions(row.getLong("db_record_version"), row.getLong("next_event_id")),
                        values(key))
                .orElseThrow(() -> new NotFoundException(key.toString()));
    }

    /** The key's columns, in order. */
    static Object[] values(Key key) {
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

    /**
     * A row of {@code executions}. Immutable.
     *
     * @param info WorkflowExecutionInfo, serialized: the column {@code data}
     * @param state WorkflowExecutionState, serialized
     * @param dbRecordVersion the number of times the row was written; 0 if it was written by a Temporal that did not count yet
     */
    public record Execution(
            Key key, long nextEventId, long lastWriteVersion, Blob info, Blob state, long dbRecordVersion) {}

    /** One run of a workflow. Immutable. */
    public record Key(int shardId, UUID namespaceId, String workflowId, UUID runId) {

        public Key {
            Objects.requireNonNull(namespaceId);
            Objects.requireNonNull(workflowId);
            Objects.requireNonNull(runId);
        }

        /** The workflow of which it is a run. */
        public Workflows.Name workflow() {
            return new Workflows.Name(shardId, namespaceId, workflowId);
        }

        @Override
        public String toString() {
            return "run " + runId + " of " + workflow();
        }
    }

    /**
     * The token that an execution must still have when it is changed. Immutable.
     *
     * @param column {@code db_record_version} or {@code next_event_id}
     * @param expected its value
     */
    public record Fence(Token column, long expected) {

        /** The columns that show whether an execution was changed. */
        public enum Token {
            DB_RECORD_VERSION("db_record_version"),
            NEXT_EVENT_ID("next_event_id");

            final String column;

            Token(String column) {
                this.column = column;
            }
        }

        /** The version that was read. */
        public static Fence dbRecordVersion(long read) {
            return new Fence(Token.DB_RECORD_VERSION, read);
        }

        /** The next event that was read: for rows whose version is 0, which do not count. */
        public static Fence nextEventId(long read) {
            return new Fence(Token.NEXT_EVENT_ID, read);
        }

        /** The fence of {@code read}: its version, if it has one. */
        public static Fence of(Execution read) {
            return read.dbRecordVersion() == 0
                    ? nextEventId(read.nextEventId())
                    : dbRecordVersion(read.dbRecordVersion());
        }

        /** The token that replaces this one; the largest for a state that is fenced by its version from now on. */
        long token(Execution changed) {
            if (column == Token.DB_RECORD_VERSION) {
                return changed.dbRecordVersion();
            }
            return changed.dbRecordVersion() == 0 ? changed.nextEventId() : Long.MAX_VALUE;
        }

        boolean holds(Versions actual) {
            return expected == (column == Token.DB_RECORD_VERSION ? actual.dbRecordVersion() : actual.nextEventId());
        }
    }

    /** The columns of an execution by which its changes are fenced. Immutable. */
    public record Versions(long dbRecordVersion, long nextEventId) {}
}
