// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.driver;

import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Struct;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A connection to nothing: every call returns at once.
 *
 * <p>Written by hand rather than as a proxy, so that the compiler sees through it and only the pool is measured.
 */
public class StubConnection implements Connection {

    private static UnsupportedOperationException unsupported(String method) {
        return new UnsupportedOperationException("a stub has no " + method);
    }

    @Override
    public void abort(Executor a) {}

    @Override
    public void clearWarnings() {}

    @Override
    public void close() {}

    @Override
    public void commit() {}

    @Override
    public Array createArrayOf(String a, Object[] b) {
        throw unsupported("createArrayOf");
    }

    @Override
    public Blob createBlob() {
        throw unsupported("createBlob");
    }

    @Override
    public Clob createClob() {
        throw unsupported("createClob");
    }

    @Override
    public NClob createNClob() {
        throw unsupported("createNClob");
    }

    @Override
    public SQLXML createSQLXML() {
        throw unsupported("createSQLXML");
    }

    @Override
    public Statement createStatement() throws SQLException {
        throw unsupported("createStatement");
    }

    @Override
    public Statement createStatement(int a, int b) {
        throw unsupported("createStatement");
    }

    @Override
    public Statement createStatement(int a, int b, int c) {
        throw unsupported("createStatement");
    }

    @Override
    public Struct createStruct(String a, Object[] b) {
        throw unsupported("createStruct");
    }

    @Override
    public boolean getAutoCommit() {
        return true;
    }

    @Override
    public String getCatalog() {
        return "stub";
    }

    @Override
    public Properties getClientInfo() {
        return new Properties();
    }

    @Override
    public @Nullable String getClientInfo(String a) {
        return null;
    }

    @Override
    public int getHoldability() {
        return ResultSet.HOLD_CURSORS_OVER_COMMIT;
    }

    @Override
    public DatabaseMetaData getMetaData() {
        throw unsupported("getMetaData");
    }

    @Override
    public int getNetworkTimeout() {
        return 0;
    }

    @Override
    public String getSchema() {
        return "stub";
    }

    @Override
    public int getTransactionIsolation() {
        return TRANSACTION_READ_COMMITTED;
    }

    @Override
    public Map<String, Class<?>> getTypeMap() {
        return Map.of();
    }

    @Override
    public @Nullable SQLWarning getWarnings() {
        return null;
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public boolean isValid(int timeoutSeconds) {
        return true;
    }

    @Override
    public boolean isWrapperFor(Class<?> a) {
        return a.isInstance(this);
    }

    @Override
    public String nativeSQL(String a) {
        return a;
    }

    @Override
    public CallableStatement prepareCall(String a) {
        throw unsupported("prepareCall");
    }

    @Override
    public CallableStatement prepareCall(String a, int b, int c) {
        throw unsupported("prepareCall");
    }

    @Override
    public CallableStatement prepareCall(String a, int b, int c, int d) {
        throw unsupported("prepareCall");
    }

    @Override
    public PreparedStatement prepareStatement(String a) {
        throw unsupported("prepareStatement");
    }

    @Override
    public PreparedStatement prepareStatement(String a, int b) {
        throw unsupported("prepareStatement");
    }

    @Override
    public PreparedStatement prepareStatement(String a, int[] b) {
        throw unsupported("prepareStatement");
    }

    @Override
    public PreparedStatement prepareStatement(String a, String[] b) {
        throw unsupported("prepareStatement");
    }

    @Override
    public PreparedStatement prepareStatement(String a, int b, int c) {
        throw unsupported("prepareStatement");
    }

    @Override
    public PreparedStatement prepareStatement(String a, int b, int c, int d) {
        throw unsupported("prepareStatement");
    }

    @Override
    public void releaseSavepoint(Savepoint a) {}

    @Override
    public void rollback() {}

    @Override
    public void rollback(Savepoint a) {}

    @Override
    public void setAutoCommit(boolean a) {}

    @Override
    public void setCatalog(String a) {}

    @Override
    public void setClientInfo(Properties a) {}

    @Override
    public void setClientInfo(String a, String b) {}

    @Override
    public void setHoldability(int a) {}

    @Override
    public void setNetworkTimeout(Executor a, int b) {}

    @Override
    public void setReadOnly(boolean a) {}

    @Override
    public Savepoint setSavepoint() {
        throw unsupported("setSavepoint");
    }

    @Override
    public Savepoint setSavepoint(String a) {
        throw unsupported("setSavepoint");
    }

    @Override
    public void setSchema(String a) {}

    @Override
    public void setTransactionIsolation(int a) {}

    @Override
    public void setTypeMap(Map<String, Class<?>> a) {}

    @Override
    public <T> T unwrap(Class<T> a) {
        return a.cast(this);
    }
}
