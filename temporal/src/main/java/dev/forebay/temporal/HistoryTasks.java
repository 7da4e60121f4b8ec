// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queues of tasks that a shard has, of every category. Only the shard's owner changes one, but for the dead letters.
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
    public void insert(int shardId, long rangeId, Category category, List<Task> tasks) throws SQLException {
        database.run("InsertInto:" + category.table().sqlName(), c -> {
            requireOwner(c, shardId, rangeId, category);
            insert(c, shardId, category, tasks);
        });
    }

    /** Some tasks of a range, in their order. */
    public Page<Task> select(int shardId, Category category, Key from, Key to, int pageSize, Page.@Nullable Token page)
            throws SQLException {
        Database.requirePageSize(pageSize);
        Key begin = page == null ? from : last(page);
        Table table = category.table();
        String sql = table.select(Table.names(table.columns()), prefix(category)) + " AND "
                + range(category, page == null ? ">=" : ">") + " ORDER BY " + order(category) + " LIMIT ?";
        return database.call("RangeSelectFrom:" + table.sqlName(), c -> {
            List<Task> found = Database.query(
                    c,
                    sql,
                    row -> read(row, category),
                    Database.join(
                            category.prefix(shardId), bounds(category, begin), bounds(category, to), new Object[] {
                                pageSize
                            }));
            return Page.of(
                    found,
                    pageSize,
                    task -> Page.Token.after(task.key().time(), task.key().taskId()));
        });
    }

    /** Deletes a task and returns whether it was there. Fails as {@link #insert} does. */
    public boolean delete(int shardId, long rangeId, Category category, Key key) throws SQLException {
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
     * Deletes the tasks of a range, in as many transactions as it takes, and returns how many there were. Fails as {@link
     * #insert} does; what was deleted by then stays so.
     */
    public long deleteRange(int shardId, long rangeId, Category category, Key from, Key to) throws SQLException {
        Table table = category.table();
        String sql = table.deleteFirst(prefix(category), range(category, ">="), order(category));
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

    static void insert(Connection c, int shardId, Category category, List<Task> tasks) throws SQLException {
        Object[] prefix = category.prefix(shardId);
        List<@Nullable Object[]> rows = new ArrayList<>(tasks.size());
        for (Task task : tasks) {
            if (!category.isScheduled() && !task.key().time().equals(Instant.EPOCH)) {
                throw new IllegalArgumentException("a task of " + category + " has no time, but was given one");
            }
            rows.add(Database.join(prefix, bounds(category, task.key()), new Object[] {
                task.data().data(), task.data().encoding()
            }));
        }
        Database.batch(c, category.table().insert(), rows);
    }

    private static void requireOwner(Connection c, int shardId, long rangeId, Category category) throws SQLException {
        if (category.isFenced()) {
            Shards.require(c, shardId, rangeId);
        }
    }

    // ---- statements

    private static int prefix(Category category) {
        return category.table().keyColumns().size() - (category.isScheduled() ? 2 : 1);
    }

    private static String range(Category category, String from) {
        return category.isScheduled()
                ? "(visibility_timestamp, task_id) " + from + " (?, ?) AND (visibility_timestamp, task_id) < (?, ?)"
                : "task_id " + from + " ? AND task_id < ?";
    }

    private static String order(Category category) {
        return category.isScheduled() ? "visibility_timestamp, task_id" : "task_id";
    }

    private static Object[] bounds(Category category, Key key) {
        return category.isScheduled() ? new Object[] {key.time(), key.taskId()} : new Object[] {key.taskId()};
    }

    private static Task read(ResultSet row, Category category) throws SQLException {
        Instant time = category.isScheduled() ? Database.time(row, "visibility_timestamp") : Instant.EPOCH;
        return new Task(new Key(time, row.getLong("task_id")), Database.blob(row, "data"));
    }

    // ---- pages

    private static Key last(Page.Token page) {
        List<String> last = page.key(2);
        return new Key(Instant.parse(last.get(0)), Long.parseLong(last.get(1)));
    }

    /** A task of a shard's queue. Immutable. */
    public record Task(Key key, Blob data) {}

    /**
     * Where a task stands in its queue: by its time, then by its id. Immutable.
     *
     * @param time when it is due, in whole microseconds; {@link Instant#EPOCH} if it is of a category without times
     */
    public record Key(Instant time, long taskId) implements Comparable<Key> {

        public Key {
            time = time.truncatedTo(ChronoUnit.MICROS);
        }

        /** The key of a task to be done at once. */
        public static Key of(long taskId) {
            return new Key(Instant.EPOCH, taskId);
        }

        @Override
        public int compareTo(Key other) {
            int byTime = time.compareTo(other.time);
            return byTime != 0 ? byTime : Long.compare(taskId, other.taskId);
        }
    }

    /**
     * A kind of task that a shard's queues hold: four have tables of their own, all others share one for tasks to be done at
     * once and one for those that have a time. The dead letters of replication are one too. Immutable.
     */
    public static final class Category {

        public static final Category TRANSFER = new Category(Table.TRANSFER_TASKS);
        public static final Category TIMER = new Category(Table.TIMER_TASKS);
        public static final Category REPLICATION = new Category(Table.REPLICATION_TASKS);
        public static final Category VISIBILITY = new Category(Table.VISIBILITY_TASKS);

        private final Table table;
        private final List<Object> more;

        private Category(Table table, Object... more) {
            this.table = table;
            this.more = List.of(more);
        }

        /** Another category of tasks to be done at once, by Temporal's number for it. */
        public static Category immediate(int categoryId) {
            return new Category(Table.HISTORY_IMMEDIATE_TASKS, categoryId);
        }

        /** Another category of tasks that have a time, by Temporal's number for it. */
        public static Category scheduled(int categoryId) {
            return new Category(Table.HISTORY_SCHEDULED_TASKS, categoryId);
        }

        /** Replication tasks from another cluster that could not be applied. Nothing fences them. */
        public static Category replicationDeadLetters(String sourceCluster) {
            return new Category(Table.REPLICATION_TASKS_DLQ, sourceCluster);
        }

        Table table() {
            return table;
        }

        /** Whether its tasks have a time. */
        public boolean isScheduled() {
            return table == Table.TIMER_TASKS || table == Table.HISTORY_SCHEDULED_TASKS;
        }

        /** Whether only the shard's owner may change it. */
        boolean isFenced() {
            return table != Table.REPLICATION_TASKS_DLQ;
        }

        /** The first columns of the key of its tasks in this shard. */
        Object[] prefix(int shardId) {
            if (more.isEmpty()) {
                return new Object[] {shardId};
            }
            return table == Table.REPLICATION_TASKS_DLQ
                    ? new Object[] {more.get(0), shardId}
                    : new Object[] {shardId, more.get(0)};
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Category that && table == that.table && more.equals(that.more);
        }

        @Override
        public int hashCode() {
            return 31 * table.hashCode() + more.hashCode();
        }

        /** The table, and what else it takes. */
        @Override
        public String toString() {
            return table.sqlName() + (more.isEmpty() ? "" : " " + more.get(0));
        }
    }
}
