// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.temporal;

import dev.forebay.temporal.Blob;
import dev.forebay.temporal.CurrentRun;
import dev.forebay.temporal.Executions;
import dev.forebay.temporal.HistoryNodes;
import dev.forebay.temporal.HistoryTasks;
import dev.forebay.temporal.HistoryTrees;
import dev.forebay.temporal.MapKind;
import dev.forebay.temporal.Shards;
import dev.forebay.temporal.StateMaps;
import dev.forebay.temporal.TaskQueues;
import dev.forebay.temporal.Tasks;
import dev.forebay.temporal.Temporal;
import dev.forebay.temporal.Workflows;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The owner of one shard and one task queue, each of whose operations follows on the last. For one thread. */
final class Owner {

    private static final long RANGE = 1;
    private static final int ACTIVITIES = 10;
    private static final int TIMERS = 5;
    private static final int RUNNING = 2;
    private static final Blob SMALL = Blob.proto3(new byte[200]);
    private static final Blob LARGE = Blob.proto3(new byte[1_500]);
    private static final UUID NAMESPACE = new UUID(7, 7);

    /** The operations that are measured. */
    enum Operation {
        CREATE("create"),
        UPDATE("update"),
        GET("get"),
        APPEND_HISTORY("append history"),
        ADD_TASKS("add 10 tasks"),
        GET_TASKS("get 100 tasks");

        private final String label;

        Operation(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }

        void run(Owner owner) throws SQLException {
            switch (this) {
                case CREATE -> owner.create();
                case UPDATE -> owner.update();
                case GET -> owner.get();
                case APPEND_HISTORY -> owner.appendHistory();
                case ADD_TASKS -> owner.addTasks();
                case GET_TASKS -> owner.getTasks();
            }
        }
    }

    private final Temporal temporal;
    private final int shard;
    private final TaskQueues.Id queue;
    private final HistoryTrees.Branch branch;
    private long number;
    private Executions.Key latest;
    private long version;

    Owner(Temporal temporal, int shard) {
        this.temporal = temporal;
        this.shard = shard;
        this.queue = TaskQueues.Id.of(NAMESPACE, "queue-" + shard, 1);
        this.branch = new HistoryTrees.Branch(shard, new UUID(shard, 1), new UUID(shard, 2));
        this.latest = key(0);
    }

    void begin() throws SQLException {
        temporal.shards().insert(new Shards.Shard(shard, RANGE, SMALL));
        temporal.taskQueues(TaskQueues.Version.V2).insert(new TaskQueues.Queue(queue, RANGE, SMALL));
    }

    private Executions.Key key(long run) {
        return new Executions.Key(shard, NAMESPACE, "workflow-" + run, new UUID(shard, run));
    }

    private void create() throws SQLException {
        latest = key(++number);
        version = 1;
        StateMaps.Builder maps = StateMaps.builder();
        for (long i = 0; i < ACTIVITIES; i++) {
            maps.put(MapKind.ACTIVITIES, i, SMALL);
        }
        for (int i = 0; i < TIMERS; i++) {
            maps.put(MapKind.TIMERS, "timer-" + i, SMALL);
        }
        temporal.workflows()
                .create(
                        RANGE,
                        CurrentRun.brandNew(),
                        new Workflows.Snapshot(execution(), run(), maps.build(), tasks()));
    }

    /** Updates as after a workflow task: two activities and a timer changed, one activity done and another begun. */
    private void update() throws SQLException {
        long read = version++;
        StateMaps puts = StateMaps.builder()
                .put(MapKind.ACTIVITIES, read % ACTIVITIES, SMALL)
                .put(MapKind.ACTIVITIES, (read + 1) % ACTIVITIES, SMALL)
                .put(MapKind.TIMERS, "timer-" + read % TIMERS, SMALL)
                .build();
        StateMaps.Keys deletes = StateMaps.Keys.builder()
                .add(MapKind.ACTIVITIES, (read + 2) % ACTIVITIES)
                .build();
        temporal.workflows()
                .update(
                        RANGE,
                        CurrentRun.update(),
                        Executions.Fence.dbRecordVersion(read),
                        new Workflows.Mutation(execution(), run(), puts, deletes, false, List.of(), tasks()),
                        null);
    }

    private void get() throws SQLException {
        Workflows.State state = temporal.workflows().get(latest).orElseThrow();
        if (state.execution().dbRecordVersion() != version) {
            throw new IllegalStateException("read " + state.execution().dbRecordVersion() + ", not " + version);
        }
    }

    private void appendHistory() throws SQLException {
        long node = ++number;
        temporal.historyNodes().insert(branch, new HistoryNodes.Node(node, node, node - 1, LARGE));
    }

    private void addTasks() throws SQLException {
        List<Tasks.Task> ten = new ArrayList<>(10);
        for (int i = 0; i < 10; i++) {
            ten.add(new Tasks.Task(new Tasks.Level(1, ++number), SMALL));
        }
        temporal.tasks(TaskQueues.Version.V2).insert(queue, RANGE, ten);
    }

    private void getTasks() throws SQLException {
        int rows = temporal.tasks(TaskQueues.Version.V2)
                .select(queue, Tasks.Level.FIRST, Tasks.Level.LAST, 100, null)
                .rows()
                .size();
        if (rows != 100) {
            throw new IllegalStateException("read " + rows + " tasks");
        }
    }

    private Executions.Execution execution() {
        return new Executions.Execution(latest, 10 + version, 1, LARGE, SMALL, version);
    }

    private static Workflows.RunState run() {
        return new Workflows.RunState("request", RUNNING, 1, 0, Instant.EPOCH);
    }

    private Map<HistoryTasks.Category, List<HistoryTasks.Task>> tasks() {
        long task = ++number;
        return Map.of(
                HistoryTasks.Category.TRANSFER, List.of(new HistoryTasks.Task(HistoryTasks.Key.of(task), SMALL)),
                HistoryTasks.Category.TIMER,
                        List.of(new HistoryTasks.Task(
                                new HistoryTasks.Key(Instant.EPOCH.plusSeconds(task), task), SMALL)));
    }
}
