// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.console.web.CheckoutTimes;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A pool whose checkouts are timed and counted, by the same measure whatever pool it is. Thread-safe. */
final class CountedDataSource implements DataSource {

    private final DataSource pool;
    private final BooleanSupplier hasReady;
    private final Tally tally;
    private final CheckoutTimes times;
    private final Hiccups hiccups;

    CountedDataSource(DataSource pool, BooleanSupplier hasReady, Tally tally, CheckoutTimes times, Hiccups hiccups) {
        this.pool = pool;
        this.hasReady = hasReady;
        this.tally = tally;
        this.times = times;
        this.hiccups = hiccups;
    }

    /** Thrown if the pool had no connection in time. */
    static final class NoConnection extends SQLException {
        private static final long serialVersionUID = 1;

        NoConnection(SQLException cause) {
            super(cause.getMessage(), cause.getSQLState(), cause);
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        tally.checkouts.increment();
        if (!hasReady.getAsBoolean()) {
            tally.empties.increment();
        }
        Hiccups.Wait wait = hiccups.begin();
        try {
            return pool.getConnection();
        } catch (SQLException e) {
            tally.checkoutFailed(e);
            throw new NoConnection(e);
        } finally {
            long took = wait.nanos();
            tally.waited(took);
            times.add(took);
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return pool.getConnection(user, password);
    }

    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return pool.getLogWriter();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        pool.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        pool.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return pool.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return pool.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return pool.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return pool.isWrapperFor(type);
    }
}
