// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A result of a borrowed connection; it works as long as the connection is borrowed. */
final class ResultSetHandle extends ForwardingResultSet {

    private final ConnectionHandle connection;

    /** The statement; null for results of {@link java.sql.DatabaseMetaData}. */
    private final @Nullable StatementHandle statement;

    private final ResultSet driver;

    ResultSetHandle(ConnectionHandle connection, @Nullable StatementHandle statement, ResultSet driver) {
        this.connection = connection;
        this.statement = statement;
        this.driver = driver;
    }

    @Override
    ResultSet live() throws SQLException {
        if (!connection.isCurrent()) {
            throw ConnectionHandle.closed();
        }
        return driver;
    }

    @Override
    ResultSet executing() throws SQLException {
        PhysicalConnection physical = connection.value();
        if (physical == null) {
            throw ConnectionHandle.closed();
        }
        physical.executing();
        return driver;
    }

    @Override
    SQLException failed(SQLException error) {
        return connection.failed(error);
    }

    @Override
    ConnectionHandle connection() {
        return connection;
    }

    @Override
    @Nullable
    Object handleIfResult(@Nullable Object value) {
        return value instanceof ResultSet result
                ? new ResultSetHandle(connection, statement, result)
                : ValueHandle.ofAny(connection, value);
    }

    @Override
    public @Nullable Statement getStatement() throws SQLException {
        try {
            ResultSet result = live();
            if (statement != null) {
                return statement;
            }
            Statement hidden = result.getStatement();
            return hidden == null ? null : new StatementHandle(connection, hidden);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() throws SQLException {
        if (!connection.isCurrent()) {
            return; // with the connection its statement was closed, and this with the statement
        }
        try {
            driver.close();
            if (statement != null) {
                statement.resultClosed();
            }
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public boolean isClosed() throws SQLException {
        try {
            return !connection.isCurrent() || driver.isClosed();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        ResultSet result = live();
        connection.exposed(); // a driver's result leads to its connection
        try {
            return type.isInstance(result) ? type.cast(result) : result.unwrap(type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        if (type.isInstance(this)) {
            return true;
        }
        ResultSet result = live();
        try {
            return type.isInstance(result) || result.isWrapperFor(type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }
}
