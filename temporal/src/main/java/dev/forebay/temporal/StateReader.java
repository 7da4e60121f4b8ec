// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a whole mutable state in one statement: nine tables, each with the execution's key, one below the other in columns that
 * they share. Stateless.
 */
final class StateReader {

    private static final int EXECUTION = 0;
    private static final int FIRST_MAP = 1;
    private static final int BUFFERED_EVENT = FIRST_MAP + MapKind.ALL.size();

    private static final String NO_NUMBER = "CAST(NULL AS BIGINT)";
    private static final String NO_TEXT = "CAST(NULL AS VARCHAR)";
    private static final String NO_BYTES = "CAST(NULL AS BYTEA)";

    /** The statement, ordered by part; maps by their keys, events as they came. */
    private static final String SQL = IntStream.rangeClosed(EXECUTION, BUFFERED_EVENT)
                    .mapToObj(StateReader::part)
                    .collect(Collectors.joining(" UNION ALL "))
            + " ORDER BY part, id, name";

    private StateReader() {}

    static Optional<Workflows.State> read(Connection c, Executions.Key key) throws SQLException {
        Object[] parameters = Database.join(
                Collections.nCopies(BUFFERED_EVENT + 1, Executions.values(key)).toArray(Object[][]::new));
        Parts parts = new Parts(key);
        Database.query(c, SQL, parts::take, parameters);
        return parts.state();
    }

    private static String part(int part) {
        if (part == EXECUTION) {
            return select(
                    part,
                    Table.EXECUTIONS,
                    "db_record_version AS id",
                    NO_TEXT + " AS name",
                    "data",
                    "data_encoding",
                    "state AS metadata",
                    "state_encoding AS metadata_encoding",
                    "next_event_id",
                    "last_write_version");
        }
        if (part == BUFFERED_EVENT) {
            return select(
                    part,
                    Table.BUFFERED_EVENTS,
                    "id",
                    NO_TEXT,
                    "data",
                    "data_encoding",
                    NO_BYTES,
                    NO_TEXT,
                    NO_NUMBER,
                    NO_NUMBER);
        }
        MapKind<?, ?> kind = MapKind.ALL.get(part - FIRST_MAP);
        String key = kind.keyColumn();
        boolean hasData = kind != MapKind.SIGNALS_REQUESTED;
        boolean hasMetadata = kind == MapKind.CHASM_NODES;
        return select(
                part,
                kind.table(),
                kind.hasNumbersAsKeys() ? key : NO_NUMBER,
                kind.hasNumbersAsKeys() ? NO_TEXT : key,
                hasData ? "data" : NO_BYTES,
                hasData ? "data_encoding" : NO_TEXT,
                hasMetadata ? "metadata" : NO_BYTES,
                hasMetadata ? "metadata_encoding" : NO_TEXT,
                NO_NUMBER,
                NO_NUMBER);
    }

    private static String select(int part, Table table, String... columns) {
        return table.select(part + " AS part, " + String.join(", ", columns), 4);
    }

    /** The parts of a state, as they come. */
    private static final class Parts {

        private final Executions.Key key;
        private final StateMaps.Builder maps = StateMaps.builder();
        private final List<Blob> events = new ArrayList<>();
        private Executions.@Nullable Execution execution;

        Parts(Executions.Key key) {
            this.key = key;
        }

        /** Takes a row and returns the number of its part. */
        int take(ResultSet row) throws SQLException {
            int part = row.getInt("part");
            if (part == EXECUTION) {
                execution = new Executions.Execution(
                        key,
                        row.getLong("next_event_id"),
                        row.getLong("last_write_version"),
                        Database.blob(row, "data"),
                        Database.blob(row, "metadata"),
                        row.getLong("id"));
            } else if (part == BUFFERED_EVENT) {
                events.add(Database.blob(row, "data"));
            } else {
                put(MapKind.ALL.get(part - FIRST_MAP), row);
            }
            return part;
        }

        private <K, V> void put(MapKind<K, V> kind, ResultSet row) throws SQLException {
            maps.put(kind, kind.key(row, kind.hasNumbersAsKeys() ? "id" : "name"), kind.value(row));
        }

        /** The state, if its execution is there; without one, the other rows belong to nothing. */
        Optional<Workflows.State> state() {
            return Optional.ofNullable(execution).map(row -> new Workflows.State(row, maps.build(), events));
        }
    }
}
