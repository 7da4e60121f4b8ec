// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Sample.WORKFLOW;
import static dev.forebay.temporal.Sample.blob;
import static dev.forebay.temporal.Sample.execution;
import static dev.forebay.temporal.Sample.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.forebay.tx.SnowflakeIds;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The seven maps and the buffered events: what hangs on an execution. */
final class ExecutionMapIT extends OnBothDatabases {

    private static final Executions.Key KEY = WORKFLOW.run(run(1));
    private static final Executions.Key OTHER = WORKFLOW.run(run(2));
    private static final Executions.Fence READ = Executions.Fence.dbRecordVersion(1);
    private static final Executions.Fence STALE = Executions.Fence.dbRecordVersion(0);

    @BeforeEach
    void addExecutions() throws SQLException {
        temporal.executions().insert(execution(run(1), 4, 1));
        temporal.executions().insert(execution(run(2), 4, 1));
    }

    static Stream<Entries<?, ?>> maps() {
        return Stream.of(
                new Entries<>(MapKind.ACTIVITIES, 5L, blob("one"), 6L, blob("two")),
                new Entries<>(MapKind.TIMERS, "a", blob("one"), "b", blob("two")),
                new Entries<>(MapKind.CHILDREN, 5L, blob("one"), 6L, blob("two")),
                new Entries<>(MapKind.REQUEST_CANCELS, 5L, blob("one"), 6L, blob("two")),
                new Entries<>(MapKind.SIGNALS, 5L, blob("one"), 6L, blob("two")),
                new Entries<>(MapKind.SIGNALS_REQUESTED, "a", MapKind.Nothing.NOTHING, "b", MapKind.Nothing.NOTHING),
                new Entries<>(
                        MapKind.CHASM_NODES,
                        "a",
                        new MapKind.ChasmNode(blob("one"), null),
                        "b",
                        new MapKind.ChasmNode(blob("two"), blob("more"))));
    }

    /** Two entries of a map. */
    record Entries<K, V>(MapKind<K, V> kind, K key, V value, K otherKey, V otherValue) {

        @Override
        public String toString() {
            return kind.toString();
        }
    }

    @ParameterizedTest
    @MethodSource("maps")
    <K, V> void entriesArePutReplacedAndDeleted(Entries<K, V> e) throws SQLException {
        ExecutionMap<K, V> map = temporal.map(e.kind());
        map.replace(KEY, READ, Map.of(e.key(), e.value(), e.otherKey(), e.value()));
        map.replace(OTHER, READ, Map.of(e.key(), e.value()));
        map.replace(KEY, READ, Map.of(e.otherKey(), e.otherValue()));
        assertEquals(Map.of(e.key(), e.value(), e.otherKey(), e.otherValue()), map.selectAll(KEY));

        map.delete(KEY, READ, Set.of(e.key()));
        map.delete(KEY, READ, Set.of(e.key()));
        assertEquals(Map.of(e.otherKey(), e.otherValue()), map.selectAll(KEY));

        map.deleteAll(KEY, READ);
        assertEquals(Map.of(), map.selectAll(KEY));
        assertEquals(Map.of(e.key(), e.value()), map.selectAll(OTHER));
    }

    @ParameterizedTest
    @MethodSource("maps")
    <K, V> void whoHasNotReadTheLatestVersionOfTheExecutionChangesNothing(Entries<K, V> e) throws SQLException {
        ExecutionMap<K, V> map = temporal.map(e.kind());
        map.replace(KEY, READ, Map.of(e.key(), e.value()));

        assertThrows(
                WorkflowConditionFailedException.class,
                () -> map.replace(KEY, STALE, Map.of(e.otherKey(), e.otherValue())));
        assertThrows(WorkflowConditionFailedException.class, () -> map.delete(KEY, STALE, Set.of(e.key())));
        assertThrows(WorkflowConditionFailedException.class, () -> map.deleteAll(KEY, STALE));
        assertThrows(NotFoundException.class, () -> map.deleteAll(WORKFLOW.run(run(3)), READ));
        assertEquals(Map.of(e.key(), e.value()), map.selectAll(KEY));
    }

    @Test
    void bufferedEventsKeepTheirOrder() throws SQLException {
        BufferedEvents events = temporal.bufferedEvents();
        events.insert(KEY, READ, List.of(blob("one"), blob("two")));
        events.insert(OTHER, READ, List.of(blob("other")));
        events.insert(KEY, READ, List.of(blob("three")));
        assertEquals(List.of(blob("one"), blob("two"), blob("three")), events.select(KEY));

        assertThrows(WorkflowConditionFailedException.class, () -> events.insert(KEY, STALE, List.of(blob("four"))));
        assertThrows(WorkflowConditionFailedException.class, () -> events.delete(KEY, STALE));
        events.delete(KEY, READ);
        assertEquals(List.of(), events.select(KEY));
        assertEquals(List.of(blob("other")), events.select(OTHER));
    }

    @Test
    void bufferedEventsOfAnOwnerWhoseClockIsBehindComeAfterThoseThatAreThere() throws SQLException {
        long later = SnowflakeIds.forNode(3).next() + (3_600_000L << 22);
        addEvent(KEY, later, "one");

        temporal.bufferedEvents().insert(KEY, READ, List.of(blob("two"), blob("three")));
        assertEquals(
                List.of(blob("one"), blob("two"), blob("three")),
                temporal.bufferedEvents().select(KEY));
    }

    /** Ids are unique among all runs: those right after the last one of a run may be another run's. */
    @Test
    void anOwnerWhoseClockIsBehindMeetsNoIdOfAnotherRun() throws SQLException {
        long later = SnowflakeIds.forNode(3).next() + (3_600_000L << 22);
        addEvent(KEY, later, "one");
        for (int i = 1; i <= 4; i++) {
            addEvent(OTHER, later + i, "another's " + i);
        }
        temporal.bufferedEvents().insert(KEY, READ, List.of(blob("two"), blob("three")));
        temporal.bufferedEvents().insert(KEY, READ, List.of(blob("four")));
        assertEquals(
                List.of(blob("one"), blob("two"), blob("three"), blob("four")),
                temporal.bufferedEvents().select(KEY));
    }

    /** All these runs got their last event in one millisecond, which the clock of their new owner has not reached. */
    @Test
    void anOwnerWhoseClockIsBehindTakesManyRunsOver() throws SQLException {
        long later = SnowflakeIds.forNode(3).next() + (3_600_000L << 22);
        for (int i = 0; i < 40; i++) {
            temporal.executions().insert(execution(run(100 + i), 4, 1));
            addEvent(WORKFLOW.run(run(100 + i)), later + i, "one");
        }
        for (int i = 0; i < 40; i++) {
            Executions.Key key = WORKFLOW.run(run(100 + i));
            temporal.bufferedEvents().insert(key, READ, List.of(blob("two"), blob("three")));
            assertEquals(
                    List.of(blob("one"), blob("two"), blob("three")),
                    temporal.bufferedEvents().select(key));
        }
    }

    private void addEvent(Executions.Key key, long id, String event) throws SQLException {
        transactions.run(
                "test",
                c -> Database.update(
                        c,
                        Table.BUFFERED_EVENTS.insert(),
                        key.shardId(),
                        key.namespaceId(),
                        key.workflowId(),
                        key.runId(),
                        id,
                        event.getBytes(StandardCharsets.UTF_8),
                        Blob.PROTO3));
    }
}
