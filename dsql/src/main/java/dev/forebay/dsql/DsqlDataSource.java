// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.jdbc.ConnectionSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * New connections to a cluster, each with a token that is good now: for use without a pool, or under another one.
 * Thread-safe; close it to make no further tokens.
 */
public final class DsqlDataSource implements DataSource, AutoCloseable {

    private final PGSimpleDataSource driver;
    private final ConnectionSource source;
    private final int networkTimeoutMillis;
    private final Runnable close;

    DsqlDataSource(PGSimpleDataSource driver, String user, TokenCache tokens, Duration networkTimeout, Runnable close) {
        this.driver = driver;
        this.source = ConnectionSource.of(driver, user, tokens);
        this.networkTimeoutMillis = (int) Math.min(Integer.MAX_VALUE, networkTimeout.toMillis());
        this.close = close;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = source.open();
        try {
            connection.setNetworkTimeout(Runnable::run, networkTimeoutMillis);
            return connection;
        } catch (SQLException | RuntimeException e) {
            try {
                connection.close();
            } catch (SQLException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** Not supported: the tokens are those of one user. */
    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("this data source has tokens of one user; build another one");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return driver.getLogWriter();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {
        driver.setLogWriter(out);
    }

    /** The most seconds that each step of connecting takes. */
    @Override
    public int getLoginTimeout() {
        return driver.getConnectTimeout();
    }

    /** Not changed: it follows from the open timeout, and a pool above has a timeout of its own. */
    @Override
    public void setLoginTimeout(int seconds) {}

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

    /** Makes no further tokens; connections that are open stay open. */
    @Override
    public void close() {
        close.run();
    }

    @Override
    public String toString() {
        return "DsqlDataSource " + source;
    }
}
