// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Column.bigint;
import static dev.forebay.temporal.Column.blob;
import static dev.forebay.temporal.Column.bool;
import static dev.forebay.temporal.Column.bytes;
import static dev.forebay.temporal.Column.encoding;
import static dev.forebay.temporal.Column.integer;
import static dev.forebay.temporal.Column.key;
import static dev.forebay.temporal.Column.smallint;
import static dev.forebay.temporal.Column.text;
import static dev.forebay.temporal.Column.timestamp;
import static dev.forebay.temporal.Column.uuid;
import static dev.forebay.temporal.Column.varchar;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The tables of Temporal's schema, as they are on Aurora DSQL: identifiers are UUIDs, since a BYTEA cannot be part of a key
 * there; nothing is a serial; nothing is checked. From these declarations come the DDL and every statement that has a table's
 * columns in it, so that the two cannot differ.
 */
enum Table {
    NAMESPACES(
            key(integer("partition_id"), uuid("id")),
            List.of(text("name"), bigint("notification_version")),
            blob("data"),
            List.of(bool("is_global"))),
    NAMESPACE_METADATA(key(integer("partition_id")), List.of(bigint("notification_version"))),
    SHARDS(key(integer("shard_id")), List.of(bigint("range_id")), blob("data")),
    EXECUTIONS(
            Keys.EXECUTION,
            List.of(bigint("next_event_id"), bigint("last_write_version")),
            blob("data"),
            blob("state"),
            List.of(bigint("db_record_version").orElse("0"))),
    CURRENT_EXECUTIONS(key(integer("shard_id"), uuid("namespace_id"), text("workflow_id")), Keys.CURRENT_RUN),
    CURRENT_CHASM_EXECUTIONS(
            key(integer("shard_id"), uuid("namespace_id"), text("business_id"), bigint("archetype_id")),
            Keys.CURRENT_RUN),
    BUFFERED_EVENTS(key(Keys.EXECUTION, bigint("id")), blob("data")),
    TASKS(key(Keys.TASK_QUEUE, bigint("task_id")), blob("data")),
    TASKS_V2(key(Keys.TASK_QUEUE, bigint("pass"), bigint("task_id")), blob("data")),
    TASK_QUEUES(Keys.TASK_QUEUE, List.of(bigint("range_id")), blob("data")),
    TASK_QUEUES_V2(Keys.TASK_QUEUE, List.of(bigint("range_id")), blob("data")),
    TASK_QUEUE_USER_DATA(key(uuid("namespace_id"), text("task_queue_name")), blob("data"), List.of(bigint("version"))),
    BUILD_ID_TO_TASK_QUEUE(key(uuid("namespace_id"), text("build_id"), text("task_queue_name"))),
    HISTORY_IMMEDIATE_TASKS(key(integer("shard_id"), integer("category_id"), bigint("task_id")), blob("data")),
    HISTORY_SCHEDULED_TASKS(
            key(integer("shard_id"), integer("category_id"), timestamp("visibility_timestamp"), bigint("task_id")),
            blob("data")),
    TRANSFER_TASKS(key(integer("shard_id"), bigint("task_id")), blob("data")),
    TIMER_TASKS(key(integer("shard_id"), timestamp("visibility_timestamp"), bigint("task_id")), blob("data")),
    REPLICATION_TASKS(key(integer("shard_id"), bigint("task_id")), blob("data")),
    REPLICATION_TASKS_DLQ(key(text("source_cluster_name"), integer("shard_id"), bigint("task_id")), blob("data")),
    VISIBILITY_TASKS(key(integer("shard_id"), bigint("task_id")), blob("data")),
    ACTIVITY_INFO_MAPS(key(Keys.EXECUTION, bigint("schedule_id")), Keys.MAPPED),
    TIMER_INFO_MAPS(key(Keys.EXECUTION, text("timer_id")), Keys.MAPPED),
    CHILD_EXECUTION_INFO_MAPS(key(Keys.EXECUTION, bigint("initiated_id")), Keys.MAPPED),
    REQUEST_CANCEL_INFO_MAPS(key(Keys.EXECUTION, bigint("initiated_id")), Keys.MAPPED),
    SIGNAL_INFO_MAPS(key(Keys.EXECUTION, bigint("initiated_id")), Keys.MAPPED),
    SIGNALS_REQUESTED_SETS(key(Keys.EXECUTION, text("signal_id"))),
    CHASM_NODE_MAPS(
            key(Keys.EXECUTION, text("chasm_path")),
            List.of(
                    bytes("metadata"),
                    encoding("metadata").nullable(),
                    bytes("data").nullable(),
                    encoding("data").nullable())),
    HISTORY_NODE(
            key(integer("shard_id"), uuid("tree_id"), uuid("branch_id"), bigint("node_id"), bigint("txn_id")),
            List.of(bigint("prev_txn_id").orElse("0")),
            blob("data")),
    HISTORY_TREE(key(integer("shard_id"), uuid("tree_id"), uuid("branch_id")), blob("data")),
    QUEUE(key(integer("queue_type"), bigint("message_id")), Keys.MESSAGE),
    QUEUE_METADATA(key(integer("queue_type")), blob("data"), List.of(bigint("version"))),
    QUEUES(key(integer("queue_type"), text("queue_name")), List.of(bytes("metadata_payload"), encoding("metadata"))),
    QUEUE_MESSAGES(
            key(integer("queue_type"), text("queue_name"), bigint("queue_partition"), bigint("message_id")),
            Keys.MESSAGE),
    CLUSTER_METADATA_INFO(
            key(integer("metadata_partition"), text("cluster_name")), blob("data"), List.of(bigint("version"))),
    CLUSTER_MEMBERSHIP(
            key(integer("membership_partition"), uuid("host_id")),
            List.of(
                    varchar("rpc_address", 128),
                    smallint("rpc_port"),
                    smallint("role"),
                    timestamp("session_start").nullable(),
                    timestamp("last_heartbeat").nullable(),
                    timestamp("record_expiry").nullable())),
    NEXUS_ENDPOINTS(key(uuid("id")), blob("data"), List.of(bigint("version"))),
    NEXUS_ENDPOINTS_PARTITION_STATUS(key(integer("id").orElse("0")), List.of(bigint("version")));

    /** Columns that several tables share. */
    private static final class Keys {

        static final List<Column> EXECUTION =
                key(integer("shard_id"), uuid("namespace_id"), text("workflow_id"), uuid("run_id"));

        static final List<Column> TASK_QUEUE = key(bigint("range_hash"), uuid("task_queue_id"));

        static final List<Column> CURRENT_RUN = List.of(
                uuid("run_id"),
                text("create_request_id"),
                integer("state"),
                integer("status"),
                bigint("start_version").orElse("0"),
                timestamp("start_time").nullable(),
                bigint("last_write_version"),
                bytes("data").nullable(),
                encoding("data").orElse("''"));

        static final List<Column> MAPPED =
                List.of(bytes("data"), encoding("data").nullable());

        static final List<Column> MESSAGE = List.of(bytes("message_payload"), encoding("message"));
    }

    @SuppressWarnings("ImmutableEnumChecker") // made by toList
    private final List<Column> columns;

    @SafeVarargs
    @SuppressWarnings("varargs") // nothing is put into them
    Table(List<Column>... parts) {
        this.columns = Arrays.stream(parts).flatMap(Collection::stream).toList();
    }

    /** Its name in the database. */
    String sqlName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** All columns, the key's first. */
    List<Column> columns() {
        return columns;
    }

    /** The primary key's columns. */
    List<Column> keyColumns() {
        return columns.stream().filter(Column::isKey).toList();
    }

    /** The columns beside the key. */
    List<Column> otherColumns() {
        return columns.stream().filter(column -> !column.isKey()).toList();
    }

    // ---- statements

    /** Inserts whole rows; a parameter for each column, in order. */
    String insert() {
        return "INSERT INTO " + sqlName() + " (" + names(columns) + ") VALUES (" + "?, ".repeat(columns.size() - 1)
                + "?)";
    }

    /** The same, but takes the place of a row with the same key. */
    String replace() {
        List<Column> others = otherColumns();
        String change = others.isEmpty()
                ? "NOTHING"
                : "UPDATE SET "
                        + others.stream()
                                .map(column -> column.name() + " = excluded." + column.name())
                                .collect(Collectors.joining(", "));
        return insert() + " ON CONFLICT (" + names(keyColumns()) + ") DO " + change;
    }

    /** Reads {@code wanted} of the row, or the rows, whose first {@code prefix} columns of the key are the parameters. */
    String select(String wanted, int prefix) {
        return "SELECT " + wanted + " FROM " + sqlName() + where(prefix);
    }

    /** Reads {@code wanted} of one row, by its whole key, and takes part in the check for conflicts. */
    String lock(String wanted) {
        return select(wanted, keyColumns().size()) + " FOR UPDATE";
    }

    /** Deletes the row, or the rows, whose first {@code prefix} columns of the key are the parameters. */
    String delete(int prefix) {
        return "DELETE FROM " + sqlName() + where(prefix);
    }

    /**
     * Deletes the first rows, in the {@code order}, whose first {@code prefix} columns of the key are the parameters, and that meet the
     * {@code condition}; the last parameter is how many at most.
     */
    String deleteFirst(int prefix, String condition, String order) {
        String key = names(keyColumns());
        return "DELETE FROM " + sqlName() + " WHERE (" + key + ") IN (" + select(key, prefix) + " AND " + condition
                + " ORDER BY " + order + " LIMIT ?)";
    }

    /** Updates all but the key of one row; parameters for these, then for the key. */
    String update() {
        return "UPDATE " + sqlName() + " SET "
                + otherColumns().stream().map(column -> column.name() + " = ?").collect(Collectors.joining(", "))
                + where(keyColumns().size());
    }

    /** The condition that the first {@code prefix} columns of the key are the parameters. */
    String where(int prefix) {
        return " WHERE "
                + keyColumns().stream()
                        .limit(prefix)
                        .map(column -> column.name() + " = ?")
                        .collect(Collectors.joining(" AND "));
    }

    static String names(List<Column> columns) {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }
}
