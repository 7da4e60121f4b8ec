// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Finds the driver of a type when it is needed. Thread-safe. */
@FunctionalInterface
public interface Drivers {

    /**
     * The driver for {@code type}.
     *
     * @throws SQLException if there is none; {@link #missing} makes the error that names the artifact
     */
    Driver driver(DatabaseType type) throws SQLException;

    /** Those that announce themselves on the class path, or whose class can be loaded by name. */
    static Drivers onClassPath() {
        return type -> {
            ClassLoader context = Thread.currentThread().getContextClassLoader();
            ClassLoader loader = context == null ? Drivers.class.getClassLoader() : context;
            Driver announced = announced(type, loader);
            return announced == null ? byName(type, loader) : announced;
        };
    }

    private static @Nullable Driver announced(DatabaseType type, ClassLoader loader) {
        try {
            for (Driver driver : ServiceLoader.load(Driver.class, loader)) {
                if (driver.getClass().getName().equals(type.driverClass())) {
                    return driver;
                }
            }
        } catch (ServiceConfigurationError e) { // some other driver is broken: ours may still be loaded by name
            LoggerFactory.getLogger(Drivers.class).debug("a driver on the class path cannot be loaded", e);
        }
        return null;
    }

    private static Driver byName(DatabaseType type, ClassLoader loader) throws SQLException {
        try {
            return Class.forName(type.driverClass(), true, loader)
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | LinkageError | ClassCastException e) {
            throw missing(type, e);
        }
    }

    /** The error that says which artifact to add. */
    static SQLException missing(DatabaseType type, @Nullable Throwable cause) {
        return new Missing(
                "no driver for " + type.label() + ": add " + type.artifact() + " to the class path (it holds "
                        + type.driverClass() + ")",
                cause);
    }

    /** There is no driver. */
    final class Missing extends SQLException {
        private static final long serialVersionUID = 1;

        private Missing(String message, @Nullable Throwable cause) {
            super(message, "08001", cause);
        }
    }

    /** A server and a user of it as a data source that connects anew each time. */
    record Source(Drivers drivers, DatabaseType type, String url, Properties properties) implements DataSource {

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
}
