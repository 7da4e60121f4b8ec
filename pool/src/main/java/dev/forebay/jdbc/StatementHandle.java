// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A statement of a borrowed connection. It works as long as both are open; a driver may reuse its statement, so once
 * closed it never touches that again.
 */
class StatementHandle extends ForwardingStatement {

    private static final Logger log = LoggerFactory.getLogger(StatementHandle.class);
    private static final String CLOSED_STATE = "HY010";

    final ConnectionHandle connection;
    private final Statement driver;

    /** Neighbours in the connection's list of open statements, and guarded by its lock. */
    @Nullable
    StatementHandle previous;

    /** As {@link #previous}. */
    @Nullable
    StatementHandle next;

    private volatile boolean closed;
    private boolean closesOnCompletion;

    /** The time at which the running statement began, if the pool counts them. */
    private long began;

    StatementHandle(ConnectionHandle connection, Statement driver) {
        this.connection = connection;
        this.driver = driver;
    }

    @Override
    Statement live() throws SQLException {
        return liveStatement();
    }

    @Override
    Statement executing() throws SQLException {
        return executingStatement();
    }

    final Statement liveStatement() throws SQLException {
        if (!connection.isCurrent()) {
            throw ConnectionHandle.closed();
        }
        return open();
    }

    final Statement executingStatement() throws SQLException {
        PhysicalConnection physical = connection.value();
        if (physical == null) {
            throw ConnectionHandle.closed();
        }
        Statement statement = open();
        physical.executing();
        began = physical.beginning();
        return statement;
    }

    /** Bounds its running time. */
    final void limit(int seconds) throws SQLException {
        try {
            driver.setQueryTimeout(seconds);
        } catch (SQLFeatureNotSupportedException e) {
            log.debug("{} knows no query timeout", connection, e);
        }
    }

    @Override
    final void executed() {
        PhysicalConnection physical = connection.value();
        if (physical != null) {
            physical.executed(began);
        }
    }

    private Statement open() throws SQLException {
        if (closed) {
            throw new SQLException("This statement has been closed", CLOSED_STATE);
        }
        return driver;
    }

    @Override
    final SQLException failed(SQLException error) {
        return connection.failed(error);
    }

    @Override
    final ResultSet handle(ResultSet result) {
        return new ResultSetHandle(connection, this, result);
    }

    @Override
    public final @Nullable ResultSet getResultSet() throws SQLException {
        try {
            ResultSet result = live().getResultSet();
            return result == null ? null : handle(result);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final Connection getConnection() throws SQLException {
        live();
        return connection;
    }

    @Override
    public final void close() throws SQLException {
        PhysicalConnection physical = connection.value();
        if (closed || physical == null) {
            return; // with the connection it was closed as well
        }
        closed = true;
        physical.forget(this);
        try {
            driver.close();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Closes it although its connection may have another borrower since; it is in no list any more. */
    final void closeLeftOpen() throws SQLException {
        closed = true;
        driver.close();
    }

    @Override
    public final boolean isClosed() throws SQLException {
        if (closed || !connection.isCurrent()) {
            return true;
        }
        try {
            return driver.isClosed();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final void closeOnCompletion() throws SQLException {
        try {
            live().closeOnCompletion();
        } catch (SQLException e) {
            throw failed(e);
        }
        closesOnCompletion = true;
    }

    /** Notes that one of its results was closed: the driver may have closed the statement with it. */
    final void resultClosed() throws SQLException {
        if (closesOnCompletion && !closed && driver.isClosed()) {
            close();
        }
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        Statement statement = executing();
        connection.exposed(); // a driver's statement leads to its connection
        try {
            return type.isInstance(statement) ? type.cast(statement) : statement.unwrap(type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        if (type.isInstance(this)) {
            return true;
        }
        Statement statement = live();
        try {
            return type.isInstance(statement) || statement.isWrapperFor(type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Returns the driver's text, which for a prepared statement is its SQL. */
    @Override
    public final String toString() {
        return isLive() ? driver.toString() : "a closed statement";
    }

    private boolean isLive() {
        return !closed && connection.isCurrent();
    }
}
