// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;

/** The methods of a statement that only forward. */
abstract class ForwardingStatement implements Statement {

    /** Returns the driver's statement, if the connection's handle is current. */
    abstract Statement live() throws SQLException;

    /** As {@link #live}, for a call that may begin a transaction. */
    abstract Statement executing() throws SQLException;

    /** Notes that something has been run, successfully or not. */
    abstract void executed();

    /** Judges the error and returns it. */
    abstract SQLException failed(SQLException error);

    abstract ResultSet handle(ResultSet result);

    // spotless:off
    @Override public ResultSet executeQuery(String sql) throws SQLException { try { return handle(executing().executeQuery(sql)); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public int executeUpdate(String sql) throws SQLException { try { return executing().executeUpdate(sql); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public int getMaxFieldSize() throws SQLException { try { return live().getMaxFieldSize(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setMaxFieldSize(int max) throws SQLException { try { live().setMaxFieldSize(max); } catch (SQLException e) { throw failed(e); } }
    @Override public int getMaxRows() throws SQLException { try { return live().getMaxRows(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setMaxRows(int max) throws SQLException { try { live().setMaxRows(max); } catch (SQLException e) { throw failed(e); } }
    @Override public void setEscapeProcessing(boolean enable) throws SQLException { try { live().setEscapeProcessing(enable); } catch (SQLException e) { throw failed(e); } }
    @Override public int getQueryTimeout() throws SQLException { try { return live().getQueryTimeout(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setQueryTimeout(int seconds) throws SQLException { try { live().setQueryTimeout(seconds); } catch (SQLException e) { throw failed(e); } }
    @Override public void cancel() throws SQLException { try { live().cancel(); } catch (SQLException e) { throw failed(e); } }
    @Override public SQLWarning getWarnings() throws SQLException { try { return live().getWarnings(); } catch (SQLException e) { throw failed(e); } }
    @Override public void clearWarnings() throws SQLException { try { live().clearWarnings(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setCursorName(String name) throws SQLException { try { live().setCursorName(name); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean execute(String sql) throws SQLException { try { return executing().execute(sql); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public int getUpdateCount() throws SQLException { try { return live().getUpdateCount(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean getMoreResults() throws SQLException { try { return executing().getMoreResults(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setFetchDirection(int direction) throws SQLException { try { live().setFetchDirection(direction); } catch (SQLException e) { throw failed(e); } }
    @Override public int getFetchDirection() throws SQLException { try { return live().getFetchDirection(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setFetchSize(int rows) throws SQLException { try { live().setFetchSize(rows); } catch (SQLException e) { throw failed(e); } }
    @Override public int getFetchSize() throws SQLException { try { return live().getFetchSize(); } catch (SQLException e) { throw failed(e); } }
    @Override public int getResultSetConcurrency() throws SQLException { try { return live().getResultSetConcurrency(); } catch (SQLException e) { throw failed(e); } }
    @Override public int getResultSetType() throws SQLException { try { return live().getResultSetType(); } catch (SQLException e) { throw failed(e); } }
    @Override public void addBatch(String sql) throws SQLException { try { live().addBatch(sql); } catch (SQLException e) { throw failed(e); } }
    @Override public void clearBatch() throws SQLException { try { live().clearBatch(); } catch (SQLException e) { throw failed(e); } }
    @Override public int[] executeBatch() throws SQLException { try { return executing().executeBatch(); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public boolean getMoreResults(int current) throws SQLException { try { return executing().getMoreResults(current); } catch (SQLException e) { throw failed(e); } }
    @Override public ResultSet getGeneratedKeys() throws SQLException { try { return handle(live().getGeneratedKeys()); } catch (SQLException e) { throw failed(e); } }
    @Override public int executeUpdate(String sql, int generatedKeys) throws SQLException { try { return executing().executeUpdate(sql, generatedKeys); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public int executeUpdate(String sql, int[] columns) throws SQLException { try { return executing().executeUpdate(sql, columns); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public int executeUpdate(String sql, String[] columns) throws SQLException { try { return executing().executeUpdate(sql, columns); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public boolean execute(String sql, int generatedKeys) throws SQLException { try { return executing().execute(sql, generatedKeys); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public boolean execute(String sql, int[] columns) throws SQLException { try { return executing().execute(sql, columns); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public boolean execute(String sql, String[] columns) throws SQLException { try { return executing().execute(sql, columns); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public int getResultSetHoldability() throws SQLException { try { return live().getResultSetHoldability(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setPoolable(boolean poolable) throws SQLException { try { live().setPoolable(poolable); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean isPoolable() throws SQLException { try { return live().isPoolable(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean isCloseOnCompletion() throws SQLException { try { return live().isCloseOnCompletion(); } catch (SQLException e) { throw failed(e); } }
    @Override public long getLargeUpdateCount() throws SQLException { try { return live().getLargeUpdateCount(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setLargeMaxRows(long max) throws SQLException { try { live().setLargeMaxRows(max); } catch (SQLException e) { throw failed(e); } }
    @Override public long getLargeMaxRows() throws SQLException { try { return live().getLargeMaxRows(); } catch (SQLException e) { throw failed(e); } }
    @Override public long[] executeLargeBatch() throws SQLException { try { return executing().executeLargeBatch(); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public long executeLargeUpdate(String sql) throws SQLException { try { return executing().executeLargeUpdate(sql); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public long executeLargeUpdate(String sql, int generatedKeys) throws SQLException { try { return executing().executeLargeUpdate(sql, generatedKeys); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public long executeLargeUpdate(String sql, int[] columns) throws SQLException { try { return executing().executeLargeUpdate(sql, columns); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public long executeLargeUpdate(String sql, String[] columns) throws SQLException { try { return executing().executeLargeUpdate(sql, columns); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public String enquoteLiteral(String value) throws SQLException { try { return live().enquoteLiteral(value); } catch (SQLException e) { throw failed(e); } }
    @Override public String enquoteIdentifier(String identifier, boolean alwaysQuote) throws SQLException { try { return live().enquoteIdentifier(identifier, alwaysQuote); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean isSimpleIdentifier(String identifier) throws SQLException { try { return live().isSimpleIdentifier(identifier); } catch (SQLException e) { throw failed(e); } }
    @Override public String enquoteNCharLiteral(String value) throws SQLException { try { return live().enquoteNCharLiteral(value); } catch (SQLException e) { throw failed(e); } }
    // spotless:on
}
