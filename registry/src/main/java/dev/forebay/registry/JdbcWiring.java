// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Connector;
import dev.forebay.jdbc.ConnectionSource;
import dev.forebay.jdbc.JdbcConnector;
import dev.forebay.jdbc.PhysicalConnection;
import dev.forebay.jdbc.SessionConfig;
import dev.forebay.jdbc.SessionConfig.QueryListener;
import dev.forebay.jdbc.SessionConfig.SessionReset;
import dev.forebay.time.Time;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Connects to one server with its driver, on threads that all its users share and no other server does. Thread-safe. */
final class JdbcWiring implements Wiring<PhysicalConnection> {

    private final Drivers drivers;
    private final Time time;
    private final @Nullable String countedAs;
    private final Traffic traffic = new Traffic();
    private final ReentrantLock lock = new ReentrantLock();

    /** Whose threads the others share. */
    @GuardedBy("lock")
    private @Nullable JdbcConnector first;

    JdbcWiring(Drivers drivers, Time time, boolean counts) {
        this.drivers = drivers;
        this.time = time;
        this.countedAs = counts ? CountingSockets.count(traffic) : null;
    }

    @Override
    public Connector<PhysicalConnection> users(ServerDefinition server, UserMapping mapping, QueryListener queries) {
        Settings settings = server.settings();
        SessionConfig.Builder session = SessionConfig.builder()
                .validationTimeout(settings.probe().timeout())
                .reset(reset(server))
                .resetTimeout(settings.resetTimeout())
                .queries(settings.collectQueryStats() ? queries : null)
                .errorPolicy(Errors.TIMED_OUT_IS_BAD);
        if (!settings.queryTimeout().isZero()) {
            session.queryTimeout(settings.queryTimeout());
        }
        if (server.type().hasNetworkTimeout()) {
            session.networkTimeout(settings.networkTimeout());
        }
        return connector(server.name() + "/" + mapping.localUser(), server, mapping, session.build());
    }

    private static @Nullable SessionReset reset(ServerDefinition server) {
        Settings settings = server.settings();
        if (!settings.resetOnRelease() && !settings.validateOnRelease()) {
            return null;
        }
        int seconds = (int) settings.resetTimeout().plusMillis(999).toSeconds();
        SessionReset reset = server.type().reset(settings);
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
    public Connector<PhysicalConnection> probes(ServerDefinition server, UserMapping mapping) {
        Settings.Probe probe = server.settings().probe();
        SessionConfig.Builder session = SessionConfig.builder().validationTimeout(probe.timeout());
        if (server.type().hasNetworkTimeout()) {
            session.networkTimeout(probe.timeout());
        }
        if (probe.type() != HealthCheck.PING) {
            session.validationSql(probe.query());
        }
        if (probe.type() == HealthCheck.FULL_VALIDATE) {
            session.reset(server.type().reset(server.settings())).resetOnCheck(true);
        }
        return connector(server.name() + " probe", server, mapping, session.build());
    }

    private JdbcConnector connector(String name, ServerDefinition server, UserMapping mapping, SessionConfig session) {
        Properties properties = server.type().properties(server, mapping);
        Secret secret = mapping.secret();
        ConnectionSource source = ConnectionSource.of(
                new DriverSource(drivers, server.type(), server.type().url(server.settings()), properties, countedAs),
                mapping.remoteUser(),
                secret == null ? null : secret.supplier(),
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

    @Override
    public long queries(PhysicalConnection connection) {
        return connection.queries();
    }

    @Override
    public boolean isInTransaction(PhysicalConnection connection) {
        return connection.isInTransaction();
    }

    @Override
    public @Nullable Traffic traffic() {
        return countedAs == null ? null : traffic;
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
