// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of the seven maps that a mutable state has beside its execution, each with a table of its own. Immutable.
 *
 * @param <K> the type of its keys
 * @param <V> the type of its values
 */
public final class MapKind<K, V> {

    /** Activities by the event that scheduled them. */
    public static final MapKind<Long, Blob> ACTIVITIES =
            new MapKind<>(Table.ACTIVITY_INFO_MAPS, Long.class, MapKind::mapped, MapKind::columns);

    /** Timers by their ids. */
    public static final MapKind<String, Blob> TIMERS =
            new MapKind<>(Table.TIMER_INFO_MAPS, String.class, MapKind::mapped, MapKind::columns);

    /** Child workflows by the event that initiated them. */
    public static final MapKind<Long, Blob> CHILDREN =
            new MapKind<>(Table.CHILD_EXECUTION_INFO_MAPS, Long.class, MapKind::mapped, MapKind::columns);

    /** Requests to cancel others by the event that initiated them. */
    public static final MapKind<Long, Blob> REQUEST_CANCELS =
            new MapKind<>(Table.REQUEST_CANCEL_INFO_MAPS, Long.class, MapKind::mapped, MapKind::columns);

    /** Signals to others by the event that initiated them. */
    public static final MapKind<Long, Blob> SIGNALS =
            new MapKind<>(Table.SIGNAL_INFO_MAPS, Long.class, MapKind::mapped, MapKind::columns);

    /** The ids of signals that have come; a set. */
    public static final MapKind<String, Nothing> SIGNALS_REQUESTED =
            new MapKind<>(Table.SIGNALS_REQUESTED_SETS, String.class, row -> Nothing.NOTHING, value -> new Object[0]);

    /** Nodes by their paths. */
    public static final MapKind<String, ChasmNode> CHASM_NODES =
            new MapKind<>(Table.CHASM_NODE_MAPS, String.class, MapKind::node, MapKind::columns);

    /** All of them. */
    public static final List<MapKind<?, ?>> ALL =
            List.of(ACTIVITIES, TIMERS, CHILDREN, REQUEST_CANCELS, SIGNALS, SIGNALS_REQUESTED, CHASM_NODES);

    /** The value of a set's members. */
    public enum Nothing {
        NOTHING
    }

    private final Table table;
    private final Class<K> keyType;
    private final Database.Reader<V> reader;
    private final Columns<V> columns;

    private MapKind(Table table, Class<K> keyType, Database.Reader<V> reader, Columns<V> columns) {
        this.table = table;
        this.keyType = keyType;
        this.reader = reader;
        this.columns = columns;
    }

    /** Turns a value into the columns beside the key. */
    private interface Columns<V> {
        @Nullable
        Object[] of(V value);
    }

    Table table() {
        return table;
    }

    /** The name of the key's last column. */
    String keyColumn() {
        List<Column> key = table.keyColumns();
        return key.get(key.size() - 1).name();
    }

    boolean hasNumbersAsKeys() {
        return keyType == Long.class;
    }

    K key(ResultSet row, String column) throws SQLException {
        return keyType.cast(hasNumbersAsKeys() ? (Object) row.getLong(column) : row.getString(column));
    }

    /** The value in a row that has the table's columns, or some of them. */
    V value(ResultSet row) throws SQLException {
        return reader.read(row);
    }

    @Nullable
    Object[] columns(Object value) {
        @SuppressWarnings("unchecked") // a StateMaps takes no other values
        V typed = (V) value;
        return columns.of(typed);
    }

    private static Blob mapped(ResultSet row) throws SQLException {
        String encoding = row.getString("data_encoding");
        return new Blob(row.getBytes("data"), encoding == null ? "" : encoding);
    }

    private static @Nullable Object[] columns(Blob value) {
        return new @Nullable Object[] {value.data(), value.encoding()};
    }

    private static ChasmNode node(ResultSet row) throws SQLException {
        String encoding = row.getString("metadata_encoding");
        return new ChasmNode(
                new Blob(row.getBytes("metadata"), encoding == null ? "" : encoding), Database.blobOrNull(row, "data"));
    }

    private static @Nullable Object[] columns(ChasmNode node) {
        Blob data = node.data();
        return new @Nullable Object[] {
            node.metadata().data(),
            node.metadata().encoding(),
            data == null ? null : data.data(),
            data == null ? null : data.encoding()
        };
    }

    /** The table. */
    @Override
    public String toString() {
        return table.sqlName();
    }

    /** The value of a path in {@code chasm_node_maps}. Immutable. */
    public record ChasmNode(Blob metadata, @Nullable Blob data) {}
}
