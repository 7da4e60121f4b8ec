// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.List;

/**
 * An index that the schema has beside the primary keys. Immutable.
 *
 * @param name its name
 * @param uniqueness whether no two rows may be alike in {@code columns}
 * @param table its table
 * @param columns the columns that it is ordered by
 */
record SchemaIndex(String name, Uniqueness uniqueness, Table table, List<String> columns) {

    /** Whether an index is unique. */
    enum Uniqueness {
        UNIQUE,
        PLAIN,
        /** Unique as Temporal has it, or plain as the Go plugin does: nothing relies on it, since the host alone is a key. */
        EITHER
    }

    /** All of them. */
    static final List<SchemaIndex> ALL = List.of(
            new SchemaIndex("idx_namespaces_name", Uniqueness.UNIQUE, Table.NAMESPACES, List.of("name")),
            new SchemaIndex("idx_buffered_events_id", Uniqueness.UNIQUE, Table.BUFFERED_EVENTS, List.of("id")),
            new SchemaIndex("cm_idx_rolehost", Uniqueness.EITHER, Table.CLUSTER_MEMBERSHIP, List.of("role", "host_id")),
            new SchemaIndex(
                    "cm_idx_rolelasthb", Uniqueness.PLAIN, Table.CLUSTER_MEMBERSHIP, List.of("role", "last_heartbeat")),
            new SchemaIndex(
                    "cm_idx_rpchost", Uniqueness.PLAIN, Table.CLUSTER_MEMBERSHIP, List.of("rpc_address", "role")),
            new SchemaIndex("cm_idx_lasthb", Uniqueness.PLAIN, Table.CLUSTER_MEMBERSHIP, List.of("last_heartbeat")),
            new SchemaIndex(
                    "cm_idx_recordexpiry", Uniqueness.PLAIN, Table.CLUSTER_MEMBERSHIP, List.of("record_expiry")));

    /** Whether it is made so that no two rows may be alike. */
    boolean isUnique() {
        return uniqueness != Uniqueness.PLAIN;
    }

    /**
     * The statement that makes it.
     *
     * @param isAsync whether by a job, as DSQL wants it
     */
    String ddl(boolean isAsync) {
        return "CREATE " + (isUnique() ? "UNIQUE " : "") + "INDEX " + (isAsync ? "ASYNC " : "") + "IF NOT EXISTS "
                + name + " ON " + table.sqlName() + " (" + String.join(", ", columns) + ")";
    }

    String drop() {
        return "DROP INDEX IF EXISTS " + name;
    }

    boolean isAs(Catalog.Index index) {
        return index.table().equals(table.sqlName())
                && index.columns().equals(columns)
                && (uniqueness == Uniqueness.EITHER || index.isUnique() == isUnique());
    }
}
