// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.List;

/**
 * An index that the schema has beside the primary keys. Immutable.
 *
 * @param name its name
 * @param isUnique whether no two rows may be alike in {@code columns}
 * @param table what it is on
 * @param columns what it is ordered by
 */
record SchemaIndex(String name, boolean isUnique, Table table, List<String> columns) {

    /** All of them. */
    static final List<SchemaIndex> ALL = List.of(
            new SchemaIndex("idx_namespaces_name", true, Table.NAMESPACES, List.of("name")),
            new SchemaIndex("idx_buffered_events_id", true, Table.BUFFERED_EVENTS, List.of("id")),
            new SchemaIndex("cm_idx_rolehost", true, Table.CLUSTER_MEMBERSHIP, List.of("role", "host_id")),
            new SchemaIndex("cm_idx_rolelasthb", false, Table.CLUSTER_MEMBERSHIP, List.of("role", "last_heartbeat")),
            new SchemaIndex("cm_idx_rpchost", false, Table.CLUSTER_MEMBERSHIP, List.of("rpc_address", "role")),
            new SchemaIndex("cm_idx_lasthb", false, Table.CLUSTER_MEMBERSHIP, List.of("last_heartbeat")),
            new SchemaIndex("cm_idx_recordexpiry", false, Table.CLUSTER_MEMBERSHIP, List.of("record_expiry")));

    /**
     * Makes it.
     *
     * @param isAsync whether by a job, as DSQL wants it
     */
    String ddl(boolean isAsync) {
        return "CREATE " + (isUnique ? "UNIQUE " : "") + "INDEX " + (isAsync ? "ASYNC " : "") + "IF NOT EXISTS " + name
                + " ON " + table.sqlName() + " (" + String.join(", ", columns) + ")";
    }

    String drop() {
        return "DROP INDEX IF EXISTS " + name;
    }

    boolean isAs(Catalog.Index index) {
        return index.table().equals(table.sqlName()) && index.columns().equals(columns) && index.isUnique() == isUnique;
    }
}
