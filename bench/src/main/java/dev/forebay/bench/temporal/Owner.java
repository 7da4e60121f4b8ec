// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.temporal;

import dev.forebay.temporal.Blob;
import dev.forebay.temporal.CurrentRun;
import dev.forebay.temporal.Execution;
import dev.forebay.temporal.ExecutionFence;
import dev.forebay.temporal.ExecutionKey;
import dev.forebay.temporal.HistoryBranch;
import dev.forebay.temporal.HistoryNode;
import dev.forebay.temporal.HistoryTask;
import dev.forebay.temporal.MapKeys;
import dev.forebay.temporal.MapKind;
import dev.forebay.temporal.MutableState;
import dev.forebay.temporal.QueuedTask;
import dev.forebay.temporal.RunState;
import dev.forebay.temporal.Shard;
import dev.forebay.temporal.StateMaps;
import dev.forebay.temporal.TaskCategory;
import dev.forebay.temporal.TaskKey;
import dev.forebay.temporal.TaskLevel;
import dev.forebay.temporal.TaskQueue;
import dev.forebay.temporal.TaskQueueId;
import dev.forebay.temporal.TaskQueueVersion;
import dev.forebay.temporal.Temporal;
import dev.forebay.temporal.WorkflowMutation;
import dev.forebay.temporal.WorkflowSnapshot;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The owner of one shard, and of one task queue: what it does follows on what it did before. For one thread. */
final class Owner {

    private static final long RANGE = 1;
    private static final int ACTIVITIES = 10;
    private static final int TIMERS = 5;
    private static final int RUNNING = 2;
    private static final Blob SMALL = Blob.proto3(new byte[200]);
    private static final Blob LARGE = Blob.proto3(new byte[1_500]);
    private static final UUID NAMESPACE = new UUID(7, 7);

    /** What is measured. */
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
    private final TaskQueueId queue;
    private final HistoryBranch branch;
    private long number;
    private ExecutionKey latest;
    private long version;

    Owner(Temporal temporal, int shard) {
        this.temporal = temporal;
        this.shard = shard;
        this.queue = TaskQueueId.of(NAMESPACE, "queue-" + shard, 1);
        this.branch = new HistoryBranch(shard, new UUID(shard, 1), new UUID(shard, 2));
        this.latest = key(0);
    }

    void begin() throws SQLException {
        temporal.shards().insert(new Shard(shard, RANGE, SMALL));
        temporal.taskQueues(TaskQueueVersion.V2).insert(new TaskQueue(queue, RANGE, SMALL));
    }

    private ExecutionKey key(long run) {
        return new ExecutionKey(shard, NAMESPACE, "workflow-" + run, new UUID(shard, run));
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
                .create(RANGE, CurrentRun.brandNew(), new WorkflowSnapshot(execution(), run(), maps.build(), tasks()));
    }

    /** As after a workflow task: two activities and a timer changed, one activity done and another begun. */
    private void update() throws SQLException {
        long read = version++;
        StateMaps puts = StateMaps.builder()
                .put(MapKind.ACTIVITIES, read % ACTIVITIES, SMALL)
                .put(MapKind.ACTIVITIES, (read + 1) % ACTIVITIES, SMALL)
                .put(MapKind.TIMERS, "timer-" + read % TIMERS, SMALL)
                .build();
        MapKeys deletes = MapKeys.builder()
                .add(MapKind.ACTIVITIES, (read + 2) % ACTIVITIES)
                .build();
        temporal.workflows()
                .update(
                        RANGE,
                        CurrentRun.update(),
                        ExecutionFence.dbRecordVersion(read),
                        new WorkflowMutation(execution(), run(), puts, deletes, false, List.of(), tasks()),
                        null);
    }

    private void get() throws SQLException {
        MutableState state = temporal.workflows().get(latest).orElseThrow();
        if (state.execution().dbRecordVersion() != version) {
            throw new IllegalStateException("read " + state.execution().dbRecordVersion() + ", not " + version);
        }
    }

    private void appendHistory() throws SQLException {
        long node = ++number;
        temporal.historyNodes().insert(branch, new HistoryNode(node, node, node - 1, LARGE));
    }

    private void addTasks() throws SQLException {
        List<QueuedTask> ten = new ArrayList<>(10);
        for (int i = 0; i < 10; i++) {
            ten.add(new QueuedTask(new TaskLevel(1, ++number), SMALL));
        }
        temporal.tasks(TaskQueueVersion.V2).insert(queue, RANGE, ten);
    }

    private void getTasks() throws SQLException {
        int rows = temporal.tasks(TaskQueueVersion.V2)
                .select(queue, TaskLevel.FIRST, TaskLevel.LAST, 100, null)
                .rows()
                .size();
        if (rows != 100) {
            throw new IllegalStateException("read " + rows + " tasks");
        }
    }

    private Execution execution() {
        return new Execution(latest, 10 + version, 1, LARGE, SMALL, version);
    }

    private static RunState run() {
        return new RunState("request", RUNNING, 1, 0, Instant.EPOCH);
    }

    private Map<TaskCategory, List<HistoryTask>> tasks() {
        long task = ++number;
        return Map.of(
                TaskCategory.TRANSFER, List.of(new HistoryTask(TaskKey.of(task), SMALL)),
                TaskCategory.TIMER,
                        List.of(new HistoryTask(new TaskKey(Instant.EPOCH.plusSeconds(task), task), SMALL)));
    }
}
