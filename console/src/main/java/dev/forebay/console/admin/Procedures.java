// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.NearestName;
import dev.forebay.console.admin.Answer.Column;
import dev.forebay.console.state.Definitions;
import dev.forebay.console.state.KeptServer;
import dev.forebay.registry.Registry;
import dev.forebay.registry.RemoteConnection;
import dev.forebay.registry.UserMapping;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@code CALL} does. Thread-safe. */
final class Procedures {

    private static final int ANSWER_SECONDS = 5;

    /** By name, with the arguments they take. */
    private static final Map<String, String> SIGNATURES = Map.of(
            "warmup_pool", "server, count",
            "evict_idle_connections", "server",
            "close_all_connections", "server",
            "test_connection", "server");

    private static final List<Column> TESTED = List.of(
            new Column("server_name", Answer.Type.TEXT),
            new Column("local_user", Answer.Type.TEXT),
            new Column("ok", Answer.Type.BOOL),
            new Column("latency_ms", Answer.Type.FLOAT8),
            new Column("server_version", Answer.Type.TEXT),
            new Column("error", Answer.Type.TEXT));

    private final Registry registry;
    private final Definitions definitions;

    Procedures(Registry registry, Definitions definitions) {
        this.registry = registry;
        this.definitions = definitions;
    }

    Answer call(AdminStatement.Call call, String user) throws SQLException {
        String name = call.procedure().replaceFirst("^sys\\.", "");
        String signature = SIGNATURES.get(name);
        List<String> arguments = call.arguments();
        if (signature == null) {
            throw new StatementException(
                    "there is no procedure " + call.procedure() + NearestName.hint(name, SIGNATURES.keySet()),
                    StatementException.NO_SUCH_PROCEDURE);
        }
        if (arguments.size() != signature.split(",").length) {
            throw new StatementException(
                    "sys." + name + " takes (" + signature + "), not " + arguments.size() + " arguments",
                    StatementException.NO_SUCH_PROCEDURE);
        }
        String server = arguments.get(0);
        return switch (name) {
            case "warmup_pool" ->
                row(server, "open_connections", registry.warmUp(server, count(name, arguments.get(1))));
            case "evict_idle_connections" -> row(server, "closed_connections", registry.evictIdle(server));
            case "close_all_connections" -> {
                int open = registry.serverStats(server).totalConnections();
                registry.closeAll(server);
                yield row(server, "closed_connections", open);
            }
            case "test_connection" -> test(server, user);
            default -> throw new IllegalStateException("bug: no procedure " + name);
        };
    }

    /** The columns of what {@link #call} will answer; none if it will fail. */
    static List<Column> columns(AdminStatement.Call call) {
        return switch (call.procedure().replaceFirst("^sys\\.", "")) {
            case "warmup_pool" -> counted("open_connections");
            case "evict_idle_connections", "close_all_connections" -> counted("closed_connections");
            case "test_connection" -> TESTED;
            default -> List.of();
        };
    }

    private static List<Column> counted(String column) {
        return List.of(new Column("server_name", Answer.Type.TEXT), new Column(column, Answer.Type.INT4));
    }

    private static int count(String procedure, String text) throws StatementException {
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

    private static StatementException notACount(String procedure, @Nullable Exception cause) {
        return new StatementException(
                "sys." + procedure + ": count must be a whole number, 0 or more",
                StatementException.INVALID_VALUE,
                0,
                cause);
    }

    private static Answer row(String server, String column, int count) {
        return new Answer(counted(column), List.of(List.of(server, count)), "CALL");
    }

    /** Acquires a connection and has it answer. What fails is a row as well: it is what was asked for. */
    private Answer test(String server, String user) throws SQLException {
        String localUser = tester(server, user);
        List<@Nullable Object> row = new ArrayList<>(List.of(server, localUser));
        long began = System.nanoTime();
        try (RemoteConnection remote = registry.acquire(server, localUser)) {
            boolean valid = remote.connection().isValid(ANSWER_SECONDS);
            double millis = (System.nanoTime() - began) / 1e6;
            row.add(valid);
            row.add(millis);
            row.add(remote.connection().getMetaData().getDatabaseProductVersion());
            row.add(valid ? null : "the connection does not answer");
        } catch (SQLException e) {
            row = new ArrayList<>(List.of(server, localUser));
            row.add(false);
            row.add((System.nanoTime() - began) / 1e6);
            row.add(null);
            row.add(e.getSQLState() + ": " + e.getMessage());
        }
        return new Answer(TESTED, List.of(row), "CALL");
    }

    /** For whom: the one who asks if he, or everyone, is mapped, else the first who is. */
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
