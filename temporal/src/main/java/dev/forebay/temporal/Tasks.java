// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tasks in the queues of one generation. Only the queue's owner changes them: its row is read FOR UPDATE by its whole key,
 * so an owner that was deposed meanwhile commits nothing. Tasks in a subqueue have a key of their own, and the owner of the queue.
 * Ranges are from a level on, up to another and without it. Thread-safe.
 */
public final class Tasks {

    private final Database database;
    private final TaskQueues.Version version;
    private final TaskQueues queues;
    private final Table table;

    Tasks(Database database, TaskQueues.Version version, TaskQueues queues) {
        this.database = database;
        this.version = version;
        this.queues = queues;
        this.table = version.tasks();
    }

    /** Adds tasks to the queue itself, as {@link #insert(TaskQueues.Id, long, TaskQueues.Id, List)} does. */
    public void insert(TaskQueues.Id queue, long rangeId, List<Task> tasks) throws SQLException {
        insert(queue, rangeId, queue, tasks);
    }

    /**
     * Adds tasks.
     *
     * @param queue the queue
     * @param rangeId that of its owner
     * @param into the queue, or one of its subqueues
     * @throws ConditionFailedException if the queue has another {@code rangeId}
     * @throws NotFoundException if there is no such queue
     * @throws SQLException also if one of the tasks is there already
     */
    public void insert(TaskQueues.Id queue, long rangeId, TaskQueues.Id into, List<Task> tasks) throws SQLException {
        List<@Nullable Object[]> rows = new ArrayList<>(tasks.size());
        for (Task task : tasks) {
            rows.add(Database.join(into.key(), level(task.level()), new Object[] {
                task.data().data(), task.data().encoding()
            }));
        }
        database.run(version.named("InsertIntoTasks"), c -> {
            queues.require(c, queue, rangeId);
            Database.batch(c, table.insert(), rows);
        });
    }

    /** Some tasks of the queue, or subqueue, in their order. */
    public Page<Task> select(TaskQueues.Id in, Level from, Level to, int pageSize, Page.@Nullable Token page)
            throws SQLException {
        Database.requirePageSize(pageSize);
        String sql = table.select(order() + ", data, data_encoding", 2)
                + " AND " + bound(page == null ? ">=" : ">") + " AND " + bound("<") + " ORDER BY " + order()
                + " LIMIT ?";
        Object[] begin = level(page == null ? from : after(page));
        List<Task> found = database.call(
                version.named("SelectFromTasks"),
                c -> Database.query(
                        c,
                        sql,
                        row -> new Task(
                                new Level(isFair() ? row.getLong("pass") : 0, row.getLong("task_id")),
                                Database.blob(row, "data")),
                        Database.join(in.key(), begin, level(to), new Object[] {pageSize})));
        return Page.of(
                found,
                pageSize,
                task -> Page.Token.after(task.level().pass(), task.level().id()));
    }

    /**
     * Deletes a task of the queue, or of its subqueue {@code in}, and returns whether it was there.
     *
     * @throws ConditionFailedException if the queue has another {@code rangeId}
     * @throws NotFoundException if there is no such queue
     */
    public boolean delete(TaskQueues.Id queue, long rangeId, TaskQueues.Id in, Level level) throws SQLException {
        return database.call(version.named("DeleteFromTasks"), c -> {
            queues.require(c, queue, rangeId);
            return Database.update(c, table.delete(table.keyColumns().size()), Database.join(in.key(), level(level)))
                    == 1;
        });
    }

    /**
     * Deletes the first tasks below a level, and returns how many there were. Fails as {@link #delete} does.
     *
     * @param most the maximum number, up to the 3,000 that one transaction may change
     */
    public int deleteBelow(TaskQueues.Id queue, long rangeId, TaskQueues.Id in, Level below, int most)
            throws SQLException {
        if (most < 1 || most > Database.MOST_ROWS) {
            throw new IllegalArgumentException(
                    "1 to " + Database.MOST_ROWS + " tasks can be deleted at once, not " + most);
        }
        String sql = table.deleteFirst(2, bound("<"), order());
        return database.call(version.named("DeleteFromTasks"), c -> {
            queues.require(c, queue, rangeId);
            return Database.update(c, sql, Database.join(in.key(), level(below), new Object[] {most}));
        });
    }

    private boolean isFair() {
        return version == TaskQueues.Version.V2;
    }

    private String order() {
        return isFair() ? "pass, task_id" : "task_id";
    }

    private String bound(String operator) {
        return isFair() ? "(pass, task_id) " + operator + " (?, ?)" : "task_id " + operator + " ?";
    }

    private Object[] level(Level level) {
        if (isFair()) {
            return new Object[] {level.pass(), level.id()};
        }
        if (level.pass() != 0 && !level.equals(Level.LAST)) {
            throw new IllegalArgumentException("there are no passes in the first generation: " + level);
        }
        return new Object[] {level.id()};
    }

    private static Level after(Page.Token page) {
        List<String> last = page.key(2);
        return new Level(Long.parseLong(last.get(0)), Long.parseLong(last.get(1)));
    }

    /** A row of {@code tasks}: something that waits for a worker. Immutable. */
    public record Task(Level level, Blob data) {}

    /**
     * A place in a task queue. Immutable.
     *
     * @param pass the fair order's; 0 in queues of the first generation
     * @param id the task's
     */
    public record Level(long pass, long id) {

        /** Before all tasks. */
        public static final Level FIRST = new Level(0, Long.MIN_VALUE);

        /** After all tasks. */
        public static final Level LAST = new Level(Long.MAX_VALUE, Long.MAX_VALUE);

        /** A place in a queue of the first generation. */
        public static Level of(long id) {
            return new Level(0, id);
        }
    }
}
