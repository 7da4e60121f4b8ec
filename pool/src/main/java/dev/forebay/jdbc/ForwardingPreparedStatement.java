// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;

/** The methods of a prepared statement that only forward. */
@SuppressWarnings("deprecation") // deprecated methods are forwarded, too
abstract class ForwardingPreparedStatement extends StatementHandle implements PreparedStatement {

    ForwardingPreparedStatement(ConnectionHandle connection, PreparedStatement driver) {
        super(connection, driver);
    }

    @Override
    abstract PreparedStatement live() throws SQLException;

    @Override
    abstract PreparedStatement executing() throws SQLException;

    // spotless:off
    @Override public ResultSet executeQuery() throws SQLException { try { return handle(executing().executeQuery()); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public int executeUpdate() throws SQLException { try { return executing().executeUpdate(); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public void setNull(int index, int type) throws SQLException { try { live().setNull(index, type); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBoolean(int index, boolean value) throws SQLException { try { live().setBoolean(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setByte(int index, byte value) throws SQLException { try { live().setByte(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setShort(int index, short value) throws SQLException { try { live().setShort(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setInt(int index, int value) throws SQLException { try { live().setInt(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setLong(int index, long value) throws SQLException { try { live().setLong(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setFloat(int index, float value) throws SQLException { try { live().setFloat(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setDouble(int index, double value) throws SQLException { try { live().setDouble(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBigDecimal(int index, BigDecimal value) throws SQLException { try { live().setBigDecimal(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setString(int index, String value) throws SQLException { try { live().setString(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBytes(int index, byte[] value) throws SQLException { try { live().setBytes(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setDate(int index, Date value) throws SQLException { try { live().setDate(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setTime(int index, Time value) throws SQLException { try { live().setTime(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setTimestamp(int index, Timestamp value) throws SQLException { try { live().setTimestamp(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setAsciiStream(int index, InputStream value, int length) throws SQLException { try { live().setAsciiStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setUnicodeStream(int index, InputStream value, int length) throws SQLException { try { live().setUnicodeStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBinaryStream(int index, InputStream value, int length) throws SQLException { try { live().setBinaryStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void clearParameters() throws SQLException { try { live().clearParameters(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setObject(int index, Object value, int type) throws SQLException { try { live().setObject(index, ValueHandle.unwrap(value), type); } catch (SQLException e) { throw failed(e); } }
    @Override public void setObject(int index, Object value) throws SQLException { try { live().setObject(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean execute() throws SQLException { try { return executing().execute(); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    @Override public void addBatch() throws SQLException { try { live().addBatch(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setCharacterStream(int index, Reader value, int length) throws SQLException { try { live().setCharacterStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setRef(int index, Ref value) throws SQLException { try { live().setRef(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBlob(int index, Blob value) throws SQLException { try { live().setBlob(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void setClob(int index, Clob value) throws SQLException { try { live().setClob(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void setArray(int index, Array value) throws SQLException { try { live().setArray(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public ResultSetMetaData getMetaData() throws SQLException { try { return executing().getMetaData(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setDate(int index, Date value, Calendar calendar) throws SQLException { try { live().setDate(index, value, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public void setTime(int index, Time value, Calendar calendar) throws SQLException { try { live().setTime(index, value, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public void setTimestamp(int index, Timestamp value, Calendar calendar) throws SQLException { try { live().setTimestamp(index, value, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNull(int index, int type, String typeName) throws SQLException { try { live().setNull(index, type, typeName); } catch (SQLException e) { throw failed(e); } }
    @Override public void setURL(int index, URL value) throws SQLException { try { live().setURL(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public ParameterMetaData getParameterMetaData() throws SQLException { try { return executing().getParameterMetaData(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setRowId(int index, RowId value) throws SQLException { try { live().setRowId(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNString(int index, String value) throws SQLException { try { live().setNString(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNCharacterStream(int index, Reader value, long length) throws SQLException { try { live().setNCharacterStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNClob(int index, NClob value) throws SQLException { try { live().setNClob(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void setClob(int index, Reader value, long length) throws SQLException { try { live().setClob(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBlob(int index, InputStream value, long length) throws SQLException { try { live().setBlob(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNClob(int index, Reader value, long length) throws SQLException { try { live().setNClob(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setSQLXML(int index, SQLXML value) throws SQLException { try { live().setSQLXML(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void setObject(int index, Object value, int type, int scale) throws SQLException { try { live().setObject(index, ValueHandle.unwrap(value), type, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public void setAsciiStream(int index, InputStream value, long length) throws SQLException { try { live().setAsciiStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBinaryStream(int index, InputStream value, long length) throws SQLException { try { live().setBinaryStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setCharacterStream(int index, Reader value, long length) throws SQLException { try { live().setCharacterStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setAsciiStream(int index, InputStream value) throws SQLException { try { live().setAsciiStream(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBinaryStream(int index, InputStream value) throws SQLException { try { live().setBinaryStream(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setCharacterStream(int index, Reader value) throws SQLException { try { live().setCharacterStream(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNCharacterStream(int index, Reader value) throws SQLException { try { live().setNCharacterStream(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setClob(int index, Reader value) throws SQLException { try { live().setClob(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBlob(int index, InputStream value) throws SQLException { try { live().setBlob(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNClob(int index, Reader value) throws SQLException { try { live().setNClob(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setObject(int index, Object value, SQLType type, int scale) throws SQLException { try { live().setObject(index, ValueHandle.unwrap(value), type, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public void setObject(int index, Object value, SQLType type) throws SQLException { try { live().setObject(index, ValueHandle.unwrap(value), type); } catch (SQLException e) { throw failed(e); } }
    @Override public long executeLargeUpdate() throws SQLException { try { return executing().executeLargeUpdate(); } catch (SQLException e) { throw failed(e); } finally { executed(); } }
    // spotless:on
}
