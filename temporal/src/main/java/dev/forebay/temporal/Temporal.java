// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The stores of a Temporal database on Aurora DSQL, or on PostgreSQL with the same schema. Thread-safe.
 *
 * <pre>{@code
 * Temporal temporal = Temporal.on(Transactions.of(dataSource), ids);
 * long owned = temporal.shards().writeLock(7);
 * }</pre>
 *
 * <p>Each method of a store is a transaction with the name of the operation, which is retried after a conflict. Within {@link
 * #run} they are parts of one transaction.
 */
public final class Temporal {

    private final Database database;
    private final Shards shards;
    private final Executions executions;
    private final CurrentExecutions currentExecutions;
    private final BufferedEvents bufferedEvents;
    private final HistoryTasks historyTasks;
    private final Workflows workflows;
    private final Map<TaskQueues.Version, TaskQueues> taskQueues = new EnumMap<>(TaskQueues.Version.class);
    private final Map<TaskQueues.Version, Tasks> tasks = new EnumMap<>(TaskQueues.Version.class);
    private final UserData userData;
    private final Namespaces namespaces;
    private final QueueV1 queueV1;
    private final QueueV2 queueV2;
    private final Clusters clusters;
    private final ClusterMembers clusterMembers;
    private final NexusEndpoints nexusEndpoints;
    private final HistoryNodes historyNodes;
    private final HistoryTrees historyTrees;

    private Temporal(Transactions transactions, SnowflakeIds ids) {
        this.database = new Database(transactions);
        this.shards = new Shards(database);
        this.executions = new Executions(database);
        this.currentExecutions = new CurrentExecutions(database);
        this.bufferedEvents = new BufferedEvents(database, ids);
        this.historyTasks = new HistoryTasks(database);
        this.workflows = new Workflows(database, bufferedEvents);
        for (TaskQueues.Version version : TaskQueues.Version.values()) {
            TaskQueues queues = new TaskQueues(database, version);
            taskQueues.put(version, queues);
            tasks.put(version, new Tasks(database, version, queues));
        }
        this.userData = new UserData(database);
        this.namespaces = new Namespaces(database);
        this.queueV1 = new QueueV1(database);
        this.queueV2 = new QueueV2(database);
        this.clusters = new Clusters(database);
        this.clusterMembers = new ClusterMembers(database);
        this.nexusEndpoints = new NexusEndpoints(database);
        this.historyNodes = new HistoryNodes(database);
        this.historyTrees = new HistoryTrees(database);
    }

    /**
     * The stores of the database that {@code transactions} run on.
     *
     * @param ids one for the whole process, with a node that no other process has
     */
    public static Temporal on(Transactions transactions, SnowflakeIds ids) {
        return new Temporal(transactions, ids);
    }

    /** Runs {@code body} as one transaction, with what it does on this thread with the stores of this object. */
    public void run(String name, Body body) throws SQLException {
        call(name, () -> {
            body.run();
            return name;
        });
    }

    /** Runs {@code body} as {@link #run} does, and returns its value. */
    public <T extends @Nullable Object> T call(String name, ValueBody<T> body) throws SQLException {
        return database.whole(name, c -> body.call());
    }

    // ---- mutable states

    /** Mutable states as one thing. */
    public Workflows workflows() {
        return workflows;
    }

    // ---- the tables one by one

    public Shards shards() {
        return shards;
    }

    public Executions executions() {
        return executions;
    }

    public CurrentExecutions currentExecutions() {
        return currentExecutions;
    }

    /** One of the maps that executions have. */
    public <K, V> ExecutionMap<K, V> map(MapKind<K, V> kind) {
        return new ExecutionMap<>(database, kind);
    }

    public BufferedEvents bufferedEvents() {
        return bufferedEvents;
    }

    public HistoryTasks historyTasks() {
        return historyTasks;
    }

    public TaskQueues taskQueues(TaskQueues.Version version) {
        return Objects.requireNonNull(taskQueues.get(version));
    }

    public Tasks tasks(TaskQueues.Version version) {
        return Objects.requireNonNull(tasks.get(version));
    }

    public UserData userData() {
        return userData;
    }

    public Namespaces namespaces() {
        return namespaces;
    }

    public QueueV1 queueV1() {
        return queueV1;
    }

    public QueueV2 queueV2() {
        return queueV2;
    }

    public Clusters clusters() {
        return clusters;
    }

    public ClusterMembers clusterMembers() {
        return clusterMembers;
    }

    public NexusEndpoints nexusEndpoints() {
        return nexusEndpoints;
    }

    public HistoryNodes historyNodes() {
        return historyNodes;
    }

    public HistoryTrees historyTrees() {
        return historyTrees;
    }

    /** The body of one transaction; it may run several times. */
    @FunctionalInterface
    public interface Body {
        void run() throws SQLException;
    }

    /** The body of one transaction that returns something; it may run several times. */
    @FunctionalInterface
    public interface ValueBody<T extends @Nullable Object> {
        T call() throws SQLException;
    }
}
