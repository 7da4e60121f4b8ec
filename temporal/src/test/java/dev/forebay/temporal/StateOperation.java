// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Sample.SHARD;
import static dev.forebay.temporal.Sample.WORKFLOW;
import static dev.forebay.temporal.Sample.blob;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * An operation on the states of a workflow, drawn by chance, to be done in the database and in a model of it. Most are by someone
 * who knows the state of things; some by someone who does not.
 */
record StateOperation(String name, Consumer<StateModel> onModel, OnStores onStores) {

    interface OnStores {
        void run(Temporal temporal) throws SQLException;
    }

    private static final int RUNS = 4;

    /** Numbers tasks: never the same twice in a database. */
    private static final AtomicLong MARKS = new AtomicLong();

    static StateOperation draw(RandomGenerator random, StateModel model) {
        long range = random.nextInt(8) == 0 ? model.rangeId - 1 : model.rangeId;
        UUID run = model.current.isPresent() && random.nextInt(3) > 0
                ? model.current.get().runId()
                : Sample.run(random.nextInt(RUNS));
        Executions.Fence fence = fence(random, model, run);
        long mark = MARKS.incrementAndGet();
        Workflows.Mutation mutation = mutation(random, model, run, mark);
        Workflows.Snapshot snapshot = snapshot(random, model, Sample.run(random.nextInt(RUNS)), mark + 1_000_000_000L);
        Workflows.Snapshot same = snapshot(random, model, run, mark);
        return switch (random.nextInt(12)) {
            case 0 ->
                new StateOperation(
                        "take over",
                        m -> m.takeOver(range),
                        t -> t.shards().update(new Shards.Shard(SHARD, range + 1, blob("owner")), range));
            case 1 ->
                new StateOperation(
                        "begin",
                        m -> m.begin(range, snapshot),
                        t -> t.workflows().create(range, CurrentRun.brandNew(), snapshot));
            case 2 -> {
                long version = model.current
                        .map(now -> Optional.ofNullable(model.states.get(now.runId()))
                                .map(state -> state.execution().lastWriteVersion())
                                .orElse(now.lastWriteVersion()))
                        .orElse(0L);
                yield new StateOperation(
                        "reuse",
                        m -> m.reuse(range, run, version, snapshot),
                        t -> t.workflows().create(range, CurrentRun.reuse(run, version), snapshot));
            }
            case 3 ->
                new StateOperation(
                        "create beside",
                        m -> m.createBeside(range, snapshot),
                        t -> t.workflows().create(range, CurrentRun.bypass(), snapshot));
            case 4 ->
                new StateOperation(
                        "continue as",
                        m -> m.update(range, fence, mutation, Optional.of(snapshot)),
                        t -> t.workflows().update(range, CurrentRun.update(), fence, mutation, snapshot));
            case 5 ->
                new StateOperation(
                        "update beside",
                        m -> m.updateBeside(range, fence, mutation),
                        t -> t.workflows().update(range, CurrentRun.bypass(), fence, mutation, null));
            case 6 ->
                new StateOperation(
                        "set",
                        m -> m.set(range, fence, same),
                        t -> t.workflows().set(range, fence, same));
            case 7 ->
                random.nextBoolean()
                        ? new StateOperation(
                                "delete",
                                m -> m.delete(range, run),
                                t -> t.workflows().delete(range, WORKFLOW.run(run)))
                        : new StateOperation(
                                "delete current",
                                m -> m.deleteCurrent(range, run),
                                t -> t.workflows().deleteCurrent(range, WORKFLOW, 0, run));
            case 8 -> {
                Executions.Fence reset =
                        fence(random, model, snapshot.execution().key().runId());
                Workflows.Suppressed suppressed = new Workflows.Suppressed(mutation, fence);
                yield new StateOperation(
                        "resolve, suppressing",
                        m -> m.resolve(range, reset, snapshot, Optional.of(suppressed)),
                        t -> t.workflows()
                                .resolveConflict(range, CurrentRun.update(), reset, snapshot, suppressed, null));
            }
            case 9 ->
                new StateOperation(
                        "resolve",
                        m -> m.resolve(range, fence, same, Optional.empty()),
                        t -> t.workflows().resolveConflict(range, CurrentRun.update(), fence, same, null, null));
            default ->
                new StateOperation(
                        "update",
                        m -> m.update(range, fence, mutation, Optional.empty()),
                        t -> t.workflows().update(range, CurrentRun.update(), fence, mutation, null));
        };
    }

    private static Executions.Fence fence(RandomGenerator random, StateModel model, UUID run) {
        Workflows.State state = model.states.get(run);
        return state == null || random.nextInt(6) == 0
                ? Executions.Fence.dbRecordVersion(random.nextInt(1, 4))
                : state.fence();
    }

    private static Workflows.Mutation mutation(RandomGenerator random, StateModel model, UUID run, long mark) {
        Executions.Execution execution = next(model, run, mark);
        StateMaps.Builder puts = StateMaps.builder();
        StateMaps.Keys.Builder deletes = StateMaps.Keys.builder();
        for (int i = random.nextInt(4); i > 0; i--) {
            long key = random.nextInt(5);
            switch (random.nextInt(7)) {
                case 0 -> puts.put(MapKind.ACTIVITIES, key, blob("activity " + mark));
                case 1 -> puts.put(MapKind.TIMERS, "t" + key, blob("timer " + mark));
                case 2 -> puts.put(MapKind.SIGNALS_REQUESTED, "s" + key);
                case 3 -> puts.put(MapKind.CHASM_NODES, "n" + key, new MapKind.ChasmNode(blob("node " + mark), null));
                case 4 -> deletes.add(MapKind.ACTIVITIES, key);
                case 5 -> deletes.add(MapKind.SIGNALS_REQUESTED, "s" + key);
                default -> deletes.add(MapKind.TIMERS, "t" + key);
            }
        }
        List<Blob> events = random.nextInt(3) == 0 ? List.of(blob("event " + mark), blob("and " + mark)) : List.of();
        return new Workflows.Mutation(
                execution,
                run(random, run),
                puts.build(),
                deletes.build(),
                random.nextInt(4) == 0,
                events,
                tasks(mark));
    }

    private static Workflows.Snapshot snapshot(RandomGenerator random, StateModel model, UUID run, long mark) {
        StateMaps maps = StateMaps.builder()
                .put(MapKind.ACTIVITIES, (long) random.nextInt(5), blob("activity " + mark))
                .put(MapKind.CHILDREN, mark, blob("child " + mark))
                .put(MapKind.SIGNALS_REQUESTED, "s" + random.nextInt(5))
                .build();
        return new Workflows.Snapshot(next(model, run, mark), run(random, run), maps, tasks(mark));
    }

    private static Map<HistoryTasks.Category, List<HistoryTasks.Task>> tasks(long mark) {
        return Map.of(
                HistoryTasks.Category.TRANSFER,
                List.of(new HistoryTasks.Task(HistoryTasks.Key.of(mark), blob("task " + mark))),
                HistoryTasks.Category.immediate(7),
                List.of(new HistoryTasks.Task(HistoryTasks.Key.of(mark), blob("task " + mark))));
    }

    private static Executions.Execution next(StateModel model, UUID run, long mark) {
        Workflows.State state = model.states.get(run);
        return Sample.execution(
                run, mark % 1_000_000, state == null ? 1 : state.execution().dbRecordVersion() + 1);
    }

    private static Workflows.RunState run(RandomGenerator random, UUID run) {
        return random.nextInt(3) == 0 ? Sample.completed(run) : Sample.running(run);
    }
}
