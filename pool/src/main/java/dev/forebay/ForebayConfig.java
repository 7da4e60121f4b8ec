// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.Backoff;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.PoolConfig.ReuseOrder;
import dev.forebay.engine.Supply;
import dev.forebay.engine.internal.Option;
import dev.forebay.engine.internal.OptionKind;
import dev.forebay.engine.internal.OptionValues;
import dev.forebay.tx.TxRetryPolicy;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a pool, from the environment, from properties or from code. Immutable and thread-safe.
 *
 * <p>Every knob is described in {@code docs/configuration.md}. A value applied to a {@link Builder} later replaces an
 * earlier one, knob by knob; {@link #origins} names the source of each.
 */
public final class ForebayConfig {

    /** How connections are supplied. */
    public enum Mode {
        /** All are opened at the start and replaced when they are gone. */
        STANDARD,
        /** A number of them is kept ready, and each is replaced before it expires. */
        RESERVOIR,
        /** They are opened for waiters, and closed when they are not needed. */
        ON_DEMAND
    }

    /** The isolation of transactions. */
    public enum Isolation {
        READ_UNCOMMITTED(Connection.TRANSACTION_READ_UNCOMMITTED),
        READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
        REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
        SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

        private final int level;

        Isolation(int level) {
            this.level = level;
        }

        /** Returns its number in JDBC. */
        public int level() {
            return level;
        }
    }

    private final OptionValues values;
    private final Map<String, String> fleetSettings;

    private ForebayConfig(Builder builder) {
        this.values = builder.settings.copy();
        this.fleetSettings = Collections.unmodifiableMap(new LinkedHashMap<>(builder.fleetSettings));
        Resolution.resolve(values);
    }

    /** Returns a builder with everything at its default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns every setting, in the order of the reference page: for our own tools, since an option is no promise. */
    @SuppressWarnings("exports")
    public static List<Option<?>> knobs() {
        return Knobs.ALL;
    }

    /** Returns the settings in the environment variables of this process. */
    public static ForebayConfig fromEnvironment() {
        return fromEnvironment(System.getenv());
    }

    /** Returns the settings in {@code variables}. Variables that are not ours are ignored. */
    public static ForebayConfig fromEnvironment(Map<String, String> variables) {
        return builder().applyEnvironment(variables).build();
    }

    /** Returns the settings in {@code properties}. Properties that are not ours are ignored. */
    public static ForebayConfig fromProperties(Properties properties) {
        return builder().applyProperties(properties).build();
    }

    /** Returns a builder that starts from these settings; the default of a knob that was not set is derived again. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.settings.setAll(values);
        builder.fleetSettings.putAll(fleetSettings);
        return builder;
    }

    /** Returns the corrections, in sentences for a log. */
    public List<String> notices() {
        return values.notices();
    }

    /** Returns the source of each knob, by property name: "default", "environment variable X", "property x" or "code". */
    public Map<String, String> origins() {
        Map<String, String> origins = values.origins();
        origins.put(Knobs.RESERVOIR_ENABLED.name(), origins.getOrDefault(Knobs.MODE.name(), ""));
        return origins;
    }

    /** Returns each knob's value as text, by property name; knobs without a value are left out. */
    public Map<String, String> values() {
        return values.texts();
    }

    /**
     * Returns the settings of a fleet in the environment or the properties, as they were written and in the order in
     * which they count. A pool by itself ignores them: {@code FleetConfig.of} reads them.
     */
    public Map<String, String> fleetSettings() {
        return fleetSettings;
    }

    /** Returns whether they switch a limit of the fleet on. */
    boolean wantsFleet() {
        return fleetSettings.entrySet().stream()
                .anyMatch(setting -> setting.getKey().toLowerCase(Locale.ROOT).endsWith("enabled")
                        && OptionKind.flag().parser().apply(setting.getValue()));
    }

    /** Returns the settings of the engine that follow from these. */
    public PoolConfig toPoolConfig() {
        return toPoolConfig(Duration.ZERO);
    }

    /** As above, for a pool on demand that keeps none idle before {@code startupDelay} is over. */
    PoolConfig toPoolConfig(Duration startupDelay) {
        PoolConfig.Builder engine = switch (mode()) {
            case STANDARD ->
                PoolConfig.builder(Supply.keeper(maxOpen(), keeperTick(), keeperBatch()), maxOpen())
                        .lifetime(meanLifetime(), maxLifetimeJitter(), Duration.ZERO)
                        .backoff(new Backoff(warmupBackoff(), warmupMaxBackoff(), warmupTries()))
                        .idle(maxIdleTime(), 0);
            case RESERVOIR ->
                PoolConfig.builder(Supply.reservoir(targetReady()), mostOpen())
                        .spare(spare())
                        .lifetime(baseLifetime(), lifetimeJitter(), guardWindow())
                        .inFlightLimit(inflightLimit())
                        .backoff(failureBackoff());
            case ON_DEMAND ->
                PoolConfig.builder(Supply.onDemand(minIdle(), startupDelay, maxOpen(), exhaustion()), maxOpen())
                        .spare(exhaustion() == Exhaustion.OVERFLOW ? overflow() : 0)
                        .lifetime(meanLifetime(), maxLifetimeJitter(), Duration.ZERO)
                        .inFlightLimit(onDemandInflightLimit())
                        .backoff(failureBackoff())
                        .idle(idleTimeout(), minIdle())
                        .exhaustion(exhaustion())
                        .reuseOrder(ReuseOrder.NEWEST_FIRST);
        };
        return engine.openTimeout(openTimeout())
                .checkTimeout(validationTimeout())
                .keepalive(keepalive())
                .trust(trust())
                .maxWaiting(maxWaiting())
                .heldTooLong(leakDetectionThreshold())
                .build();
    }

    /**
     * Returns the policy of retries of transactions on these connections: {@link TxRetryPolicy#FAIR}, or one whose waits double
     * if any setting of such a policy is given.
     */
    public TxRetryPolicy retryPolicy() {
        if (Knobs.DOUBLING_RETRIES.stream().noneMatch(values::isSet)) {
            return TxRetryPolicy.FAIR;
        }
        return new TxRetryPolicy(
                maxRetries(), retryBaseDelay(), retryMaxDelay(), TxRetryPolicy.Jitter.of(retryJitterFactor()));
    }

    /** Returns the lifetime about which the jitter is drawn, such that the longest is the configured one. */
    private Duration meanLifetime() {
        return maxLifetime().isZero()
                ? Duration.ZERO
                : maxLifetime().minus(maxLifetimeJitter().dividedBy(2));
    }

    private Backoff failureBackoff() {
        return new Backoff(backoff(), maxBackoff(), Backoff.DEFAULT.tries());
    }

    /** Returns the most connections that may be open, those held by a pool above a reservoir included. */
    int mostOpen() {
        return mode() == Mode.RESERVOIR && underAnotherPool() ? targetReady() + outerPoolSize() : maxOpen();
    }

    /** Returns the longest wait of a checkout: brief under another pool, which retries. */
    Duration checkoutTimeout() {
        return mode() == Mode.RESERVOIR && underAnotherPool() ? emptyWait() : connectionTimeout();
    }

    /** Returns how often the warm-up tries to open each connection. */
    int warmupTries() {
        return warmupRetries() + 1;
    }

    /** Returns the number of connections without which a start is not complete. */
    int neededToStart() {
        return switch (mode()) {
            case STANDARD -> maxOpen();
            case RESERVOIR -> lowWatermark();
            case ON_DEMAND -> 0;
        };
    }

    /** Returns the wait before connections are opened that no caller waits for: a random time, unless switched off. */
    Duration startupDelay(RandomGenerator random) {
        long most = staggeredStartupMaxDelay().toNanos();
        return staggeredStartup() && most > 0 ? Duration.ofNanos(random.nextLong(most)) : Duration.ZERO;
    }

    private <T> T get(Option<T> knob) {
        return values.get(knob);
    }

    private <T> @Nullable T find(Option<T> knob) {
        return values.find(knob);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ForebayConfig config
                && values.equals(config.values)
                && fleetSettings.equals(config.fleetSettings);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "ForebayConfig" + values();
    }

    // ---- one accessor for each knob

    /** How connections are supplied: all at start and kept, from a reservoir, or when someone waits. */
    public Mode mode() {
        return get(Knobs.MODE);
    }

    /** Names the service in metric labels, JMX and leases. */
    public String serviceName() {
        return get(Knobs.SERVICE_NAME);
    }

    /** The most connections that may be open; a reservoir with a target takes that instead, unless this is set. */
    public int maxOpen() {
        return get(Knobs.MAX_OPEN);
    }

    /** How long getting a connection may wait before it fails; 0 does not wait. */
    public Duration connectionTimeout() {
        return get(Knobs.CONNECTION_TIMEOUT);
    }

    /** How many callers may wait at once; one more fails at once, so that a stall cannot use up memory. */
    public int maxWaiting() {
        return get(Knobs.MAX_WAITING);
    }

    /** How long opening one connection may take before it counts as failed. */
    public Duration openTimeout() {
        return get(Knobs.OPEN_TIMEOUT);
    }

    /** How long checking one connection may take before it counts as dead. */
    public Duration validationTimeout() {
        return get(Knobs.VALIDATION_TIMEOUT);
    }

    /** How long a return may wait for the answer to a rollback before the connection is discarded instead. */
    public Duration resetTimeout() {
        return get(Knobs.RESET_TIMEOUT);
    }

    /** How long a connection may be idle before it is checked in the background; 0 never checks. */
    public Duration keepalive() {
        return get(Knobs.KEEPALIVE);
    }

    /** How long a connection counts as alive without a check, after which it is validated before it is handed out; 0 always trusts. */
    public Duration trust() {
        return get(Knobs.TRUST);
    }

    /** The wait after the first failed open, doubled with each further one; standard mode has its own. */
    public Duration backoff() {
        return get(Knobs.BACKOFF);
    }

    /** The longest wait after failed opens. */
    public Duration maxBackoff() {
        return get(Knobs.MAX_BACKOFF);
    }

    /** The longest a connection lives in standard and on-demand mode, safely under the 60 minutes of Aurora DSQL; 0 for ever. */
    public Duration maxLifetime() {
        return get(Knobs.MAX_LIFETIME);
    }

    /** By how much less than max-lifetime a connection may live, drawn for each, so that they do not expire together. */
    public Duration maxLifetimeJitter() {
        return get(Knobs.MAX_LIFETIME_JITTER);
    }

    /** After how long a borrower is reported as a possible leak; 0 never reports. */
    public Duration leakDetectionThreshold() {
        return get(Knobs.LEAK_DETECTION_THRESHOLD);
    }

    /** Whether starting fails when no connection can be opened, rather than going on and trying again. */
    public boolean failFast() {
        return get(Knobs.FAIL_FAST);
    }

    /** Whether the pool closes itself when the process is told to end, for programs in which nothing else does. */
    public boolean shutdownHook() {
        return get(Knobs.SHUTDOWN_HOOK);
    }

    /** How many connections this process opens to an endpoint a second, so that it leaves room for others on the cluster. */
    public int connectionRateLimit() {
        return get(Knobs.CONNECTION_RATE_LIMIT);
    }

    /** How many of these may be saved up and opened at once. */
    public int connectionBurstLimit() {
        return get(Knobs.CONNECTION_BURST_LIMIT);
    }

    /** Whether all pools of this process on one endpoint share that limit, the lowest if theirs differ; otherwise this pool has one of its own. */
    public boolean connectionRateShared() {
        return get(Knobs.CONNECTION_RATE_SHARED);
    }

    /** How long a connection may be unused before it is let go; 0, which keeps the pool full, never lets one go. */
    public Duration maxIdleTime() {
        return get(Knobs.MAX_IDLE_TIME);
    }

    /** How often the keeper replaces connections that are missing. */
    public Duration keeperTick() {
        return get(Knobs.KEEPER_TICK);
    }

    /** How many it replaces each time; for callers who wait, connections are opened beside it. */
    public int keeperBatch() {
        return get(Knobs.KEEPER_BATCH);
    }

    /** How often opening one connection is tried again before the warm-up passes on to the next. */
    public int warmupRetries() {
        return get(Knobs.WARMUP_RETRIES);
    }

    /** The wait before the first of these retries, doubled with each further one. */
    public Duration warmupBackoff() {
        return get(Knobs.WARMUP_BACKOFF);
    }

    /** The longest wait before a retry. */
    public Duration warmupMaxBackoff() {
        return get(Knobs.WARMUP_MAX_BACKOFF);
    }

    /** Whether to wait a random time before the first connections are opened, so that services started together do not connect together. */
    public boolean staggeredStartup() {
        return get(Knobs.STAGGERED_STARTUP);
    }

    /** The longest such wait. */
    public Duration staggeredStartupMaxDelay() {
        return get(Knobs.STAGGERED_STARTUP_MAX_DELAY);
    }

    /** How many connections to keep ready. */
    public int targetReady() {
        return get(Knobs.TARGET_READY);
    }

    /** How many must be open before the initial fill counts as complete. */
    public int lowWatermark() {
        return get(Knobs.LOW_WATERMARK);
    }

    /** How long a connection lives, before jitter: short enough for fresh tokens, long enough to spare the rate limit. */
    public Duration baseLifetime() {
        return get(Knobs.BASE_LIFETIME);
    }

    /** The width of the range around the base from which each connection draws its lifetime, so that they do not expire together. */
    public Duration lifetimeJitter() {
        return get(Knobs.LIFETIME_JITTER);
    }

    /** How long before its end a connection is no longer handed out: longer than your longest transaction. */
    public Duration guardWindow() {
        return get(Knobs.GUARD_WINDOW);
    }

    /** How long starting waits for the low watermark before it goes on without. */
    public Duration initialFillTimeout() {
        return get(Knobs.INITIAL_FILL_TIMEOUT);
    }

    /** How many opens may be under way at once, so that slow connects do not lower the rate. */
    public int inflightLimit() {
        return get(Knobs.INFLIGHT_LIMIT);
    }

    /** How many replacements may be open beside the connections they replace, for a moment. */
    public int spare() {
        return get(Knobs.SPARE);
    }

    /** Whether another pool draws its connections from the reservoir and holds them. */
    public boolean underAnotherPool() {
        return get(Knobs.UNDER_ANOTHER_POOL);
    }

    /** How many connections that pool may hold, which may be open beside the target. */
    public int outerPoolSize() {
        return get(Knobs.OUTER_POOL_SIZE);
    }

    /** How long that pool waits at an empty reservoir before it is told to try again. */
    public Duration emptyWait() {
        return get(Knobs.EMPTY_WAIT);
    }

    /** How many connections are kept idle although nobody needs them. */
    public int minIdle() {
        return get(Knobs.MIN_IDLE);
    }

    /** How long a connection may be unused before it is let go; 0 never lets one go. */
    public Duration idleTimeout() {
        return get(Knobs.IDLE_TIMEOUT);
    }

    /** What happens when all connections are in use: wait, fail-fast, or overflow. */
    public Exhaustion exhaustion() {
        return get(Knobs.EXHAUSTION);
    }

    /** How many connections beyond the maximum overflow may open; each is closed when it is returned. */
    public int overflow() {
        return get(Knobs.OVERFLOW);
    }

    /** How many opens may be under way at once. */
    public int onDemandInflightLimit() {
        return get(Knobs.ON_DEMAND_INFLIGHT_LIMIT);
    }

    /** A statement that is run on each new connection. */
    public @Nullable String connectionInitSql() {
        return find(Knobs.CONNECTION_INIT_SQL);
    }

    /** A statement that checks a connection, for drivers that cannot do so themselves. */
    public @Nullable String validationSql() {
        return find(Knobs.VALIDATION_SQL);
    }

    /** Whether a connection is handed out in auto-commit mode. */
    public boolean autoCommit() {
        return get(Knobs.AUTO_COMMIT);
    }

    /** Whether a connection is handed out read-only. */
    public boolean readOnly() {
        return get(Knobs.READ_ONLY);
    }

    /** The transaction isolation a connection is handed out with. */
    public @Nullable Isolation isolation() {
        return find(Knobs.ISOLATION);
    }

    /** The catalog a connection is handed out with. */
    public @Nullable String catalog() {
        return find(Knobs.CATALOG);
    }

    /** The schema a connection is handed out with. */
    public @Nullable String schema() {
        return find(Knobs.SCHEMA);
    }

    /** How long a borrower's call may wait for the server; 0 leaves it to the driver. */
    public Duration networkTimeout() {
        return get(Knobs.NETWORK_TIMEOUT);
    }

    /** How often a transaction is tried again after a conflict (40001); 0 never tries again. */
    public int maxRetries() {
        return get(Knobs.MAX_RETRIES);
    }

    /** The wait before the first of these retries, before jitter, doubled with each further one. */
    public Duration retryBaseDelay() {
        return get(Knobs.RETRY_BASE_DELAY);
    }

    /** The longest such wait, jitter included. */
    public Duration retryMaxDelay() {
        return get(Knobs.RETRY_MAX_DELAY);
    }

    /** By how much of itself a wait may be shorter or longer, so that those who met do not meet again. */
    public double retryJitterFactor() {
        return get(Knobs.RETRY_JITTER_FACTOR);
    }

    /** Whether conflicts are counted for the warning at {@link #conflictAlertThreshold}. */
    public boolean trackRetryCounts() {
        return get(Knobs.TRACK_RETRY_COUNTS);
    }

    /** How many conflicts in a minute are worth a warning in the log; 0 never warns. */
    public int conflictAlertThreshold() {
        return get(Knobs.CONFLICT_ALERT_THRESHOLD);
    }

    /** The endpoint of the cluster, such as ID.dsql.us-east-1.on.aws; a port may follow it. */
    public @Nullable String clusterEndpoint() {
        return find(Knobs.CLUSTER_ENDPOINT);
    }

    /** The region that tokens are signed for. */
    public @Nullable String region() {
        return find(Knobs.REGION);
    }

    /** Who connects: admin, or a role of the database that was granted to the IAM identity. */
    public String user() {
        return get(Knobs.USER);
    }

    /** The database; a cluster has one. */
    public String database() {
        return get(Knobs.DATABASE);
    }

    /** How long a token is valid; it ends sooner if the credentials that sign it do. */
    public Duration tokenDuration() {
        return get(Knobs.TOKEN_DURATION);
    }

    /** The id of the cluster if the endpoint does not name it, as with PrivateLink; sent as amzn-cluster-id. */
    public @Nullable String clusterId() {
        return find(Knobs.CLUSTER_ID);
    }

    /** A PEM file with the certificates by which the server is verified. */
    public @Nullable String caFile() {
        return find(Knobs.CA_FILE);
    }

    /** Whether the pool is registered with JMX. */
    public boolean jmx() {
        return get(Knobs.JMX);
    }

    /** Collects settings; each setter is described by the accessor of its name. Not thread-safe. */
    public static final class Builder {

        private static final String FLEET_PROPERTY = "forebay.fleet.";
        private static final String FLEET_VARIABLE = "DSQL_DISTRIBUTED_";

        /** The beginnings of our variables; others with DSQL_ may not be ours. */
        static final List<String> OUR_VARIABLES = List.of(
                "DSQL_POOL_",
                "DSQL_MAX_CONN",
                "DSQL_STAGGERED_START",
                "DSQL_CONNECTION_RATE",
                "DSQL_CONNECTION_BURST",
                "DSQL_WARMUP_",
                "DSQL_RESERVOIR_",
                "DSQL_ON_DEMAND_",
                "DSQL_RETRY_",
                "DSQL_MONITORING_",
                FLEET_VARIABLE);

        private final OptionValues settings = nothing();
        private final Map<String, String> fleetSettings = new LinkedHashMap<>();

        private Builder() {}

        private static OptionValues nothing() {
            return new OptionValues(Knobs.ALL, OUR_VARIABLES);
        }

        /**
         * Sets what {@code variables} name. Empty ones count as unset; those that are not ours are ignored.
         *
         * @throws IllegalArgumentException naming the variable, its value and what would be valid
         */
        public Builder applyEnvironment(Map<String, String> variables) {
            return apply(nothing().readVariables(withoutFleet(variables, FLEET_VARIABLE)));
        }

        /**
         * Sets what {@code properties} name. Empty ones count as unset; those of others are ignored.
         *
         * @throws IllegalArgumentException naming the property, its value and what would be valid
         */
        public Builder applyProperties(Properties properties) {
            Map<String, String> named = new HashMap<>();
            properties.stringPropertyNames().forEach(name -> named.put(name, properties.getProperty(name)));
            return apply(nothing().readProperties(withoutFleet(named, FLEET_PROPERTY)));
        }

        /** Keeps the settings of a fleet, by their {@code beginning}, and returns the rest. */
        private Map<String, String> withoutFleet(Map<String, String> source, String beginning) {
            Map<String, String> rest = new TreeMap<>(source);
            rest.entrySet().removeIf(setting -> {
                boolean isFleets = setting.getKey().startsWith(beginning);
                if (isFleets && !setting.getValue().isBlank()) {
                    fleetSettings.remove(setting.getKey()); // the later one counts
                    fleetSettings.put(setting.getKey(), setting.getValue());
                }
                return isFleets;
            });
            return rest;
        }

        /** Takes over the settings of one source, in which the reservoir's flag is another way to set the mode. */
        private Builder apply(OptionValues said) {
            OptionValues.Setting<Boolean> flag = said.setting(Knobs.RESERVOIR_ENABLED);
            OptionValues.Setting<Mode> mode = said.setting(Knobs.MODE);
            if (flag != null) {
                said.refuse(
                        mode != null && flag.value() != isReservoir(mode),
                        "they contradict each other",
                        "one of them, or both with the same meaning",
                        Knobs.RESERVOIR_ENABLED,
                        Knobs.MODE);
                if (mode == null && (flag.value() || isReservoir(settings.setting(Knobs.MODE)))) {
                    said.set(Knobs.MODE, flag.value() ? Mode.RESERVOIR : Mode.STANDARD, flag);
                }
                said.unset(Knobs.RESERVOIR_ENABLED);
            }
            settings.setAll(said);
            return this;
        }

        private static boolean isReservoir(OptionValues.@Nullable Setting<Mode> mode) {
            return mode != null && mode.value() == Mode.RESERVOIR;
        }

        private <T> Builder set(Option<T> knob, @Nullable T value) {
            settings.set(knob, value);
            return this;
        }

        /** Whether conflicts are counted for the warning. */
        public Builder trackRetryCounts(boolean trackRetryCounts) {
            return set(Knobs.TRACK_RETRY_COUNTS, trackRetryCounts);
        }

        /**
         * Returns the settings, checked.
         *
         * @throws IllegalArgumentException naming what was set, its value and what would be valid
         */
        public ForebayConfig build() {
            return new ForebayConfig(this);
        }

        // ---- one setter for each knob

        public Builder mode(Mode mode) {
            return set(Knobs.MODE, mode);
        }

        public Builder serviceName(String serviceName) {
            return set(Knobs.SERVICE_NAME, serviceName);
        }

        public Builder maxOpen(int maxOpen) {
            return set(Knobs.MAX_OPEN, maxOpen);
        }

        public Builder connectionTimeout(Duration connectionTimeout) {
            return set(Knobs.CONNECTION_TIMEOUT, connectionTimeout);
        }

        public Builder maxWaiting(int maxWaiting) {
            return set(Knobs.MAX_WAITING, maxWaiting);
        }

        public Builder openTimeout(Duration openTimeout) {
            return set(Knobs.OPEN_TIMEOUT, openTimeout);
        }

        public Builder validationTimeout(Duration validationTimeout) {
            return set(Knobs.VALIDATION_TIMEOUT, validationTimeout);
        }

        public Builder resetTimeout(Duration resetTimeout) {
            return set(Knobs.RESET_TIMEOUT, resetTimeout);
        }

        public Builder keepalive(Duration keepalive) {
            return set(Knobs.KEEPALIVE, keepalive);
        }

        public Builder trust(Duration trust) {
            return set(Knobs.TRUST, trust);
        }

        public Builder backoff(Duration backoff) {
            return set(Knobs.BACKOFF, backoff);
        }

        public Builder maxBackoff(Duration maxBackoff) {
            return set(Knobs.MAX_BACKOFF, maxBackoff);
        }

        public Builder maxLifetime(Duration maxLifetime) {
            return set(Knobs.MAX_LIFETIME, maxLifetime);
        }

        public Builder maxLifetimeJitter(Duration maxLifetimeJitter) {
            return set(Knobs.MAX_LIFETIME_JITTER, maxLifetimeJitter);
        }

        public Builder leakDetectionThreshold(Duration leakDetectionThreshold) {
            return set(Knobs.LEAK_DETECTION_THRESHOLD, leakDetectionThreshold);
        }

        public Builder failFast(boolean failFast) {
            return set(Knobs.FAIL_FAST, failFast);
        }

        public Builder shutdownHook(boolean shutdownHook) {
            return set(Knobs.SHUTDOWN_HOOK, shutdownHook);
        }

        public Builder connectionRateLimit(int connectionRateLimit) {
            return set(Knobs.CONNECTION_RATE_LIMIT, connectionRateLimit);
        }

        public Builder connectionBurstLimit(int connectionBurstLimit) {
            return set(Knobs.CONNECTION_BURST_LIMIT, connectionBurstLimit);
        }

        public Builder connectionRateShared(boolean connectionRateShared) {
            return set(Knobs.CONNECTION_RATE_SHARED, connectionRateShared);
        }

        public Builder maxIdleTime(Duration maxIdleTime) {
            return set(Knobs.MAX_IDLE_TIME, maxIdleTime);
        }

        public Builder keeperTick(Duration keeperTick) {
            return set(Knobs.KEEPER_TICK, keeperTick);
        }

        public Builder keeperBatch(int keeperBatch) {
            return set(Knobs.KEEPER_BATCH, keeperBatch);
        }

        public Builder warmupRetries(int warmupRetries) {
            return set(Knobs.WARMUP_RETRIES, warmupRetries);
        }

        public Builder warmupBackoff(Duration warmupBackoff) {
            return set(Knobs.WARMUP_BACKOFF, warmupBackoff);
        }

        public Builder warmupMaxBackoff(Duration warmupMaxBackoff) {
            return set(Knobs.WARMUP_MAX_BACKOFF, warmupMaxBackoff);
        }

        public Builder staggeredStartup(boolean staggeredStartup) {
            return set(Knobs.STAGGERED_STARTUP, staggeredStartup);
        }

        public Builder staggeredStartupMaxDelay(Duration staggeredStartupMaxDelay) {
            return set(Knobs.STAGGERED_STARTUP_MAX_DELAY, staggeredStartupMaxDelay);
        }

        public Builder targetReady(int targetReady) {
            return set(Knobs.TARGET_READY, targetReady);
        }

        public Builder lowWatermark(int lowWatermark) {
            return set(Knobs.LOW_WATERMARK, lowWatermark);
        }

        public Builder baseLifetime(Duration baseLifetime) {
            return set(Knobs.BASE_LIFETIME, baseLifetime);
        }

        public Builder lifetimeJitter(Duration lifetimeJitter) {
            return set(Knobs.LIFETIME_JITTER, lifetimeJitter);
        }

        public Builder guardWindow(Duration guardWindow) {
            return set(Knobs.GUARD_WINDOW, guardWindow);
        }

        public Builder initialFillTimeout(Duration initialFillTimeout) {
            return set(Knobs.INITIAL_FILL_TIMEOUT, initialFillTimeout);
        }

        public Builder inflightLimit(int inflightLimit) {
            return set(Knobs.INFLIGHT_LIMIT, inflightLimit);
        }

        public Builder spare(int spare) {
            return set(Knobs.SPARE, spare);
        }

        public Builder underAnotherPool(boolean underAnotherPool) {
            return set(Knobs.UNDER_ANOTHER_POOL, underAnotherPool);
        }

        public Builder outerPoolSize(int outerPoolSize) {
            return set(Knobs.OUTER_POOL_SIZE, outerPoolSize);
        }

        public Builder emptyWait(Duration emptyWait) {
            return set(Knobs.EMPTY_WAIT, emptyWait);
        }

        public Builder minIdle(int minIdle) {
            return set(Knobs.MIN_IDLE, minIdle);
        }

        public Builder idleTimeout(Duration idleTimeout) {
            return set(Knobs.IDLE_TIMEOUT, idleTimeout);
        }

        public Builder exhaustion(Exhaustion exhaustion) {
            return set(Knobs.EXHAUSTION, exhaustion);
        }

        public Builder overflow(int overflow) {
            return set(Knobs.OVERFLOW, overflow);
        }

        public Builder onDemandInflightLimit(int onDemandInflightLimit) {
            return set(Knobs.ON_DEMAND_INFLIGHT_LIMIT, onDemandInflightLimit);
        }

        public Builder connectionInitSql(@Nullable String connectionInitSql) {
            return set(Knobs.CONNECTION_INIT_SQL, connectionInitSql);
        }

        public Builder validationSql(@Nullable String validationSql) {
            return set(Knobs.VALIDATION_SQL, validationSql);
        }

        public Builder autoCommit(boolean autoCommit) {
            return set(Knobs.AUTO_COMMIT, autoCommit);
        }

        public Builder readOnly(boolean readOnly) {
            return set(Knobs.READ_ONLY, readOnly);
        }

        public Builder isolation(@Nullable Isolation isolation) {
            return set(Knobs.ISOLATION, isolation);
        }

        public Builder catalog(@Nullable String catalog) {
            return set(Knobs.CATALOG, catalog);
        }

        public Builder schema(@Nullable String schema) {
            return set(Knobs.SCHEMA, schema);
        }

        public Builder networkTimeout(Duration networkTimeout) {
            return set(Knobs.NETWORK_TIMEOUT, networkTimeout);
        }

        public Builder maxRetries(int maxRetries) {
            return set(Knobs.MAX_RETRIES, maxRetries);
        }

        public Builder retryBaseDelay(Duration retryBaseDelay) {
            return set(Knobs.RETRY_BASE_DELAY, retryBaseDelay);
        }

        public Builder retryMaxDelay(Duration retryMaxDelay) {
            return set(Knobs.RETRY_MAX_DELAY, retryMaxDelay);
        }

        public Builder retryJitterFactor(double retryJitterFactor) {
            return set(Knobs.RETRY_JITTER_FACTOR, retryJitterFactor);
        }

        public Builder conflictAlertThreshold(int conflictAlertThreshold) {
            return set(Knobs.CONFLICT_ALERT_THRESHOLD, conflictAlertThreshold);
        }

        public Builder clusterEndpoint(@Nullable String clusterEndpoint) {
            return set(Knobs.CLUSTER_ENDPOINT, clusterEndpoint);
        }

        public Builder region(@Nullable String region) {
            return set(Knobs.REGION, region);
        }

        public Builder user(String user) {
            return set(Knobs.USER, user);
        }

        public Builder database(String database) {
            return set(Knobs.DATABASE, database);
        }

        public Builder tokenDuration(Duration tokenDuration) {
            return set(Knobs.TOKEN_DURATION, tokenDuration);
        }

        public Builder clusterId(@Nullable String clusterId) {
            return set(Knobs.CLUSTER_ID, clusterId);
        }

        public Builder caFile(@Nullable String caFile) {
            return set(Knobs.CA_FILE, caFile);
        }

        public Builder jmx(boolean jmx) {
            return set(Knobs.JMX, jmx);
        }
    }
}
