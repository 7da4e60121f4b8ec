// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.Admission;
import dev.forebay.engine.Observer;
import dev.forebay.engine.Observer.Observation;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.fleet.FleetListener;
import dev.forebay.fleet.FleetStats;
import dev.forebay.fleet.FleetStore;
import dev.forebay.time.Actions;
import dev.forebay.time.SystemTime;
import dev.forebay.tx.TxListener;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.regions.Region;

/**
 * The front door to Aurora DSQL: a pool whose connections are ready, with tokens that are good and within the limits that
 * a fleet shares.
 *
 * <pre>{@code
 * try (ForebayDataSource dataSource = AuroraDsql.builder("ID.dsql.us-east-1.on.aws").build()) {
 *     dataSource.transactions().run("transfer", connection -> ...);
 * }
 * }</pre>
 *
 * Every setting of {@link ForebayConfig} counts, and those of {@link FleetConfig}; the group "Aurora DSQL" and the fleet's
 * count here only.
 */
public final class AuroraDsql {

    /** Longer than a transaction of Aurora DSQL can last: after that no answer comes. */
    private static final Duration LONGEST_CALL = Duration.ofSeconds(330);

    /** Aurora DSQL ends a connection at this age, whatever is done on it. */
    private static final Duration END_OF_LIFE = Duration.ofHours(1);

    private AuroraDsql() {}

    /**
     * Builds a pool from the environment variables of this process, {@code CLUSTER_ENDPOINT} above all.
     *
     * @throws IllegalArgumentException naming the variable that is missing or wrong
     * @throws SQLException as {@link Builder#build}
     */
    public static ForebayDataSource fromEnvironment() throws SQLException {
        return builder(ForebayConfig.fromEnvironment()).build();
    }

    /** Returns a builder for the cluster at {@code endpoint}, with every other setting at its default. */
    public static Builder builder(String endpoint) {
        return builder(ForebayConfig.builder().clusterEndpoint(endpoint).build());
    }

    /** Returns a builder for the cluster that {@code config} names. */
    public static Builder builder(ForebayConfig config) {
        return new Builder(config);
    }

    /** Collects the parts of a pool. Not thread-safe. */
    public static final class Builder {
        private final ForebayConfig config;
        private final DsqlEndpoint endpoint;
        private FleetConfig fleetConfig;
        private @Nullable AwsCredentialsProvider credentials;
        private @Nullable TokenProvider tokens;
        private @Nullable URI dynamoEndpoint;
        private @Nullable FleetStore fleetStore;
        private @Nullable Admission rateLimit;
        private final Map<String, String> properties = new LinkedHashMap<>();
        private final List<Observer> observers = new ArrayList<>();
        private final List<PoolListener> listeners = new ArrayList<>();
        private final List<TxListener> txListeners = new ArrayList<>();
        private final List<FleetListener> fleetListeners = new ArrayList<>();
        private final List<Consumer<Supplier<FleetStats>>> fleetObservers = new ArrayList<>();

        private Builder(ForebayConfig config) {
            this.config = acceptable(config);
            this.endpoint = DsqlEndpoint.of(config);
            this.fleetConfig = FleetConfig.of(config.fleetSettings());
        }

        /** Sets the limits that the fleet shares; without this, those in the settings' environment or properties. */
        public Builder fleet(FleetConfig fleet) {
            this.fleetConfig = fleet;
            refuseTwoRateLimits();
            return this;
        }

        /** Sets the credentials that sign tokens and requests; without this, those of the SDK's default chain. */
        public Builder credentials(AwsCredentialsProvider credentials) {
            this.credentials = credentials;
            return this;
        }

        /** Sets the source of passwords, in place of IAM tokens. */
        public Builder tokens(TokenProvider tokens) {
            this.tokens = tokens;
            return this;
        }

        /** Sets the endpoint of DynamoDB; without this, the SDK's for the region. */
        public Builder dynamoEndpoint(URI endpoint) {
            this.dynamoEndpoint = endpoint;
            return this;
        }

        /**
         * Sets the store of the fleet's limits, in place of DynamoDB: a {@link dev.forebay.fleet.MemoryStore} for pools
         * of one process that share them.
         */
        public Builder fleetStore(FleetStore store) {
            this.fleetStore = store;
            return this;
        }

        /**
         * Sets the limit on how fast connections are opened, asked last; without this, the fleet's if that is enabled,
         * otherwise that of the configuration, which all pools of this process on the cluster share.
         *
         * @throws IllegalStateException if the fleet's rate limit is enabled: there is one or the other
         */
        public Builder rateLimit(Admission rateLimit) {
            this.rateLimit = rateLimit;
            refuseTwoRateLimits();
            return this;
        }

        private void refuseTwoRateLimits() {
            if (rateLimit != null && fleetConfig.rateLimiter()) {
                throw new IllegalStateException(
                        "the fleet's rate limiter is enabled: take that, or switch it off and give a limit of your own");
            }
        }

        /** Sets a property of the driver, or another value for one of ours. */
        public Builder property(String name, String value) {
            properties.put(name, value);
            return this;
        }

        /** Adds an observer, such as metrics, that the pool and the fleet's limits are shown to until the pool is closed. */
        public Builder observer(Observer observer) {
            observers.add(observer);
            return this;
        }

        /** Adds a listener to the pool's events. */
        public Builder listener(PoolListener listener) {
            listeners.add(listener);
            return this;
        }

        /** Adds a listener to the transactions. */
        public Builder txListener(TxListener listener) {
            txListeners.add(listener);
            return this;
        }

        /** Adds a listener to the limits that the fleet shares. */
        public Builder fleetListener(FleetListener listener) {
            fleetListeners.add(listener);
            return this;
        }

        /** Adds a consumer that is given the supplier of the fleet's numbers when the pool is built. */
        public Builder fleetStats(Consumer<Supplier<FleetStats>> observer) {
            fleetObservers.add(observer);
            return this;
        }

        /**
         * Builds the pool and starts it: returns when the warm-up or the initial fill is over. Closing it gives its leases
         * back.
         *
         * @throws SQLException if the configuration says to fail fast and no connection could be opened
         */
        public ForebayDataSource build() throws SQLException {
            Parts parts = parts();
            observers.forEach(parts.pool::observer);
            listeners.forEach(parts.pool::listener);
            txListeners.forEach(parts.pool::txListener);
            try {
                ForebayDataSource built = parts.pool.build();
                parts.fleet.limits().whenDraining(built::evictAll);
                return built;
            } catch (RuntimeException e) {
                parts.close.run();
                throw e;
            }
        }

        /**
         * Builds a data source without a pool: each connection is new and its token is good. It is opened within the
         * same limits as those of a pool, and gives its lease back when it is closed. When leases have to be given up
         * during an outage, only its user can close it.
         */
        public DsqlDataSource buildUnpooled() {
            Parts parts = parts();
            return new DsqlDataSource(parts.pool.buildUnpooled(), parts.driver);
        }

        private record Parts(ForebayDataSource.Builder pool, PGSimpleDataSource driver, Fleet fleet, Runnable close) {}

        private Parts parts() {
            PGSimpleDataSource driver = driver();
            AwsCredentialsProvider provider = credentialsProvider();
            ExecutorService tokenThread = Threads.few("forebay-token-", TokenCache.MOST_HANGING + 1);
            TokenCache cache = cache(provider, tokenThread);
            Fleet fleet = new Fleet(
                    fleetConfig,
                    config.serviceName(),
                    endpoint,
                    provider,
                    dynamoEndpoint,
                    fleetStore,
                    FleetListener.all(fleetListeners));
            List<Observation> shown = observers.stream()
                    .map(observer -> FleetStats.show(observer, config.serviceName(), fleet.limits()::stats))
                    .toList();
            Runnable close = () -> {
                shown.forEach(one -> Actions.run(one::close));
                fleet.close();
                cache.close();
                tokenThread.shutdown();
                closeIfOurs(provider);
            };
            ForebayDataSource.Builder pool = ForebayDataSource.builder()
                    .config(config)
                    .endpoint(endpoint.signedHost() + ":" + endpoint.port())
                    .dataSource(driver)
                    .user(config.user())
                    .password(cache)
                    .onClose(fleet.limits()::close)
                    .afterDrain(close);
            if (rateLimit != null) {
                pool.rateLimit(rateLimit);
            }
            fleet.join(pool, cache);
            fleetObservers.forEach(observer -> observer.accept(fleet.limits()::stats));
            return new Parts(pool, driver, fleet, close);
        }

        private AwsCredentialsProvider credentialsProvider() {
            return credentials != null
                    ? credentials
                    : DefaultCredentialsProvider.builder().build();
        }

        private void closeIfOurs(AwsCredentialsProvider provider) {
            if (credentials == null && provider instanceof DefaultCredentialsProvider ours) {
                ours.close();
            }
        }

        private TokenCache cache(AwsCredentialsProvider provider, ExecutorService executor) {
            TokenProvider made = tokens != null
                    ? tokens
                    : new DsqlTokens(
                            endpoint.signedHost(),
                            Region.of(endpoint.region()),
                            config.user(),
                            config.tokenDuration(),
                            provider,
                            SystemTime.wallClock());
            return new TokenCache(
                    made, executor, SystemTime.shared(), SystemTime.wallClock(), RandomGenerator.getDefault());
        }

        /**
         * Returns the driver. While it connects, the socket timeout is that of opening; afterwards the network timeout
         * of the settings is put in its place. pgjdbc's own login timeout would leave a connect behind that is not
         * counted.
         */
        private PGSimpleDataSource driver() {
            String openSeconds = Long.toString(
                    Math.max(1, config.openTimeout().plusMillis(999).toSeconds()));
            Map<String, String> all = new LinkedHashMap<>();
            all.put("sslmode", "verify-full");
            all.put("connectTimeout", openSeconds);
            all.put("socketTimeout", openSeconds);
            all.put("tcpKeepAlive", "true");
            all.put("ApplicationName", config.serviceName());
            String caFile = config.caFile();
            if (caFile == null) {
                all.put("sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory");
            } else {
                all.put("sslrootcert", caFile);
            }
            if (endpoint.clusterId() != null) {
                all.put("options", "-c amzn-cluster-id=" + endpoint.clusterId());
            }
            all.putAll(properties);
            PGSimpleDataSource driver = new PGSimpleDataSource();
            driver.setServerNames(new String[] {endpoint.host()});
            driver.setPortNumbers(new int[] {endpoint.port()});
            driver.setDatabaseName(config.database());
            try {
                for (Map.Entry<String, String> property : all.entrySet()) {
                    driver.setProperty(property.getKey(), property.getValue());
                }
            } catch (SQLException e) {
                throw new IllegalArgumentException("the driver does not take a property: " + e.getMessage(), e);
            }
            return driver;
        }

        /** Returns the settings as Aurora DSQL takes them: it has one isolation level, and refuses to be told which. */
        private static ForebayConfig acceptable(ForebayConfig config) {
            ForebayConfig.Isolation isolation = config.isolation();
            if (isolation != null && isolation != ForebayConfig.Isolation.REPEATABLE_READ) {
                throw new IllegalArgumentException("DSQL_TRANSACTION_ISOLATION=" + isolation
                        + ": Aurora DSQL has one isolation level; valid is repeatable-read, or nothing");
            }
            refuseLongLives(config);
            ForebayConfig.Builder builder = config.toBuilder().isolation(null);
            if (config.networkTimeout().isZero()) {
                builder.networkTimeout(LONGEST_CALL);
            }
            return builder.build();
        }

        /** Refuses settings by which a connection would still be in use when the cluster ends it. */
        private static void refuseLongLives(ForebayConfig config) {
            boolean reservoir = config.mode() == ForebayConfig.Mode.RESERVOIR;
            Duration longest = reservoir
                    ? config.baseLifetime().plus(config.lifetimeJitter().dividedBy(2))
                    : config.maxLifetime();
            boolean isEndless = longest.isZero();
            if (!isEndless && longest.compareTo(END_OF_LIFE) < 0) {
                return;
            }
            String settings = reservoir
                    ? "DSQL_RESERVOIR_BASE_LIFETIME=" + GoDuration.format(config.baseLifetime())
                            + ", DSQL_RESERVOIR_LIFETIME_JITTER=" + GoDuration.format(config.lifetimeJitter())
                    : "DSQL_MAX_CONN_LIFETIME=" + GoDuration.format(config.maxLifetime());
            throw new IllegalArgumentException(settings + ": a connection "
                    + (isEndless ? "never ends" : "would live for up to " + GoDuration.format(longest))
                    + ", but Aurora DSQL ends it after " + GoDuration.format(END_OF_LIFE)
                    + (reservoir
                            ? "; valid is a base lifetime and half of its jitter that are shorter together"
                            : "; valid is a shorter one"));
        }
    }
}
