// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.console.admin.Answer.Column;
import dev.forebay.registry.Registry;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.ServerOption;
import dev.forebay.registry.ServerPoolStats;
import dev.forebay.registry.UserPoolStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The answers to SHOW: PgBouncer's for POOLS, SERVERS and HELP, PostgreSQL's for a setting. */
final class Shows {

    private static final List<Column> POOLS = columns(
            "database text, user text, cl_active int4, cl_waiting int4, sv_active int4, sv_idle int4, sv_login int4,"
                    + " maxwait int8, maxwait_us int8, pool_mode text, remote_user text");
    private static final List<Column> SERVERS = columns(
            "name text, type text, host text, port int4, dbname text, healthy bool, paused bool, user_pools int4,"
                    + " connections int4, active int4, idle int4, login int4, waiting int4, max_connections int4,"
                    + " errors int8, reason text");
    private static final List<Column> HELP = columns("command text, does text");
    private static final List<Column> ALL = columns("name text, setting text, description text");

    private static final Map<String, String> COMMANDS = Map.of(
            "SHOW POOLS", "each user pool, as PgBouncer shows it",
            "SHOW SERVERS", "each server",
            "SHOW HELP", "this",
            "PAUSE | RESUME | RECONNECT [server]", "hold, go on, or replace the connections",
            "CREATE | ALTER | DROP SERVER", "define a server",
            "CREATE | ALTER | DROP USER MAPPING", "say who somebody is on a server",
            "CALL sys.warmup_pool('server', n)", "also evict_idle_connections, close_all_connections, test_connection",
            "SELECT … FROM sys.…",
                    "remote_pool_stats, remote_user_pool_stats, remote_connections, remote_server_status,"
                            + " foreign_servers, user_mappings");

    private final Registry<?> registry;
    private final SessionSettings settings;

    Shows(Registry<?> registry, SessionSettings settings) {
        this.registry = registry;
        this.settings = settings;
    }

    private static List<Column> columns(String text) {
        return Arrays.stream(text.split(", *"))
                .map(column -> column.split(" "))
                .map(words -> new Column(words[0], Answer.Type.valueOf(words[1].toUpperCase(Locale.ROOT))))
                .toList();
    }

    /** The columns of {@link #show}. */
    List<Column> columns(List<String> words) {
        return switch (words.get(0)) {
            case "pools" -> POOLS;
            case "servers" -> SERVERS;
            case "help" -> HELP;
            case "all" -> ALL;
            default -> List.of(new Column(setting(words), Answer.Type.TEXT));
        };
    }

    /** Returns the answer to the words after SHOW. */
    Answer show(List<String> words) throws AdminException {
        List<List<@Nullable Object>> rows = switch (words.get(0)) {
            case "pools" -> pools();
            case "servers" -> servers();
            case "help" ->
                COMMANDS.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(command -> row(command.getKey(), command.getValue()))
                        .toList();
            case "all" ->
                settings.all().entrySet().stream()
                        .map(setting -> row(setting.getKey(), setting.getValue(), ""))
                        .toList();
            default -> List.of(row(settings.get(setting(words))));
        };
        return new Answer(columns(words), rows, "SHOW");
    }

    private static String setting(List<String> words) {
        return switch (String.join(" ", words)) {
            case "transaction isolation level" -> "transaction_isolation";
            case "time zone" -> "TimeZone";
            case "session authorization" -> "session_authorization";
            default -> String.join(".", words);
        };
    }

    private List<List<@Nullable Object>> pools() {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (ServerDefinition server : registry.servers()) {
            try {
                for (UserPoolStats pool : registry.userStats(server.name())) {
                    long micros = pool.longestWaitNanos() / 1000;
                    rows.add(row(
                            pool.serverName(),
                            pool.localUser(),
                            pool.activeConnections(),
                            pool.waitingRequests(),
                            pool.activeConnections(),
                            pool.idleConnections(),
                            pool.openingConnections(),
                            micros / 1_000_000,
                            micros % 1_000_000,
                            "session",
                            pool.remoteUser()));
                }
            } catch (RegistryException e) {
                ifNotGone(e);
            }
        }
        return rows;
    }

    private List<List<@Nullable Object>> servers() {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (ServerDefinition server : registry.servers()) {
            try {
                ServerPoolStats stats = registry.serverStats(server.name());
                rows.add(row(
                        server.name(),
                        server.type().label(),
                        server.option(ServerOption.HOST).orElse(null),
                        server.option(ServerOption.PORT).map(Integer::valueOf).orElse(null),
                        server.option(ServerOption.DBNAME).orElse(null),
                        stats.healthy(),
                        stats.paused(),
                        stats.totalUserPools(),
                        stats.totalConnections(),
                        stats.activeConnections(),
                        stats.idleConnections(),
                        stats.openingConnections(),
                        stats.pendingRequests(),
                        stats.cap(),
                        stats.connectionErrors(),
                        stats.unhealthyReason().orElse(null)));
            } catch (RegistryException e) {
                ifNotGone(e);
            }
        }
        return rows;
    }

    /** Throws, unless the server was dropped meanwhile and is left out. */
    private static void ifNotGone(RegistryException e) {
        if (e.error() != RegistryError.SERVER_NOT_FOUND) {
            throw new IllegalStateException("bug: statistics of a server cannot fail", e);
        }
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }
}
