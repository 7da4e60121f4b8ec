// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A server and a user of it as a data source that connects anew each time. */
record DriverSource(Drivers drivers, DatabaseType type, String url, Properties properties) implements DataSource {

    @Override
    public Connection getConnection() throws SQLException {
        return connect(copy());
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        Properties given = copy();
        given.setProperty("user", user);
        given.setProperty("password", password);
        return connect(given);
    }

    private Properties copy() {
        Properties copy = new Properties();
        copy.putAll(properties);
        return copy;
    }

    private Connection connect(Properties given) throws SQLException {
        Connection connection = drivers.driver(type).connect(url, given);
        if (connection == null) {
            throw new SQLException("the driver for " + type.label() + " does not take " + url, "08001");
        }
        return connection;
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException("no log writer");
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException("connect_timeout bounds a connect");
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("Forebay logs through SLF4J");
    }

    @Override
    public <T> T unwrap(Class<T> wanted) throws SQLException {
        throw new SQLException("not a wrapper for " + wanted.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> wanted) {
        return false;
    }

    /** The place alone: the properties may hold a secret. */
    @Override
    public String toString() {
        return url;
    }
}
