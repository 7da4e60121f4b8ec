// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kind of task that a shard's queues hold: four have tables of their own, all others share one for tasks to be done at
 * once and one for those that have a time. The dead letters of replication are one too. Immutable.
 */
public final class TaskCategory {

    public static final TaskCategory TRANSFER = new TaskCategory(Table.TRANSFER_TASKS);
    public static final TaskCategory TIMER = new TaskCategory(Table.TIMER_TASKS);
    public static final TaskCategory REPLICATION = new TaskCategory(Table.REPLICATION_TASKS);
    public static final TaskCategory VISIBILITY = new TaskCategory(Table.VISIBILITY_TASKS);

    private final Table table;
    private final List<Object> more;

    private TaskCategory(Table table, Object... more) {
        this.table = table;
        this.more = List.of(more);
    }

    /** Another category of tasks to be done at once, by Temporal's number for it. */
    public static TaskCategory immediate(int categoryId) {
        return new TaskCategory(Table.HISTORY_IMMEDIATE_TASKS, categoryId);
    }

    /** Another category of tasks that have a time, by Temporal's number for it. */
    public static TaskCategory scheduled(int categoryId) {
        return new TaskCategory(Table.HISTORY_SCHEDULED_TASKS, categoryId);
    }

    /** Replication tasks from another cluster that could not be applied. Nothing fences them. */
    public static TaskCategory replicationDeadLetters(String sourceCluster) {
        return new TaskCategory(Table.REPLICATION_TASKS_DLQ, sourceCluster);
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

    /** What the key of each of its tasks in this shard begins with. */
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
        return other instanceof TaskCategory that && table == that.table && more.equals(that.more);
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
