// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.tx.ConditionFailedException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TaskQueuesIT extends OnBothDatabases {

    private static final UUID NAMESPACE = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    private static final TaskQueues.Id ID = TaskQueues.Id.of(NAMESPACE, "orders", 1);
    private static final Blob DATA = Blob.proto3(new byte[] {1, 2});
    private static final Blob OTHER = Blob.proto3(new byte[] {3});

    // ---- queues

    @ParameterizedTest
    @EnumSource
    void aQueueIsReadAsItWasInsertedInItsOwnGeneration(TaskQueues.Version version) throws SQLException {
        TaskQueues queues = temporal.taskQueues(version);
        TaskQueues.Queue queue = new TaskQueues.Queue(ID, 1, DATA);
        queues.insert(queue);
        assertEquals(Optional.of(queue), queues.select(ID));
        assertEquals(1, queues.lock(ID));
        assertThrows(SQLException.class, () -> queues.insert(new TaskQueues.Queue(ID, 9, DATA)));
        assertEquals(1, queues.lock(ID));
        TaskQueues.Version another = version == TaskQueues.Version.V1 ? TaskQueues.Version.V2 : TaskQueues.Version.V1;
        assertEquals(Optional.empty(), temporal.taskQueues(another).select(ID));
        assertThrows(NotFoundException.class, () -> temporal.taskQueues(another).lock(ID));
    }

    @ParameterizedTest
    @EnumSource
    void onlyWhoKnowsTheRangeIdUpdatesAndDeletes(TaskQueues.Version version) throws SQLException {
        TaskQueues queues = temporal.taskQueues(version);
        queues.insert(new TaskQueues.Queue(ID, 1, DATA));
        queues.update(new TaskQueues.Queue(ID, 2, DATA), 1);
        ConditionFailedException e = assertThrows(
                ConditionFailedException.class, () -> queues.update(new TaskQueues.Queue(ID, 2, OTHER), 1));
        assertEquals(1L, e.expected());
        assertEquals(2L, e.actual());
        assertThrows(ConditionFailedException.class, () -> queues.delete(ID, 1));
        assertEquals(Optional.of(new TaskQueues.Queue(ID, 2, DATA)), queues.select(ID));
        queues.delete(ID, 2);
        assertEquals(Optional.empty(), queues.select(ID));
        assertThrows(NotFoundException.class, () -> queues.delete(ID, 2));
        assertThrows(NotFoundException.class, () -> queues.update(new TaskQueues.Queue(ID, 3, DATA), 2));
    }

    @ParameterizedTest
    @EnumSource
    void aRangeIdNeverGoesBack(TaskQueues.Version version) throws SQLException {
        TaskQueues queues = temporal.taskQueues(version);
        queues.insert(new TaskQueues.Queue(ID, 5, DATA));
        assertThrows(IllegalArgumentException.class, () -> queues.update(new TaskQueues.Queue(ID, 4, OTHER), 5));
        assertEquals(Optional.of(new TaskQueues.Queue(ID, 5, DATA)), queues.select(ID));
        queues.update(new TaskQueues.Queue(ID, 5, OTHER), 5);
        assertEquals(Optional.of(new TaskQueues.Queue(ID, 5, OTHER)), queues.select(ID));
    }

    @ParameterizedTest
    @EnumSource
    void aRangeOfHashesIsListedPageByPage(TaskQueues.Version version) throws SQLException {
        TaskQueues queues = temporal.taskQueues(version);
        List<TaskQueues.Queue> all = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            TaskQueues.Queue queue = new TaskQueues.Queue(TaskQueues.Id.of(NAMESPACE, "queue " + i, 1), i, DATA);
            queues.insert(queue);
            all.add(queue);
        }
        all.sort(Comparator.comparing(queue -> queue.id().rangeHash()));
        List<TaskQueues.Queue> listed = new ArrayList<>();
        Page<TaskQueues.Queue> page = queues.list(0, 0xffff_ffffL, 3, null);
        listed.addAll(page.rows());
        while (page.next().isPresent()) {
            page = queues.list(
                    0, 0xffff_ffffL, 3, Page.Token.of(page.next().get().toString()));
            listed.addAll(page.rows());
        }
        assertEquals(all, listed);
        long middle = all.get(3).id().rangeHash();
        assertEquals(all.subList(0, 4), queues.list(0, middle, 10, null).rows());
        assertEquals(
                all.subList(3, 7), queues.list(middle, 0xffff_ffffL, 10, null).rows());
    }

    // ---- tasks

    @ParameterizedTest
    @EnumSource
    void tasksAreSelectedInTheirOrderAndPageByPage(TaskQueues.Version version) throws SQLException {
        begin(version);
        Tasks tasks = temporal.tasks(version);
        List<Tasks.Task> all = tasks(version, 1, 8);
        List<Tasks.Task> shuffled = new ArrayList<>(all);
        Collections.reverse(shuffled);
        tasks.insert(ID, 1, shuffled);
        List<Tasks.Task> selected = new ArrayList<>();
        Page<Tasks.Task> page = tasks.select(ID, Tasks.Level.FIRST, Tasks.Level.LAST, 3, null);
        selected.addAll(page.rows());
        while (page.next().isPresent()) {
            page = tasks.select(
                    ID, Tasks.Level.FIRST, Tasks.Level.LAST, 3, page.next().get());
            selected.addAll(page.rows());
        }
        assertEquals(all, selected);
        assertEquals(
                all.subList(2, 5),
                tasks.select(ID, all.get(2).level(), all.get(5).level(), 100, null)
                        .rows());
    }

    @ParameterizedTest
    @EnumSource
    void aSubqueueHasItsOwnTasksAndTheOwnerOfTheQueue(TaskQueues.Version version) throws SQLException {
        begin(version);
        Tasks tasks = temporal.tasks(version);
        TaskQueues.Id subqueue = TaskQueues.Id.of(NAMESPACE, "orders", 1, 1);
        tasks.insert(ID, 1, subqueue, tasks(version, 1, 2));
        assertEquals(List.of(), all(version, ID));
        assertEquals(tasks(version, 1, 2), all(version, subqueue));
        assertThrows(ConditionFailedException.class, () -> tasks.insert(ID, 2, subqueue, tasks(version, 3, 4)));
        assertEquals(2, all(version, subqueue).size());
    }

    @ParameterizedTest
    @EnumSource
    void aDeposedOwnerNeitherAddsNorDeletesTasks(TaskQueues.Version version) throws SQLException {
        begin(version);
        Tasks tasks = temporal.tasks(version);
        tasks.insert(ID, 1, tasks(version, 1, 3));
        temporal.taskQueues(version).update(new TaskQueues.Queue(ID, 2, DATA), 1);
        Tasks.Level first = tasks(version, 1, 1).get(0).level();
        assertThrows(ConditionFailedException.class, () -> tasks.insert(ID, 1, tasks(version, 4, 4)));
        assertThrows(ConditionFailedException.class, () -> tasks.delete(ID, 1, ID, first));
        assertThrows(ConditionFailedException.class, () -> tasks.deleteBelow(ID, 1, ID, Tasks.Level.LAST, 10));
        assertEquals(tasks(version, 1, 3), all(version, ID));
        assertThrows(
                NotFoundException.class,
                () -> tasks.insert(TaskQueues.Id.of(NAMESPACE, "none", 1), 1, tasks(version, 4, 4)));
    }

    @ParameterizedTest
    @EnumSource
    void tasksAreDeletedOneByOneAndBelowALevel(TaskQueues.Version version) throws SQLException {
        begin(version);
        Tasks tasks = temporal.tasks(version);
        List<Tasks.Task> all = tasks(version, 1, 6);
        tasks.insert(ID, 1, all);
        assertTrue(tasks.delete(ID, 1, ID, all.get(3).level()));
        assertFalse(tasks.delete(ID, 1, ID, all.get(3).level()));
        assertEquals(2, tasks.deleteBelow(ID, 1, ID, all.get(4).level(), 2));
        assertEquals(1, tasks.deleteBelow(ID, 1, ID, all.get(4).level(), 3_000));
        assertEquals(all.subList(4, 6), all(version, ID));
        assertThrows(IllegalArgumentException.class, () -> tasks.deleteBelow(ID, 1, ID, Tasks.Level.LAST, 3_001));
    }

    @ParameterizedTest
    @EnumSource
    void aTaskThatIsThereAlreadyFailsTheWholeInsert(TaskQueues.Version version) throws SQLException {
        begin(version);
        Tasks tasks = temporal.tasks(version);
        tasks.insert(ID, 1, tasks(version, 2, 2));
        assertThrows(SQLException.class, () -> tasks.insert(ID, 1, tasks(version, 1, 3)));
        assertEquals(tasks(version, 2, 2), all(version, ID));
    }

    private void begin(TaskQueues.Version version) throws SQLException {
        temporal.taskQueues(version).insert(new TaskQueues.Queue(ID, 1, DATA));
    }

    private List<Tasks.Task> all(TaskQueues.Version version, TaskQueues.Id id) throws SQLException {
        return temporal.tasks(version)
                .select(id, Tasks.Level.FIRST, Tasks.Level.LAST, 100, null)
                .rows();
    }

    /** Tasks with these numbers; the ids of fair ones fall as their passes rise. */
    private static List<Tasks.Task> tasks(TaskQueues.Version version, int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(i -> new Tasks.Task(
                        version == TaskQueues.Version.V1 ? Tasks.Level.of(i) : new Tasks.Level(i, 100 - i),
                        Blob.proto3(new byte[] {(byte) i})))
                .toList();
    }
}
