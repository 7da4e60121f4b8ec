// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Sample.RANGE;
import static dev.forebay.temporal.Sample.SHARD;
import static dev.forebay.temporal.Sample.blob;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class HistoryTasksIT extends OnBothDatabases {

    private static final Instant DUE = Instant.parse("2026-11-12T13:14:15.161718Z");
    private static final TaskKey BEGIN = TaskKey.of(0);
    private static final TaskKey END = new TaskKey(DUE.plusSeconds(10_000), Long.MAX_VALUE);

    @BeforeEach
    void addShard() throws SQLException {
        temporal.shards().insert(new Shard(SHARD, RANGE, blob("shard")));
    }

    static Stream<TaskCategory> categories() {
        return Stream.concat(fenced(), Stream.of(TaskCategory.replicationDeadLetters("east")));
    }

    static Stream<TaskCategory> fenced() {
        return Stream.of(
                TaskCategory.TRANSFER,
                TaskCategory.TIMER,
                TaskCategory.REPLICATION,
                TaskCategory.VISIBILITY,
                TaskCategory.immediate(7),
                TaskCategory.scheduled(6));
    }

    /** Tasks whose order by time is not their order by id. */
    private static List<HistoryTask> tasks(TaskCategory category, int count) {
        return LongStream.rangeClosed(1, count)
                .mapToObj(id -> new HistoryTask(
                        category.isScheduled() ? new TaskKey(DUE.plusSeconds(-(id / 2)), id) : TaskKey.of(id),
                        blob(category + " " + id)))
                .sorted((one, other) -> one.key().compareTo(other.key()))
                .toList();
    }

    private List<HistoryTask> all(TaskCategory category) throws SQLException {
        return temporal.historyTasks()
                .select(SHARD, category, BEGIN, END, 10_000, null)
                .rows();
    }

    @ParameterizedTest
    @MethodSource("categories")
    void tasksArePagedInTheirOrder(TaskCategory category) throws SQLException {
        List<HistoryTask> tasks = tasks(category, 7);
        temporal.historyTasks().insert(SHARD, RANGE, category, tasks);

        List<HistoryTask> read = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        PageToken token = null;
        do {
            Page<HistoryTask> page = temporal.historyTasks().select(SHARD, category, BEGIN, END, 3, token);
            read.addAll(page.rows());
            sizes.add(page.rows().size());
            token = page.next().map(next -> PageToken.of(next.toString())).orElse(null);
        } while (token != null);
        assertEquals(tasks, read);
        assertEquals(List.of(3, 3, 1), sizes);
    }

    @Test
    void aPageThatEndsWithTheHighestIdThereIsIsFollowedByTheNextTime() throws SQLException {
        List<HistoryTask> tasks = List.of(
                new HistoryTask(new TaskKey(DUE, Long.MAX_VALUE), blob("last of its time")),
                new HistoryTask(new TaskKey(DUE.plusNanos(1_000), Long.MIN_VALUE), blob("first of the next")));
        temporal.historyTasks().insert(SHARD, RANGE, TaskCategory.TIMER, tasks);
        Page<HistoryTask> first = temporal.historyTasks().select(SHARD, TaskCategory.TIMER, BEGIN, END, 1, null);
        assertEquals(tasks.subList(0, 1), first.rows());
        assertEquals(
                tasks.subList(1, 2),
                temporal.historyTasks()
                        .select(
                                SHARD,
                                TaskCategory.TIMER,
                                BEGIN,
                                END,
                                1,
                                first.next().orElseThrow())
                        .rows());
    }

    @ParameterizedTest
    @MethodSource("categories")
    void aRangeIsFromAKeyOnAndWithoutTheOtherEnd(TaskCategory category) throws SQLException {
        List<HistoryTask> tasks = tasks(category, 7);
        temporal.historyTasks().insert(SHARD, RANGE, category, tasks);
        TaskKey from = tasks.get(2).key();
        TaskKey to = tasks.get(5).key();

        assertEquals(
                tasks.subList(2, 5),
                temporal.historyTasks()
                        .select(SHARD, category, from, to, 10, null)
                        .rows());
        assertEquals(3, temporal.historyTasks().deleteRange(SHARD, RANGE, category, from, to));
        assertEquals(List.of(tasks.get(0), tasks.get(1), tasks.get(5), tasks.get(6)), all(category));
    }

    @ParameterizedTest
    @MethodSource("categories")
    void aTaskIsDeletedOnce(TaskCategory category) throws SQLException {
        List<HistoryTask> tasks = tasks(category, 2);
        temporal.historyTasks().insert(SHARD, RANGE, category, tasks);

        assertTrue(temporal.historyTasks()
                .delete(SHARD, RANGE, category, tasks.get(0).key()));
        assertFalse(temporal.historyTasks()
                .delete(SHARD, RANGE, category, tasks.get(0).key()));
        assertEquals(List.of(tasks.get(1)), all(category));
    }

    @ParameterizedTest
    @MethodSource("categories")
    void categoriesAndShardsDoNotMix(TaskCategory category) throws SQLException {
        temporal.shards().insert(new Shard(SHARD + 1, RANGE, blob("shard")));
        temporal.historyTasks().insert(SHARD + 1, RANGE, category, tasks(category, 3));
        for (TaskCategory other : Stream.concat(
                        categories(),
                        Stream.of(
                                TaskCategory.immediate(8),
                                TaskCategory.scheduled(5),
                                TaskCategory.replicationDeadLetters("west")))
                .filter(other -> !other.equals(category))
                .toList()) {
            temporal.historyTasks().insert(SHARD, RANGE, other, tasks(other, 3));
        }
        assertEquals(List.of(), all(category));
    }

    @ParameterizedTest
    @MethodSource("fenced")
    void aDeposedOwnerChangesNothing(TaskCategory category) throws SQLException {
        List<HistoryTask> tasks = tasks(category, 3);
        temporal.historyTasks().insert(SHARD, RANGE, category, tasks);
        temporal.shards().update(new Shard(SHARD, RANGE + 1, blob("taken over")), RANGE);

        HistoryTask late =
                new HistoryTask(category.isScheduled() ? new TaskKey(DUE, 99) : TaskKey.of(99), blob("late"));
        assertThrows(
                ShardOwnershipLostException.class,
                () -> temporal.historyTasks().insert(SHARD, RANGE, category, List.of(late)));
        assertThrows(
                ShardOwnershipLostException.class,
                () -> temporal.historyTasks()
                        .delete(SHARD, RANGE, category, tasks.get(0).key()));
        assertThrows(
                ShardOwnershipLostException.class,
                () -> temporal.historyTasks().deleteRange(SHARD, RANGE, category, BEGIN, END));
        assertEquals(tasks, all(category));
    }

    @Test
    void aRangeThatIsTooLongForOneTransactionIsDeletedInSeveral() throws SQLException {
        List<HistoryTask> tasks = tasks(TaskCategory.TIMER, 2 * Database.MOST_ROWS + 1);
        for (int i = 0; i < tasks.size(); i += 2_000) {
            List<HistoryTask> some = tasks.subList(i, Math.min(i + 2_000, tasks.size()));
            temporal.historyTasks().insert(SHARD, RANGE, TaskCategory.TIMER, some);
        }
        assertEquals(tasks.size(), temporal.historyTasks().deleteRange(SHARD, RANGE, TaskCategory.TIMER, BEGIN, END));
        assertEquals(List.of(), all(TaskCategory.TIMER));
    }

    @Test
    void wrongArgumentsAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> temporal.historyTasks().select(SHARD, TaskCategory.TIMER, BEGIN, END, 0, null));
        assertThrows(
                IllegalArgumentException.class,
                () -> temporal.historyTasks()
                        .select(SHARD, TaskCategory.TIMER, BEGIN, END, 1, PageToken.after("a", "b", "c")));
        assertThrows(
                IllegalArgumentException.class,
                () -> temporal.historyTasks()
                        .insert(
                                SHARD,
                                RANGE,
                                TaskCategory.TRANSFER,
                                List.of(new HistoryTask(new TaskKey(DUE, 1), blob("at a time")))));
    }
}
