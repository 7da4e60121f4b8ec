// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.tx.TimedDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** One server of a registry as a data source. Thread-safe. */
final class RemoteDataSource implements TimedDataSource {

    private final Registry registry;
    private final String server;
    private volatile int loginTimeout;
    private volatile @Nullable PrintWriter logWriter;

    RemoteDataSource(Registry registry, String server) {
        this.registry = registry;
        this.server = server;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return registry.connectionFor(server, mostNanos());
    }

    @Override
    public Connection getConnection(long timeoutNanos) throws SQLException {
        return registry.connectionFor(server, Math.min(timeoutNanos, mostNanos()));
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        registry.authenticate(server, user, password);
        return registry.connectionFor(server, user, mostNanos());
    }

    private long mostNanos() {
        return loginTimeout == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(loginTimeout);
    }

    @Override
    public int getLoginTimeout() {
        return loginTimeout;
    }

    /** Shortens the server's acquire timeout; 0 leaves it as it is. */
    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        if (seconds < 0) {
            throw new SQLException("the login timeout must not be negative: " + seconds);
        }
        loginTimeout = seconds;
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return logWriter;
    }

    /** Kept but not written to: Forebay logs through SLF4J. */
    @Override
    public void setLogWriter(@Nullable PrintWriter out) {
        logWriter = out;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("Forebay logs through SLF4J");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("not a wrapper for " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    @Override
    public String toString() {
        return "data source for server " + server;
    }
}
