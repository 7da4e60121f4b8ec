// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import dev.forebay.engine.DiscardReason;
import dev.forebay.registry.ConnectionInfo;
import dev.forebay.registry.HealthStatus;
import dev.forebay.registry.Registry;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.RegistryListener;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.ServerOption;
import dev.forebay.registry.ServerPoolStats;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a registry, each with its pools; an action on one is a statement of the administrator's.
 * Thread-safe.
 */
public final class RegistrySource implements Source {

    private static final String GROUP = "All servers";
    private static final String HEALTHY = "healthy";
    private static final String UNKNOWN = "unknown";
    private static final int MOST_WARM = 1_000;
    private static final int MOST_SIZE = 10_000;

    private final Registry<?> registry;
    private final Hearing hearing;
    private final Statements statements;

    /** Shows {@code registry}, which {@code hearing} listens to. */
    public RegistrySource(Registry<?> registry, Hearing hearing, Statements statements) {
        this.registry = registry;
        this.hearing = hearing;
        this.statements = statements;
    }

    /** Performs a statement of the administrator's. */
    public interface Statements {
        void perform(String sql) throws SQLException;
    }

    /** A listener for the numbers that the registry's own lack. Thread-safe. */
    public static final class Hearing implements RegistryListener {
        private final Happenings happenings;
        private final Map<String, Heard> servers = new ConcurrentHashMap<>();

        public Hearing(Happenings happenings) {
            this.happenings = happenings;
        }

        private static final class Heard {
            final CheckoutTimes times = new CheckoutTimes();
            final Map<String, LongAdder> discards = new ConcurrentHashMap<>();
            final Map<String, LongAdder> failures = new ConcurrentHashMap<>();

            static Map<String, Long> sums(Map<String, LongAdder> counts) {
                Map<String, Long> sums = new TreeMap<>();
                counts.forEach((label, count) -> sums.put(label, count.sum()));
                return sums;
            }
        }

        private Heard of(String server) {
            return servers.computeIfAbsent(server, name -> new Heard());
        }

        /** Forgets the servers that are gone. */
        private void keep(List<String> known) {
            servers.keySet().retainAll(known);
        }

        @Override
        public void acquired(String server, String localUser, long waitedNanos) {
            of(server).times.add(waitedNanos);
        }

        @Override
        public void refused(String server, String localUser, RegistryError error) {
            happenings.add(server, refusal(error), words(error, localUser));
        }

        private static Event refusal(RegistryError error) {
            return switch (error) {
                case TIMEOUT -> Event.TIMED_OUT;
                case USER_MAPPING_MISSING -> Event.NOT_MAPPED;
                case SERVER_UNAVAILABLE -> Event.REFUSED_UNHEALTHY;
                default -> Event.REFUSED;
            };
        }

        @Override
        public void openFailed(String server, String localUser, RegistryError error, String reason) {
            of(server)
                    .failures
                    .computeIfAbsent(label(error), name -> new LongAdder())
                    .increment();
            happenings.add(
                    server,
                    error.isRecoverable() ? Event.OPEN_FAILED : Event.OPEN_DENIED,
                    words(error, localUser) + ": " + reason.lines().findFirst().orElse(""));
        }

        @Override
        public void discarded(String server, String localUser, DiscardReason reason) {
            of(server)
                    .discards
                    .computeIfAbsent(reason.label(), name -> new LongAdder())
                    .increment();
            Event event = PoolEvents.eventOf(reason);
            if (event != null) {
                happenings.add(server, event, "");
            }
        }

        @Override
        public void healthChanged(String server, boolean healthy, String reason) {
            happenings.add(server, healthy ? Event.HEALTHY : Event.UNHEALTHY, reason);
        }

        private static String label(RegistryError error) {
            return error.name().toLowerCase(Locale.ROOT);
        }

        private static String words(RegistryError error, String localUser) {
            return RegistrySource.words(error.name()) + " (" + error.sqlState() + "), for " + localUser;
        }
    }

    private static String words(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    @Override
    public String title() {
        return "Forebay console";
    }

    @Override
    public List<PoolNow> pools() {
        List<ServerPoolStats> servers = registry.serverStats();
        hearing.keep(servers.stream().map(ServerPoolStats::serverName).toList());
        return servers.stream().map(this::now).toList();
    }

    private PoolNow now(ServerPoolStats stats) {
        Hearing.Heard heard = hearing.of(stats.serverName());
        String state = stats.paused() ? "paused" : stats.healthy() ? PoolNow.SERVING : "unhealthy";
        return new PoolNow(
                stats.serverName(),
                GROUP,
                state,
                stats.idleConnections(),
                stats.activeConnections(),
                stats.openingConnections(),
                stats.pendingRequests(),
                0,
                most(stats),
                stats.totalAcquires(),
                0,
                stats.acquireTimeouts(),
                stats.connectionsCreated(),
                heard.times.takeP99Millis(),
                Hearing.Heard.sums(heard.discards),
                Hearing.Heard.sums(heard.failures));
    }

    /** Returns the most that its users may have open now: the cap, or less where their own maximums add up to less. */
    private int most(ServerPoolStats stats) {
        ServerDefinition server = definition(stats.serverName());
        if (server == null) {
            return stats.cap();
        }
        long each = number(server, ServerOption.MAX_CONNECTIONS);
        long users = Math.max(1, parts(stats.serverName()).size());
        return (int) Math.min(stats.cap(), users * each);
    }

    @Override
    public List<Holder> holders(int most) {
        return registry.servers().stream()
                .flatMap(server -> connections(server.name()).stream())
                .filter(one -> one.state() != ConnectionInfo.State.CONNECTED)
                .map(one -> new Holder(
                        one.serverName(),
                        one.localUser(),
                        "#" + one.connectionId() + ", " + words(one.state().name()),
                        one.held()))
                .sorted(Comparator.comparing(Holder::held).reversed())
                .limit(most)
                .toList();
    }

    private List<ConnectionInfo> connections(String server) {
        try {
            return registry.connections(server);
        } catch (RegistryException e) {
            return List.of(); // it has gone meanwhile
        }
    }

    @Override
    public List<Server> servers() {
        return registry.servers().stream()
                .flatMap(server -> health(server.name()).map(health -> server(server, health)).stream())
                .toList();
    }

    private Optional<HealthStatus> health(String server) {
        try {
            return Optional.of(registry.health(server));
        } catch (RegistryException e) {
            return Optional.empty(); // it has gone meanwhile
        }
    }

    @Override
    public List<String> troubles() {
        return servers().stream()
                .filter(server -> !server.health().equals(HEALTHY))
                .sorted(Comparator.comparing((Server server) -> server.health().equals(UNKNOWN)))
                .map(server -> server.name() + " is " + server.health()
                        + (server.trouble().isEmpty() ? "" : ": " + server.trouble()))
                .toList();
    }

    /** Returns the health; a server without a report is not called healthy. */
    private static String health(HealthStatus health) {
        return !health.healthy() ? "unhealthy" : health.known() ? HEALTHY : UNKNOWN;
    }

    private static Server server(ServerDefinition server, HealthStatus health) {
        Instant now = InstantSource.system().instant();
        return new Server(
                server.name(),
                server.type().label(),
                health(health),
                health.errorMessage().orElse(""),
                health.checks(),
                health.failures(),
                health.lastCheck().map(last -> Duration.between(last, now)).orElse(null));
    }

    @Override
    public List<Part> parts(String pool) {
        try {
            return registry.userStats(pool).stream()
                    .map(user -> new Part(
                            user.localUser(),
                            user.totalConnections(),
                            user.activeConnections(),
                            user.waitingRequests(),
                            user.totalAcquires(),
                            user.acquireTimeouts(),
                            user.avgAcquireWaitMs()))
                    .toList();
        } catch (RegistryException e) {
            return List.of(); // it has gone meanwhile
        }
    }

    /** Returns the settings without the driver's, which may be secret. */
    @Override
    public List<Setting> settings(String pool) {
        List<Setting> settings = new ArrayList<>();
        ServerDefinition server = definition(pool);
        if (server != null) {
            for (ServerOption option : ServerOption.values()) {
                boolean given = server.options().containsKey(option.key());
                server.option(option)
                        .ifPresent(value ->
                                settings.add(new Setting(option.key(), value, given ? "definition" : "default")));
            }
        }
        return settings;
    }

    private @Nullable ServerDefinition definition(String server) {
        try {
            return registry.server(server);
        } catch (RegistryException e) {
            return null;
        }
    }

    // ---- by hand

    @Override
    public List<Action> actions(String pool) {
        ServerDefinition server = definition(pool);
        if (server == null) {
            return List.of();
        }
        int least = number(server, ServerOption.MIN_CONNECTIONS);
        int most = number(server, ServerOption.MAX_CONNECTIONS);
        return List.of(
                new Action(
                        "warm-up",
                        "Warm up",
                        "Opens connections for each user who has a pool, until so many are open.",
                        "CALL sys.warmup_pool(" + text(pool) + ", :count)",
                        List.of(new Argument("count", "Connections", 0, MOST_WARM, Math.max(1, least)))),
                new Action(
                        "evict",
                        "Evict idle",
                        "Closes the connections that nobody uses. Whoever comes next waits for a new one.",
                        "CALL sys.evict_idle_connections(" + text(pool) + ")",
                        List.of()),
                new Action(
                        "pause",
                        "Pause",
                        "Hands out nothing until it is resumed; what is in use stays in use.",
                        "PAUSE " + name(pool),
                        List.of()),
                new Action("resume", "Resume", "Hands out connections again.", "RESUME " + name(pool), List.of()),
                new Action(
                        "resize",
                        "Resize",
                        "Changes how many connections each user's pool keeps and may have. It is kept in the definition.",
                        "ALTER SERVER " + name(pool) + " OPTIONS ("
                                + change(server, ServerOption.MIN_CONNECTIONS) + " ':min', "
                                + change(server, ServerOption.MAX_CONNECTIONS) + " ':max')",
                        List.of(
                                new Argument("min", "Least", 0, MOST_SIZE, least),
                                new Argument("max", "Most", 1, MOST_SIZE, most))));
    }

    private static int number(ServerDefinition server, ServerOption option) {
        return server.option(option).map(Integer::parseInt).orElse(0);
    }

    private static String change(ServerDefinition server, ServerOption option) {
        return (server.options().containsKey(option.key()) ? "SET " : "ADD ") + option.key();
    }

    private static String name(String server) {
        return '"' + server.replace("\"", "\"\"") + '"';
    }

    private static String text(String server) {
        return '\'' + server.replace("'", "''") + '\'';
    }

    @Override
    public String act(String pool, String action, Map<String, Integer> values) throws SQLException {
        Action wanted = actions(pool).stream()
                .filter(one -> one.name().equals(action))
                .findFirst()
                .orElseThrow(() -> new SQLException("there is no such action"));
        String sql = wanted.statement();
        for (Argument argument : wanted.arguments()) {
            // The name of the server stands before the arguments, and may look like one.
            int place = sql.lastIndexOf(":" + argument.name());
            sql = sql.substring(0, place)
                    + values.get(argument.name())
                    + sql.substring(place + 1 + argument.name().length());
        }
        statements.perform(sql);
        return sql;
    }
}
