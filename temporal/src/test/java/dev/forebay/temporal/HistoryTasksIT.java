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
    private static final HistoryTasks.Key BEGIN = HistoryTasks.Key.of(0);
    private static final HistoryTasks.Key END = new HistoryTasks.Key(DUE.plusSeconds(10_000), Long.MAX_VALUE);

    @BeforeEach
    void addShard() throws SQLException {
        temporal.shards().insert(new Shards.Shard(SHARD, RANGE, blob("shard")));
    }

    static Stream<HistoryTasks.Category> categories() {
        return Stream.concat(fenced(), Stream.of(HistoryTasks.Category.replicationDeadLetters("east")));
    }

    static Stream<HistoryTasks.Category> fenced() {
        return Stream.of(
                HistoryTasks.Category.TRANSFER,
                HistoryTasks.Category.TIMER,
                HistoryTasks.Category.REPLICATION,
                HistoryTasks.Category.VISIBILITY,
                HistoryTasks.Category.immediate(7),
                HistoryTasks.Category.scheduled(6));
    }

    /** Tasks whose order by time is not their order by id. */
    private static List<HistoryTasks.Task> tasks(HistoryTasks.Category category, int count) {
        return LongStream.rangeClosed(1, count)
                .mapToObj(id -> new HistoryTasks.Task(
                        category.isScheduled()
                                ? new HistoryTasks.Key(DUE.plusSeconds(-(id / 2)), id)
                                : HistoryTasks.Key.of(id),
                        blob(category + " " + id)))
                .sorted((one, other) -> one.key().compareTo(other.key()))
                .toList();
    }

    private List<HistoryTasks.Task> all(HistoryTasks.Category category) throws SQLException {
        return temporal.historyTasks()
                .select(SHARD, category, BEGIN, END, 10_000, null)
                .rows();
    }

    @ParameterizedTest
    @MethodSource("categories")
    void tasksArePagedInTheirOrder(HistoryTasks.Category category) throws SQLException {
        List<HistoryTasks.Task> tasks = tasks(category, 7);
        temporal.historyTasks().insert(SHARD, RANGE, category, tasks);

        List<HistoryTasks.Task> read = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        Page.Token token = null;
        do {
            Page<HistoryTasks.Task> page = temporal.historyTasks().select(SHARD, category, BEGIN, END, 3, token);
            read.addAll(page.rows());
            sizes.add(page.rows().size());
            token = page.next().map(next -> Page.Token.of(next.toString())).orElse(null);
        } while (token != null);
        assertEquals(tasks, read);
        assertEquals(List.of(3, 3, 1), sizes);
    }

    @Test
    void aPageThatEndsWithTheHighestIdThereIsIsFollowedByTheNextTime() throws SQLException {
        List<HistoryTasks.Task> tasks = List.of(
                new HistoryTasks.Task(new HistoryTasks.Key(DUE, Long.MAX_VALUE), blob("last of its time")),
                new HistoryTasks.Task(
                        new HistoryTasks.Key(DUE.plusNanos(1_000), Long.MIN_VALUE), blob("first of the next")));
        temporal.historyTasks().insert(SHARD, RANGE, HistoryTasks.Category.TIMER, tasks);
        Page<HistoryTasks.Task> first =
                temporal.historyTasks().select(SHARD, HistoryTasks.Category.TIMER, BEGIN, END, 1, null);
        assertEquals(tasks.subList(0, 1), first.rows());
        assertEquals(
                tasks.subList(1, 2),
                temporal.historyTasks()
                        .select(
                                SHARD,
                                HistoryTasks.Category.TIMER,
                                BEGIN,
                                END,
                                1,
                                first.next().orElseThrow())
                        .rows());
    }

    @ParameterizedTest
    @MethodSource("categories")
    void aRangeIsFromAKeyOnAndWithoutTheOtherEnd(HistoryTasks.Category category) throws SQLException {
        List<HistoryTasks.Task> tasks = tasks(category, 7);
        temporal.historyTasks().insert(SHARD, RANGE, category, tasks);
        HistoryTasks.Key from = tasks.get(2).key();
        HistoryTasks.Key to = tasks.get(5).key();

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
    void aTaskIsDeletedOnce(HistoryTasks.Category category) throws SQLException {
        List<HistoryTasks.Task> tasks = tasks(category, 2);
        temporal.historyTasks().insert(SHARD, RANGE, category, tasks);

        assertTrue(temporal.historyTasks()
                .delete(SHARD, RANGE, category, tasks.get(0).key()));
        assertFalse(temporal.historyTasks()
                .delete(SHARD, RANGE, category, tasks.get(0).key()));
        assertEquals(List.of(tasks.get(1)), all(category));
    }

    @ParameterizedTest
    @MethodSource("categories")
    void categoriesAndShardsDoNotMix(HistoryTasks.Category category) throws SQLException {
        temporal.shards().insert(new Shards.Shard(SHARD + 1, RANGE, blob("shard")));
        temporal.historyTasks().insert(SHARD + 1, RANGE, category, tasks(category, 3));
        for (HistoryTasks.Category other : Stream.concat(
                        categories(),
                        Stream.of(
                                HistoryTasks.Category.immediate(8),
                                HistoryTasks.Category.scheduled(5),
                                HistoryTasks.Category.replicationDeadLetters("west")))
                .filter(other -> !other.equals(category))
                .toList()) {
            temporal.historyTasks().insert(SHARD, RANGE, other, tasks(other, 3));
        }
        assertEquals(List.of(), all(category));
    }

    @ParameterizedTest
    @MethodSource("fenced")
    void aDeposedOwnerChangesNothing(HistoryTasks.Category category) throws SQLException {
        List<HistoryTasks.Task> tasks = tasks(category, 3);
        temporal.historyTasks().insert(SHARD, RANGE, category, tasks);
        temporal.shards().update(new Shards.Shard(SHARD, RANGE + 1, blob("taken over")), RANGE);

        HistoryTasks.Task late = new HistoryTasks.Task(
                category.isScheduled() ? new HistoryTasks.Key(DUE, 99) : HistoryTasks.Key.of(99), blob("late"));
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
        List<HistoryTasks.Task> tasks = tasks(HistoryTasks.Category.TIMER, 2 * Database.MOST_ROWS + 1);
        for (int i = 0; i < tasks.size(); i += 2_000) {
            List<HistoryTasks.Task> some = tasks.subList(i, Math.min(i + 2_000, tasks.size()));
            temporal.historyTasks().insert(SHARD, RANGE, HistoryTasks.Category.TIMER, some);
        }
        assertEquals(
                tasks.size(),
                temporal.historyTasks().deleteRange(SHARD, RANGE, HistoryTasks.Category.TIMER, BEGIN, END));
        assertEquals(List.of(), all(HistoryTasks.Category.TIMER));
    }

    @Test
    void wrongArgumentsAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> temporal.historyTasks().select(SHARD, HistoryTasks.Category.TIMER, BEGIN, END, 0, null));
        assertThrows(
                IllegalArgumentException.class,
                () -> temporal.historyTasks()
                        .select(SHARD, HistoryTasks.Category.TIMER, BEGIN, END, 1, Page.Token.after("a", "b", "c")));
        assertThrows(
                IllegalArgumentException.class,
                () -> temporal.historyTasks()
                        .insert(
                                SHARD,
                                RANGE,
                                HistoryTasks.Category.TRANSFER,
                                List.of(new HistoryTasks.Task(new HistoryTasks.Key(DUE, 1), blob("at a time")))));
    }
}
