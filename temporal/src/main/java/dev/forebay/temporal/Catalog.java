// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The tables and indexes that the connection's schema has. Immutable once read. */
final class Catalog {

    private static final String COLUMNS = """
            SELECT c.relname, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
            ORDER BY c.relname, a.attnum""";

    /** An index may carry more columns than those it is ordered by, as the primary keys of DSQL do. */
    private static final String INDEXES = """
            SELECT t.relname AS on_table, i.relname, x.indisprimary, x.indisunique, x.indisvalid, x.indnkeyatts,
                x.indkey::text AS numbers
            FROM pg_index x
            JOIN pg_class i ON i.oid = x.indexrelid
            JOIN pg_class t ON t.oid = x.indrelid
            JOIN pg_namespace n ON n.oid = t.relnamespace
            WHERE n.nspname = current_schema()""";

    private final Map<String, Relation> tables = new LinkedHashMap<>();
    private final Map<String, Index> indexes = new LinkedHashMap<>();

    private Catalog() {}

    static Catalog read(Connection c) throws SQLException {
        Catalog catalog = new Catalog();
        Database.query(c, COLUMNS, catalog::addColumn);
        Database.query(c, INDEXES, catalog::addIndex);
        return catalog;
    }

    Optional<Relation> table(String name) {
        return Optional.ofNullable(tables.get(name));
    }

    Optional<Index> index(String name) {
        return Optional.ofNullable(indexes.get(name));
    }

    private String addColumn(ResultSet row) throws SQLException {
        String name = row.getString("attname");
        tables.computeIfAbsent(row.getString("relname"), table -> new Relation())
                .add(row.getInt("attnum"), new Attribute(name, row.getString("type"), !row.getBoolean("attnotnull")));
        return name;
    }

    private String addIndex(ResultSet row) throws SQLException {
        String name = row.getString("relname");
        Relation table = tables.get(row.getString("on_table"));
        if (table == null) {
            return name; // made since the columns were read
        }
        List<String> columns = Arrays.stream(row.getString("numbers").split(" "))
                .limit(row.getInt("indnkeyatts"))
                .map(table::name)
                .toList();
        if (row.getBoolean("indisprimary")) {
            table.key = columns;
        } else {
            indexes.put(
                    name,
                    new Index(
                            row.getString("on_table"),
                            columns,
                            row.getBoolean("indisunique"),
                            row.getBoolean("indisvalid")));
        }
        return name;
    }

    /** A table. */
    static final class Relation {

        private final Map<String, Attribute> columns = new LinkedHashMap<>();
        private final Map<Integer, String> names = new LinkedHashMap<>();
        private List<String> key = List.of();

        private void add(int number, Attribute column) {
            columns.put(column.name(), column);
            names.put(number, column.name());
        }

        /** The column with this number; 0 stands for an expression. */
        private String name(String number) {
            return names.getOrDefault(Integer.valueOf(number), "(expression)");
        }

        @Nullable
        Attribute column(String name) {
            return columns.get(name);
        }

        List<Attribute> columns() {
            return new ArrayList<>(columns.values());
        }

        List<String> key() {
            return key;
        }
    }

    /** A column. */
    record Attribute(String name, String type, boolean isNullable) {}

    /** An index beside the primary key's. */
    record Index(String table, List<String> columns, boolean isUnique, boolean isValid) {}
}
