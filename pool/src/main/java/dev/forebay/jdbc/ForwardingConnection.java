// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import dev.forebay.engine.Checkout;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Struct;
import java.util.Map;
import java.util.Properties;

/** The methods of a connection that only forward. */
abstract class ForwardingConnection extends Checkout<PhysicalConnection> implements Connection {

    /** Returns the driver's connection, if this handle is current. */
    abstract Connection live() throws SQLException;

    /** As {@link #live}, for a call that may begin a transaction. */
    abstract Connection executing() throws SQLException;

    /** Judges the error and returns it. */
    abstract SQLException failed(SQLException error);

    /** Returns the handle that values of this connection belong to. */
    abstract ConnectionHandle self();

    abstract Statement handle(Statement statement) throws SQLException;

    abstract PreparedStatement handle(PreparedStatement statement) throws SQLException;

    abstract CallableStatement handle(CallableStatement statement) throws SQLException;

    // spotless:off
    @Override public Statement createStatement() throws SQLException { try { return handle(live().createStatement()); } catch (SQLException e) { throw failed(e); } }
    @Override public PreparedStatement prepareStatement(String sql) throws SQLException { try { return handle(executing().prepareStatement(sql)); } catch (SQLException e) { throw failed(e); } }
    @Override public CallableStatement prepareCall(String sql) throws SQLException { try { return handle(executing().prepareCall(sql)); } catch (SQLException e) { throw failed(e); } }
    @Override public String nativeSQL(String sql) throws SQLException { try { return live().nativeSQL(sql); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean getAutoCommit() throws SQLException { try { return live().getAutoCommit(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean isReadOnly() throws SQLException { try { return live().isReadOnly(); } catch (SQLException e) { throw failed(e); } }
    @Override public String getCatalog() throws SQLException { try { return executing().getCatalog(); } catch (SQLException e) { throw failed(e); } }
    @Override public int getTransactionIsolation() throws SQLException { try { return executing().getTransactionIsolation(); } catch (SQLException e) { throw failed(e); } }
    @Override public SQLWarning getWarnings() throws SQLException { try { return live().getWarnings(); } catch (SQLException e) { throw failed(e); } }
    @Override public void clearWarnings() throws SQLException { try { live().clearWarnings(); } catch (SQLException e) { throw failed(e); } }
    @Override public Statement createStatement(int type, int concurrency) throws SQLException { try { return handle(live().createStatement(type, concurrency)); } catch (SQLException e) { throw failed(e); } }
    @Override public PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException { try { return handle(executing().prepareStatement(sql, type, concurrency)); } catch (SQLException e) { throw failed(e); } }
    @Override public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException { try { return handle(executing().prepareCall(sql, type, concurrency)); } catch (SQLException e) { throw failed(e); } }
    @Override public Map<String, Class<?>> getTypeMap() throws SQLException { try { return live().getTypeMap(); } catch (SQLException e) { throw failed(e); } }
    @Override public int getHoldability() throws SQLException { try { return live().getHoldability(); } catch (SQLException e) { throw failed(e); } }
    @Override public Savepoint setSavepoint() throws SQLException { try { return executing().setSavepoint(); } catch (SQLException e) { throw failed(e); } }
    @Override public Savepoint setSavepoint(String name) throws SQLException { try { return executing().setSavepoint(name); } catch (SQLException e) { throw failed(e); } }
    @Override public void rollback(Savepoint savepoint) throws SQLException { try { executing().rollback(savepoint); } catch (SQLException e) { throw failed(e); } }
    @Override public void releaseSavepoint(Savepoint savepoint) throws SQLException { try { executing().releaseSavepoint(savepoint); } catch (SQLException e) { throw failed(e); } }
    @Override public Statement createStatement(int type, int concurrency, int holdability) throws SQLException { try { return handle(live().createStatement(type, concurrency, holdability)); } catch (SQLException e) { throw failed(e); } }
    @Override public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability) throws SQLException { try { return handle(executing().prepareStatement(sql, type, concurrency, holdability)); } catch (SQLException e) { throw failed(e); } }
    @Override public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException { try { return handle(executing().prepareCall(sql, type, concurrency, holdability)); } catch (SQLException e) { throw failed(e); } }
    @Override public PreparedStatement prepareStatement(String sql, int generatedKeys) throws SQLException { try { return handle(executing().prepareStatement(sql, generatedKeys)); } catch (SQLException e) { throw failed(e); } }
    @Override public PreparedStatement prepareStatement(String sql, int[] columns) throws SQLException { try { return handle(executing().prepareStatement(sql, columns)); } catch (SQLException e) { throw failed(e); } }
    @Override public PreparedStatement prepareStatement(String sql, String[] columns) throws SQLException { try { return handle(executing().prepareStatement(sql, columns)); } catch (SQLException e) { throw failed(e); } }
    @Override public Clob createClob() throws SQLException { try { return ValueHandle.of(self(), Clob.class, executing().createClob()); } catch (SQLException e) { throw failed(e); } }
    @Override public Blob createBlob() throws SQLException { try { return ValueHandle.of(self(), Blob.class, executing().createBlob()); } catch (SQLException e) { throw failed(e); } }
    @Override public NClob createNClob() throws SQLException { try { return ValueHandle.of(self(), NClob.class, executing().createNClob()); } catch (SQLException e) { throw failed(e); } }
    @Override public SQLXML createSQLXML() throws SQLException { try { return ValueHandle.of(self(), SQLXML.class, live().createSQLXML()); } catch (SQLException e) { throw failed(e); } }
    @Override public String getClientInfo(String name) throws SQLException { try { return live().getClientInfo(name); } catch (SQLException e) { throw failed(e); } }
    @Override public Properties getClientInfo() throws SQLException { try { return live().getClientInfo(); } catch (SQLException e) { throw failed(e); } }
    @Override public Array createArrayOf(String type, Object[] elements) throws SQLException { try { return ValueHandle.of(self(), Array.class, live().createArrayOf(type, elements)); } catch (SQLException e) { throw failed(e); } }
    @Override public Struct createStruct(String type, Object[] attributes) throws SQLException { try { return live().createStruct(type, attributes); } catch (SQLException e) { throw failed(e); } }
    @Override public String getSchema() throws SQLException { try { return executing().getSchema(); } catch (SQLException e) { throw failed(e); } }
    @Override public int getNetworkTimeout() throws SQLException { try { return live().getNetworkTimeout(); } catch (SQLException e) { throw failed(e); } }
    // spotless:on
}
