// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.event.FleetListener;
import dev.forebay.event.FleetStats;
import dev.forebay.event.PoolListener;
import dev.forebay.event.TxListener;
import dev.forebay.fleet.FleetStore;
import dev.forebay.time.SystemTime;
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
 * Every setting of {@link ForebayConfig} counts; those of the groups "Aurora DSQL" and "Fleet" count here only.
 */
public final class AuroraDsql {

    /** Longer than a transaction of Aurora DSQL can last: who waits longer for an answer will get none. */
    private static final Duration LONGEST_CALL = Duration.ofSeconds(330);

    private AuroraDsql() {}

    /**
     * A pool as the environment variables of this process say, {@code CLUSTER_ENDPOINT} above all.
     *
     * @throws IllegalArgumentException naming the variable that is missing or wrong
     * @throws SQLException as {@link Builder#build}
     */
    public static ForebayDataSource fromEnvironment() throws SQLException {
        return builder(ForebayConfig.fromEnvironment()).build();
    }

    /** A builder for the cluster at {@code endpoint}, with every other setting at its default. */
    public static Builder builder(String endpoint) {
        return builder(ForebayConfig.builder().clusterEndpoint(endpoint).build());
    }

    /** A builder for the cluster that {@code config} names. */
    public static Builder builder(ForebayConfig config) {
        return new Builder(config);
    }

    /** Collects what a pool is made of. Not thread-safe. */
    public static final class Builder {
        private final ForebayConfig config;
        private final DsqlEndpoint endpoint;
        private @Nullable AwsCredentialsProvider credentials;
        private @Nullable TokenProvider tokens;
        private @Nullable URI dynamoEndpoint;
        private @Nullable FleetStore fleetStore;
        private final Map<String, String> properties = new LinkedHashMap<>();
        private final List<PoolListener> listeners = new ArrayList<>();
        private final List<TxListener> txListeners = new ArrayList<>();
        private final List<FleetListener> fleetListeners = new ArrayList<>();
        private final List<Consumer<Supplier<FleetStats>>> fleetObservers = new ArrayList<>();

        private Builder(ForebayConfig config) {
            this.config = acceptable(config);
            this.endpoint = DsqlEndpoint.of(config);
        }

        /** Whose credentials sign tokens and requests; without this, those of the SDK's default chain. */
        public Builder credentials(AwsCredentialsProvider credentials) {
            this.credentials = credentials;
            return this;
        }

        /** Where passwords come from, in place of IAM tokens. */
        public Builder tokens(TokenProvider tokens) {
            this.tokens = tokens;
            return this;
        }

        /** Where DynamoDB is; without this, where the SDK finds it in the region. */
        public Builder dynamoEndpoint(URI endpoint) {
            this.dynamoEndpoint = endpoint;
            return this;
        }

        /**
         * Where the limits of the fleet are kept, in place of DynamoDB: a {@link dev.forebay.fleet.MemoryStore} for pools of one
         * process that share them.
         */
        public Builder fleetStore(FleetStore store) {
            this.fleetStore = store;
            return this;
        }

        /** Begins TLS at once, which saves a round trip for each connect; the server has to support it. */
        public Builder directTls() {
            return property("sslNegotiation", "direct");
        }

        /** One more property for the driver, or another value for one of ours. */
        public Builder property(String name, String value) {
            properties.put(name, value);
            return this;
        }

        /** One more who hears what happens in the pool, such as metrics. */
        public Builder listener(PoolListener listener) {
            listeners.add(listener);
            return this;
        }

        /** One more who hears what becomes of transactions. */
        public Builder txListener(TxListener listener) {
            txListeners.add(listener);
            return this;
        }

        /** One more who hears what becomes of the limits that the fleet shares. */
        public Builder fleetListener(FleetListener listener) {
            fleetListeners.add(listener);
            return this;
        }

        /**
         * One more who is shown where the numbers of the fleet are, when there are any:
         * {@code stats -> new MicrometerFleetMetrics("orders", stats).bindTo(registry)}.
         */
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
            AwsCredentialsProvider provider = credentialsProvider();
            ExecutorService tokenThread = Threads.few("forebay-token-", 1);
            TokenCache cache = cache(provider, tokenThread);
            Fleet fleet = new Fleet(
                    config, endpoint, provider, dynamoEndpoint, fleetStore, FleetListener.all(fleetListeners));
            ForebayDataSource.Builder pool = ForebayDataSource.builder()
                    .config(config)
                    .dataSource(driver())
                    .user(config.user())
                    .password(cache);
            listeners.forEach(pool::listener);
            txListeners.forEach(pool::txListener);
            Runnable close = () -> {
                fleet.close();
                cache.close();
                tokenThread.shutdown();
                closeIfOurs(provider);
            };
            fleet.join(pool, cache);
            fleetObservers.forEach(observer -> observer.accept(fleet::stats));
            try {
                ForebayDataSource built = pool.afterDrain(close).build();
                fleet.letGoWhenDraining(built.pool()::evictAll);
                return built;
            } catch (RuntimeException e) {
                close.run();
                throw e;
            }
        }

        /** Builds a data source without a pool: each connection is new, its token is good, and nothing limits the rate. */
        public DsqlDataSource buildUnpooled() {
            ExecutorService tokenThread = Threads.few("forebay-token-", 1);
            AwsCredentialsProvider provider = credentialsProvider();
            TokenCache cache = cache(provider, tokenThread);
            return new DsqlDataSource(driver(), config.user(), cache, config.networkTimeout(), () -> {
                cache.close();
                tokenThread.shutdown();
                closeIfOurs(provider);
            });
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
         * The driver. While it connects, the socket timeout is that of opening; afterwards the network timeout of the
         * settings is put in its place. pgjdbc's own login timeout would leave a connect behind that nobody counts.
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

        /** The settings as Aurora DSQL takes them: it has one isolation level, and refuses to be told which. */
        private static ForebayConfig acceptable(ForebayConfig config) {
            ForebayConfig.Isolation isolation = config.isolation();
            if (isolation != null && isolation != ForebayConfig.Isolation.REPEATABLE_READ) {
                throw new IllegalArgumentException("DSQL_TRANSACTION_ISOLATION=" + isolation
                        + ": Aurora DSQL has one isolation level; valid is repeatable-read, or nothing");
            }
            ForebayConfig.Builder builder = config.toBuilder().isolation(null);
            if (config.networkTimeout().isZero()) {
                builder.networkTimeout(LONGEST_CALL);
            }
            return builder.build();
        }
    }
}
