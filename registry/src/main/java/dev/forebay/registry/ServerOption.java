// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.Exhaustion;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An option of a server: its name, what it may be, and what it is unless it is given. */
@SuppressWarnings("ImmutableEnumChecker") // a list that nobody changes
public enum ServerOption {
    HOST("host", Kind.TEXT, null, "where the server listens; required"),
    PORT("port", Kind.PORT, null, "its port; by type"),
    DBNAME("dbname", Kind.TEXT, null, "the database, for Firebird its path or alias; required"),

    MIN_CONNECTIONS("min_connections", Kind.COUNT, "1", "how many a user pool in use keeps open"),
    MAX_CONNECTIONS("max_connections", Kind.POSITIVE, "10", "the most a user pool has open"),
    MAX_SERVER_CONNECTIONS("max_server_connections", Kind.POSITIVE, "100", "the most all users have open together"),
    EXHAUSTION_POLICY(
            "exhaustion_policy",
            Kind.oneOf(Arrays.stream(Exhaustion.values()).map(Exhaustion::name).toArray(String[]::new)),
            "WAIT",
            "what an acquire does when everything is in use"),
    OVERFLOW_CONNECTIONS(
            "overflow_connections",
            Kind.COUNT,
            "1",
            "how many OVERFLOW may open beside max_connections, within the cap"),
    SUPPLY(
            "supply",
            Kind.oneOf("ON_DEMAND", "RESERVOIR"),
            "ON_DEMAND",
            "RESERVOIR keeps connections ready ahead of demand"),
    RESERVOIR_READY("reservoir_ready", Kind.COUNT, null, "how many a reservoir keeps ready; max_connections"),

    CONNECT_TIMEOUT("connect_timeout", Kind.POSITIVE_MILLIS, "5000", "how long a connect may take"),
    QUERY_TIMEOUT("query_timeout", Kind.MILLIS, "30000", "how long a statement may run; 0 for ever"),
    ACQUIRE_TIMEOUT("acquire_timeout", Kind.MILLIS, "5000", "how long an acquire waits that does not say"),
    IDLE_TIMEOUT(
            "idle_timeout", Kind.MILLIS, "300000", "how long a connection above the minimum may be unused; 0 for ever"),
    MAX_LIFETIME("max_lifetime", Kind.MILLIS, "3600000", "how long a connection lives, less up to a tenth; 0 for ever"),
    USER_POOL_TIMEOUT(
            "user_pool_timeout",
            Kind.MILLIS,
            "600000",
            "how long a user pool may be unused before it disappears; 0 for ever"),

    USE_SSL("use_ssl", Kind.BOOLEAN, "false", "true means ssl_mode require unless that is given"),
    SSL_MODE(
            "ssl_mode",
            Kind.oneOf("disable", "prefer", "require", "verify-ca", "verify-full"),
            "prefer",
            "how much of TLS is demanded"),
    SSL_CA("ssl_ca", Kind.TEXT, null, "a file with the certificates to trust"),
    SSL_CERT("ssl_cert", Kind.TEXT, null, "a file with the client's certificate"),
    SSL_KEY("ssl_key", Kind.TEXT, null, "a file with its key"),

    ENABLE_HEALTH_CHECK("enable_health_check", Kind.BOOLEAN, "true", "whether the server is probed"),
    HEALTH_CHECK_TYPE("health_check_type", Kind.oneOf("PING", "QUERY", "FULL_VALIDATE"), "PING", "what a probe does"),
    HEALTH_CHECK_QUERY("health_check_query", Kind.TEXT, null, "what QUERY and FULL_VALIDATE run; by type"),
    HEALTH_CHECK_INTERVAL(
            "health_check_interval", Kind.POSITIVE_MILLIS, "30000", "from the end of a probe to the next"),
    HEALTH_CHECK_TIMEOUT("health_check_timeout", Kind.POSITIVE_MILLIS, "5000", "how long a probe may take"),
    HEALTH_CHECK_USER(
            "health_check_user", Kind.TEXT, null, "the local user whose mapping probes; PUBLIC, else the first"),
    FAILURE_THRESHOLD("failure_threshold", Kind.POSITIVE, "3", "failures in a row that make a server unhealthy"),
    RECOVERY_THRESHOLD("recovery_threshold", Kind.POSITIVE, "2", "successes in a row that make it healthy again"),

    RESET_ON_RELEASE("reset_on_release", Kind.BOOLEAN, "true", "whether a used connection's session is reset, by type"),
    RESET_TIMEOUT(
            "reset_timeout",
            Kind.POSITIVE_MILLIS,
            "1000",
            "how long a release waits for an answer before the connection is discarded"),
    VALIDATE_ON_ACQUIRE(
            "validate_on_acquire",
            Kind.BOOLEAN,
            "false",
            "whether one that has not been proven lately is checked first"),
    VALIDATE_ON_RELEASE(
            "validate_on_release", Kind.BOOLEAN, "false", "whether a used connection is checked when it comes back"),
    VALIDATION_INTERVAL_SECONDS(
            "validation_interval_seconds",
            Kind.SECONDS,
            "30",
            "how long a connection counts as proven; idle ones are checked that often; 0: never in the background, always on acquire"),

    WARMUP_ON_CREATE("warmup_on_create", Kind.BOOLEAN, "true", "whether a new user pool opens connections ahead"),
    WARMUP_CONNECTIONS("warmup_connections", Kind.COUNT, "1", "how many"),

    COLLECT_STATISTICS(
            "collect_statistics", Kind.BOOLEAN, "true", "whether listeners hear of every acquire and release"),
    COLLECT_QUERY_STATS("collect_query_stats", Kind.BOOLEAN, "true", "whether statements are counted and timed");

    /** Options with this prefix go to the driver as properties, the prefix taken off. */
    public static final String DRIVER_PREFIX = "driver.";

    private static final long MOST_MILLIS = 36_500L * 86_400_000;
    private static final int MOST_CONNECTIONS = 100_000;

    private final String key;
    private final Kind kind;
    private final @Nullable String byDefault;
    private final String meaning;

    ServerOption(String key, Kind kind, @Nullable String byDefault, String meaning) {
        this.key = key;
        this.kind = kind;
        this.byDefault = byDefault;
        this.meaning = meaning;
    }

    /** Its name in SQL and YAML. */
    public String key() {
        return key;
    }

    /** Its default; empty if that depends on the type or on other options, or there is no such value. */
    public Optional<String> byDefault() {
        return Optional.ofNullable(byDefault);
    }

    /** Its purpose, in a few words. */
    public String meaning() {
        return meaning;
    }

    /** The option of that name. */
    public static Optional<ServerOption> of(String key) {
        return Arrays.stream(values()).filter(option -> option.key.equals(key)).findFirst();
    }

    /** {@code value} as it is kept. */
    String checked(String value) throws RegistryException {
        return kind.checked(this, value);
    }

    @Override
    public String toString() {
        return key;
    }

    /** The values that an option takes. */
    private record Kind(long least, long most, List<String> values) {
        static final Kind TEXT = new Kind(0, -1, List.of());
        static final Kind PORT = new Kind(1, 65_535, List.of());
        static final Kind COUNT = new Kind(0, MOST_CONNECTIONS, List.of());
        static final Kind POSITIVE = new Kind(1, MOST_CONNECTIONS, List.of());
        static final Kind MILLIS = new Kind(0, MOST_MILLIS, List.of());
        static final Kind POSITIVE_MILLIS = new Kind(1, MOST_MILLIS, List.of());
        static final Kind SECONDS = new Kind(0, MOST_MILLIS / 1000, List.of());
        static final Kind BOOLEAN = oneOf("true", "false");

        static Kind oneOf(String... values) {
            return new Kind(0, -1, List.of(values));
        }

        String checked(ServerOption option, String value) throws RegistryException {
            if (!values.isEmpty()) {
                return values.stream()
                        .filter(known -> known.equalsIgnoreCase(value.trim()))
                        .findFirst()
                        .orElseThrow(() -> RegistryException.invalid(
                                option, option.key + " must be one of " + values + ": '" + value + "'"));
            }
            if (most < least) {
                if (value.isBlank()) {
                    throw RegistryException.invalid(option, option.key + " must not be empty");
                }
                return value;
            }
            long number;
            try {
                number = Long.parseLong(value.trim());
            } catch (NumberFormatException e) {
                throw RegistryException.invalid(option, option.key + " must be a whole number: '" + value + "'", e);
            }
            if (number < least || number > most) {
                throw RegistryException.invalid(
                        option,
                        String.format(
                                Locale.ROOT, "%s must lie between %d and %d: %d", option.key, least, most, number));
            }
            return Long.toString(number);
        }
    }
}
