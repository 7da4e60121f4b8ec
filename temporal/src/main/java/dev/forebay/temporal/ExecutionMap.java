// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One of the maps of a mutable state. It belongs to its execution, and only a caller that knows its version changes it.
 * Thread-safe.
 */
public final class ExecutionMap<K, V> {

    private static final int EXECUTION = 4;

    private final Database database;
    private final MapKind<K, V> kind;

    ExecutionMap(Database database, MapKind<K, V> kind) {
        this.database = database;
        this.kind = kind;
    }

    /**
     * Puts entries, in the place of those with the same keys.
     *
     * @throws WorkflowConditionFailedException if the execution is not as {@code expected}
     * @throws NotFoundException if there is no such execution
     */
    public void replace(Executions.Key execution, Executions.Fence expected, Map<K, V> entries) throws SQLException {
        database.run("ReplaceInto:" + kind, c -> {
            Executions.require(c, execution, expected);
            replace(c, kind, execution, entries);
        });
    }

    /** All entries, in the order of their keys. */
    public Map<K, V> selectAll(Executions.Key execution) throws SQLException {
        String sql =
                kind.table().select(Table.names(kind.table().columns()), EXECUTION) + " ORDER BY " + kind.keyColumn();
        return database.call("SelectAllFrom:" + kind, c -> {
            Map<K, V> entries = new LinkedHashMap<>();
            Database.query(
                            c,
                            sql,
                            row -> Map.entry(kind.key(row, kind.keyColumn()), kind.value(row)),
                            Executions.values(execution))
                    .forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
            return entries;
        });
    }

    /** Deletes the entries with these keys, as far as there are any; fails as {@link #replace} does. */
    public void delete(Executions.Key execution, Executions.Fence expected, Collection<K> keys) throws SQLException {
        database.run("DeleteFrom:" + kind, c -> {
            Executions.require(c, execution, expected);
            delete(c, kind, execution, keys);
        });
    }

    /** Deletes all entries; fails as {@link #replace} does. */
    public void deleteAll(Executions.Key execution, Executions.Fence expected) throws SQLException {
        database.run("DeleteAllFrom:" + kind, c -> {
            Executions.require(c, execution, expected);
            deleteAll(c, kind, execution);
        });
    }

    // ---- parts of other operations, which know the execution's version

    static void replace(Connection c, MapKind<?, ?> kind, Executions.Key execution, Map<?, ?> entries)
            throws SQLException {
        List<@Nullable Object[]> rows = new ArrayList<>(entries.size());
        entries.forEach((key, value) ->
                rows.add(Database.join(Executions.values(execution), new Object[] {key}, kind.columns(value))));
        Database.batch(c, kind.table().replace(), rows);
    }

    static void delete(Connection c, MapKind<?, ?> kind, Executions.Key execution, Collection<?> keys)
            throws SQLException {
        List<@Nullable Object[]> rows = new ArrayList<>(keys.size());
        for (Object key : keys) {
            rows.add(Database.join(Executions.values(execution), new Object[] {key}));
        }
        Database.batch(c, kind.table().delete(EXECUTION + 1), rows);
    }

    static void deleteAll(Connection c, MapKind<?, ?> kind, Executions.Key execution) throws SQLException {
        Database.update(c, kind.table().delete(EXECUTION), Executions.values(execution));
    }
}
