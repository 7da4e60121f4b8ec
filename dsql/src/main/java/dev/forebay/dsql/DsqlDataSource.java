// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.jdbc.UnpooledDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * New connections to a cluster, each with a token that is good now and within the limits that a pool would keep: for use
 * without a pool, or under another one. Thread-safe; close it to make no further tokens.
 */
public final class DsqlDataSource implements DataSource, AutoCloseable {

    private final UnpooledDataSource source;
    private final PGSimpleDataSource driver;

    DsqlDataSource(UnpooledDataSource source, PGSimpleDataSource driver) {
        this.source = source;
        this.driver = driver;
    }

    /** A new connection, once a lease, a token and a permit are there; waits for these up to the connection timeout. */
    @Override
    public Connection getConnection() throws SQLException {
        return source.getConnection();
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

    /**
     * Opens nothing any more. Connections that are open stay open; when the last is closed, what the fleet granted is given
     * back and no further tokens are made.
     */
    @Override
    public void close() {
        source.close();
    }

    @Override
    public String toString() {
        return "DsqlDataSource " + source;
    }
}
