// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.internal.Option;
import dev.forebay.engine.internal.OptionKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Every knob, declared once: the builder, the two sources and the reference page are checked against this list. */
final class Knobs {

    private static final List<Option<?>> DECLARED = new ArrayList<>();

    private static final String GENERAL_GROUP = "General";
    private static final String CONNECTION_RATE_GROUP = "Connection rate";
    private static final String STANDARD_MODE_GROUP = "Standard mode";
    private static final String RESERVOIR_MODE_GROUP = "Reservoir mode";
    private static final String ON_DEMAND_MODE_GROUP = "On-demand mode";
    private static final String JDBC_GROUP = "JDBC";
    private static final String TRANSACTIONS_GROUP = "Transactions";
    private static final String AURORA_DSQL_GROUP = "Aurora DSQL";
    private static final String OBSERVABILITY_GROUP = "Observability";

    static final Option<ForebayConfig.Mode> MODE = of(
            GENERAL_GROUP,
            "forebay.mode",
            "DSQL_POOL_MODE",
            OptionKind.choice(ForebayConfig.Mode.class),
            "standard",
            "How connections are supplied: all at start and kept, from a reservoir, or when someone waits.");
    static final Option<String> SERVICE_NAME = of(
            GENERAL_GROUP,
            "forebay.service-name",
            "DSQL_SERVICE_NAME",
            OptionKind.label(),
            "default",
            "Names the service in metric labels, JMX and leases.");
    static final Option<Integer> MAX_OPEN = of(
            GENERAL_GROUP,
            "forebay.max-open",
            "DSQL_MAX_CONNS",
            OptionKind.count(1),
            "100",
            "The most connections that may be open; a reservoir with a target takes that instead, unless this is set.");
    static final Option<Duration> CONNECTION_TIMEOUT = of(
            GENERAL_GROUP,
            "forebay.connection-timeout",
            "DSQL_CONNECTION_TIMEOUT",
            OptionKind.duration(),
            "30s",
            "How long getting a connection may wait before it fails; 0 does not wait.");
    static final Option<Integer> MAX_WAITING = of(
            GENERAL_GROUP,
            "forebay.max-waiting",
            "DSQL_MAX_WAITING",
            OptionKind.count(0),
            "65536",
            "How many callers may wait at once; one more fails at once, so that a stall cannot use up memory.");
    static final Option<Duration> OPEN_TIMEOUT = of(
            GENERAL_GROUP,
            "forebay.open-timeout",
            "DSQL_OPEN_TIMEOUT",
            OptionKind.positiveDuration(),
            "10s",
            "How long opening one connection may take before it counts as failed.");
    static final Option<Duration> VALIDATION_TIMEOUT = of(
            GENERAL_GROUP,
            "forebay.validation-timeout",
            "DSQL_VALIDATION_TIMEOUT",
            OptionKind.positiveDuration(),
            "5s",
            "How long checking one connection may take before it counts as dead.");
    static final Option<Duration> RESET_TIMEOUT = of(
            GENERAL_GROUP,
            "forebay.reset-timeout",
            "DSQL_RESET_TIMEOUT",
            OptionKind.positiveDuration(),
            "1s",
            "How long a return may wait for the answer to a rollback before the connection is discarded instead.");
    static final Option<Duration> KEEPALIVE = of(
            GENERAL_GROUP,
            "forebay.keepalive",
            "DSQL_KEEPALIVE",
            OptionKind.duration(),
            "30s",
            "How long a connection may be idle before it is checked in the background; 0 never checks.");
    static final Option<Duration> TRUST = of(
            GENERAL_GROUP,
            "forebay.trust",
            "DSQL_TRUST",
            OptionKind.duration(),
            "60s",
            "How long a connection counts as alive without a check, after which it is validated before it is handed out; 0 always trusts.");
    static final Option<Duration> BACKOFF = of(
            GENERAL_GROUP,
            "forebay.backoff",
            "DSQL_BACKOFF",
            OptionKind.positiveDuration(),
            "250ms",
            "The wait after the first failed open, doubled with each further one; standard mode has its own.");
    static final Option<Duration> MAX_BACKOFF = of(
            GENERAL_GROUP,
            "forebay.max-backoff",
            "DSQL_MAX_BACKOFF",
            OptionKind.positiveDuration(),
            "5s",
            "The longest wait after failed opens.");
    static final Option<Duration> MAX_LIFETIME = of(
            GENERAL_GROUP,
            "forebay.max-lifetime",
            "DSQL_MAX_CONN_LIFETIME",
            OptionKind.duration(),
            "55m",
            "The longest a connection lives in standard and on-demand mode, safely under the 60 minutes of Aurora DSQL; 0 for ever.");
    static final Option<Duration> MAX_LIFETIME_JITTER = open(
            GENERAL_GROUP,
            "forebay.max-lifetime-jitter",
            "DSQL_MAX_CONN_LIFETIME_JITTER",
            OptionKind.duration(),
            "a tenth of max-lifetime",
            "By how much less than max-lifetime a connection may live, drawn for each, so that they do not expire together.");
    static final Option<Duration> LEAK_DETECTION_THRESHOLD = of(
            GENERAL_GROUP,
            "forebay.leak-detection-threshold",
            "DSQL_LEAK_DETECTION_THRESHOLD",
            OptionKind.duration(),
            "0s",
            "After how long a borrower is reported as a possible leak; 0 never reports.");
    static final Option<Boolean> STAGGERED_STARTUP = of(
            GENERAL_GROUP,
            "forebay.staggered-startup",
            "DSQL_STAGGERED_STARTUP",
            OptionKind.bool(),
            "true",
            "Whether to wait a random time before the first connections are opened, so that services started together do not connect together.");
    static final Option<Duration> STAGGERED_STARTUP_MAX_DELAY = of(
            GENERAL_GROUP,
            "forebay.staggered-startup-max-delay",
            "DSQL_STAGGERED_STARTUP_MAX_DELAY",
            OptionKind.duration(),
            "5s",
            "The longest such wait.");
    static final Option<Boolean> FAIL_FAST = of(
            GENERAL_GROUP,
            "forebay.fail-fast",
            "DSQL_FAIL_FAST",
            OptionKind.bool(),
            "false",
            "Whether starting fails when no connection can be opened, rather than going on and trying again.");
    static final Option<Boolean> SHUTDOWN_HOOK = of(
            GENERAL_GROUP,
            "forebay.shutdown-hook",
            "DSQL_SHUTDOWN_HOOK",
            OptionKind.bool(),
            "false",
            "Whether the pool closes itself when the process is told to end, for programs in which nothing else does.");
    static final Option<Integer> CONNECTION_RATE_LIMIT = of(
            CONNECTION_RATE_GROUP,
            "forebay.connection-rate-limit",
            "DSQL_CONNECTION_RATE_LIMIT",
            OptionKind.count(1),
            "10",
            "How many connections this process opens to an endpoint a second, so that it leaves room for others on the cluster.");
    static final Option<Integer> CONNECTION_BURST_LIMIT = of(
            CONNECTION_RATE_GROUP,
            "forebay.connection-burst-limit",
            "DSQL_CONNECTION_BURST_LIMIT",
            OptionKind.count(1),
            "100",
            "How many of these may be saved up and opened at once.");
    static final Option<Boolean> CONNECTION_RATE_SHARED = of(
            CONNECTION_RATE_GROUP,
            "forebay.connection-rate-shared",
            "DSQL_CONNECTION_RATE_SHARED",
            OptionKind.bool(),
            "true",
            "Whether all pools of this process on one endpoint share that limit, the lowest if theirs differ; otherwise this pool has one of its own.");
    static final Option<Duration> MAX_IDLE_TIME = of(
            STANDARD_MODE_GROUP,
            "forebay.standard.max-idle-time",
            "DSQL_MAX_CONN_IDLE_TIME",
            OptionKind.duration(),
            "0s",
            "How long a connection may be unused before it is let go; 0, which keeps the pool full, never lets one go.");
    static final Option<Duration> KEEPER_TICK = of(
            STANDARD_MODE_GROUP,
            "forebay.standard.keeper-tick",
            "DSQL_POOL_KEEPER_TICK_INTERVAL",
            OptionKind.positiveDuration(),
            "1s",
            "How often the keeper replaces connections that are missing.");
    static final Option<Integer> KEEPER_BATCH = open(
            STANDARD_MODE_GROUP,
            "forebay.standard.keeper-batch",
            "DSQL_POOL_KEEPER_MAX_CONNS_PER_TICK",
            OptionKind.count(1),
            "max-open by the seconds of max-lifetime-jitter, of which 120 count at most; 1 to 10",
            "How many it replaces each time; for callers who wait, connections are opened beside it.");
    static final Option<Integer> WARMUP_RETRIES = of(
            STANDARD_MODE_GROUP,
            "forebay.standard.warmup-retries",
            "DSQL_WARMUP_RETRIES",
            OptionKind.count(0),
            "5",
            "How often opening one connection is tried again before the warm-up passes on to the next.");
    static final Option<Duration> WARMUP_BACKOFF = of(
            STANDARD_MODE_GROUP,
            "forebay.standard.warmup-backoff",
            "DSQL_WARMUP_BACKOFF",
            OptionKind.positiveDuration(),
            "200ms",
            "The wait before the first of these retries, doubled with each further one.");
    static final Option<Duration> WARMUP_MAX_BACKOFF = of(
            STANDARD_MODE_GROUP,
            "forebay.standard.warmup-max-backoff",
            "DSQL_WARMUP_MAX_BACKOFF",
            OptionKind.positiveDuration(),
            "5s",
            "The longest wait before a retry.");
    static final Option<Boolean> RESERVOIR_ENABLED = of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.enabled",
            "DSQL_RESERVOIR_ENABLED",
            OptionKind.flag(),
            "false",
            "Selects reservoir mode, as the mode does; there for deployments that have it.");
    static final Option<Integer> TARGET_READY = open(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.target-ready",
            "DSQL_RESERVOIR_TARGET_READY",
            OptionKind.count(1),
            "max-open",
            "How many connections to keep ready.");
    static final Option<Integer> LOW_WATERMARK = open(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.low-watermark",
            "DSQL_RESERVOIR_LOW_WATERMARK",
            OptionKind.count(0),
            "max-open, at most target-ready",
            "How many must be open before the initial fill counts as complete.");
    static final Option<Duration> BASE_LIFETIME = of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.base-lifetime",
            "DSQL_RESERVOIR_BASE_LIFETIME",
            OptionKind.positiveDuration(),
            "11m",
            "How long a connection lives, before jitter: short enough for fresh tokens, long enough to spare the rate limit.");
    static final Option<Duration> LIFETIME_JITTER = of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.lifetime-jitter",
            "DSQL_RESERVOIR_LIFETIME_JITTER",
            OptionKind.duration(),
            "2m",
            "The width of the range around the base from which each connection draws its lifetime, so that they do not expire together.");
    static final Option<Duration> GUARD_WINDOW = of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.guard-window",
            "DSQL_RESERVOIR_GUARD_WINDOW",
            OptionKind.duration(),
            "45s",
            "How long before its end a connection is no longer handed out: longer than your longest transaction.");
    static final Option<Duration> INITIAL_FILL_TIMEOUT = of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.initial-fill-timeout",
            "DSQL_RESERVOIR_INITIAL_FILL_TIMEOUT",
            OptionKind.duration(),
            "30s",
            "How long starting waits for the low watermark before it goes on without.");
    static final Option<Integer> INFLIGHT_LIMIT = of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.inflight-limit",
            "DSQL_RESERVOIR_INFLIGHT_LIMIT",
            OptionKind.count(1),
            "32",
            "How many opens may be under way at once, so that slow connects do not lower the rate.");
    static final Option<Integer> SPARE = open(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.spare",
            "DSQL_RESERVOIR_SPARE",
            OptionKind.count(0),
            "a tenth of target-ready, at least 1",
            "How many replacements may be open beside the connections they replace, for a moment.");
    static final Option<Boolean> UNDER_ANOTHER_POOL = of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.under-another-pool",
            "DSQL_RESERVOIR_UNDER_ANOTHER_POOL",
            OptionKind.bool(),
            "false",
            "Whether another pool draws its connections from the reservoir and holds them.");
    static final Option<Integer> OUTER_POOL_SIZE = open(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.outer-pool-size",
            "DSQL_RESERVOIR_OUTER_POOL_SIZE",
            OptionKind.count(0),
            "max-open",
            "How many connections that pool may hold, which may be open beside the target.");
    static final Option<Duration> EMPTY_WAIT = of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.empty-wait",
            "DSQL_RESERVOIR_EMPTY_WAIT",
            OptionKind.duration(),
            "100ms",
            "How long that pool waits at an empty reservoir before it is told to try again.");
    static final Option<Integer> MIN_IDLE = of(
            ON_DEMAND_MODE_GROUP,
            "forebay.on-demand.min-idle",
            "DSQL_ON_DEMAND_MIN_IDLE",
            OptionKind.count(0),
            "0",
            "How many connections are kept idle although nobody needs them.");
    static final Option<Duration> IDLE_TIMEOUT = of(
            ON_DEMAND_MODE_GROUP,
            "forebay.on-demand.idle-timeout",
            "DSQL_ON_DEMAND_IDLE_TIMEOUT",
            OptionKind.duration(),
            "10m",
            "How long a connection may be unused before it is let go; 0 never lets one go.");
    static final Option<Exhaustion> EXHAUSTION = of(
            ON_DEMAND_MODE_GROUP,
            "forebay.on-demand.exhaustion",
            "DSQL_ON_DEMAND_EXHAUSTION",
            OptionKind.choice(Exhaustion.class),
            "wait",
            "What happens when all connections are in use: wait, fail-fast, or overflow.");
    static final Option<Integer> OVERFLOW = of(
            ON_DEMAND_MODE_GROUP,
            "forebay.on-demand.overflow",
            "DSQL_ON_DEMAND_OVERFLOW",
            OptionKind.count(0),
            "10",
            "How many connections beyond the maximum overflow may open; each is closed when it is returned.");
    static final Option<Integer> ON_DEMAND_INFLIGHT_LIMIT = of(
            ON_DEMAND_MODE_GROUP,
            "forebay.on-demand.inflight-limit",
            "DSQL_ON_DEMAND_INFLIGHT_LIMIT",
            OptionKind.count(1),
            "32",
            "How many opens may be under way at once.");
    static final Option<String> CONNECTION_INIT_SQL = open(
            JDBC_GROUP,
            "forebay.jdbc.connection-init-sql",
            "DSQL_CONNECTION_INIT_SQL",
            OptionKind.text(),
            "none",
            "A statement that is run on each new connection.");
    static final Option<String> VALIDATION_SQL = open(
            JDBC_GROUP,
            "forebay.jdbc.validation-sql",
            "DSQL_VALIDATION_SQL",
            OptionKind.text(),
            "none",
            "A statement that checks a connection, for drivers that cannot do so themselves.");
    static final Option<Boolean> AUTO_COMMIT = of(
            JDBC_GROUP,
            "forebay.jdbc.auto-commit",
            "DSQL_AUTO_COMMIT",
            OptionKind.bool(),
            "true",
            "Whether a connection is handed out in auto-commit mode.");
    static final Option<Boolean> READ_ONLY = of(
            JDBC_GROUP,
            "forebay.jdbc.read-only",
            "DSQL_READ_ONLY",
            OptionKind.bool(),
            "false",
            "Whether a connection is handed out read-only.");
    static final Option<ForebayConfig.Isolation> ISOLATION = open(
            JDBC_GROUP,
            "forebay.jdbc.isolation",
            "DSQL_TRANSACTION_ISOLATION",
            OptionKind.choice(ForebayConfig.Isolation.class),
            "the database's",
            "The transaction isolation a connection is handed out with.");
    static final Option<String> CATALOG = open(
            JDBC_GROUP,
            "forebay.jdbc.catalog",
            "DSQL_CATALOG",
            OptionKind.text(),
            "the database's",
            "The catalog a connection is handed out with.");
    static final Option<String> SCHEMA = open(
            JDBC_GROUP,
            "forebay.jdbc.schema",
            "DSQL_SCHEMA",
            OptionKind.text(),
            "the database's",
            "The schema a connection is handed out with.");
    static final Option<Duration> NETWORK_TIMEOUT = of(
            JDBC_GROUP,
            "forebay.jdbc.network-timeout",
            "DSQL_NETWORK_TIMEOUT",
            OptionKind.duration(),
            "0s",
            "How long a borrower's call may wait for the server; 0 leaves it to the driver.");
    static final Option<Integer> MAX_RETRIES = of(
            TRANSACTIONS_GROUP,
            "dsql.retry.max_retries",
            "DSQL_RETRY_MAX_RETRIES",
            OptionKind.count(0, 1_000),
            "5",
            "How often a transaction is tried again after a conflict (40001); 0 never tries again.");
    static final Option<Duration> RETRY_BASE_DELAY = of(
            TRANSACTIONS_GROUP,
            "dsql.retry.base_delay",
            "DSQL_RETRY_BASE_DELAY",
            OptionKind.durationUpTo(Duration.ofHours(1)),
            "100ms",
            "The wait before the first of these retries, before jitter, doubled with each further one.");
    static final Option<Duration> RETRY_MAX_DELAY = of(
            TRANSACTIONS_GROUP,
            "dsql.retry.max_delay",
            "DSQL_RETRY_MAX_DELAY",
            OptionKind.durationUpTo(Duration.ofHours(1)),
            "5s",
            "The longest such wait, jitter included.");
    static final Option<Double> RETRY_JITTER_FACTOR = of(
            TRANSACTIONS_GROUP,
            "dsql.retry.jitter_factor",
            "DSQL_RETRY_JITTER_FACTOR",
            OptionKind.factor(),
            "0.25",
            "By how much of itself a wait may be shorter or longer, so that those who met do not meet again.");

    /** The settings of a policy of retries whose waits double. */
    static final List<Option<?>> DOUBLING_RETRIES =
            List.of(MAX_RETRIES, RETRY_BASE_DELAY, RETRY_MAX_DELAY, RETRY_JITTER_FACTOR);

    static final Option<Boolean> TRACK_RETRY_COUNTS = of(
            TRANSACTIONS_GROUP,
            "dsql.monitoring.track_retry_counts",
            "DSQL_MONITORING_TRACK_RETRY_COUNTS",
            OptionKind.bool(),
            "true",
            "Whether conflicts are counted for the warning below; metrics, where there are any, count them all the same.");
    static final Option<Integer> CONFLICT_ALERT_THRESHOLD = of(
            TRANSACTIONS_GROUP,
            "dsql.monitoring.alert_threshold_conflicts_per_minute",
            "DSQL_MONITORING_ALERT_THRESHOLD_CONFLICTS_PER_MINUTE",
            OptionKind.count(0),
            "100",
            "How many conflicts in a minute are worth a warning in the log; 0 never warns.");
    static final Option<String> CLUSTER_ENDPOINT = open(
            AURORA_DSQL_GROUP,
            "forebay.dsql.endpoint",
            "CLUSTER_ENDPOINT",
            OptionKind.text(),
            "none",
            "The endpoint of the cluster, such as ID.dsql.us-east-1.on.aws; a port may follow it.");
    static final Option<String> REGION = open(
            AURORA_DSQL_GROUP,
            "forebay.dsql.region",
            "REGION",
            OptionKind.text(),
            "the endpoint's",
            "The region that tokens are signed for.");
    static final Option<String> USER = of(
            AURORA_DSQL_GROUP,
            "forebay.dsql.user",
            "DSQL_USER",
            OptionKind.label(),
            "admin",
            "Who connects: admin, or a role of the database that was granted to the IAM identity.");
    static final Option<String> DATABASE = of(
            AURORA_DSQL_GROUP,
            "forebay.dsql.database",
            "DSQL_DATABASE",
            OptionKind.label(),
            "postgres",
            "The database; a cluster has one.");
    static final Option<Duration> TOKEN_DURATION = of(
            AURORA_DSQL_GROUP,
            "forebay.dsql.token-duration",
            "DSQL_TOKEN_DURATION",
            OptionKind.durationBetween(Duration.ofMinutes(2), Duration.ofDays(7)),
            "15m",
            "How long a token is valid; it ends sooner if the credentials that sign it do.");
    static final Option<String> CLUSTER_ID = open(
            AURORA_DSQL_GROUP,
            "forebay.dsql.cluster-id",
            "DSQL_CLUSTER_ID",
            OptionKind.text(),
            "none",
            "The id of the cluster if the endpoint does not name it, as with PrivateLink; sent as amzn-cluster-id.");
    static final Option<String> CA_FILE = open(
            AURORA_DSQL_GROUP,
            "forebay.dsql.ca-file",
            "DSQL_CA_FILE",
            OptionKind.text(),
            "the JVM's trust store",
            "A PEM file with the certificates by which the server is verified.");
    static final Option<Boolean> JMX = of(
            OBSERVABILITY_GROUP,
            "forebay.metrics.jmx",
            "DSQL_METRICS_JMX",
            OptionKind.bool(),
            "true",
            "Whether the pool is registered with JMX.");

    /** All knobs, in the order of the reference page. */
    static final List<Option<?>> ALL = List.copyOf(DECLARED);

    private Knobs() {}

    private static <T> Option<T> of(
            String group, String property, String variable, OptionKind<T> kind, String value, String purpose) {
        return declare(Option.of(group, property, variable, kind, value, purpose));
    }

    /** A knob whose default follows from others, in the words of {@code otherwise}, or is nothing. */
    private static <T> Option<T> open(
            String group, String property, String variable, OptionKind<T> kind, String otherwise, String purpose) {
        return declare(Option.open(group, property, variable, kind, otherwise, purpose));
    }

    private static <T> Option<T> declare(Option<T> knob) {
        DECLARED.add(knob);
        return knob;
    }
}
