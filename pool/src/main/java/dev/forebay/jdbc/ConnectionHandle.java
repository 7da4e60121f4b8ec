// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import dev.forebay.engine.DiscardReason;
import java.sql.CallableStatement;
import java.sql.ClientInfoStatus;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.ShardingKey;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The connection a borrower has, until it is closed.
 *
 * <p>It is the checkout itself, so that a checkout allocates one object: header, entry and loan make 24 bytes, which is
 * why everything else is kept in {@link PhysicalConnection}. Every method checks first that this handle is current: a
 * closed one can never reach the connection again.
 *
 * <p>As safe for several threads as the driver's connection is; {@link #close} and {@link #abort} may come from any.
 */
final class ConnectionHandle extends ForwardingConnection {

    private static final String CLOSED_STATE = "08003";
    private static final String CLOSED = "This connection has been closed";

    // ---- the end

    @Override
    public void close() {
        PhysicalConnection connection = value();
        if (connection == null) {
            return;
        }
        if (connection.isClean()) {
            returnToPool();
        } else if (connection.tryClose(this)) {
            if (connection.tryReset()) {
                returnToPool();
            } else {
                discard(connection.isBad() ? DiscardReason.BAD_CONNECTION : DiscardReason.FAILED_VALIDATION);
            }
        }
    }

    @Override
    public void abort(@Nullable Executor executor) throws SQLException {
        if (executor == null) {
            throw new SQLException("abort needs an executor");
        }
        PhysicalConnection connection = value();
        if (connection != null && discard(DiscardReason.EVICTED)) {
            connection.driver.abort(executor);
        }
    }

    @Override
    public boolean isClosed() {
        return !isCurrent();
    }

    /** Returns false also once the connection is past its lifetime, so that a pool above this one closes it. */
    @Override
    public boolean isValid(int seconds) throws SQLException {
        if (seconds < 0) {
            throw new SQLException("the timeout must not be negative: " + seconds);
        }
        PhysicalConnection connection = value();
        if (connection == null || connection.isBad() || remainingNanos(connection.time.coarseNanos()) == 0) {
            return false;
        }
        connection.executing();
        try {
            if (connection.driver.isValid(seconds)) {
                return true;
            }
        } catch (SQLException e) {
            failed(e);
            return false;
        }
        connection.foundBad();
        return false;
    }

    // ---- who may go on

    @Override
    Connection live() throws SQLException {
        return current().driver;
    }

    @Override
    Connection executing() throws SQLException {
        PhysicalConnection connection = current();
        connection.executing();
        return connection.driver;
    }

    /** Notes that the borrower can now reach the driver's connection. */
    void exposed() throws SQLException {
        current().exposed();
    }

    private PhysicalConnection current() throws SQLException {
        PhysicalConnection connection = value();
        if (connection == null) {
            throw closed();
        }
        return connection;
    }

    static SQLException closed() {
        return new SQLNonTransientConnectionException(CLOSED, CLOSED_STATE);
    }

    @Override
    SQLException failed(SQLException error) {
        PhysicalConnection connection = value();
        if (connection != null) {
            connection.judge(error);
        }
        return error;
    }

    @Override
    ConnectionHandle self() {
        return this;
    }

    // ---- statements

    @Override
    Statement handle(Statement statement) throws SQLException {
        return track(new StatementHandle(this, statement));
    }

    @Override
    PreparedStatement handle(PreparedStatement statement) throws SQLException {
        return track(new PreparedStatementHandle(this, statement));
    }

    @Override
    CallableStatement handle(CallableStatement statement) throws SQLException {
        return track(new CallableStatementHandle(this, statement));
    }

    private <S extends StatementHandle> S track(S statement) throws SQLException {
        PhysicalConnection connection = current();
        int seconds = connection.config.queryTimeoutSeconds();
        if (seconds > 0) {
            statement.limit(seconds);
        }
        if (!connection.track(statement)) {
            statement.closeLeftOpen();
            throw closed();
        }
        return statement;
    }

    @Override
    public DatabaseMetaData getMetaData() throws SQLException {
        try {
            return MetaDataHandle.of(this, live().getMetaData());
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    // ---- transactions

    @Override
    public void commit() throws SQLException {
        PhysicalConnection connection = current();
        try {
            connection.driver.commit();
        } catch (SQLException e) {
            throw failed(e);
        }
        connection.transactionEnded();
    }

    @Override
    public void rollback() throws SQLException {
        PhysicalConnection connection = current();
        try {
            connection.driver.rollback();
        } catch (SQLException e) {
            throw failed(e);
        }
        connection.transactionEnded();
    }

    // ---- settings, noted so that they can be restored

    @Override
    public void setAutoCommit(boolean on) throws SQLException {
        change(connection -> connection.setAutoCommit(on));
    }

    @Override
    public void setReadOnly(boolean readOnly) throws SQLException {
        change(connection -> connection.setReadOnly(readOnly));
    }

    @Override
    public void setTransactionIsolation(int level) throws SQLException {
        change(connection -> connection.setIsolation(level));
    }

    @Override
    public void setCatalog(@Nullable String catalog) throws SQLException {
        change(connection -> connection.setCatalog(catalog));
    }

    @Override
    public void setSchema(@Nullable String schema) throws SQLException {
        change(connection -> connection.setSchema(schema));
    }

    @Override
    public void setNetworkTimeout(@Nullable Executor executor, int millis) throws SQLException {
        change(connection -> connection.setNetworkTimeout(executor, millis));
    }

    @Override
    public void setHoldability(int holdability) throws SQLException {
        change(connection -> connection.setHoldability(holdability));
    }

    @Override
    public void setTypeMap(Map<String, Class<?>> map) throws SQLException {
        change(connection -> connection.setTypeMap(map));
    }

    @Override
    public void setClientInfo(@Nullable String name, @Nullable String value) throws SQLClientInfoException {
        changeClientInfo(driver -> driver.setClientInfo(name, value));
    }

    @Override
    public void setClientInfo(Properties properties) throws SQLClientInfoException {
        changeClientInfo(driver -> driver.setClientInfo(properties));
    }

    @Override
    public void setShardingKey(@Nullable ShardingKey key, @Nullable ShardingKey superKey) throws SQLException {
        change(connection -> {
            connection.driver.setShardingKey(key, superKey);
            connection.changed(PhysicalConnection.SHARDING);
        });
    }

    @Override
    public void setShardingKey(@Nullable ShardingKey key) throws SQLException {
        change(connection -> {
            connection.driver.setShardingKey(key);
            connection.changed(PhysicalConnection.SHARDING);
        });
    }

    @Override
    public boolean setShardingKeyIfValid(@Nullable ShardingKey key, @Nullable ShardingKey superKey, int seconds)
            throws SQLException {
        boolean[] valid = {false};
        change(connection -> {
            valid[0] = connection.driver.setShardingKeyIfValid(key, superKey, seconds);
            connection.changed(PhysicalConnection.SHARDING);
        });
        return valid[0];
    }

    @Override
    public boolean setShardingKeyIfValid(@Nullable ShardingKey key, int seconds) throws SQLException {
        boolean[] valid = {false};
        change(connection -> {
            valid[0] = connection.driver.setShardingKeyIfValid(key, seconds);
            connection.changed(PhysicalConnection.SHARDING);
        });
        return valid[0];
    }

    @Override
    public void beginRequest() throws SQLException {
        change(connection -> {
            connection.driver.beginRequest();
            connection.changed(PhysicalConnection.REQUEST);
        });
    }

    @Override
    public void endRequest() throws SQLException {
        change(connection -> {
            connection.driver.endRequest();
            connection.unchanged(PhysicalConnection.REQUEST);
        });
    }

    private void change(Change change) throws SQLException {
        PhysicalConnection connection = current();
        try {
            change.apply(connection);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private void changeClientInfo(ClientInfoChange change) throws SQLClientInfoException {
        PhysicalConnection connection = value();
        if (connection == null) {
            throw new SQLClientInfoException(CLOSED, CLOSED_STATE, Map.<String, ClientInfoStatus>of());
        }
        try {
            connection.changingClientInfo();
            change.apply(connection.driver);
        } catch (SQLClientInfoException e) {
            failed(e);
            throw e;
        } catch (SQLException e) {
            failed(e);
            throw new SQLClientInfoException(e.getMessage(), e.getSQLState(), e.getErrorCode(), Map.of(), e);
        }
    }

    private interface Change {
        void apply(PhysicalConnection connection) throws SQLException;
    }

    private interface ClientInfoChange {
        void apply(Connection driver) throws SQLClientInfoException;
    }

    // ---- what is behind it

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        Connection driver = live();
        current().exposed();
        try {
            return type.isInstance(driver) ? type.cast(driver) : driver.unwrap(type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        if (type.isInstance(this)) {
            return true;
        }
        Connection driver = live();
        try {
            return type.isInstance(driver) || driver.isWrapperFor(type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public String toString() {
        PhysicalConnection connection = value();
        return connection == null ? "a closed connection" : connection.toString();
    }
}
