// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.junit;

import dev.forebay.local.LocalDsql;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A schema for one test, and the connections into it.
 *
 * <p>It is made and dropped behind the server's back: that takes no connection from the test's limits, and a transaction of
 * another test does not fail because the catalog changed. Thread-safe.
 */
final class TestSchema {

    private static final AtomicLong made = new AtomicLong();

    private final LocalDsql server;
    private final String name;
    private final Connections connections;

    private TestSchema(LocalDsql server, String name) {
        this.server = server;
        this.name = name;
        this.connections = new Connections(server.dataSource("admin", name));
    }

    static TestSchema create(LocalDsql server) throws SQLException {
        String name = "test_" + made.incrementAndGet();
        behind(server, "CREATE SCHEMA " + name + " AUTHORIZATION admin");
        return new TestSchema(server, name);
    }

    DataSource dataSource() {
        return connections;
    }

    /** Closes the connections that the test has left, and drops all that it made. */
    void close() throws SQLException {
        connections.closeAll();
        behind(server, "DROP SCHEMA IF EXISTS " + name + " CASCADE");
    }

    private static void behind(LocalDsql server, String sql) throws SQLException {
        try (Connection connection = server.behind().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET lock_timeout = '20s'"); // a session that was just closed may still hold a lock
            statement.execute(sql);
        } catch (SQLException e) {
            throw new SQLException(sql + " failed: " + e.getMessage(), e.getSQLState(), e);
        }
    }

    /** Hands out connections and remembers them. */
    private static final class Connections implements DataSource {

        private final DataSource source;
        private final Queue<Connection> opened = new ConcurrentLinkedQueue<>();

        Connections(DataSource source) {
            this.source = source;
        }

        void closeAll() throws SQLException {
            for (Connection connection = opened.poll(); connection != null; connection = opened.poll()) {
                connection.close();
            }
        }

        private Connection remember(Connection connection) throws SQLException {
            Connection oldest = opened.peek();
            if (oldest != null && oldest.isClosed()) {
                opened.remove(oldest);
            }
            opened.add(connection);
            return connection;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return remember(source.getConnection());
        }

        @Override
        public Connection getConnection(String user, String token) throws SQLException {
            return remember(source.getConnection(user, token));
        }

        @Override
        public @Nullable PrintWriter getLogWriter() throws SQLException {
            return source.getLogWriter();
        }

        @Override
        public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
            source.setLogWriter(out);
        }

        @Override
        public void setLoginTimeout(int seconds) throws SQLException {
            source.setLoginTimeout(seconds);
        }

        @Override
        public int getLoginTimeout() throws SQLException {
            return source.getLoginTimeout();
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            return source.getParentLogger();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            return type.isInstance(this) ? type.cast(this) : source.unwrap(type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) throws SQLException {
            return type.isInstance(this) || source.isWrapperFor(type);
        }
    }
}
