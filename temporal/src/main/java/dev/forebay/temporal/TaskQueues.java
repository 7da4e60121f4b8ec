// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Task queues of one generation and who owns them. An owner is whoever knows the {@code range_id}; taking a queue over raises
 * it. Thread-safe.
 */
public final class TaskQueues {

    private static final String COLUMNS = "range_hash, task_queue_id, range_id, data, data_encoding";

    private final Database database;
    private final TaskQueueVersion version;
    private final Table table;

    TaskQueues(Database database, TaskQueueVersion version) {
        this.database = database;
        this.version = version;
        this.table = version.queues();
    }

    /**
     * Adds a queue.
     *
     * @throws SQLException also if it is there already
     */
    public void insert(TaskQueue queue) throws SQLException {
        Blob data = queue.data();
        database.run(
                version.named("InsertIntoTaskQueues"),
                c -> Database.update(
                        c,
                        table.insert(),
                        queue.id().rangeHash(),
                        queue.id().uuid(),
                        queue.rangeId(),
                        data.data(),
                        data.encoding()));
    }

    /** The queue, if it is there. */
    public Optional<TaskQueue> select(TaskQueueId id) throws SQLException {
        return database.call(
                version.named("SelectFromTaskQueues"),
                c -> Database.one(c, table.select(COLUMNS, 2), TaskQueues::read, id.key()));
    }

    /** Some of the queues with a range hash from {@code from} to {@code to}, both included, in the order of their keys. */
    public Page<TaskQueue> list(long from, long to, int pageSize, @Nullable PageToken page) throws SQLException {
        Database.requirePageSize(pageSize);
        String sql = "SELECT " + COLUMNS + " FROM " + table.sqlName()
                + " WHERE range_hash >= ? AND range_hash <= ?"
                + (page == null ? "" : " AND (range_hash, task_queue_id) > (?, ?)")
                + " ORDER BY range_hash, task_queue_id LIMIT ?";
        List<String> last = page == null ? List.of() : page.key(2);
        Object[] after =
                page == null ? new Object[0] : new Object[] {Long.parseLong(last.get(0)), UUID.fromString(last.get(1))};
        List<TaskQueue> found = database.call(
                version.named("SelectFromTaskQueues"),
                c -> Database.query(
                        c, sql, TaskQueues::read, Database.join(new Object[] {from, to}, after, new Object[] {pageSize
                        })));
        return Page.of(
                found,
                pageSize,
                queue -> PageToken.after(queue.id().rangeHash(), queue.id().uuid()));
    }

    /**
     * Changes a queue that still has {@code expectedRangeId}; a new owner raises it by this, and the owner keeps it.
     *
     * @throws IllegalArgumentException if the queue's new range id is smaller
     * @throws ConditionFailedException if it has another
     * @throws NotFoundException if there is no such queue
     */
    public void update(TaskQueue queue, long expectedRangeId) throws SQLException {
        database.run(version.named("UpdateTaskQueues"), c -> {
            if (queue.rangeId() < expectedRangeId) {
                require(c, queue.id(), expectedRangeId);
                throw Fence.back("the range_id of " + words(queue.id()), expectedRangeId, queue.rangeId());
            }
            Blob data = queue.data();
            int rows = Database.update(
                    c,
                    table.update() + " AND range_id = ?",
                    queue.rangeId(),
                    data.data(),
                    data.encoding(),
                    queue.id().rangeHash(),
                    queue.id().uuid(),
                    expectedRangeId);
            if (rows == 0) {
                throw failed(c, queue.id(), expectedRangeId);
            }
        });
    }

    /** Deletes a queue that still has {@code expectedRangeId}. Fails as {@link #update} does. */
    public void delete(TaskQueueId id, long expectedRangeId) throws SQLException {
        database.run(version.named("DeleteFromTaskQueues"), c -> {
            int rows = Database.update(
                    c, table.delete(2) + " AND range_id = ?", id.rangeHash(), id.uuid(), expectedRangeId);
            if (rows == 0) {
                throw failed(c, id, expectedRangeId);
            }
        });
    }

    /**
     * Reads the {@code range_id}, and lets the transaction commit only if nobody changes it meanwhile.
     *
     * @throws NotFoundException if there is no such queue
     */
    public long lock(TaskQueueId id) throws SQLException {
        return database.call(
                version.named("LockTaskQueues"),
                c -> rangeId(c, id).orElseThrow(() -> new NotFoundException(words(id))));
    }

    /** Lets the transaction commit only if the queue has {@code expectedRangeId} at its end; fails as {@link #update} does. */
    void require(Connection c, TaskQueueId id, long expectedRangeId) throws SQLException {
        Optional<Long> actual = rangeId(c, id);
        if (!actual.equals(Optional.of(expectedRangeId))) {
            throw Fence.failed(words(id), expectedRangeId, actual);
        }
    }

    private Optional<Long> rangeId(Connection c, TaskQueueId id) throws SQLException {
        return Database.one(c, table.lock("range_id"), row -> row.getLong(1), id.key());
    }

    private SQLException failed(Connection c, TaskQueueId id, long expected) throws SQLException {
        return Fence.failed(words(id), expected, rangeId(c, id));
    }

    private static String words(TaskQueueId id) {
        return "task queue " + id.uuid();
    }

    private static TaskQueue read(ResultSet row) throws SQLException {
        return new TaskQueue(
                new TaskQueueId(row.getLong("range_hash"), Database.uuid(row, "task_queue_id")),
                row.getLong("range_id"),
                Database.blob(row, "data"));
    }
}
