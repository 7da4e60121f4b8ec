// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.Admission;
import dev.forebay.engine.LocalRateLimits;
import dev.forebay.engine.Observer;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.PoolStats;
import dev.forebay.engine.TokenBucket;
import dev.forebay.jdbc.Borrowing;
import dev.forebay.jdbc.ConnectionSource;
import dev.forebay.jdbc.Endpoint;
import dev.forebay.jdbc.JdbcConnector;
import dev.forebay.jdbc.JdbcListener;
import dev.forebay.jdbc.PhysicalConnection;
import dev.forebay.jdbc.SessionConfig;
import dev.forebay.jdbc.UnpooledDataSource;
import dev.forebay.spi.ErrorPolicy;
import dev.forebay.spi.Holder;
import dev.forebay.spi.PasswordSupplier;
import dev.forebay.time.Actions;
import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxListener;
import dev.forebay.tx.internal.DataSourceSkeleton;
import dev.forebay.tx.internal.TimedDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A {@link DataSource} whose connections are ready before they are asked for. Thread-safe.
 *
 * <p>Use it in place of another pool, or as the data source under one. Close it when the application ends: that closes
 * idle connections at once and borrowed ones when they are returned.
 */
@SuppressWarnings("exports") // what it is built on is no promise
public final class ForebayDataSource extends DataSourceSkeleton implements TimedDataSource, AutoCloseable {

    private static final org.slf4j.Logger slf4j = LoggerFactory.getLogger(ForebayDataSource.class);

    /** The longest wait of {@link #close} for connections to be closed, before the rest is left to the background. */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    /** Its longest wait for borrowed connections, once no others are left. */
    private static final Duration RETURN_PATIENCE = Duration.ofSeconds(1);

    /** Its longest wait for the actions after the drain, such as giving leases back, which bounds itself. */
    private static final Duration AFTERWARDS_PATIENCE = Duration.ofSeconds(15);

    private static final Duration CLOSE_LOOK = Duration.ofMillis(20);

    private final ConfiguredPool<PhysicalConnection> configured;
    private final Pool<PhysicalConnection> pool;
    private final JdbcConnector connector;
    private final JdbcListener jdbcListener;
    private final Borrowing borrowing;
    private final List<PoolListener.Observed> observed;
    private final List<Runnable> onClose;
    private final List<Runnable> afterDrain;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch gone = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final @Nullable PoolJmx jmx;
    private final @Nullable ShutdownHook shutdownHook;
    private final Transactions transactions;
    private volatile long timeoutNanos;

    private ForebayDataSource(Builder builder, ConnectionSource source, Admission rateLimit) {
        ForebayConfig config = builder.config;
        SessionConfig session = builder.sessionConfig();
        this.connector = new JdbcConnector(config.serviceName(), source, session, builder.time);
        this.jdbcListener = new JdbcListener();
        List<PoolListener> listeners = new ArrayList<>(builder.listeners);
        listeners.add(jdbcListener);
        this.observed =
                builder.observers.stream().map(PoolListener.Observed::new).toList();
        listeners.addAll(observed);
        this.configured = new ConfiguredPool<>(
                config,
                connector,
                builder.admissions,
                rateLimit,
                listeners,
                builder.time,
                RandomGenerator.getDefault());
        this.pool = configured.pool();
        this.onClose = List.copyOf(builder.onClose);
        this.afterDrain = new ArrayList<>(builder.afterDrain);
        if (rateLimit instanceof LocalRateLimits.Share share) {
            afterDrain.add(share::leave);
        }
        observed.forEach(one -> one.show(config.serviceName(), pool::stats));
        this.jmx = config.jmx() ? PoolJmx.register(config.serviceName(), pool::stats, pool) : null;
        this.borrowing = new Borrowing(pool, builder.time, jdbcListener, session);
        this.timeoutNanos = config.checkoutTimeout().toNanos();
        this.transactions = transactions(builder);
        this.shutdownHook = config.shutdownHook() ? ShutdownHook.install(config.serviceName(), this::close) : null;
    }

    private Transactions transactions(Builder builder) {
        Transactions.Builder transactionsBuilder = Transactions.builder(this)
                .policy(builder.config.retryPolicy())
                .listener(TxListener.logging(
                        builder.config.trackRetryCounts() ? builder.config.conflictAlertThreshold() : 0, builder.time));
        builder.txListeners.forEach(transactionsBuilder::listener);
        return transactionsBuilder.build();
    }

    /** Returns a builder with everything at its default. */
    public static Builder builder() {
        return new Builder();
    }

    // ---- a DataSource

    /**
     * Returns a connection: at once if one is ready, otherwise as soon as one is, within the connection timeout.
     *
     * @throws SQLTransientConnectionException SQLSTATE 08001, if there is none in time; the message says who holds them
     * @throws SQLNonTransientConnectionException SQLSTATE 08003, if this data source is closed
     */
    @Override
    public Connection getConnection() throws SQLException {
        return borrowing.borrow(timeoutNanos);
    }

    @Override
    public Connection getConnection(long mostNanos) throws SQLException {
        return borrowing.borrow(Math.min(mostNanos, timeoutNanos));
    }

    /** Not supported: every connection here belongs to the one user the pool was built for. */
    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                "this pool serves one user; build another ForebayDataSource for another user");
    }

    /** Returns the longest wait of {@link #getConnection}, in seconds, rounded up. */
    @Override
    public int getLoginTimeout() {
        return (int) Math.min(Integer.MAX_VALUE, (timeoutNanos + 999_999_999L) / 1_000_000_000L);
    }

    /**
     * Changes the longest wait of {@link #getConnection}; 0 for the configured connection timeout. Under another pool
     * it changes nothing: such pools set it to their own timeout, and the brief wait there makes them retry.
     */
    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        if (seconds < 0) {
            throw new SQLException("the login timeout must not be negative: " + seconds);
        }
        if (config().underAnotherPool()) {
            return;
        }
        timeoutNanos =
                seconds == 0 ? configured.config().checkoutTimeout().toNanos() : TimeUnit.SECONDS.toNanos(seconds);
    }

    // ---- transactions

    /** Returns transactions on these connections that are retried after a conflict, as the configuration says. */
    public Transactions transactions() {
        return transactions;
    }

    // ---- a pool

    /** Returns the numbers of this moment. */
    public PoolStats stats() {
        return pool.stats();
    }

    /** Returns the current holders, longest first, at most {@code most}. */
    public List<Holder> holders(int most) {
        return borrowing.holders(most);
    }

    /** Returns the failure of the last open, null if it succeeded or there was none. */
    public @Nullable OpenFailure lastFailure() {
        return jdbcListener.lastFailure();
    }

    /** Returns the settings it was built from. */
    public ForebayConfig config() {
        return configured.config();
    }

    // ---- its operator

    /** Replaces every connection: ready ones at once, borrowed ones when they are returned. */
    public void evictAll() {
        pool.evictAll();
    }

    /** Replaces up to {@code most} ready connections, the longest unused first, and returns how many. */
    public int evictIdle(int most) {
        return pool.evictIdle(most);
    }

    /** Checks every ready connection now and replaces those that do not answer. */
    public void checkAll() {
        pool.checkAll();
    }

    /** Hands out nothing until {@link #resume}; callers wait. */
    public void suspend() {
        pool.suspend();
    }

    /** Hands out again. */
    public void resume() {
        pool.resume();
    }

    /** Returns whether it is suspended. */
    public boolean isSuspended() {
        return pool.isSuspended();
    }

    /**
     * Changes the number of connections, until it is closed: the target of a reservoir, the maximum in the other modes. A
     * larger pool fills up. A smaller one closes ready connections beyond its size at once, and borrowed ones when they
     * are returned. {@link #config} stays as it was.
     *
     * @throws IllegalArgumentException if the other settings do not allow that size
     */
    public void resize(int size) {
        configured.resize(size);
    }

    /** Returns whether {@link #close} was called. */
    public boolean isClosed() {
        return pool.isClosed();
    }

    private void start() throws SQLException {
        CompletableFuture<ConfiguredPool.Outcome> started = new CompletableFuture<>();
        configured.start(started::complete);
        ConfiguredPool.Outcome outcome;
        try {
            outcome = started.get();
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new SQLNonTransientConnectionException("interrupted while the pool was starting", "08001", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("bug: a start-up cannot fail", e);
        }
        if (outcome.open() == 0 && !outcome.complete() && config().failFast()) {
            OpenFailure failure = jdbcListener.lastFailure();
            close();
            throw new SQLNonTransientConnectionException(
                    "no connection could be opened: "
                            + (failure == null
                                    ? "none within the time allowed"
                                    : failure.error().getMessage()),
                    "08001",
                    failure == null ? null : failure.error());
        }
    }

    /**
     * Closes the pool. Waiters are refused, idle connections are closed, and borrowed ones are closed when they are
     * returned. Waits a few seconds for those that can be closed now, and for the actions after the last one; for
     * borrowed ones a second. The rest ends, and its grants are given back, in the background.
     */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            if (shutdownHook != null) {
                shutdownHook.remove();
            }
            observed.forEach(one -> Actions.run(one::close));
            if (jmx != null) {
                Actions.run(jmx::close);
            }
            pool.close();
            onClose.forEach(Actions::run);
            pool.whenDrained(() -> {
                gone.countDown();
                connector.shutdown(this::afterDrain); // not on the clock's thread, on which this runs: it may block
            });
        }
        try {
            awaitEnd();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void afterDrain() {
        afterDrain.forEach(Actions::run);
        ended.countDown();
    }

    private void awaitEnd() throws InterruptedException {
        long borrowedLooks = RETURN_PATIENCE.dividedBy(CLOSE_LOOK);
        for (long looks = CLOSE_PATIENCE.dividedBy(CLOSE_LOOK); looks > 0 && borrowedLooks > 0; looks--) {
            if (gone.await(CLOSE_LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
                if (!ended.await(AFTERWARDS_PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    slf4j.warn("{} is closed, but what comes after has not ended within {}", this, AFTERWARDS_PATIENCE);
                }
                return;
            }
            PoolStats stats = stats();
            boolean onlyBorrowed = stats.borrowed() > 0 && stats.ready() + stats.opening() + stats.closing() == 0;
            borrowedLooks -= onlyBorrowed ? 1 : 0;
        }
        PoolStats stats = stats();
        slf4j.warn(
                "{} is closed, but {} of its connections are still borrowed and {} have not ended; they are closed, and what they hold is given back, in the background",
                this,
                stats.borrowed(),
                stats.ready() + stats.opening() + stats.closing());
    }

    @Override
    public String toString() {
        return "ForebayDataSource " + config().serviceName();
    }

    /** Collects the parts of a data source. Not thread-safe. */
    public static final class Builder {
        private ForebayConfig config = ForebayConfig.builder().build();
        private @Nullable DataSource dataSource;
        private @Nullable String url;
        private final Properties properties = new Properties();
        private @Nullable String user;
        private @Nullable PasswordSupplier passwords;
        private ErrorPolicy errorPolicy = ErrorPolicy.DEFAULT;
        private final List<Admission> admissions = new ArrayList<>();
        private @Nullable Admission rateLimit;
        private @Nullable String endpoint;
        private final List<Runnable> onClose = new ArrayList<>();
        private final List<Runnable> afterDrain = new ArrayList<>();
        private final List<PoolListener> listeners = new ArrayList<>();
        private final List<Observer> observers = new ArrayList<>();
        private final List<TxListener> txListeners = new ArrayList<>();
        private Time time = SystemTime.shared();

        private Builder() {}

        /** Sets the settings; without this, the defaults. */
        public Builder config(ForebayConfig config) {
            this.config = config;
            return this;
        }

        /** Sets the source of connections: another data source. */
        public Builder dataSource(DataSource dataSource) {
            this.dataSource = dataSource;
            return this;
        }

        /** Sets the source of connections: the driver for {@code url}. */
        public Builder url(String url) {
            this.url = url;
            return this;
        }

        /** Sets a property of the driver. */
        public Builder property(String name, String value) {
            properties.setProperty(name, value);
            return this;
        }

        /** Sets the user. */
        public Builder user(String user) {
            this.user = user;
            return this;
        }

        /** Sets a password that stays the same. */
        public Builder password(String password) {
            return password(() -> password);
        }

        /** Sets the supplier of the password of each new connection: a token that expires, a secret that rotates. */
        public Builder password(PasswordSupplier passwords) {
            this.passwords = passwords;
            return this;
        }

        /** Sets the policy that decides whether an error makes a connection bad. */
        public Builder errorPolicy(ErrorPolicy policy) {
            this.errorPolicy = policy;
            return this;
        }

        /** Adds a condition on opening a connection, before the rate limit. */
        public Builder admission(Admission admission) {
            admissions.add(admission);
            return this;
        }

        /**
         * Sets the endpoint whose connects are limited together with those of this process's other pools there, such as
         * {@code host:5432}; without this, host and port of the URL, or the data source itself.
         */
        public Builder endpoint(String endpoint) {
            this.endpoint = endpoint.toLowerCase(Locale.ROOT);
            return this;
        }

        /**
         * Sets the limit on how fast connections are opened, asked last; without this, that of the configuration, which
         * all pools of this process on one endpoint share.
         */
        public Builder rateLimit(Admission rateLimit) {
            this.rateLimit = rateLimit;
            return this;
        }

        /** Runs {@code action} once, when the pool is closed and before its last connection is gone; it must not block. */
        public Builder onClose(Runnable action) {
            onClose.add(action);
            return this;
        }

        /** Runs {@code action} once, when the pool is closed and its last connection is gone; it may block for a moment. */
        public Builder afterDrain(Runnable action) {
            afterDrain.add(action);
            return this;
        }

        /** Adds a listener to the pool's events. */
        public Builder listener(PoolListener listener) {
            listeners.add(listener);
            return this;
        }

        /** Adds an observer that the pool is shown to until it is closed, such as metrics. */
        public Builder observer(Observer observer) {
            observers.add(observer);
            return this;
        }

        /** Adds a listener to the {@link ForebayDataSource#transactions}; it is not closed with the pool. */
        public Builder txListener(TxListener listener) {
            txListeners.add(listener);
            return this;
        }

        /** Sets the clock; without this, the system's. */
        Builder time(Time time) {
            this.time = time;
            return this;
        }

        /**
         * Builds the data source and starts it: returns when the warm-up or the initial fill is over.
         *
         * @throws SQLException if the configuration says to fail fast and no connection could be opened
         */
        public ForebayDataSource build() throws SQLException {
            ConnectionSource source = source();
            Admission limit = rateLimit != null ? rateLimit : localRateLimit();
            ForebayDataSource built;
            try {
                built = new ForebayDataSource(this, source, limit);
            } catch (RuntimeException e) {
                if (limit instanceof LocalRateLimits.Share share) {
                    share.leave();
                }
                throw e;
            }
            built.start();
            return built;
        }

        /**
         * Builds a data source without a pool: each connection is new, passes the same admissions as a pool's, the rate
         * limit included, and gives its grants back when it is closed. Of the settings, those of connecting count.
         */
        public UnpooledDataSource buildUnpooled() {
            ConnectionSource source = source();
            List<Admission> chain = new ArrayList<>(admissions);
            Admission limit = rateLimit != null ? rateLimit : localRateLimit();
            chain.add(limit);
            List<Runnable> afterLast = new ArrayList<>(afterDrain);
            if (limit instanceof LocalRateLimits.Share share) {
                afterLast.add(share::leave);
            }
            Duration network = config.networkTimeout();
            AtomicReference<@Nullable ShutdownHook> hook = new AtomicReference<>();
            List<Runnable> closing = new ArrayList<>(onClose);
            closing.add(() -> {
                ShutdownHook installed = hook.get();
                if (installed != null) {
                    installed.remove();
                }
            });
            UnpooledDataSource built = new UnpooledDataSource(
                    source,
                    chain,
                    config.connectionTimeout(),
                    network.isZero() ? null : network,
                    closing,
                    afterLast,
                    time);
            if (config.shutdownHook()) {
                hook.set(ShutdownHook.install(config.serviceName(), built::close));
            }
            return built;
        }

        private Admission localRateLimit() {
            if (!config.connectionRateShared()) {
                return ConfiguredPool.localRateLimit(config, time);
            }
            Object name = endpoint != null ? endpoint : url != null ? Endpoint.of(url) : dataSource;
            TokenBucket own = new TokenBucket(config.connectionRateLimit(), config.connectionBurstLimit());
            return LocalRateLimits.PROCESS.join(Objects.requireNonNull(name), own, time);
        }

        private ConnectionSource source() {
            if ((dataSource == null) == (url == null)) {
                throw new IllegalStateException("give either a dataSource or a url");
            }
            if (dataSource != null) {
                return passwords == null
                        ? ConnectionSource.of(dataSource)
                        : ConnectionSource.of(
                                dataSource, Objects.requireNonNull(user, "a password needs a user as well"), passwords);
            }
            if (user != null) {
                properties.setProperty("user", user);
            }
            return ConnectionSource.of(Objects.requireNonNull(url), properties, passwords, config.openTimeout());
        }

        private SessionConfig sessionConfig() {
            ForebayConfig.Isolation isolation = config.isolation();
            Duration network = config.networkTimeout();
            return SessionConfig.builder()
                    .initSql(config.connectionInitSql())
                    .validationSql(config.validationSql())
                    .validationTimeout(config.validationTimeout())
                    .resetTimeout(config.resetTimeout())
                    .autoCommit(config.autoCommit() ? null : false) // the driver's default is not set again
                    .readOnly(config.readOnly() ? true : null)
                    .isolation(isolation == null ? null : isolation.level())
                    .catalog(config.catalog())
                    .schema(config.schema())
                    .networkTimeout(network.isZero() ? null : network)
                    .pingOnOpen(config.mode() == ForebayConfig.Mode.STANDARD)
                    .leakDetection(!config.leakDetectionThreshold().isZero())
                    .errorPolicy(errorPolicy)
                    .build();
        }
    }
}
