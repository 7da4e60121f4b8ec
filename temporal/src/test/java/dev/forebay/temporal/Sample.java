// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** States and their parts to test with. */
final class Sample {

    static final int SHARD = 7;
    static final long RANGE = 11;
    static final UUID NAMESPACE = new UUID(1, 2);
    static final Workflows.Name WORKFLOW = new Workflows.Name(SHARD, NAMESPACE, "order-1");

    /** As Temporal numbers states and status. */
    static final int RUNNING = 2;

    private Sample() {}

    static UUID run(long number) {
        return new UUID(0xabc, number);
    }

    static Blob blob(String text) {
        return Blob.proto3(text.getBytes(StandardCharsets.UTF_8));
    }

    static Executions.Execution execution(UUID run, long nextEventId, long dbRecordVersion) {
        return new Executions.Execution(
                WORKFLOW.run(run),
                nextEventId,
                100 + dbRecordVersion,
                blob("info " + nextEventId),
                blob("state " + dbRecordVersion),
                dbRecordVersion);
    }

    static Workflows.RunState running(UUID run) {
        return new Workflows.RunState("request " + run, RUNNING, 1, 5, Instant.parse("2026-01-02T03:04:05.678901Z"));
    }

    static Workflows.RunState completed(UUID run) {
        return new Workflows.RunState("request " + run, CurrentExecutions.Current.COMPLETED, 2, 5, null);
    }

    /** Something in each of the maps. */
    static StateMaps maps(String mark) {
        return StateMaps.builder()
                .put(MapKind.ACTIVITIES, 5L, blob(mark + " activity 5"))
                .put(MapKind.ACTIVITIES, 8L, blob(mark + " activity 8"))
                .put(MapKind.TIMERS, "t1", blob(mark + " timer"))
                .put(MapKind.CHILDREN, 9L, blob(mark + " child"))
                .put(MapKind.REQUEST_CANCELS, 10L, blob(mark + " cancel"))
                .put(MapKind.SIGNALS, 11L, blob(mark + " signal"))
                .put(MapKind.SIGNALS_REQUESTED, "s1")
                .put(MapKind.CHASM_NODES, "a/b", new MapKind.ChasmNode(blob(mark + " node"), null))
                .put(MapKind.CHASM_NODES, "a/c", new MapKind.ChasmNode(blob(mark + " node"), blob(mark + " data")))
                .build();
    }

    static Map<HistoryTasks.Category, List<HistoryTasks.Task>> tasks(long first) {
        Instant due = Instant.parse("2026-11-12T13:14:15.161718Z");
        return Map.of(
                HistoryTasks.Category.TRANSFER,
                List.of(new HistoryTasks.Task(HistoryTasks.Key.of(first), blob("transfer"))),
                HistoryTasks.Category.TIMER,
                List.of(new HistoryTasks.Task(new HistoryTasks.Key(due, first + 1), blob("timer"))),
                HistoryTasks.Category.immediate(7),
                List.of(new HistoryTasks.Task(HistoryTasks.Key.of(first + 2), blob("outbound"))),
                HistoryTasks.Category.scheduled(6),
                List.of(new HistoryTasks.Task(new HistoryTasks.Key(due, first + 3), blob("memory"))));
    }

    static Workflows.Snapshot snapshot(UUID run, long nextEventId, long dbRecordVersion) {
        return new Workflows.Snapshot(
                execution(run, nextEventId, dbRecordVersion),
                running(run),
                maps("snapshot"),
                tasks(1_000 * nextEventId + 10 * run.getLeastSignificantBits()));
    }

    /** Changes some entries, adds and deletes others. */
    static Workflows.Mutation mutation(UUID run, long nextEventId, long dbRecordVersion) {
        return mutation(execution(run, nextEventId, dbRecordVersion), running(run), nextEventId);
    }

    static Workflows.Mutation mutation(Executions.Execution execution, Workflows.RunState state, long mark) {
        return new Workflows.Mutation(
                execution,
                state,
                StateMaps.builder()
                        .put(MapKind.ACTIVITIES, 8L, blob("changed " + mark))
                        .put(MapKind.ACTIVITIES, 20L, blob("added " + mark))
                        .put(MapKind.SIGNALS_REQUESTED, "s" + mark)
                        .build(),
                StateMaps.Keys.builder()
                        .add(MapKind.ACTIVITIES, 5L)
                        .add(MapKind.TIMERS, "t1")
                        .add(MapKind.CHASM_NODES, "a/b")
                        .build(),
                false,
                List.of(blob("buffered " + mark + " first"), blob("buffered " + mark + " second")),
                tasks(1_000 * mark + 10 * execution.key().runId().getLeastSignificantBits()));
    }
}
