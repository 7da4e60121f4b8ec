// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.PoolConfig.ReuseOrder;
import dev.forebay.engine.Supply;
import dev.forebay.engine.internal.Option;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options of a server in the form the pools use. Immutable. */
public record Settings(
        String host,
        int port,
        String database,
        Sizes sizes,
        Exhaustion exhaustion,
        boolean reservoir,
        Duration connectTimeout,
        Duration queryTimeout,
        Duration acquireTimeout,
        Duration idleTimeout,
        Duration maxLifetime,
        Duration userPoolTimeout,
        String sslMode,
        @Nullable String sslCa,
        @Nullable String sslCert,
        @Nullable String sslKey,
        Probe probe,
        boolean resetOnRelease,
        Duration resetTimeout,
        boolean validateOnAcquire,
        boolean validateOnRelease,
        Duration validationInterval,
        boolean collectStatistics,
        boolean collectQueryStats) {

    /**
     * The settings that can be changed under living connections.
     *
     * @param ready the number a reservoir keeps ready
     * @param cap the most all users of the server have together
     */
    public record Sizes(int min, int max, int overflow, int ready, int warmUp, int cap) {}

    /** The settings of probes; changing them does not touch connections. */
    public record Probe(
            boolean enabled,
            HealthCheck type,
            String query,
            Duration interval,
            Duration timeout,
            @Nullable String user,
            int failures,
            int successes) {}

    /** The work of a probe, each time on a connection of its own. */
    public enum HealthCheck {
        /** Connects and asks whether the server answers. */
        PING,
        /** Connects and runs the health query. */
        QUERY,
        /** Connects, resets the session and runs the health query. */
        FULL_VALIDATE
    }

    static Settings of(ServerDefinition server) throws RegistryException {
        int max = count(server, ServerOption.MAX_CONNECTIONS);
        int min = count(server, ServerOption.MIN_CONNECTIONS);
        if (min > max) {
            throw RegistryException.invalid(
                    List.of("min_connections", "max_connections"),
                    Option.refusal(
                            "min_connections=" + min + ", max_connections=" + max,
                            "so many can never be open",
                            "a min_connections of at most max_connections"));
        }
        int ready = server.option(ServerOption.RESERVOIR_READY).isPresent()
                ? count(server, ServerOption.RESERVOIR_READY)
                : max;
        if (ready > max) {
            throw RegistryException.invalid(
                    List.of("reservoir_ready", "max_connections"),
                    Option.refusal(
                            "reservoir_ready=" + ready + ", max_connections=" + max,
                            "so many can never be ready",
                            "a reservoir_ready of at most max_connections"));
        }
        Exhaustion exhaustion = Exhaustion.valueOf(text(server, ServerOption.EXHAUSTION_POLICY));
        int warmUp = is(server, ServerOption.WARMUP_ON_CREATE)
                ? Math.min(max, count(server, ServerOption.WARMUP_CONNECTIONS))
                : 0;
        Sizes sizes = new Sizes(
                min,
                max,
                exhaustion == Exhaustion.OVERFLOW ? count(server, ServerOption.OVERFLOW_CONNECTIONS) : 0,
                ready,
                warmUp,
                count(server, ServerOption.MAX_SERVER_CONNECTIONS));
        Probe probe = new Probe(
                is(server, ServerOption.ENABLE_HEALTH_CHECK),
                HealthCheck.valueOf(text(server, ServerOption.HEALTH_CHECK_TYPE)),
                text(server, ServerOption.HEALTH_CHECK_QUERY),
                millis(server, ServerOption.HEALTH_CHECK_INTERVAL),
                millis(server, ServerOption.HEALTH_CHECK_TIMEOUT),
                server.option(ServerOption.HEALTH_CHECK_USER).orElse(null),
                count(server, ServerOption.FAILURE_THRESHOLD),
                count(server, ServerOption.RECOVERY_THRESHOLD));
        return new Settings(
                host(server),
                count(server, ServerOption.PORT),
                text(server, ServerOption.DBNAME),
                sizes,
                exhaustion,
                text(server, ServerOption.SUPPLY).equals("RESERVOIR"),
                millis(server, ServerOption.CONNECT_TIMEOUT),
                millis(server, ServerOption.QUERY_TIMEOUT),
                millis(server, ServerOption.ACQUIRE_TIMEOUT),
                millis(server, ServerOption.IDLE_TIMEOUT),
                millis(server, ServerOption.MAX_LIFETIME),
                millis(server, ServerOption.USER_POOL_TIMEOUT),
                sslMode(server),
                server.option(ServerOption.SSL_CA).orElse(null),
                server.option(ServerOption.SSL_CERT).orElse(null),
                server.option(ServerOption.SSL_KEY).orElse(null),
                probe,
                is(server, ServerOption.RESET_ON_RELEASE),
                millis(server, ServerOption.RESET_TIMEOUT),
                is(server, ServerOption.VALIDATE_ON_ACQUIRE),
                is(server, ServerOption.VALIDATE_ON_RELEASE),
                Duration.ofSeconds(number(server, ServerOption.VALIDATION_INTERVAL_SECONDS)),
                is(server, ServerOption.COLLECT_STATISTICS),
                is(server, ServerOption.COLLECT_QUERY_STATS));
    }

    /**
     * Returns a name or an address. It stands in a URL, where anything more would lead to another place than the
     * allowed one, or set options of the driver.
     */
    private static String host(ServerDefinition server) throws RegistryException {
        String host = text(server, ServerOption.HOST);
        if (!host.codePoints().allMatch(c -> Character.isLetterOrDigit(c) || ".-_:".indexOf(c) >= 0)) {
            throw RegistryException.invalid(
                    ServerOption.HOST, "host must be one name or one address, and nothing else");
        }
        return host;
    }

    private static String sslMode(ServerDefinition server) throws RegistryException {
        boolean silent = !server.options().containsKey(ServerOption.SSL_MODE.key());
        return silent && is(server, ServerOption.USE_SSL) ? "require" : text(server, ServerOption.SSL_MODE);
    }

    private static String text(ServerDefinition server, ServerOption option) throws RegistryException {
        return server.option(option)
                .orElseThrow(() ->
                        RegistryException.invalid(option, "server " + server.name() + " needs the option " + option));
    }

    private static long number(ServerDefinition server, ServerOption option) throws RegistryException {
        return Long.parseLong(text(server, option));
    }

    private static int count(ServerDefinition server, ServerOption option) throws RegistryException {
        return Math.toIntExact(number(server, option));
    }

    private static Duration millis(ServerDefinition server, ServerOption option) throws RegistryException {
        return Duration.ofMillis(number(server, option));
    }

    private static boolean is(ServerDefinition server, ServerOption option) throws RegistryException {
        return text(server, option).equals("true");
    }

    /** Returns these settings with all that can be changed under living connections taken from {@code other}. */
    Settings withSizesOf(Settings other) {
        return new Settings(
                host,
                port,
                database,
                other.sizes,
                exhaustion,
                reservoir,
                connectTimeout,
                queryTimeout,
                other.acquireTimeout,
                idleTimeout,
                maxLifetime,
                other.userPoolTimeout,
                sslMode,
                sslCa,
                sslCert,
                sslKey,
                other.probe,
                resetOnRelease,
                resetTimeout,
                validateOnAcquire,
                validateOnRelease,
                validationInterval,
                collectStatistics,
                collectQueryStats);
    }

    /** Whether both name the same host and port. */
    boolean isAtThePlaceOf(Settings other) {
        return host.equals(other.host) && port == other.port;
    }

    /** The supply of a user pool: {@code least}, or a reservoir's level if it may open ahead of demand at all. */
    Supply supply(int least, boolean ahead) {
        return reservoir && ahead
                ? Supply.reservoir(sizes.ready)
                : new Floor(Supply.onDemand(0, sizes.max, exhaustion), Math.min(least, sizes.max));
    }

    /** The number that may exist beside the maximum: overflowing ones, or a reservoir's replacements. */
    int spare() {
        return reservoir ? Math.max(1, sizes.ready / 10) : sizes.overflow;
    }

    PoolConfig poolConfig(int least, boolean ahead) {
        PoolConfig.Builder builder = PoolConfig.builder(supply(least, ahead), sizes.max)
                .spare(spare())
                .openTimeout(connectTimeout)
                .checkTimeout(probe.timeout)
                .keepalive(validationInterval)
                .idle(reservoir ? Duration.ZERO : idleTimeout, sizes.min)
                .exhaustion(exhaustion)
                .reuseOrder(ReuseOrder.NEWEST_FIRST);
        if (!maxLifetime.isZero()) {
            // Drawn around 95 % of it with a width of 10 %, so that none lives longer than that.
            Duration width = maxLifetime.dividedBy(10);
            builder.lifetime(maxLifetime.minus(width.dividedBy(2)), width, Duration.ZERO);
        }
        if (validateOnAcquire) {
            builder.trust(validationInterval.isZero() ? Duration.ofNanos(1) : validationInterval);
        }
        return builder.build();
    }
}
