// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.SnowflakeIds;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events of a run that wait until its workflow task is done, in the order in which they came. They belong to their execution,
 * and are changed only by who knows that one's version. Thread-safe.
 *
 * <p>Their ids come from a clock, so those of a new owner whose clock is behind could sort before those of the one before: an id
 * is therefore at least one more than the last of its run.
 */
public final class BufferedEvents {

    private static final int EXECUTION = 4;
    private static final String SELECT =
            Table.BUFFERED_EVENTS.select("data, data_encoding", EXECUTION) + " ORDER BY id";
    private static final String INSERT = "INSERT INTO buffered_events ("
            + Table.names(Table.BUFFERED_EVENTS.columns())
            + ") SELECT ?, ?, ?, ?, GREATEST(?, COALESCE(MAX(id), 0) + 1), ?, ? FROM buffered_events"
            + Table.BUFFERED_EVENTS.where(EXECUTION);

    private final Database database;
    private final SnowflakeIds ids;

    BufferedEvents(Database database, SnowflakeIds ids) {
        this.database = database;
        this.ids = ids;
    }

    /**
     * Adds events behind those that are there.
     *
     * @throws WorkflowConditionFailedException if the execution is not as {@code expected}
     * @throws NotFoundException if there is no such execution
     */
    public void insert(ExecutionKey execution, ExecutionFence expected, List<Blob> events) throws SQLException {
        database.run("InsertIntoBufferedEvents", c -> {
            Executions.require(c, execution, expected);
            insert(c, execution, events);
        });
    }

    /** The events, in their order. */
    public List<Blob> select(ExecutionKey execution) throws SQLException {
        return database.call(
                "SelectFromBufferedEvents",
                c -> Database.query(c, SELECT, row -> Database.blob(row, "data"), Executions.values(execution)));
    }

    /** Deletes all of them; fails as {@link #insert} does. */
    public void delete(ExecutionKey execution, ExecutionFence expected) throws SQLException {
        database.run("DeleteFromBufferedEvents", c -> {
            Executions.require(c, execution, expected);
            delete(c, execution);
        });
    }

    // ---- parts of other operations, which know the execution's version

    void insert(Connection c, ExecutionKey execution, List<Blob> events) throws SQLException {
        Object[] key = Executions.values(execution);
        List<@Nullable Object[]> rows = new ArrayList<>(events.size());
        for (Blob event : events) {
            rows.add(Database.join(key, new Object[] {ids.next(), event.data(), event.encoding()}, key));
        }
        Database.batch(c, INSERT, rows);
    }

    static void delete(Connection c, ExecutionKey execution) throws SQLException {
        Database.update(c, Table.BUFFERED_EVENTS.delete(EXECUTION), Executions.values(execution));
    }
}
