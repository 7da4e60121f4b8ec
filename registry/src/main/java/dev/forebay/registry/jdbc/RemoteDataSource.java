// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import dev.forebay.tx.internal.DataSourceSkeleton;
import dev.forebay.tx.internal.TimedDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** One server of a registry as a data source. Thread-safe. */
final class RemoteDataSource extends DataSourceSkeleton implements TimedDataSource {

    private final JdbcRegistry registry;
    private final String server;
    private volatile int loginTimeout;

    RemoteDataSource(JdbcRegistry registry, String server) {
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
    public String toString() {
        return "data source for server " + server;
    }
}
