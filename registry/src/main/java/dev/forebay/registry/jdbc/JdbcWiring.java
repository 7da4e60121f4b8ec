// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.ForebayConfig;
import dev.forebay.engine.Connector;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.TokenBucket;
import dev.forebay.jdbc.Borrowing;
import dev.forebay.jdbc.ConnectionSource;
import dev.forebay.jdbc.Endpoint;
import dev.forebay.jdbc.JdbcConnector;
import dev.forebay.jdbc.JdbcListener;
import dev.forebay.jdbc.PhysicalConnection;
import dev.forebay.jdbc.SessionConfig;
import dev.forebay.jdbc.SessionConfig.SessionReset;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.Settings;
import dev.forebay.registry.UserMapping;
import dev.forebay.registry.Wiring;
import dev.forebay.spi.ErrorPolicy;
import dev.forebay.spi.PasswordSupplier;
import dev.forebay.time.Time;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Connects to one server with its driver, on threads that all its users share and no other server does. Thread-safe. */
final class JdbcWiring implements Wiring<PhysicalConnection> {

    /** The rate and the burst that a pool has by default. */
    private static final ForebayConfig DEFAULT_RATE = ForebayConfig.builder().build();

    /** Discards the connection of a statement that ran out of time: the answer may still be on the way. */
    private static final ErrorPolicy TIMED_OUT_IS_BAD =
            error -> Wiring.isTimeout(error) ? ErrorPolicy.Verdict.BAD : ErrorPolicy.Verdict.DEFAULT;

    private final Drivers drivers;
    private final Time time;
    private final @Nullable String countedAs;
    private final TrafficCount traffic = new TrafficCount();
    private final ReentrantLock lock = new ReentrantLock();

    /** The connector whose threads the others share. */
    @GuardedBy("lock")
    private @Nullable JdbcConnector first;

    JdbcWiring(Drivers drivers, Time time, boolean counts) {
        this.drivers = drivers;
        this.time = time;
        this.countedAs = counts ? CountingSockets.count(traffic) : null;
    }

    @Override
    public Connector<PhysicalConnection> users(
            ServerDefinition server, UserMapping mapping, @Nullable PasswordSupplier password, LongConsumer queries) {
        Settings settings = server.settings();
        SessionConfig.Builder session = SessionConfig.builder()
                .validationTimeout(settings.probe().timeout())
                .reset(reset(server))
                .resetTimeout(settings.resetTimeout())
                .queries(settings.collectQueryStats() ? queries::accept : null)
                .errorPolicy(TIMED_OUT_IS_BAD);
        if (!settings.queryTimeout().isZero()) {
            session.queryTimeout(settings.queryTimeout());
        }
        if (Dialect.of(server.type()).hasNetworkTimeout()) {
            session.networkTimeout(Dialect.networkTimeout(settings));
        }
        return connector(server.name() + "/" + mapping.localUser(), server, mapping, password, session.build());
    }

    private static @Nullable SessionReset reset(ServerDefinition server) {
        Settings settings = server.settings();
        if (!settings.resetOnRelease() && !settings.validateOnRelease()) {
            return null;
        }
        int seconds = (int) settings.resetTimeout().plusMillis(999).toSeconds();
        SessionReset reset = Dialect.of(server.type()).reset(settings);
        return driver -> {
            if (settings.resetOnRelease()) {
                reset.reset(driver);
            }
            if (settings.validateOnRelease() && !driver.isValid(seconds)) {
                throw new SQLException("the connection did not answer when it was returned", "08006");
            }
        };
    }

    @Override
    public Connector<PhysicalConnection> probes(
            ServerDefinition server, UserMapping mapping, @Nullable PasswordSupplier password) {
        Settings.Probe probe = server.settings().probe();
        SessionConfig.Builder session = SessionConfig.builder().validationTimeout(probe.timeout());
        if (Dialect.of(server.type()).hasNetworkTimeout()) {
            session.networkTimeout(probe.timeout());
        }
        if (probe.type() != Settings.HealthCheck.PING) {
            session.validationSql(probe.query());
        }
        if (probe.type() == Settings.HealthCheck.FULL_VALIDATE) {
            session.reset(Dialect.of(server.type()).reset(server.settings())).resetOnCheck(true);
        }
        return connector(server.name() + " probe", server, mapping, password, session.build());
    }

    private JdbcConnector connector(
            String name,
            ServerDefinition server,
            UserMapping mapping,
            @Nullable PasswordSupplier password,
            SessionConfig session) {
        Properties properties = Dialect.of(server.type()).properties(server, mapping);
        ConnectionSource source = ConnectionSource.of(
                new DriverSource(drivers, server.type(), url(server), properties, countedAs),
                mapping.remoteUser(),
                password,
                properties);
        lock.lock();
        try {
            if (first == null) {
                first = new JdbcConnector(server.name(), source, session, time);
            }
            return first.sibling(name, source, session);
        } finally {
            lock.unlock();
        }
    }

    private static String url(ServerDefinition server) {
        return Dialect.of(server.type()).url(server.settings());
    }

    @Override
    public PoolListener listener(Pool<PhysicalConnection> pool) {
        return new Borrowing(pool, time, new JdbcListener(), SessionConfig.DEFAULT);
    }

    @Override
    public ConnectRate connectRate(ServerDefinition server) {
        return new ConnectRate(
                Endpoint.of(url(server)),
                new TokenBucket(DEFAULT_RATE.connectionRateLimit(), DEFAULT_RATE.connectionBurstLimit()));
    }

    @Override
    public long queries(PhysicalConnection connection) {
        return connection.queries();
    }

    @Override
    public boolean isInTransaction(PhysicalConnection connection) {
        return connection.isInTransaction();
    }

    @Override
    public @Nullable Traffic traffic(ServerDefinition server) {
        return countedAs != null && Dialect.of(server.type()).takesSocketFactory() ? traffic.now() : null;
    }

    @Override
    public void end() {
        if (countedAs != null) {
            CountingSockets.forget(countedAs);
        }
        lock.lock();
        try {
            if (first != null) {
                first.shutdown();
            }
        } finally {
            lock.unlock();
        }
    }
}
