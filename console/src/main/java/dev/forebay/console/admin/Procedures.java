// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.console.admin.Answer.Column;
import dev.forebay.console.state.Definitions;
import dev.forebay.console.state.KeptServer;
import dev.forebay.engine.internal.NearestName;
import dev.forebay.registry.Registry;
import dev.forebay.registry.UserMapping;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The procedures of {@code CALL}. Thread-safe. */
final class Procedures {

    private static final Column SERVER = new Column("server_name", Answer.Type.TEXT);
    private static final List<Column> CLOSED = List.of(SERVER, new Column("closed_connections", Answer.Type.INT4));

    /** The procedures by name. */
    private static final Map<String, Procedure> ALL = Map.of(
            "warmup_pool",
                    new Procedure(
                            List.of("server", "count"),
                            List.of(SERVER, new Column("open_connections", Answer.Type.INT4))),
            "evict_idle_connections", new Procedure(List.of("server"), CLOSED),
            "close_all_connections", new Procedure(List.of("server"), CLOSED),
            "test_connection",
                    new Procedure(
                            List.of("server"),
                            List.of(
                                    SERVER,
                                    new Column("local_user", Answer.Type.TEXT),
                                    new Column("ok", Answer.Type.BOOL),
                                    new Column("latency_ms", Answer.Type.FLOAT8),
                                    new Column("server_version", Answer.Type.TEXT),
                                    new Column("error", Answer.Type.TEXT))));

    /** A procedure's arguments and result. */
    private record Procedure(List<String> arguments, List<Column> columns) {}

    private final Registry<?> registry;
    private final Definitions definitions;

    Procedures(Registry<?> registry, Definitions definitions) {
        this.registry = registry;
        this.definitions = definitions;
    }

    Answer call(AdminStatement.Call call, String user) throws SQLException {
        String name = plain(call);
        Procedure procedure = ALL.get(name);
        List<String> arguments = call.arguments();
        if (procedure == null) {
            throw new AdminException(
                    SqlStates.NO_SUCH_PROCEDURE,
                    "there is no procedure " + call.procedure() + NearestName.hint(name, ALL.keySet()));
        }
        if (arguments.size() != procedure.arguments.size()) {
            throw new AdminException(
                    SqlStates.NO_SUCH_PROCEDURE,
                    "sys." + name + " takes (" + String.join(", ", procedure.arguments) + "), not " + arguments.size()
                            + " arguments");
        }
        return new Answer(procedure.columns, List.of(row(name, arguments, user)), "CALL");
    }

    /** The columns that {@link #call} gives; none if there is no such procedure. */
    static List<Column> columns(AdminStatement.Call call) {
        Procedure procedure = ALL.get(plain(call));
        return procedure == null ? List.of() : procedure.columns;
    }

    private static String plain(AdminStatement.Call call) {
        return call.procedure().replaceFirst("^sys\\.", "");
    }

    private List<@Nullable Object> row(String name, List<String> arguments, String user) throws SQLException {
        String server = arguments.get(0);
        return switch (name) {
            case "warmup_pool" -> List.of(server, registry.warmUp(server, count(name, arguments.get(1))));
            case "evict_idle_connections" -> List.of(server, registry.evictIdle(server));
            case "close_all_connections" -> {
                int open = registry.serverStats(server).totalConnections();
                registry.closeAll(server);
                yield List.of(server, open);
            }
            case "test_connection" -> test(server, user);
            default -> throw new IllegalStateException("bug: no procedure " + name);
        };
    }

    private static int count(String procedure, String text) throws AdminException {
        try {
            int count = Integer.parseInt(text.strip());
            if (count >= 0) {
                return count;
            }
        } catch (NumberFormatException e) {
            throw notACount(procedure, e);
        }
        throw notACount(procedure, null);
    }

    private static AdminException notACount(String procedure, @Nullable Exception cause) {
        return new AdminException(
                SqlStates.INVALID_VALUE, "sys." + procedure + ": count must be a whole number, 0 or more", 0, cause);
    }

    /** Acquires a connection and has it answer. A failure is a row as well, since the caller asked for it. */
    private List<@Nullable Object> test(String server, String user) throws SQLException {
        String localUser = tester(server, user);
        List<@Nullable Object> row = new ArrayList<>(List.of(server, localUser));
        long began = System.nanoTime();
        try {
            Registry.Tested tested = registry.test(server, localUser);
            row.add(tested.answered());
            row.add(tested.nanos() / 1e6);
            row.add(tested.version());
            row.add(tested.answered() ? null : "the connection does not answer");
        } catch (SQLException e) {
            row.add(false);
            row.add((System.nanoTime() - began) / 1e6);
            row.add(null);
            row.add(e.getSQLState() + ": " + e.getMessage());
        }
        return row;
    }

    /** Returns the user to test as: the caller if it, PUBLIC or no user is mapped, otherwise the first mapped user. */
    private String tester(String server, String user) throws SQLException {
        registry.server(server); // RD030 if there is none
        KeptServer kept = definitions.servers().get(server);
        if (kept == null
                || kept.mappings().isEmpty()
                || kept.mappings().containsKey(user)
                || kept.mappings().containsKey(UserMapping.PUBLIC)) {
            return user;
        }
        return kept.mappings().keySet().iterator().next();
    }
}
