// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.console.admin.Answer.Column;
import dev.forebay.registry.ConnectionInfo;
import dev.forebay.registry.HealthStatus;
import dev.forebay.registry.Registry;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.ServerOption;
import dev.forebay.registry.ServerPoolStats;
import dev.forebay.registry.UserMapping;
import dev.forebay.registry.UserPoolStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The views that are read live from a registry. */
enum View {
    REMOTE_POOL_STATS(
            "server_name text, db_type text, healthy bool, total_conns int4, active int4, idle int4, waiting int4,"
                    + " acquires int8, timeouts int8, avg_acquire_time_ms float8",
            registry -> registry.serverStats().stream().map(View::poolStats).toList()),

    REMOTE_USER_POOL_STATS(
            "server_name text, local_user text, total_connections int4, active_connections int4, idle_connections int4,"
                    + " waiting_requests int4, total_acquires int8, total_releases int8, connections_created int8,"
                    + " connections_destroyed int8, acquire_timeouts int8, validation_failures int8,"
                    + " avg_connection_lifetime_sec float8, avg_acquire_wait_ms float8",
            registry -> ofEach(
                    registry,
                    server -> registry.userStats(server).stream()
                            .map(View::userStats)
                            .toList())),

    REMOTE_CONNECTIONS(
            "server_name text, local_user text, connection_id int8, state text, created_at timestamptz,"
                    + " last_used timestamptz, last_validated timestamptz, use_count int8, query_count int8,"
                    + " held_ms float8",
            registry -> ofEach(
                    registry,
                    server -> registry.connections(server).stream()
                            .map(View::connection)
                            .toList())),

    REMOTE_SERVER_STATUS(
            "server_name text, is_healthy bool, last_check timestamptz, consecutive_failures int4, error_message text",
            registry -> ofEach(registry, server -> List.of(status(registry.health(server))))),

    FOREIGN_SERVERS(
            "server_name text, db_type text, server_version text, owner text, host text, port int4, dbname text,"
                    + " options text",
            registry -> registry.servers().stream().map(View::server).toList()),

    USER_MAPPINGS(
            "server_name text, local_user text, remote_user text, auth_type text, has_secret bool, options text",
            registry -> ofEach(
                    registry,
                    server -> registry.mappings(server).stream()
                            .map(mapping -> mapping(server, mapping))
                            .toList()));

    private static final String HIDDEN = "****";
    private static final Pattern SECRET =
            Pattern.compile("pass|secret|token|key|credential|auth|private|cert", Pattern.CASE_INSENSITIVE);

    @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable list of records
    private final List<Column> columns;

    @SuppressWarnings("ImmutableEnumChecker") // without state
    private final Function<Registry<?>, List<List<@Nullable Object>>> rows;

    View(String columns, Function<Registry<?>, List<List<@Nullable Object>>> rows) {
        this.columns = Arrays.stream(columns.split(", *"))
                .map(column -> column.split(" "))
                .map(words -> new Column(words[0], Answer.Type.valueOf(words[1].toUpperCase(Locale.ROOT))))
                .toList();
        this.rows = rows;
    }

    /** Its name in the schema sys. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    List<Column> columns() {
        return columns;
    }

    /** Returns the current rows. */
    List<List<@Nullable Object>> rows(Registry<?> registry) {
        return rows.apply(registry);
    }

    private static List<@Nullable Object> poolStats(ServerPoolStats stats) {
        return row(
                stats.serverName(),
                stats.type().label(),
                stats.healthy(),
                stats.totalConnections(),
                stats.activeConnections(),
                stats.idleConnections(),
                stats.pendingRequests(),
                stats.totalAcquires(),
                stats.acquireTimeouts(),
                stats.avgAcquireTimeMs());
    }

    private static List<@Nullable Object> userStats(UserPoolStats stats) {
        return row(
                stats.serverName(),
                stats.localUser(),
                stats.totalConnections(),
                stats.activeConnections(),
                stats.idleConnections(),
                stats.waitingRequests(),
                stats.totalAcquires(),
                stats.totalReleases(),
                stats.connectionsCreated(),
                stats.connectionsDestroyed(),
                stats.acquireTimeouts(),
                stats.validationFailures(),
                stats.avgConnectionLifetimeSec(),
                stats.avgAcquireWaitMs());
    }

    private static List<@Nullable Object> connection(ConnectionInfo info) {
        return row(
                info.serverName(),
                info.localUser(),
                info.connectionId(),
                info.state().name(),
                info.createdAt(),
                info.lastUsed(),
                info.lastValidated(),
                info.useCount(),
                info.queryCount(),
                info.state() == ConnectionInfo.State.CONNECTED
                        ? null
                        : info.held().toNanos() / 1e6);
    }

    private static List<@Nullable Object> status(HealthStatus status) {
        return row(
                status.serverName(),
                status.healthy(),
                status.lastCheck().orElse(null),
                status.consecutiveFailures(),
                status.errorMessage().orElse(null));
    }

    private static List<@Nullable Object> server(ServerDefinition server) {
        return row(
                server.name(),
                server.type().label(),
                server.version().orElse(null),
                server.owner().orElse(null),
                server.option(ServerOption.HOST).orElse(null),
                server.option(ServerOption.PORT).map(Integer::valueOf).orElse(null),
                server.option(ServerOption.DBNAME).orElse(null),
                options(server.options()));
    }

    private static List<@Nullable Object> mapping(String server, UserMapping mapping) {
        return row(
                server,
                mapping.localUser(),
                mapping.remoteUser(),
                mapping.auth().name().toLowerCase(Locale.ROOT),
                mapping.secret() != null,
                new TreeMap<>(mapping.options())
                        .keySet().stream().map(key -> key + "=" + HIDDEN).collect(Collectors.joining(", ")));
    }

    /** Returns them as {@code key=value}, without the value if it goes to a driver or the key sounds secret. */
    static String options(Map<String, String> options) {
        return options.entrySet().stream()
                .map(option -> option.getKey() + "=" + (hides(option.getKey()) ? HIDDEN : option.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static boolean hides(String key) {
        return key.startsWith(ServerOption.DRIVER_PREFIX) || SECRET.matcher(key).find();
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }

    /** Returns the rows of each server; none of one that is dropped meanwhile. */
    private static List<List<@Nullable Object>> ofEach(Registry<?> registry, OfServer of) {
        List<List<@Nullable Object>> all = new ArrayList<>();
        for (ServerDefinition server : registry.servers()) {
            try {
                all.addAll(of.rows(server.name()));
            } catch (RegistryException e) {
                if (e.error() != RegistryError.SERVER_NOT_FOUND) {
                    throw new IllegalStateException("bug: statistics of a server cannot fail", e);
                }
            }
        }
        return all;
    }

    private interface OfServer {
        List<List<@Nullable Object>> rows(String server) throws RegistryException;
    }
}
