// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The queues of tasks that a shard has, of every category. Whoever changes one owns the shard, but for the dead letters.
 * Ranges are from a key on, up to another and without it. Thread-safe.
 */
public final class HistoryTasks {

    private final Database database;

    HistoryTasks(Database database) {
        this.database = database;
    }

    /**
     * Adds tasks.
     *
     * @throws ShardOwnershipLostException if the shard has another {@code rangeId}
     * @throws SQLException also if one is there already
     */
    public void insert(int shardId, long rangeId, TaskCategory category, List<HistoryTask> tasks) throws SQLException {
        database.run("InsertInto:" + category.table().sqlName(), c -> {
            requireOwner(c, shardId, rangeId, category);
            insert(c, shardId, category, tasks);
        });
    }

    /** Some tasks of a range, in their order. */
    public Page<HistoryTask> select(
            int shardId, TaskCategory category, TaskKey from, TaskKey to, int pageSize, @Nullable PageToken page)
            throws SQLException {
        Database.requirePageSize(pageSize);
        TaskKey begin = page == null ? from : last(page);
        Table table = category.table();
        String sql = table.select(Table.names(table.columns()), prefix(category))
                + range(category, page == null ? ">=" : ">") + " ORDER BY " + order(category) + " LIMIT ?";
        return database.call("RangeSelectFrom:" + table.sqlName(), c -> {
            List<HistoryTask> found = Database.query(
                    c,
                    sql,
                    row -> read(row, category),
                    Database.join(
                            category.prefix(shardId), bounds(category, begin), bounds(category, to), new Object[] {
                                pageSize
                            }));
            return new Page<>(found, found.size() < pageSize ? Optional.empty() : Optional.of(after(found)));
        });
    }

    /** Deletes a task; tells whether it was there. Fails as {@link #insert} does. */
    public boolean delete(int shardId, long rangeId, TaskCategory category, TaskKey key) throws SQLException {
        Table table = category.table();
        return database.call("DeleteFrom:" + table.sqlName(), c -> {
            requireOwner(c, shardId, rangeId, category);
            return Database.update(
                            c,
                            table.delete(table.keyColumns().size()),
                            Database.join(category.prefix(shardId), bounds(category, key)))
                    == 1;
        });
    }

    /**
     * Deletes the tasks of a range, in as many transactions as it takes, and tells how many there were. Fails as {@link
     * #insert} does; what was deleted by then stays so.
     */
    public long deleteRange(int shardId, long rangeId, TaskCategory category, TaskKey from, TaskKey to)
            throws SQLException {
        Table table = category.table();
        String key = Table.names(table.keyColumns());
        String sql = "DELETE FROM " + table.sqlName() + " WHERE (" + key + ") IN ("
                + table.select(key, prefix(category)) + range(category, ">=") + " ORDER BY " + order(category)
                + " LIMIT ?)";
        return Database.inSlices(slice -> database.call("RangeDeleteFrom:" + table.sqlName(), c -> {
            requireOwner(c, shardId, rangeId, category);
            return Database.update(
                    c,
                    sql,
                    Database.join(
                            category.prefix(shardId), bounds(category, from), bounds(category, to), new Object[] {slice
                            }));
        }));
    }

    // ---- parts of other operations, which know the shard's owner

    static void insert(Connection c, int shardId, TaskCategory category, List<HistoryTask> tasks) throws SQLException {
        Object[] prefix = category.prefix(shardId);
        List<@Nullable Object[]> rows = new ArrayList<>(tasks.size());
        for (HistoryTask task : tasks) {
            if (!category.isScheduled() && !task.key().time().equals(Instant.EPOCH)) {
                throw new IllegalArgumentException("a task of " + category + " has no time, but was given one");
            }
            rows.add(Database.join(prefix, bounds(category, task.key()), new Object[] {
                task.data().data(), task.data().encoding()
            }));
        }
        Database.batch(c, category.table().insert(), rows);
    }

    private static void requireOwner(Connection c, int shardId, long rangeId, TaskCategory category)
            throws SQLException {
        if (category.isFenced()) {
            Shards.require(c, shardId, rangeId);
        }
    }

    // ---- statements

    private static int prefix(TaskCategory category) {
        return category.table().keyColumns().size() - (category.isScheduled() ? 2 : 1);
    }

    private static String range(TaskCategory category, String from) {
        return category.isScheduled()
                ? " AND (visibility_timestamp, task_id) " + from
                        + " (?, ?) AND (visibility_timestamp, task_id) < (?, ?)"
                : " AND task_id " + from + " ? AND task_id < ?";
    }

    private static String order(TaskCategory category) {
        return category.isScheduled() ? "visibility_timestamp, task_id" : "task_id";
    }

    private static Object[] bounds(TaskCategory category, TaskKey key) {
        return category.isScheduled() ? new Object[] {key.time(), key.taskId()} : new Object[] {key.taskId()};
    }

    private static HistoryTask read(ResultSet row, TaskCategory category) throws SQLException {
        Instant time = category.isScheduled() ? Database.time(row, "visibility_timestamp") : Instant.EPOCH;
        return new HistoryTask(new TaskKey(time, row.getLong("task_id")), Database.blob(row, "data"));
    }

    // ---- pages

    private static PageToken after(List<HistoryTask> page) {
        TaskKey last = page.get(page.size() - 1).key();
        return PageToken.after(last.time(), last.taskId());
    }

    private static TaskKey last(PageToken page) {
        List<String> last = page.key(2);
        return new TaskKey(Instant.parse(last.get(0)), Long.parseLong(last.get(1)));
    }
}
