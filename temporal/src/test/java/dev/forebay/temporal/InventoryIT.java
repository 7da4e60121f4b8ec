// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Sample.NAMESPACE;
import static dev.forebay.temporal.Sample.RANGE;
import static dev.forebay.temporal.Sample.SHARD;
import static dev.forebay.temporal.Sample.WORKFLOW;
import static dev.forebay.temporal.Sample.blob;
import static dev.forebay.temporal.Sample.execution;
import static dev.forebay.temporal.Sample.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The page's inventory: every method is called, as its caller should and with a fence that has moved on. */
final class InventoryIT extends OnBothDatabases {

    /** The methods that Temporal asks of a plugin, in the order of the page. */
    private static final List<String> METHODS = List.of(
            "InsertIntoShards",
            "UpdateShards",
            "SelectFromShards",
            "ReadLockShards",
            "WriteLockShards",
            "InsertIntoExecutions",
            "UpdateExecutions",
            "SelectFromExecutions",
            "DeleteFromExecutions",
            "ReadLockExecutions",
            "WriteLockExecutions",
            "InsertIntoCurrentExecutions",
            "UpdateCurrentExecutions",
            "SelectFromCurrentExecutions",
            "DeleteFromCurrentExecutions",
            "LockCurrentExecutions",
            "InsertIntoTaskQueues",
            "UpdateTaskQueues",
            "SelectFromTaskQueues",
            "DeleteFromTaskQueues",
            "LockTaskQueues",
            "InsertIntoNamespace",
            "UpdateNamespace",
            "SelectFromNamespace",
            "DeleteFromNamespace",
            "LockNamespaceMetadata",
            "InsertIntoQueue",
            "SelectFromQueue",
            "DeleteFromQueue",
            "GetLastEnqueuedMessageID",
            "LockQueueMetadata",
            "InsertIntoClusterMetadata",
            "UpdateClusterMetadata",
            "SelectFromClusterMetadata",
            "DeleteFromClusterMetadata",
            "WriteLockGetClusterMetadata");

    private static final TaskQueues.Id QUEUE = TaskQueues.Id.of(NAMESPACE, "orders", 1);
    private static final TaskQueues.Id OTHER_QUEUE = TaskQueues.Id.of(NAMESPACE, "invoices", 1);
    private static final UUID OTHER = new UUID(7, 7);
    private static final Blob DATA = blob("data");
    private static final Blob CHANGED = blob("changed");
    private static final Executions.Fence READ = Executions.Fence.dbRecordVersion(1);
    private static final Executions.Fence STALE = Executions.Fence.dbRecordVersion(9);

    private final List<String> operations = new ArrayList<>();
    private final List<String> statements = new ArrayList<>();
    private Temporal heard;

    /** A row of the page: the method, and the class and method that it is here. */
    record Row(String method, String here, String fence) {

        @Override
        public String toString() {
            return method;
        }

        boolean isFencedByRow() {
            return fence.equals("the row");
        }

        boolean isFenced() {
            return !fence.startsWith("none") && !isFencedByRow() && !method.equals("DeleteFromQueue");
        }
    }

    static Stream<Row> rows() throws IOException {
        return Files.readAllLines(Path.of("..", "docs", "temporal.md")).stream()
                .dropWhile(line -> !line.startsWith("| Interface |"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("\\|"))
                .map(cells -> new Row(cells[2].strip(), cells[3].strip().replace("`", ""), cells[5].strip()));
    }

    static Stream<Row> fenced() throws IOException {
        return rows().filter(Row::isFenced);
    }

    static Stream<Row> locks() throws IOException {
        return rows().filter(Row::isFencedByRow);
    }

    @BeforeEach
    void addOneOfEach() throws SQLException {
        temporal.shards().insert(new Shards.Shard(SHARD, RANGE, DATA));
        temporal.executions().insert(execution(run(1), 4, 1));
        temporal.currentExecutions().insert(current(run(1)));
        temporal.taskQueues(TaskQueues.Version.V1).insert(new TaskQueues.Queue(QUEUE, 5, DATA));
        temporal.namespaces().insert(NAMESPACE, "shop", DATA, false);
        temporal.queueV1().insert(3, List.of(new QueueV1.Message(4, DATA)));
        temporal.queueV1().insertMetadata(3, DATA);
        temporal.clusters().save(new Clusters.Cluster("east", 0, DATA));
        Transactions listened = Transactions.builder(
                        Intercepted.of(dataSource, (sql, connection) -> statements.add(sql)))
                .listener(new TxListener() {
                    @Override
                    public void began(String operation) {
                        operations.add(operation);
                    }
                })
                .build();
        heard = Temporal.on(listened, SnowflakeIds.forNode(7));
    }

    private static CurrentExecutions.Current current(UUID run) {
        return new CurrentExecutions.Current(WORKFLOW, 0, run, "request", 2, 1, 0, null, 101, null);
    }

    // ---- the methods

    private interface Call {
        Object run() throws SQLException;
    }

    private interface Deed {
        void run() throws SQLException;
    }

    /** A method: its name here, the operation that it is, how it is called, and how it must be refused. */
    private record Method(
            String here,
            String operation,
            Call right,
            @Nullable Call wrong) {}

    private static Call doing(Deed deed) {
        return () -> {
            deed.run();
            return true;
        };
    }

    private Map<String, Method> methods() {
        Map<String, Method> all = new HashMap<>();
        addShards(all, heard.shards());
        addExecutions(all, heard.executions());
        addCurrentExecutions(all, heard.currentExecutions());
        addTaskQueues(all, heard.taskQueues(TaskQueues.Version.V1));
        addNamespaces(all, heard.namespaces());
        addQueue(all, heard.queueV1());
        addClusters(all, heard.clusters());
        return all;
    }

    private static void add(Map<String, Method> all, String operation, String here, Call right, @Nullable Call wrong) {
        all.put(operation, new Method(here, operation, right, wrong));
    }

    private static void addShards(Map<String, Method> all, Shards shards) {
        add(
                all,
                "InsertIntoShards",
                "Shards.insert",
                doing(() -> shards.insert(new Shards.Shard(8, 1, DATA))),
                doing(() -> shards.insert(new Shards.Shard(SHARD, 1, CHANGED))));
        add(
                all,
                "UpdateShards",
                "Shards.update",
                doing(() -> shards.update(new Shards.Shard(SHARD, RANGE + 1, DATA), RANGE)),
                doing(() -> shards.update(new Shards.Shard(SHARD, RANGE, CHANGED), RANGE - 1)));
        add(all, "SelectFromShards", "Shards.select", () -> shards.select(SHARD).orElseThrow(), null);
        add(all, "WriteLockShards", "Shards.writeLock", () -> shards.writeLock(SHARD), null);
        all.put("ReadLockShards", Objects.requireNonNull(all.get("WriteLockShards")));
    }

    private static void addExecutions(Map<String, Method> all, Executions executions) {
        Executions.Key key = WORKFLOW.run(run(1));
        add(
                all,
                "InsertIntoExecutions",
                "Executions.insert",
                doing(() -> executions.insert(execution(run(2), 4, 1))),
                doing(() -> executions.insert(execution(run(1), 9, 9))));
        add(
                all,
                "UpdateExecutions",
                "Executions.update",
                doing(() -> executions.update(execution(run(1), 6, 2), READ)),
                doing(() -> executions.update(execution(run(1), 6, 10), STALE)));
        add(
                all,
                "SelectFromExecutions",
                "Executions.select",
                () -> executions.select(key).orElseThrow(),
                null);
        add(
                all,
                "DeleteFromExecutions",
                "Executions.delete",
                doing(() -> executions.delete(key, READ)),
                doing(() -> executions.delete(key, STALE)));
        add(all, "WriteLockExecutions", "Executions.writeLock", () -> executions.writeLock(key), null);
        all.put("ReadLockExecutions", Objects.requireNonNull(all.get("WriteLockExecutions")));
    }

    private static void addCurrentExecutions(Map<String, Method> all, CurrentExecutions names) {
        Workflows.Name other = new Workflows.Name(SHARD, NAMESPACE, "order-2");
        CurrentExecutions.Current another =
                new CurrentExecutions.Current(other, 0, run(5), "request", 2, 1, 0, null, 101, null);
        add(
                all,
                "InsertIntoCurrentExecutions",
                "CurrentExecutions.insert",
                doing(() -> names.insert(another)),
                doing(() -> names.insert(current(run(2)))));
        add(
                all,
                "UpdateCurrentExecutions",
                "CurrentExecutions.update",
                doing(() -> names.update(current(run(2)), run(1))),
                doing(() -> names.update(current(run(2)), run(3))));
        add(
                all,
                "SelectFromCurrentExecutions",
                "CurrentExecutions.select",
                () -> names.select(WORKFLOW, 0).orElseThrow(),
                null);
        add(
                all,
                "DeleteFromCurrentExecutions",
                "CurrentExecutions.delete",
                () -> names.delete(WORKFLOW, 0, run(1)),
                () -> names.delete(WORKFLOW, 0, run(3)));
        add(
                all,
                "LockCurrentExecutions",
                "CurrentExecutions.lock",
                () -> names.lock(WORKFLOW, 0).orElseThrow(),
                null);
    }

    private static void addTaskQueues(Map<String, Method> all, TaskQueues queues) {
        add(
                all,
                "InsertIntoTaskQueues",
                "TaskQueues.insert",
                doing(() -> queues.insert(new TaskQueues.Queue(OTHER_QUEUE, 1, DATA))),
                doing(() -> queues.insert(new TaskQueues.Queue(QUEUE, 9, CHANGED))));
        add(
                all,
                "UpdateTaskQueues",
                "TaskQueues.update",
                doing(() -> queues.update(new TaskQueues.Queue(QUEUE, 6, DATA), 5)),
                doing(() -> queues.update(new TaskQueues.Queue(QUEUE, 6, CHANGED), 4)));
        add(
                all,
                "SelectFromTaskQueues",
                "TaskQueues.select",
                () -> queues.select(QUEUE).orElseThrow(),
                null);
        add(
                all,
                "DeleteFromTaskQueues",
                "TaskQueues.delete",
                doing(() -> queues.delete(QUEUE, 5)),
                doing(() -> queues.delete(QUEUE, 4)));
        add(all, "LockTaskQueues", "TaskQueues.lock", () -> queues.lock(QUEUE), null);
    }

    private static void addNamespaces(Map<String, Method> all, Namespaces namespaces) {
        add(
                all,
                "InsertIntoNamespace",
                "Namespaces.insert",
                () -> namespaces.insert(OTHER, "other", DATA, false),
                () -> namespaces.insert(OTHER, "shop", CHANGED, false));
        add(
                all,
                "UpdateNamespace",
                "Namespaces.update",
                doing(() -> namespaces.update(new Namespaces.Namespace(NAMESPACE, "shop", 2, CHANGED, false))),
                doing(() -> namespaces.update(new Namespaces.Namespace(NAMESPACE, "shop", 1, CHANGED, false))));
        add(
                all,
                "SelectFromNamespace",
                "Namespaces.select",
                () -> namespaces.select(NAMESPACE).orElseThrow(),
                null);
        add(all, "DeleteFromNamespace", "Namespaces.delete", () -> namespaces.delete(NAMESPACE), null);
        add(all, "LockNamespaceMetadata", "Namespaces.lockMetadata", namespaces::lockMetadata, null);
    }

    private static void addQueue(Map<String, Method> all, QueueV1 queue) {
        add(
                all,
                "InsertIntoQueue",
                "QueueV1.insert",
                doing(() -> queue.insert(3, List.of(new QueueV1.Message(5, DATA)))),
                doing(() -> queue.insert(3, List.of(new QueueV1.Message(4, CHANGED)))));
        add(all, "SelectFromQueue", "QueueV1.select", () -> queue.select(3, 4).orElseThrow(), null);
        add(all, "DeleteFromQueue", "QueueV1.delete", () -> queue.delete(3, 4), null);
        add(
                all,
                "GetLastEnqueuedMessageID",
                "QueueV1.lastMessageId",
                () -> queue.lastMessageId(3).orElseThrow(),
                null);
        add(
                all,
                "LockQueueMetadata",
                "QueueV1.lockMetadata",
                () -> queue.lockMetadata(3).orElseThrow(),
                null);
    }

    private static void addClusters(Map<String, Method> all, Clusters clusters) {
        add(
                all,
                "InsertIntoClusterMetadata",
                "Clusters.save",
                () -> clusters.save(new Clusters.Cluster("west", 0, DATA)),
                () -> clusters.save(new Clusters.Cluster("east", 0, CHANGED)));
        add(
                all,
                "UpdateClusterMetadata",
                "Clusters.save",
                () -> clusters.save(new Clusters.Cluster("east", 1, CHANGED)),
                () -> clusters.save(new Clusters.Cluster("east", 7, CHANGED)));
        add(
                all,
                "SelectFromClusterMetadata",
                "Clusters.get",
                () -> clusters.get("east").orElseThrow(),
                null);
        add(all, "DeleteFromClusterMetadata", "Clusters.delete", () -> clusters.delete("east"), null);
        add(
                all,
                "WriteLockGetClusterMetadata",
                "Clusters.writeLock",
                () -> clusters.writeLock("east").orElseThrow(),
                null);
    }

    private Method method(Row row) {
        Method method = methods().get(row.method());
        assertTrue(method != null, () -> row + " is called by no test");
        return Objects.requireNonNull(method);
    }

    // ---- tests

    @Test
    void everyMethodOfTheListIsInTheTable() throws IOException {
        assertEquals(METHODS, rows().map(Row::method).toList());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aMethodIsTheOperationOfItsName(Row row) throws SQLException {
        Method method = method(row);
        assertEquals(row.here(), method.here());
        Map<String, List<String>> before = contents();
        assertNotEquals(false, method.right().run());
        assertEquals(List.of(method.operation()), operations);
        boolean isRead = row.fence().startsWith("none: it reads") || row.isFencedByRow();
        assertEquals(isRead, before.equals(contents()), "whether it changes nothing");
    }

    @ParameterizedTest
    @MethodSource("fenced")
    void aFenceThatHasMovedOnRefusesAndKeepsAll(Row row) throws SQLException {
        Call wrong = Objects.requireNonNull(method(row).wrong());
        Map<String, List<String>> before = contents();
        Object answer;
        try {
            answer = wrong.run();
        } catch (SQLException e) {
            answer = false;
        }
        assertEquals(false, answer);
        assertEquals(before, contents());
    }

    @ParameterizedTest
    @MethodSource("locks")
    void aLockTakesPartInTheCheckForConflicts(Row row) throws SQLException {
        method(row).right().run();
        assertEquals(
                1,
                statements.stream().filter(sql -> sql.endsWith(" FOR UPDATE")).count(),
                statements::toString);
    }

    private Map<String, List<String>> contents() throws SQLException {
        Map<String, List<String>> contents = new TreeMap<>();
        transactions.run("contents", c -> {
            for (Table table : Table.values()) {
                contents.put(
                        table.sqlName(),
                        Database.query(
                                c,
                                "SELECT CAST(t AS VARCHAR) AS content FROM " + table.sqlName() + " t ORDER BY 1",
                                row -> row.getString(1)));
            }
        });
        return contents;
    }
}
