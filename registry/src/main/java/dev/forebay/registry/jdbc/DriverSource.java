// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import dev.forebay.registry.DatabaseType;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** A server and a user of it as a data source that opens a connection each time. */
record DriverSource(
        Drivers drivers,
        DatabaseType type,
        String url,
        Properties properties,
        @Nullable String countedAs) implements DataSource {

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
        Driver driver = drivers.driver(type);
        if (countedAs != null
                && Dialect.of(type).takesSocketFactory()
                && !given.containsKey("socketFactory")
                && seesOurs(driver)) {
            given.setProperty("socketFactory", CountingSockets.class.getName());
            given.setProperty("socketFactoryArg", countedAs);
        }
        Connection connection = driver.connect(url, given);
        if (connection == null) {
            throw new SQLException("the driver for " + type.label() + " does not take " + url, "08001");
        }
        return connection;
    }

    /** Whether the driver can load the class by its name: it may have another class loader than ours. */
    private static boolean seesOurs(Driver driver) {
        try {
            return Class.forName(
                            CountingSockets.class.getName(),
                            false,
                            driver.getClass().getClassLoader())
                    == CountingSockets.class;
        } catch (ClassNotFoundException e) {
            LoggerFactory.getLogger(DriverSource.class).debug("bytes are not counted: {} cannot", driver.getClass(), e);
            return false;
        }
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
