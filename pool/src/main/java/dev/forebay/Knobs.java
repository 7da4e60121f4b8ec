// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.Exhaustion;
import dev.forebay.fleet.LedgerConfig;
import java.time.Duration;
import java.util.List;

/** Every knob, declared once: the builder, the two sources and the reference page are checked against this list. */
final class Knobs {

    private static final String GENERAL_GROUP = "General";
    private static final String CONNECTION_RATE_GROUP = "Connection rate";
    private static final String STANDARD_MODE_GROUP = "Standard mode";
    private static final String RESERVOIR_MODE_GROUP = "Reservoir mode";
    private static final String ON_DEMAND_MODE_GROUP = "On-demand mode";
    private static final String JDBC_GROUP = "JDBC";
    private static final String TRANSACTIONS_GROUP = "Transactions";
    private static final String AURORA_DSQL_GROUP = "Aurora DSQL";
    private static final String FLEET_GROUP = "Fleet";
    private static final String OBSERVABILITY_GROUP = "Observability";

    static final Knob<ForebayConfig.Mode> MODE = Knob.of(
            GENERAL_GROUP,
            "forebay.mode",
            "DSQL_POOL_MODE",
            Kind.choice(ForebayConfig.Mode.class),
            "standard",
            "How connections are supplied: all at start and kept, from a reservoir, or when someone waits.");

    static final Knob<String> SERVICE_NAME = Knob.of(
            GENERAL_GROUP,
            "forebay.service-name",
            "DSQL_SERVICE_NAME",
            Kind.label(),
            "default",
            "Names the service in metric labels, JMX and leases.");

    static final Knob<Integer> MAX_OPEN = Knob.of(
            GENERAL_GROUP,
            "forebay.max-open",
            "DSQL_MAX_CONNS",
            Kind.count(1),
            "100",
            "The most connections that may be open; a reservoir with a target takes that instead, unless this is set.");

    static final Knob<Duration> CONNECTION_TIMEOUT = Knob.of(
            GENERAL_GROUP,
            "forebay.connection-timeout",
            "DSQL_CONNECTION_TIMEOUT",
            Kind.duration(),
            "30s",
            "How long getting a connection may wait before it fails; 0 does not wait.");

    static final Knob<Integer> MAX_WAITING = Knob.of(
            GENERAL_GROUP,
            "forebay.max-waiting",
            "DSQL_MAX_WAITING",
            Kind.count(0),
            "65536",
            "How many callers may wait at once; one more fails at once, so that a stall cannot use up memory.");

    static final Knob<Duration> OPEN_TIMEOUT = Knob.of(
            GENERAL_GROUP,
            "forebay.open-timeout",
            "DSQL_OPEN_TIMEOUT",
            Kind.positiveDuration(),
            "10s",
            "How long opening one connection may take before it counts as failed.");

    static final Knob<Duration> VALIDATION_TIMEOUT = Knob.of(
            GENERAL_GROUP,
            "forebay.validation-timeout",
            "DSQL_VALIDATION_TIMEOUT",
            Kind.positiveDuration(),
            "5s",
            "How long checking one connection may take before it counts as dead.");

    static final Knob<Duration> RESET_TIMEOUT = Knob.of(
            GENERAL_GROUP,
            "forebay.reset-timeout",
            "DSQL_RESET_TIMEOUT",
            Kind.positiveDuration(),
            "1s",
            "How long a return may wait for the answer to a rollback before the connection is discarded instead.");

    static final Knob<Duration> KEEPALIVE = Knob.of(
            GENERAL_GROUP,
            "forebay.keepalive",
            "DSQL_KEEPALIVE",
            Kind.duration(),
            "30s",
            "How long a connection may be idle before it is checked in the background; 0 never checks.");

    static final Knob<Duration> TRUST = Knob.of(
            GENERAL_GROUP,
            "forebay.trust",
            "DSQL_TRUST",
            Kind.duration(),
            "60s",
            "How long a connection counts as alive without a check, after which it is validated before it is handed out; 0 always trusts.");

    static final Knob<Duration> BACKOFF = Knob.of(
            GENERAL_GROUP,
            "forebay.backoff",
            "DSQL_BACKOFF",
            Kind.positiveDuration(),
            "250ms",
            "The wait after the first failed open, doubled with each further one; standard mode has its own.");

    static final Knob<Duration> MAX_BACKOFF = Knob.of(
            GENERAL_GROUP,
            "forebay.max-backoff",
            "DSQL_MAX_BACKOFF",
            Kind.positiveDuration(),
            "5s",
            "The longest wait after failed opens.");

    static final Knob<Duration> MAX_LIFETIME = Knob.of(
            GENERAL_GROUP,
            "forebay.max-lifetime",
            "DSQL_MAX_CONN_LIFETIME",
            Kind.duration(),
            "55m",
            "The longest a connection lives in standard and on-demand mode, safely under the 60 minutes of Aurora DSQL; 0 for ever.");

    static final Knob<Duration> MAX_LIFETIME_JITTER = Knob.open(
            GENERAL_GROUP,
            "forebay.max-lifetime-jitter",
            "DSQL_MAX_CONN_LIFETIME_JITTER",
            Kind.duration(),
            "a tenth of max-lifetime",
            "By how much less than max-lifetime a connection may live, drawn for each, so that they do not expire together.");

    static final Knob<Duration> LEAK_DETECTION_THRESHOLD = Knob.of(
            GENERAL_GROUP,
            "forebay.leak-detection-threshold",
            "DSQL_LEAK_DETECTION_THRESHOLD",
            Kind.duration(),
            "0s",
            "After how long a borrower is reported as a possible leak; 0 never reports.");

    static final Knob<Boolean> STAGGERED_STARTUP = Knob.of(
            GENERAL_GROUP,
            "forebay.staggered-startup",
            "DSQL_STAGGERED_STARTUP",
            Kind.bool(),
            "true",
            "Whether to wait a random time before the first connections are opened, so that services started together do not connect together.");

    static final Knob<Duration> STAGGERED_STARTUP_MAX_DELAY = Knob.of(
            GENERAL_GROUP,
            "forebay.staggered-startup-max-delay",
            "DSQL_STAGGERED_STARTUP_MAX_DELAY",
            Kind.duration(),
            "5s",
            "The longest such wait.");

    static final Knob<Boolean> FAIL_FAST = Knob.of(
            GENERAL_GROUP,
            "forebay.fail-fast",
            "DSQL_FAIL_FAST",
            Kind.bool(),
            "false",
            "Whether starting fails when no connection can be opened, rather than going on and trying again.");

    static final Knob<Boolean> SHUTDOWN_HOOK = Knob.of(
            GENERAL_GROUP,
            "forebay.shutdown-hook",
            "DSQL_SHUTDOWN_HOOK",
            Kind.bool(),
            "false",
            "Whether the pool closes itself when the process is told to end, for programs in which nothing else does.");

    static final Knob<Integer> CONNECTION_RATE_LIMIT = Knob.of(
            CONNECTION_RATE_GROUP,
            "forebay.connection-rate-limit",
            "DSQL_CONNECTION_RATE_LIMIT",
            Kind.count(1),
            "10",
            "How many connections this process opens to an endpoint a second, so that it leaves room for others on the cluster.");

    static final Knob<Integer> CONNECTION_BURST_LIMIT = Knob.of(
            CONNECTION_RATE_GROUP,
            "forebay.connection-burst-limit",
            "DSQL_CONNECTION_BURST_LIMIT",
            Kind.count(1),
            "100",
            "How many of these may be saved up and opened at once.");

    static final Knob<Boolean> CONNECTION_RATE_SHARED = Knob.of(
            CONNECTION_RATE_GROUP,
            "forebay.connection-rate-shared",
            "DSQL_CONNECTION_RATE_SHARED",
            Kind.bool(),
            "true",
            "Whether all pools of this process on one endpoint share that limit, the lowest if theirs differ; otherwise this pool has one of its own.");

    static final Knob<Duration> MAX_IDLE_TIME = Knob.of(
            STANDARD_MODE_GROUP,
            "forebay.standard.max-idle-time",
            "DSQL_MAX_CONN_IDLE_TIME",
            Kind.duration(),
            "0s",
            "How long a connection may be unused before it is let go; 0, which keeps the pool full, never lets one go.");

    static final Knob<Duration> KEEPER_TICK = Knob.of(
            STANDARD_MODE_GROUP,
            "forebay.standard.keeper-tick",
            "DSQL_POOL_KEEPER_TICK_INTERVAL",
            Kind.positiveDuration(),
            "1s",
            "How often the keeper replaces connections that are missing.");

    static final Knob<Integer> KEEPER_BATCH = Knob.open(
            STANDARD_MODE_GROUP,
            "forebay.standard.keeper-batch",
            "DSQL_POOL_KEEPER_MAX_CONNS_PER_TICK",
            Kind.count(1),
            "max-open by the seconds of max-lifetime-jitter, of which 120 count at most; 1 to 10",
            "How many it replaces each time; for callers who wait, connections are opened beside it.");

    static final Knob<Integer> WARMUP_RETRIES = Knob.of(
            STANDARD_MODE_GROUP,
            "forebay.standard.warmup-retries",
            "DSQL_WARMUP_RETRIES",
            Kind.count(0),
            "5",
            "How often opening one connection is tried again before the warm-up passes on to the next.");

    static final Knob<Duration> WARMUP_BACKOFF = Knob.of(
            STANDARD_MODE_GROUP,
            "forebay.standard.warmup-backoff",
            "DSQL_WARMUP_BACKOFF",
            Kind.positiveDuration(),
            "200ms",
            "The wait before the first of these retries, doubled with each further one.");

    static final Knob<Duration> WARMUP_MAX_BACKOFF = Knob.of(
            STANDARD_MODE_GROUP,
            "forebay.standard.warmup-max-backoff",
            "DSQL_WARMUP_MAX_BACKOFF",
            Kind.positiveDuration(),
            "5s",
            "The longest wait before a retry.");

    static final Knob<Boolean> RESERVOIR_ENABLED = Knob.of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.enabled",
            "DSQL_RESERVOIR_ENABLED",
            Kind.flag(),
            "false",
            "Selects reservoir mode, as the mode does; there for deployments that have it.");

    static final Knob<Integer> TARGET_READY = Knob.open(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.target-ready",
            "DSQL_RESERVOIR_TARGET_READY",
            Kind.count(1),
            "max-open",
            "How many connections to keep ready.");

    static final Knob<Integer> LOW_WATERMARK = Knob.open(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.low-watermark",
            "DSQL_RESERVOIR_LOW_WATERMARK",
            Kind.count(0),
            "max-open, at most target-ready",
            "How many must be open before the initial fill counts as complete.");

    static final Knob<Duration> BASE_LIFETIME = Knob.of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.base-lifetime",
            "DSQL_RESERVOIR_BASE_LIFETIME",
            Kind.positiveDuration(),
            "11m",
            "How long a connection lives, before jitter: short enough for fresh tokens, long enough to spare the rate limit.");

    static final Knob<Duration> LIFETIME_JITTER = Knob.of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.lifetime-jitter",
            "DSQL_RESERVOIR_LIFETIME_JITTER",
            Kind.duration(),
            "2m",
            "The width of the range around the base from which each connection draws its lifetime, so that they do not expire together.");

    static final Knob<Duration> GUARD_WINDOW = Knob.of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.guard-window",
            "DSQL_RESERVOIR_GUARD_WINDOW",
            Kind.duration(),
            "45s",
            "How long before its end a connection is no longer handed out: longer than your longest transaction.");

    static final Knob<Duration> INITIAL_FILL_TIMEOUT = Knob.of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.initial-fill-timeout",
            "DSQL_RESERVOIR_INITIAL_FILL_TIMEOUT",
            Kind.duration(),
            "30s",
            "How long starting waits for the low watermark before it goes on without.");

    static final Knob<Integer> INFLIGHT_LIMIT = Knob.of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.inflight-limit",
            "DSQL_RESERVOIR_INFLIGHT_LIMIT",
            Kind.count(1),
            "32",
            "How many opens may be under way at once, so that slow connects do not lower the rate.");

    static final Knob<Integer> SPARE = Knob.open(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.spare",
            "DSQL_RESERVOIR_SPARE",
            Kind.count(0),
            "a tenth of target-ready, at least 1",
            "How many replacements may be open beside the connections they replace, for a moment.");

    static final Knob<Boolean> UNDER_ANOTHER_POOL = Knob.of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.under-another-pool",
            "DSQL_RESERVOIR_UNDER_ANOTHER_POOL",
            Kind.bool(),
            "false",
            "Whether another pool draws its connections from the reservoir and holds them.");

    static final Knob<Integer> OUTER_POOL_SIZE = Knob.open(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.outer-pool-size",
            "DSQL_RESERVOIR_OUTER_POOL_SIZE",
            Kind.count(0),
            "max-open",
            "How many connections that pool may hold, which may be open beside the target.");

    static final Knob<Duration> EMPTY_WAIT = Knob.of(
            RESERVOIR_MODE_GROUP,
            "forebay.reservoir.empty-wait",
            "DSQL_RESERVOIR_EMPTY_WAIT",
            Kind.duration(),
            "100ms",
            "How long that pool waits at an empty reservoir before it is told to try again.");

    static final Knob<Integer> MIN_IDLE = Knob.of(
            ON_DEMAND_MODE_GROUP,
            "forebay.on-demand.min-idle",
            "DSQL_ON_DEMAND_MIN_IDLE",
            Kind.count(0),
            "0",
            "How many connections are kept idle although nobody needs them.");

    static final Knob<Duration> IDLE_TIMEOUT = Knob.of(
            ON_DEMAND_MODE_GROUP,
            "forebay.on-demand.idle-timeout",
            "DSQL_ON_DEMAND_IDLE_TIMEOUT",
            Kind.duration(),
            "10m",
            "How long a connection may be unused before it is let go; 0 never lets one go.");

    static final Knob<Exhaustion> EXHAUSTION = Knob.of(
            ON_DEMAND_MODE_GROUP,
            "forebay.on-demand.exhaustion",
            "DSQL_ON_DEMAND_EXHAUSTION",
            Kind.choice(Exhaustion.class),
            "wait",
            "What happens when all connections are in use: wait, fail-fast, or overflow.");

    static final Knob<Integer> OVERFLOW = Knob.of(
            ON_DEMAND_MODE_GROUP,
            "forebay.on-demand.overflow",
            "DSQL_ON_DEMAND_OVERFLOW",
            Kind.count(0),
            "10",
            "How many connections beyond the maximum overflow may open; each is closed when it is returned.");

    static final Knob<Integer> ON_DEMAND_INFLIGHT_LIMIT = Knob.of(
            ON_DEMAND_MODE_GROUP,
            "forebay.on-demand.inflight-limit",
            "DSQL_ON_DEMAND_INFLIGHT_LIMIT",
            Kind.count(1),
            "32",
            "How many opens may be under way at once.");

    static final Knob<String> CONNECTION_INIT_SQL = Knob.open(
            JDBC_GROUP,
            "forebay.jdbc.connection-init-sql",
            "DSQL_CONNECTION_INIT_SQL",
            Kind.text(),
            "none",
            "A statement that is run on each new connection.");

    static final Knob<String> VALIDATION_SQL = Knob.open(
            JDBC_GROUP,
            "forebay.jdbc.validation-sql",
            "DSQL_VALIDATION_SQL",
            Kind.text(),
            "none",
            "A statement that checks a connection, for drivers that cannot do so themselves.");

    static final Knob<Boolean> AUTO_COMMIT = Knob.of(
            JDBC_GROUP,
            "forebay.jdbc.auto-commit",
            "DSQL_AUTO_COMMIT",
            Kind.bool(),
            "true",
            "Whether a connection is handed out in auto-commit mode.");

    static final Knob<Boolean> READ_ONLY = Knob.of(
            JDBC_GROUP,
            "forebay.jdbc.read-only",
            "DSQL_READ_ONLY",
            Kind.bool(),
            "false",
            "Whether a connection is handed out read-only.");

    static final Knob<ForebayConfig.Isolation> ISOLATION = Knob.open(
            JDBC_GROUP,
            "forebay.jdbc.isolation",
            "DSQL_TRANSACTION_ISOLATION",
            Kind.choice(ForebayConfig.Isolation.class),
            "the database's",
            "The transaction isolation a connection is handed out with.");

    static final Knob<String> CATALOG = Knob.open(
            JDBC_GROUP,
            "forebay.jdbc.catalog",
            "DSQL_CATALOG",
            Kind.text(),
            "the database's",
            "The catalog a connection is handed out with.");

    static final Knob<String> SCHEMA = Knob.open(
            JDBC_GROUP,
            "forebay.jdbc.schema",
            "DSQL_SCHEMA",
            Kind.text(),
            "the database's",
            "The schema a connection is handed out with.");

    static final Knob<Duration> NETWORK_TIMEOUT = Knob.of(
            JDBC_GROUP,
            "forebay.jdbc.network-timeout",
            "DSQL_NETWORK_TIMEOUT",
            Kind.duration(),
            "0s",
            "How long a borrower's call may wait for the server; 0 leaves it to the driver.");

    static final Knob<Integer> MAX_RETRIES = Knob.of(
            TRANSACTIONS_GROUP,
            "dsql.retry.max_retries",
            "DSQL_RETRY_MAX_RETRIES",
            Kind.count(0, 1_000),
            "5",
            "How often a transaction is tried again after a conflict (40001); 0 never tries again.");

    static final Knob<Duration> RETRY_BASE_DELAY = Knob.of(
            TRANSACTIONS_GROUP,
            "dsql.retry.base_delay",
            "DSQL_RETRY_BASE_DELAY",
            Kind.durationUpTo(Duration.ofHours(1)),
            "100ms",
            "The wait before the first of these retries, before jitter, doubled with each further one.");

    static final Knob<Duration> RETRY_MAX_DELAY = Knob.of(
            TRANSACTIONS_GROUP,
            "dsql.retry.max_delay",
            "DSQL_RETRY_MAX_DELAY",
            Kind.durationUpTo(Duration.ofHours(1)),
            "5s",
            "The longest such wait, jitter included.");

    static final Knob<Double> RETRY_JITTER_FACTOR = Knob.of(
            TRANSACTIONS_GROUP,
            "dsql.retry.jitter_factor",
            "DSQL_RETRY_JITTER_FACTOR",
            Kind.factor(),
            "0.25",
            "By how much of itself a wait may be shorter or longer, so that those who met do not meet again.");

    static final Knob<Boolean> TRACK_RETRY_COUNTS = Knob.of(
            TRANSACTIONS_GROUP,
            "dsql.monitoring.track_retry_counts",
            "DSQL_MONITORING_TRACK_RETRY_COUNTS",
            Kind.bool(),
            "true",
            "Whether conflicts are counted for the warning below; metrics, where there are any, count them all the same.");

    static final Knob<Integer> CONFLICT_ALERT_THRESHOLD = Knob.of(
            TRANSACTIONS_GROUP,
            "dsql.monitoring.alert_threshold_conflicts_per_minute",
            "DSQL_MONITORING_ALERT_THRESHOLD_CONFLICTS_PER_MINUTE",
            Kind.count(0),
            "100",
            "How many conflicts in a minute are worth a warning in the log; 0 never warns.");

    static final Knob<String> CLUSTER_ENDPOINT = Knob.open(
            AURORA_DSQL_GROUP,
            "forebay.dsql.endpoint",
            "CLUSTER_ENDPOINT",
            Kind.text(),
            "none",
            "The endpoint of the cluster, such as ID.dsql.us-east-1.on.aws; a port may follow it.");

    static final Knob<String> REGION = Knob.open(
            AURORA_DSQL_GROUP,
            "forebay.dsql.region",
            "REGION",
            Kind.text(),
            "the endpoint's",
            "The region that tokens are signed for.");

    static final Knob<String> USER = Knob.of(
            AURORA_DSQL_GROUP,
            "forebay.dsql.user",
            "DSQL_USER",
            Kind.label(),
            "admin",
            "Who connects: admin, or a role of the database that was granted to the IAM identity.");

    static final Knob<String> DATABASE = Knob.of(
            AURORA_DSQL_GROUP,
            "forebay.dsql.database",
            "DSQL_DATABASE",
            Kind.label(),
            "postgres",
            "The database; a cluster has one.");

    static final Knob<Duration> TOKEN_DURATION = Knob.of(
            AURORA_DSQL_GROUP,
            "forebay.dsql.token-duration",
            "DSQL_TOKEN_DURATION",
            Kind.durationBetween(Duration.ofMinutes(2), Duration.ofDays(7)),
            "15m",
            "How long a token is valid; it ends sooner if the credentials that sign it do.");

    static final Knob<String> CLUSTER_ID = Knob.open(
            AURORA_DSQL_GROUP,
            "forebay.dsql.cluster-id",
            "DSQL_CLUSTER_ID",
            Kind.text(),
            "none",
            "The id of the cluster if the endpoint does not name it, as with PrivateLink; sent as amzn-cluster-id.");

    static final Knob<String> CA_FILE = Knob.open(
            AURORA_DSQL_GROUP,
            "forebay.dsql.ca-file",
            "DSQL_CA_FILE",
            Kind.text(),
            "the JVM's trust store",
            "A PEM file with the certificates by which the server is verified.");

    static final Knob<Boolean> FLEET_RATE_ENABLED = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.rate-limiter.enabled",
            "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED",
            Kind.flag(),
            "false",
            "Whether all services share one limit on new connections; AuroraDsql only.");

    static final Knob<String> FLEET_RATE_TABLE = Knob.open(
            FLEET_GROUP,
            "forebay.fleet.rate-limiter.table",
            "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE",
            Kind.text(),
            "none",
            "The DynamoDB table of that limit; required if it is enabled.");

    static final Knob<Integer> FLEET_RATE_LIMIT = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.rate-limiter.limit",
            "DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT",
            Kind.count(1),
            "100",
            "How many connections all services open a second.");

    static final Knob<Integer> FLEET_RATE_BURST = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.rate-limiter.burst",
            "DSQL_DISTRIBUTED_RATE_LIMITER_BURST",
            Kind.count(1),
            "800",
            "How many of these may be saved up, for the kind bucket; below the 1,000 of Aurora DSQL, since others may connect as well.");

    static final Knob<Duration> FLEET_RATE_MAX_WAIT = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.rate-limiter.max-wait",
            "DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT",
            Kind.positiveDuration(),
            "30s",
            "How long this process may get no permit at all before that counts as a failure.");

    static final Knob<ForebayConfig.PermitKind> FLEET_RATE_KIND = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.rate-limiter.kind",
            "DSQL_DISTRIBUTED_RATE_LIMITER_KIND",
            Kind.choice(ForebayConfig.PermitKind.class),
            "bucket",
            "How permits are counted: bucket knows of the burst, window is what Go services share.");

    static final Knob<LedgerConfig.Outage> FLEET_RATE_OUTAGE = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.rate-limiter.outage",
            "DSQL_DISTRIBUTED_RATE_LIMITER_OUTAGE",
            Kind.choice(LedgerConfig.Outage.class),
            "local",
            "The rule while DynamoDB is out of reach: local opens at this process's share of the limit, divided by the instances last seen, block opens nothing.");

    static final Knob<Integer> FLEET_RATE_OUTAGE_MINIMUM = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.rate-limiter.outage-minimum",
            "DSQL_DISTRIBUTED_RATE_LIMITER_OUTAGE_MINIMUM",
            Kind.count(1),
            "1",
            "How many connections a second a process opens while DynamoDB is out of reach if it has never seen how many share the limit.");

    static final Knob<Boolean> LEASE_ENABLED = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.lease.enabled",
            "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED",
            Kind.flag(),
            "false",
            "Whether all services share one limit on open connections; AuroraDsql only.");

    static final Knob<String> LEASE_TABLE = Knob.open(
            FLEET_GROUP,
            "forebay.fleet.lease.table",
            "DSQL_DISTRIBUTED_CONN_LEASE_TABLE",
            Kind.text(),
            "none",
            "The DynamoDB table of the leases; required if they are enabled.");

    static final Knob<Integer> LEASE_LIMIT = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.lease.limit",
            "DSQL_DISTRIBUTED_CONN_LIMIT",
            Kind.count(1),
            "10000",
            "How many connections all services may have open.");

    static final Knob<Duration> LEASE_TTL = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.lease.ttl",
            "DSQL_DISTRIBUTED_CONN_LEASE_TTL",
            Kind.positiveDuration(),
            "3m",
            "After how long without a renewal an instance counts as gone and its connections are given to others.");

    static final Knob<Duration> LEASE_RENEWAL = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.lease.renewal",
            "DSQL_DISTRIBUTED_CONN_LEASE_RENEWAL",
            Kind.positiveDuration(),
            "1m",
            "How often an instance renews its lease: at least three times in its time-to-live.");

    static final Knob<LedgerConfig.Outage> LEASE_OUTAGE = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.lease.outage",
            "DSQL_DISTRIBUTED_CONN_LEASE_OUTAGE",
            Kind.choice(LedgerConfig.Outage.class),
            "local",
            "What happens while DynamoDB is out of reach: local opens connections all the same, block opens none and lets the others go before the lease ends.");

    static final Knob<ForebayConfig.LeasePer> LEASE_PER = Knob.of(
            FLEET_GROUP,
            "forebay.fleet.lease.per",
            "DSQL_DISTRIBUTED_CONN_LEASE_PER",
            Kind.choice(ForebayConfig.LeasePer.class),
            "instance",
            "What has a lease of its own: instance costs little, connection shows each connection in the table.");

    static final Knob<Boolean> JMX = Knob.of(
            OBSERVABILITY_GROUP,
            "forebay.metrics.jmx",
            "DSQL_METRICS_JMX",
            Kind.bool(),
            "true",
            "Whether the pool is registered with JMX.");

    /** In the order of the reference page. */
    static final List<Knob<?>> ALL = List.of(
            MODE,
            SERVICE_NAME,
            MAX_OPEN,
            CONNECTION_TIMEOUT,
            MAX_WAITING,
            OPEN_TIMEOUT,
            VALIDATION_TIMEOUT,
            RESET_TIMEOUT,
            KEEPALIVE,
            TRUST,
            BACKOFF,
            MAX_BACKOFF,
            MAX_LIFETIME,
            MAX_LIFETIME_JITTER,
            LEAK_DETECTION_THRESHOLD,
            STAGGERED_STARTUP,
            STAGGERED_STARTUP_MAX_DELAY,
            FAIL_FAST,
            SHUTDOWN_HOOK,
            CONNECTION_RATE_LIMIT,
            CONNECTION_BURST_LIMIT,
            CONNECTION_RATE_SHARED,
            MAX_IDLE_TIME,
            KEEPER_TICK,
            KEEPER_BATCH,
            WARMUP_RETRIES,
            WARMUP_BACKOFF,
            WARMUP_MAX_BACKOFF,
            RESERVOIR_ENABLED,
            TARGET_READY,
            LOW_WATERMARK,
            BASE_LIFETIME,
            LIFETIME_JITTER,
            GUARD_WINDOW,
            INITIAL_FILL_TIMEOUT,
            INFLIGHT_LIMIT,
            SPARE,
            UNDER_ANOTHER_POOL,
            OUTER_POOL_SIZE,
            EMPTY_WAIT,
            MIN_IDLE,
            IDLE_TIMEOUT,
            EXHAUSTION,
            OVERFLOW,
            ON_DEMAND_INFLIGHT_LIMIT,
            CONNECTION_INIT_SQL,
            VALIDATION_SQL,
            AUTO_COMMIT,
            READ_ONLY,
            ISOLATION,
            CATALOG,
            SCHEMA,
            NETWORK_TIMEOUT,
            MAX_RETRIES,
            RETRY_BASE_DELAY,
            RETRY_MAX_DELAY,
            RETRY_JITTER_FACTOR,
            TRACK_RETRY_COUNTS,
            CONFLICT_ALERT_THRESHOLD,
            CLUSTER_ENDPOINT,
            REGION,
            USER,
            DATABASE,
            TOKEN_DURATION,
            CLUSTER_ID,
            CA_FILE,
            FLEET_RATE_ENABLED,
            FLEET_RATE_TABLE,
            FLEET_RATE_LIMIT,
            FLEET_RATE_BURST,
            FLEET_RATE_MAX_WAIT,
            FLEET_RATE_KIND,
            FLEET_RATE_OUTAGE,
            FLEET_RATE_OUTAGE_MINIMUM,
            LEASE_ENABLED,
            LEASE_TABLE,
            LEASE_LIMIT,
            LEASE_TTL,
            LEASE_RENEWAL,
            LEASE_OUTAGE,
            LEASE_PER,
            JMX);

    private Knobs() {}
}
