// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.internal.Option;
import dev.forebay.engine.internal.OptionKind;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An option of a server: its name, its valid values, and its default. */
@SuppressWarnings("ImmutableEnumChecker") // an option is immutable, as far as its functions are
public enum ServerOption {
    HOST("host", Takes.TEXT, null, "where the server listens; required"),
    PORT("port", Takes.PORT, null, "its port; by type"),
    DBNAME("dbname", Takes.TEXT, null, "the database, for Firebird its path or alias; required"),

    MIN_CONNECTIONS("min_connections", Takes.COUNT, "1", "how many a user pool in use keeps open"),
    MAX_CONNECTIONS("max_connections", Takes.POSITIVE, "10", "the most a user pool has open"),
    MAX_SERVER_CONNECTIONS("max_server_connections", Takes.POSITIVE, "100", "the most all users have open together"),
    EXHAUSTION_POLICY(
            "exhaustion_policy",
            Takes.oneOf(Arrays.stream(Exhaustion.values()).map(Exhaustion::name).toArray(String[]::new)),
            "WAIT",
            "what an acquire does when everything is in use"),
    OVERFLOW_CONNECTIONS(
            "overflow_connections",
            Takes.COUNT,
            "1",
            "how many OVERFLOW may open beside max_connections, within the cap"),
    SUPPLY(
            "supply",
            Takes.oneOf("ON_DEMAND", "RESERVOIR"),
            "ON_DEMAND",
            "RESERVOIR keeps connections ready ahead of demand"),
    RESERVOIR_READY("reservoir_ready", Takes.COUNT, null, "how many a reservoir keeps ready; max_connections"),

    CONNECT_TIMEOUT("connect_timeout", Takes.POSITIVE_MILLIS, "5000", "how long a connect may take"),
    QUERY_TIMEOUT("query_timeout", Takes.MILLIS, "30000", "how long a statement may run; 0 for ever"),
    ACQUIRE_TIMEOUT("acquire_timeout", Takes.MILLIS, "5000", "how long an acquire waits that does not say"),
    IDLE_TIMEOUT(
            "idle_timeout",
            Takes.MILLIS,
            "300000",
            "how long a connection above the minimum may be unused; 0 for ever"),
    MAX_LIFETIME(
            "max_lifetime", Takes.MILLIS, "3600000", "how long a connection lives, less up to a tenth; 0 for ever"),
    USER_POOL_TIMEOUT(
            "user_pool_timeout",
            Takes.MILLIS,
            "600000",
            "how long a user pool may be unused before it disappears; 0 for ever"),

    USE_SSL("use_ssl", Takes.BOOLEAN, "false", "true means ssl_mode require unless that is given"),
    SSL_MODE(
            "ssl_mode",
            Takes.oneOf("disable", "prefer", "require", "verify-ca", "verify-full"),
            "prefer",
            "how much of TLS is demanded"),
    SSL_CA("ssl_ca", Takes.TEXT, null, "a file with the certificates to trust"),
    SSL_CERT("ssl_cert", Takes.TEXT, null, "a file with the client's certificate"),
    SSL_KEY("ssl_key", Takes.TEXT, null, "a file with its key"),

    ENABLE_HEALTH_CHECK("enable_health_check", Takes.BOOLEAN, "true", "whether the server is probed"),
    HEALTH_CHECK_TYPE("health_check_type", Takes.oneOf("PING", "QUERY", "FULL_VALIDATE"), "PING", "what a probe does"),
    HEALTH_CHECK_QUERY("health_check_query", Takes.TEXT, null, "what QUERY and FULL_VALIDATE run; by type"),
    HEALTH_CHECK_INTERVAL(
            "health_check_interval", Takes.POSITIVE_MILLIS, "30000", "from the end of a probe to the next"),
    HEALTH_CHECK_TIMEOUT("health_check_timeout", Takes.POSITIVE_MILLIS, "5000", "how long a probe may take"),
    HEALTH_CHECK_USER(
            "health_check_user", Takes.TEXT, null, "the local user whose mapping probes; PUBLIC, else the first"),
    FAILURE_THRESHOLD("failure_threshold", Takes.POSITIVE, "3", "failures in a row that make a server unhealthy"),
    RECOVERY_THRESHOLD("recovery_threshold", Takes.POSITIVE, "2", "successes in a row that make it healthy again"),

    RESET_ON_RELEASE(
            "reset_on_release", Takes.BOOLEAN, "true", "whether a used connection's session is reset, by type"),
    RESET_TIMEOUT(
            "reset_timeout",
            Takes.POSITIVE_MILLIS,
            "1000",
            "how long a release waits for an answer before the connection is discarded"),
    VALIDATE_ON_ACQUIRE(
            "validate_on_acquire",
            Takes.BOOLEAN,
            "false",
            "whether one that has not been proven lately is checked first"),
    VALIDATE_ON_RELEASE(
            "validate_on_release", Takes.BOOLEAN, "false", "whether a used connection is checked when it comes back"),
    VALIDATION_INTERVAL_SECONDS(
            "validation_interval_seconds",
            Takes.SECONDS,
            "30",
            "how long a connection counts as proven; idle ones are checked that often; 0: never in the background, always on acquire"),

    WARMUP_ON_CREATE("warmup_on_create", Takes.BOOLEAN, "true", "whether a new user pool opens connections ahead"),
    WARMUP_CONNECTIONS("warmup_connections", Takes.COUNT, "1", "how many"),

    COLLECT_STATISTICS(
            "collect_statistics", Takes.BOOLEAN, "true", "whether listeners hear of every acquire and release"),
    COLLECT_QUERY_STATS("collect_query_stats", Takes.BOOLEAN, "true", "whether statements are counted and timed");

    /** Options with this prefix go to the driver as properties, the prefix taken off. */
    public static final String DRIVER_PREFIX = "driver.";

    private final Option<?> option;
    private final @Nullable String byDefault;

    <T> ServerOption(String key, OptionKind<T> kind, @Nullable String byDefault, String meaning) {
        this.option = Option.open("", key, "", kind, "", meaning);
        this.byDefault = byDefault;
    }

    /** Its name in SQL and YAML. */
    public String key() {
        return option.name();
    }

    /** Its default; empty if that depends on the type or on other options, or there is no such value. */
    public Optional<String> byDefault() {
        return Optional.ofNullable(byDefault);
    }

    /** Its purpose, in a few words. */
    public String meaning() {
        return option.purpose();
    }

    /** The option of that name. */
    public static Optional<ServerOption> of(String key) {
        return Arrays.stream(values())
                .filter(option -> option.key().equals(key))
                .findFirst();
    }

    /** Returns {@code value} as it is kept. */
    String checked(String value) throws RegistryException {
        try {
            return normal(option, value);
        } catch (IllegalArgumentException e) {
            throw RegistryException.invalid(this, String.valueOf(e.getMessage()), e);
        }
    }

    private static <T> String normal(Option<T> option, String text) {
        return option.kind().format().apply(option.read(text));
    }

    @Override
    public String toString() {
        return key();
    }

    /** The kinds of values that options take. */
    private static final class Takes {
        private static final long MOST_MILLIS = 36_500L * 86_400_000;
        private static final int MOST_CONNECTIONS = 100_000;

        static final OptionKind<String> TEXT =
                OptionKind.text("text", "a text that is not empty", text -> !text.isBlank());
        static final OptionKind<Integer> PORT = OptionKind.count(1, 65_535);
        static final OptionKind<Integer> COUNT = OptionKind.count(0, MOST_CONNECTIONS);
        static final OptionKind<Integer> POSITIVE = OptionKind.count(1, MOST_CONNECTIONS);
        static final OptionKind<Long> MILLIS = OptionKind.whole(0, MOST_MILLIS);
        static final OptionKind<Long> POSITIVE_MILLIS = OptionKind.whole(1, MOST_MILLIS);
        static final OptionKind<Long> SECONDS = OptionKind.whole(0, MOST_MILLIS / 1000);
        static final OptionKind<String> BOOLEAN = oneOf("true", "false");

        static OptionKind<String> oneOf(String... words) {
            return OptionKind.choice(List.of(words), word -> word);
        }
    }
}
