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
 * and only a caller that knows its version changes them. Thread-safe.
 *
 * <h2>Ids</h2>
 *
 * They come from a clock, are unique among all runs, and say the order. Those of a new owner whose clock is behind would sort before
 * those that are there. Such an id is put into the millisecond after that of the run's last one, and keeps its node, so that it meets
 * no id of another node's. What is the sequence in other ids follows the owner's own milliseconds here: of many runs whose last events
 * are of one millisecond, each gets another. If it is taken anyway, the operation is retried some milliseconds later.
 */
public final class BufferedEvents {

    private static final int EXECUTION = 4;

    /** The distance of two ids that differ by a millisecond. */
    private static final long MILLISECOND = 1L << 22;

    private static final long SEQUENCES = 1L << 12;
    private static final String SELECT =
            Table.BUFFERED_EVENTS.select("data, data_encoding", EXECUTION) + " ORDER BY id";
    private static final String INSERT = "INSERT INTO buffered_events ("
            + Table.names(Table.BUFFERED_EVENTS.columns())
            + ") SELECT ?, ?, ?, ?, CASE WHEN ? > COALESCE(MAX(id), 0) THEN ? ELSE (MAX(id) / " + MILLISECOND
            + " + 1) * "
            + MILLISECOND + " + ? END, ?, ? FROM buffered_events"
            + Table.BUFFERED_EVENTS.where(EXECUTION);

    private final Database database;
    private final SnowflakeIds ids;

    BufferedEvents(Database database, SnowflakeIds ids) {
        this.database = database;
        this.ids = ids;
    }

    /**
     * Adds events after those that are there.
     *
     * @throws WorkflowConditionFailedException if the execution is not as {@code expected}
     * @throws NotFoundException if there is no such execution
     */
    public void insert(Executions.Key execution, Executions.Fence expected, List<Blob> events) throws SQLException {
        database.run("InsertIntoBufferedEvents", c -> {
            Executions.require(c, execution, expected);
            insert(c, execution, events);
        });
    }

    /** The events, in their order. */
    public List<Blob> select(Executions.Key execution) throws SQLException {
        return database.call(
                "SelectFromBufferedEvents",
                c -> Database.query(c, SELECT, row -> Database.blob(row, "data"), Executions.values(execution)));
    }

    /** Deletes all of them; fails as {@link #insert} does. */
    public void delete(Executions.Key execution, Executions.Fence expected) throws SQLException {
        database.run("DeleteFromBufferedEvents", c -> {
            Executions.require(c, execution, expected);
            delete(c, execution);
        });
    }

    // ---- parts of other operations, which know the execution's version

    void insert(Connection c, Executions.Key execution, List<Blob> events) throws SQLException {
        Object[] key = Executions.values(execution);
        List<@Nullable Object[]> rows = new ArrayList<>(events.size());
        for (Blob event : events) {
            long id = ids.next();
            rows.add(Database.join(
                    key, new Object[] {id, id, withinAMillisecond(id), event.data(), event.encoding()}, key));
        }
        try {
            Database.batch(c, INSERT, rows);
        } catch (SQLException e) {
            // of another run: the next attempt has other ids
            throw Database.conflictIfDuplicate(e, "an id of an event is taken");
        }
    }

    /** The place of an event in a millisecond that is not its own: its node, and its own millisecond in place of the sequence. */
    private static long withinAMillisecond(long id) {
        long node = id % MILLISECOND / SEQUENCES;
        return node * SEQUENCES + (id / MILLISECOND + id % SEQUENCES) % SEQUENCES;
    }

    static void delete(Connection c, Executions.Key execution) throws SQLException {
        Database.update(c, Table.BUFFERED_EVENTS.delete(EXECUTION), Executions.values(execution));
    }
}
