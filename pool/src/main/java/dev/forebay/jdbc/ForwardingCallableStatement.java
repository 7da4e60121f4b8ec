// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The methods of a callable statement that only forward. */
@SuppressWarnings("deprecation") // deprecated methods are forwarded, too
abstract class ForwardingCallableStatement extends PreparedStatementHandle implements CallableStatement {

    ForwardingCallableStatement(ConnectionHandle connection, CallableStatement driver) {
        super(connection, driver);
    }

    @Override
    abstract CallableStatement live() throws SQLException;

    /** A parameter may be a cursor, which leads back to the driver's statement unless it is handled. */
    abstract @Nullable Object handleIfResult(@Nullable Object value);

    // spotless:off
    @Override public void registerOutParameter(int index, int type) throws SQLException { try { live().registerOutParameter(index, type); } catch (SQLException e) { throw failed(e); } }
    @Override public void registerOutParameter(int index, int type, int scale) throws SQLException { try { live().registerOutParameter(index, type, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean wasNull() throws SQLException { try { return live().wasNull(); } catch (SQLException e) { throw failed(e); } }
    @Override public String getString(int index) throws SQLException { try { return live().getString(index); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean getBoolean(int index) throws SQLException { try { return live().getBoolean(index); } catch (SQLException e) { throw failed(e); } }
    @Override public byte getByte(int index) throws SQLException { try { return live().getByte(index); } catch (SQLException e) { throw failed(e); } }
    @Override public short getShort(int index) throws SQLException { try { return live().getShort(index); } catch (SQLException e) { throw failed(e); } }
    @Override public int getInt(int index) throws SQLException { try { return live().getInt(index); } catch (SQLException e) { throw failed(e); } }
    @Override public long getLong(int index) throws SQLException { try { return live().getLong(index); } catch (SQLException e) { throw failed(e); } }
    @Override public float getFloat(int index) throws SQLException { try { return live().getFloat(index); } catch (SQLException e) { throw failed(e); } }
    @Override public double getDouble(int index) throws SQLException { try { return live().getDouble(index); } catch (SQLException e) { throw failed(e); } }
    @Override public BigDecimal getBigDecimal(int index, int scale) throws SQLException { try { return live().getBigDecimal(index, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public byte[] getBytes(int index) throws SQLException { try { return live().getBytes(index); } catch (SQLException e) { throw failed(e); } }
    @Override public Date getDate(int index) throws SQLException { try { return live().getDate(index); } catch (SQLException e) { throw failed(e); } }
    @Override public Time getTime(int index) throws SQLException { try { return live().getTime(index); } catch (SQLException e) { throw failed(e); } }
    @Override public Timestamp getTimestamp(int index) throws SQLException { try { return live().getTimestamp(index); } catch (SQLException e) { throw failed(e); } }
    @Override public @Nullable Object getObject(int index) throws SQLException { try { return handleIfResult(live().getObject(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public BigDecimal getBigDecimal(int index) throws SQLException { try { return live().getBigDecimal(index); } catch (SQLException e) { throw failed(e); } }
    @Override public @Nullable Object getObject(int index, Map<String, Class<?>> types) throws SQLException { try { return handleIfResult(live().getObject(index, types)); } catch (SQLException e) { throw failed(e); } }
    @Override public Ref getRef(int index) throws SQLException { try { return ValueHandle.of(connection, Ref.class, live().getRef(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public Blob getBlob(int index) throws SQLException { try { return ValueHandle.of(connection, Blob.class, live().getBlob(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public Clob getClob(int index) throws SQLException { try { return ValueHandle.of(connection, Clob.class, live().getClob(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public Array getArray(int index) throws SQLException { try { return ValueHandle.of(connection, Array.class, live().getArray(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public Date getDate(int index, Calendar calendar) throws SQLException { try { return live().getDate(index, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public Time getTime(int index, Calendar calendar) throws SQLException { try { return live().getTime(index, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public Timestamp getTimestamp(int index, Calendar calendar) throws SQLException { try { return live().getTimestamp(index, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public void registerOutParameter(int index, int type, String typeName) throws SQLException { try { live().registerOutParameter(index, type, typeName); } catch (SQLException e) { throw failed(e); } }
    @Override public void registerOutParameter(String name, int type) throws SQLException { try { live().registerOutParameter(name, type); } catch (SQLException e) { throw failed(e); } }
    @Override public void registerOutParameter(String name, int type, int scale) throws SQLException { try { live().registerOutParameter(name, type, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public void registerOutParameter(String name, int type, String typeName) throws SQLException { try { live().registerOutParameter(name, type, typeName); } catch (SQLException e) { throw failed(e); } }
    @Override public URL getURL(int index) throws SQLException { try { return live().getURL(index); } catch (SQLException e) { throw failed(e); } }
    @Override public void setURL(String name, URL value) throws SQLException { try { live().setURL(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNull(String name, int type) throws SQLException { try { live().setNull(name, type); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBoolean(String name, boolean value) throws SQLException { try { live().setBoolean(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setByte(String name, byte value) throws SQLException { try { live().setByte(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setShort(String name, short value) throws SQLException { try { live().setShort(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setInt(String name, int value) throws SQLException { try { live().setInt(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setLong(String name, long value) throws SQLException { try { live().setLong(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setFloat(String name, float value) throws SQLException { try { live().setFloat(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setDouble(String name, double value) throws SQLException { try { live().setDouble(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBigDecimal(String name, BigDecimal value) throws SQLException { try { live().setBigDecimal(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setString(String name, String value) throws SQLException { try { live().setString(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBytes(String name, byte[] value) throws SQLException { try { live().setBytes(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setDate(String name, Date value) throws SQLException { try { live().setDate(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setTime(String name, Time value) throws SQLException { try { live().setTime(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setTimestamp(String name, Timestamp value) throws SQLException { try { live().setTimestamp(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setAsciiStream(String name, InputStream value, int length) throws SQLException { try { live().setAsciiStream(name, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBinaryStream(String name, InputStream value, int length) throws SQLException { try { live().setBinaryStream(name, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setObject(String name, Object value, int type, int scale) throws SQLException { try { live().setObject(name, ValueHandle.unwrap(value), type, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public void setObject(String name, Object value, int type) throws SQLException { try { live().setObject(name, ValueHandle.unwrap(value), type); } catch (SQLException e) { throw failed(e); } }
    @Override public void setObject(String name, Object value) throws SQLException { try { live().setObject(name, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void setCharacterStream(String name, Reader value, int length) throws SQLException { try { live().setCharacterStream(name, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setDate(String name, Date value, Calendar calendar) throws SQLException { try { live().setDate(name, value, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public void setTime(String name, Time value, Calendar calendar) throws SQLException { try { live().setTime(name, value, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public void setTimestamp(String name, Timestamp value, Calendar calendar) throws SQLException { try { live().setTimestamp(name, value, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNull(String name, int type, String typeName) throws SQLException { try { live().setNull(name, type, typeName); } catch (SQLException e) { throw failed(e); } }
    @Override public String getString(String name) throws SQLException { try { return live().getString(name); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean getBoolean(String name) throws SQLException { try { return live().getBoolean(name); } catch (SQLException e) { throw failed(e); } }
    @Override public byte getByte(String name) throws SQLException { try { return live().getByte(name); } catch (SQLException e) { throw failed(e); } }
    @Override public short getShort(String name) throws SQLException { try { return live().getShort(name); } catch (SQLException e) { throw failed(e); } }
    @Override public int getInt(String name) throws SQLException { try { return live().getInt(name); } catch (SQLException e) { throw failed(e); } }
    @Override public long getLong(String name) throws SQLException { try { return live().getLong(name); } catch (SQLException e) { throw failed(e); } }
    @Override public float getFloat(String name) throws SQLException { try { return live().getFloat(name); } catch (SQLException e) { throw failed(e); } }
    @Override public double getDouble(String name) throws SQLException { try { return live().getDouble(name); } catch (SQLException e) { throw failed(e); } }
    @Override public byte[] getBytes(String name) throws SQLException { try { return live().getBytes(name); } catch (SQLException e) { throw failed(e); } }
    @Override public Date getDate(String name) throws SQLException { try { return live().getDate(name); } catch (SQLException e) { throw failed(e); } }
    @Override public Time getTime(String name) throws SQLException { try { return live().getTime(name); } catch (SQLException e) { throw failed(e); } }
    @Override public Timestamp getTimestamp(String name) throws SQLException { try { return live().getTimestamp(name); } catch (SQLException e) { throw failed(e); } }
    @Override public @Nullable Object getObject(String name) throws SQLException { try { return handleIfResult(live().getObject(name)); } catch (SQLException e) { throw failed(e); } }
    @Override public BigDecimal getBigDecimal(String name) throws SQLException { try { return live().getBigDecimal(name); } catch (SQLException e) { throw failed(e); } }
    @Override public @Nullable Object getObject(String name, Map<String, Class<?>> types) throws SQLException { try { return handleIfResult(live().getObject(name, types)); } catch (SQLException e) { throw failed(e); } }
    @Override public Ref getRef(String name) throws SQLException { try { return ValueHandle.of(connection, Ref.class, live().getRef(name)); } catch (SQLException e) { throw failed(e); } }
    @Override public Blob getBlob(String name) throws SQLException { try { return ValueHandle.of(connection, Blob.class, live().getBlob(name)); } catch (SQLException e) { throw failed(e); } }
    @Override public Clob getClob(String name) throws SQLException { try { return ValueHandle.of(connection, Clob.class, live().getClob(name)); } catch (SQLException e) { throw failed(e); } }
    @Override public Array getArray(String name) throws SQLException { try { return ValueHandle.of(connection, Array.class, live().getArray(name)); } catch (SQLException e) { throw failed(e); } }
    @Override public Date getDate(String name, Calendar calendar) throws SQLException { try { return live().getDate(name, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public Time getTime(String name, Calendar calendar) throws SQLException { try { return live().getTime(name, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public Timestamp getTimestamp(String name, Calendar calendar) throws SQLException { try { return live().getTimestamp(name, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public URL getURL(String name) throws SQLException { try { return live().getURL(name); } catch (SQLException e) { throw failed(e); } }
    @Override public RowId getRowId(int index) throws SQLException { try { return live().getRowId(index); } catch (SQLException e) { throw failed(e); } }
    @Override public RowId getRowId(String name) throws SQLException { try { return live().getRowId(name); } catch (SQLException e) { throw failed(e); } }
    @Override public void setRowId(String name, RowId value) throws SQLException { try { live().setRowId(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNString(String name, String value) throws SQLException { try { live().setNString(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNCharacterStream(String name, Reader value, long length) throws SQLException { try { live().setNCharacterStream(name, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNClob(String name, NClob value) throws SQLException { try { live().setNClob(name, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void setClob(String name, Reader value, long length) throws SQLException { try { live().setClob(name, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBlob(String name, InputStream value, long length) throws SQLException { try { live().setBlob(name, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNClob(String name, Reader value, long length) throws SQLException { try { live().setNClob(name, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public NClob getNClob(int index) throws SQLException { try { return ValueHandle.of(connection, NClob.class, live().getNClob(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public NClob getNClob(String name) throws SQLException { try { return ValueHandle.of(connection, NClob.class, live().getNClob(name)); } catch (SQLException e) { throw failed(e); } }
    @Override public void setSQLXML(String name, SQLXML value) throws SQLException { try { live().setSQLXML(name, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public SQLXML getSQLXML(int index) throws SQLException { try { return ValueHandle.of(connection, SQLXML.class, live().getSQLXML(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public SQLXML getSQLXML(String name) throws SQLException { try { return ValueHandle.of(connection, SQLXML.class, live().getSQLXML(name)); } catch (SQLException e) { throw failed(e); } }
    @Override public String getNString(int index) throws SQLException { try { return live().getNString(index); } catch (SQLException e) { throw failed(e); } }
    @Override public String getNString(String name) throws SQLException { try { return live().getNString(name); } catch (SQLException e) { throw failed(e); } }
    @Override public Reader getNCharacterStream(int index) throws SQLException { try { return live().getNCharacterStream(index); } catch (SQLException e) { throw failed(e); } }
    @Override public Reader getNCharacterStream(String name) throws SQLException { try { return live().getNCharacterStream(name); } catch (SQLException e) { throw failed(e); } }
    @Override public Reader getCharacterStream(int index) throws SQLException { try { return live().getCharacterStream(index); } catch (SQLException e) { throw failed(e); } }
    @Override public Reader getCharacterStream(String name) throws SQLException { try { return live().getCharacterStream(name); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBlob(String name, Blob value) throws SQLException { try { live().setBlob(name, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void setClob(String name, Clob value) throws SQLException { try { live().setClob(name, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void setAsciiStream(String name, InputStream value, long length) throws SQLException { try { live().setAsciiStream(name, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBinaryStream(String name, InputStream value, long length) throws SQLException { try { live().setBinaryStream(name, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setCharacterStream(String name, Reader value, long length) throws SQLException { try { live().setCharacterStream(name, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void setAsciiStream(String name, InputStream value) throws SQLException { try { live().setAsciiStream(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBinaryStream(String name, InputStream value) throws SQLException { try { live().setBinaryStream(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setCharacterStream(String name, Reader value) throws SQLException { try { live().setCharacterStream(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNCharacterStream(String name, Reader value) throws SQLException { try { live().setNCharacterStream(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setClob(String name, Reader value) throws SQLException { try { live().setClob(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setBlob(String name, InputStream value) throws SQLException { try { live().setBlob(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void setNClob(String name, Reader value) throws SQLException { try { live().setNClob(name, value); } catch (SQLException e) { throw failed(e); } }
    @Override public <T> T getObject(int index, Class<T> type) throws SQLException { try { return ValueHandle.ofAny(connection, type, live().getObject(index, type)); } catch (SQLException e) { throw failed(e); } }
    @Override public <T> T getObject(String name, Class<T> type) throws SQLException { try { return ValueHandle.ofAny(connection, type, live().getObject(name, type)); } catch (SQLException e) { throw failed(e); } }
    @Override public void setObject(String name, Object value, SQLType type, int scale) throws SQLException { try { live().setObject(name, ValueHandle.unwrap(value), type, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public void setObject(String name, Object value, SQLType type) throws SQLException { try { live().setObject(name, ValueHandle.unwrap(value), type); } catch (SQLException e) { throw failed(e); } }
    @Override public void registerOutParameter(int index, SQLType type) throws SQLException { try { live().registerOutParameter(index, type); } catch (SQLException e) { throw failed(e); } }
    @Override public void registerOutParameter(int index, SQLType type, int scale) throws SQLException { try { live().registerOutParameter(index, type, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public void registerOutParameter(int index, SQLType type, String typeName) throws SQLException { try { live().registerOutParameter(index, type, typeName); } catch (SQLException e) { throw failed(e); } }
    @Override public void registerOutParameter(String name, SQLType type) throws SQLException { try { live().registerOutParameter(name, type); } catch (SQLException e) { throw failed(e); } }
    @Override public void registerOutParameter(String name, SQLType type, int scale) throws SQLException { try { live().registerOutParameter(name, type, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public void registerOutParameter(String name, SQLType type, String typeName) throws SQLException { try { live().registerOutParameter(name, type, typeName); } catch (SQLException e) { throw failed(e); } }
    // spotless:on
}
