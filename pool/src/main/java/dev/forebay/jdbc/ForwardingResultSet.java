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
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The methods of a result set that only forward. */
@SuppressWarnings("deprecation") // deprecated methods are forwarded, too
abstract class ForwardingResultSet implements ResultSet {

    /** Returns the driver's result set, if the connection's handle is current. */
    abstract ResultSet live() throws SQLException;

    /** As {@link #live}, for a call that may begin a transaction. */
    abstract ResultSet executing() throws SQLException;

    /** Judges the error and returns it. */
    abstract SQLException failed(SQLException error);

    /** Returns the connection that its values live on. */
    abstract ConnectionHandle connection();

    /** A column may be a cursor, which leads back to the driver's statement unless it is handled. */
    abstract @Nullable Object handleIfResult(@Nullable Object value);

    // spotless:off
    @Override public boolean next() throws SQLException { try { return executing().next(); } catch (SQLException e) { throw failed(e); } }
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
    @Override public InputStream getAsciiStream(int index) throws SQLException { try { return live().getAsciiStream(index); } catch (SQLException e) { throw failed(e); } }
    @Override public InputStream getUnicodeStream(int index) throws SQLException { try { return live().getUnicodeStream(index); } catch (SQLException e) { throw failed(e); } }
    @Override public InputStream getBinaryStream(int index) throws SQLException { try { return live().getBinaryStream(index); } catch (SQLException e) { throw failed(e); } }
    @Override public String getString(String label) throws SQLException { try { return live().getString(label); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean getBoolean(String label) throws SQLException { try { return live().getBoolean(label); } catch (SQLException e) { throw failed(e); } }
    @Override public byte getByte(String label) throws SQLException { try { return live().getByte(label); } catch (SQLException e) { throw failed(e); } }
    @Override public short getShort(String label) throws SQLException { try { return live().getShort(label); } catch (SQLException e) { throw failed(e); } }
    @Override public int getInt(String label) throws SQLException { try { return live().getInt(label); } catch (SQLException e) { throw failed(e); } }
    @Override public long getLong(String label) throws SQLException { try { return live().getLong(label); } catch (SQLException e) { throw failed(e); } }
    @Override public float getFloat(String label) throws SQLException { try { return live().getFloat(label); } catch (SQLException e) { throw failed(e); } }
    @Override public double getDouble(String label) throws SQLException { try { return live().getDouble(label); } catch (SQLException e) { throw failed(e); } }
    @Override public BigDecimal getBigDecimal(String label, int scale) throws SQLException { try { return live().getBigDecimal(label, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public byte[] getBytes(String label) throws SQLException { try { return live().getBytes(label); } catch (SQLException e) { throw failed(e); } }
    @Override public Date getDate(String label) throws SQLException { try { return live().getDate(label); } catch (SQLException e) { throw failed(e); } }
    @Override public Time getTime(String label) throws SQLException { try { return live().getTime(label); } catch (SQLException e) { throw failed(e); } }
    @Override public Timestamp getTimestamp(String label) throws SQLException { try { return live().getTimestamp(label); } catch (SQLException e) { throw failed(e); } }
    @Override public InputStream getAsciiStream(String label) throws SQLException { try { return live().getAsciiStream(label); } catch (SQLException e) { throw failed(e); } }
    @Override public InputStream getUnicodeStream(String label) throws SQLException { try { return live().getUnicodeStream(label); } catch (SQLException e) { throw failed(e); } }
    @Override public InputStream getBinaryStream(String label) throws SQLException { try { return live().getBinaryStream(label); } catch (SQLException e) { throw failed(e); } }
    @Override public SQLWarning getWarnings() throws SQLException { try { return live().getWarnings(); } catch (SQLException e) { throw failed(e); } }
    @Override public void clearWarnings() throws SQLException { try { live().clearWarnings(); } catch (SQLException e) { throw failed(e); } }
    @Override public String getCursorName() throws SQLException { try { return live().getCursorName(); } catch (SQLException e) { throw failed(e); } }
    @Override public ResultSetMetaData getMetaData() throws SQLException { try { return live().getMetaData(); } catch (SQLException e) { throw failed(e); } }
    @Override public @Nullable Object getObject(int index) throws SQLException { try { return handleIfResult(live().getObject(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public @Nullable Object getObject(String label) throws SQLException { try { return handleIfResult(live().getObject(label)); } catch (SQLException e) { throw failed(e); } }
    @Override public int findColumn(String label) throws SQLException { try { return live().findColumn(label); } catch (SQLException e) { throw failed(e); } }
    @Override public Reader getCharacterStream(int index) throws SQLException { try { return live().getCharacterStream(index); } catch (SQLException e) { throw failed(e); } }
    @Override public Reader getCharacterStream(String label) throws SQLException { try { return live().getCharacterStream(label); } catch (SQLException e) { throw failed(e); } }
    @Override public BigDecimal getBigDecimal(int index) throws SQLException { try { return live().getBigDecimal(index); } catch (SQLException e) { throw failed(e); } }
    @Override public BigDecimal getBigDecimal(String label) throws SQLException { try { return live().getBigDecimal(label); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean isBeforeFirst() throws SQLException { try { return live().isBeforeFirst(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean isAfterLast() throws SQLException { try { return live().isAfterLast(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean isFirst() throws SQLException { try { return live().isFirst(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean isLast() throws SQLException { try { return live().isLast(); } catch (SQLException e) { throw failed(e); } }
    @Override public void beforeFirst() throws SQLException { try { executing().beforeFirst(); } catch (SQLException e) { throw failed(e); } }
    @Override public void afterLast() throws SQLException { try { executing().afterLast(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean first() throws SQLException { try { return executing().first(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean last() throws SQLException { try { return executing().last(); } catch (SQLException e) { throw failed(e); } }
    @Override public int getRow() throws SQLException { try { return live().getRow(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean absolute(int row) throws SQLException { try { return executing().absolute(row); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean relative(int rows) throws SQLException { try { return executing().relative(rows); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean previous() throws SQLException { try { return executing().previous(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setFetchDirection(int direction) throws SQLException { try { live().setFetchDirection(direction); } catch (SQLException e) { throw failed(e); } }
    @Override public int getFetchDirection() throws SQLException { try { return live().getFetchDirection(); } catch (SQLException e) { throw failed(e); } }
    @Override public void setFetchSize(int rows) throws SQLException { try { live().setFetchSize(rows); } catch (SQLException e) { throw failed(e); } }
    @Override public int getFetchSize() throws SQLException { try { return live().getFetchSize(); } catch (SQLException e) { throw failed(e); } }
    @Override public int getType() throws SQLException { try { return live().getType(); } catch (SQLException e) { throw failed(e); } }
    @Override public int getConcurrency() throws SQLException { try { return live().getConcurrency(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean rowUpdated() throws SQLException { try { return live().rowUpdated(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean rowInserted() throws SQLException { try { return live().rowInserted(); } catch (SQLException e) { throw failed(e); } }
    @Override public boolean rowDeleted() throws SQLException { try { return live().rowDeleted(); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNull(int index) throws SQLException { try { live().updateNull(index); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBoolean(int index, boolean value) throws SQLException { try { live().updateBoolean(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateByte(int index, byte value) throws SQLException { try { live().updateByte(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateShort(int index, short value) throws SQLException { try { live().updateShort(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateInt(int index, int value) throws SQLException { try { live().updateInt(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateLong(int index, long value) throws SQLException { try { live().updateLong(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateFloat(int index, float value) throws SQLException { try { live().updateFloat(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateDouble(int index, double value) throws SQLException { try { live().updateDouble(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBigDecimal(int index, BigDecimal value) throws SQLException { try { live().updateBigDecimal(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateString(int index, String value) throws SQLException { try { live().updateString(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBytes(int index, byte[] value) throws SQLException { try { live().updateBytes(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateDate(int index, Date value) throws SQLException { try { live().updateDate(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateTime(int index, Time value) throws SQLException { try { live().updateTime(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateTimestamp(int index, Timestamp value) throws SQLException { try { live().updateTimestamp(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateAsciiStream(int index, InputStream value, int length) throws SQLException { try { live().updateAsciiStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBinaryStream(int index, InputStream value, int length) throws SQLException { try { live().updateBinaryStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateCharacterStream(int index, Reader value, int length) throws SQLException { try { live().updateCharacterStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateObject(int index, Object value, int scale) throws SQLException { try { live().updateObject(index, ValueHandle.unwrap(value), scale); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateObject(int index, Object value) throws SQLException { try { live().updateObject(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNull(String label) throws SQLException { try { live().updateNull(label); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBoolean(String label, boolean value) throws SQLException { try { live().updateBoolean(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateByte(String label, byte value) throws SQLException { try { live().updateByte(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateShort(String label, short value) throws SQLException { try { live().updateShort(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateInt(String label, int value) throws SQLException { try { live().updateInt(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateLong(String label, long value) throws SQLException { try { live().updateLong(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateFloat(String label, float value) throws SQLException { try { live().updateFloat(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateDouble(String label, double value) throws SQLException { try { live().updateDouble(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBigDecimal(String label, BigDecimal value) throws SQLException { try { live().updateBigDecimal(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateString(String label, String value) throws SQLException { try { live().updateString(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBytes(String label, byte[] value) throws SQLException { try { live().updateBytes(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateDate(String label, Date value) throws SQLException { try { live().updateDate(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateTime(String label, Time value) throws SQLException { try { live().updateTime(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateTimestamp(String label, Timestamp value) throws SQLException { try { live().updateTimestamp(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateAsciiStream(String label, InputStream value, int length) throws SQLException { try { live().updateAsciiStream(label, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBinaryStream(String label, InputStream value, int length) throws SQLException { try { live().updateBinaryStream(label, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateCharacterStream(String label, Reader value, int length) throws SQLException { try { live().updateCharacterStream(label, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateObject(String label, Object value, int scale) throws SQLException { try { live().updateObject(label, ValueHandle.unwrap(value), scale); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateObject(String label, Object value) throws SQLException { try { live().updateObject(label, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void insertRow() throws SQLException { try { executing().insertRow(); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateRow() throws SQLException { try { executing().updateRow(); } catch (SQLException e) { throw failed(e); } }
    @Override public void deleteRow() throws SQLException { try { executing().deleteRow(); } catch (SQLException e) { throw failed(e); } }
    @Override public void refreshRow() throws SQLException { try { executing().refreshRow(); } catch (SQLException e) { throw failed(e); } }
    @Override public void cancelRowUpdates() throws SQLException { try { live().cancelRowUpdates(); } catch (SQLException e) { throw failed(e); } }
    @Override public void moveToInsertRow() throws SQLException { try { live().moveToInsertRow(); } catch (SQLException e) { throw failed(e); } }
    @Override public void moveToCurrentRow() throws SQLException { try { live().moveToCurrentRow(); } catch (SQLException e) { throw failed(e); } }
    @Override public @Nullable Object getObject(int index, Map<String, Class<?>> types) throws SQLException { try { return handleIfResult(live().getObject(index, types)); } catch (SQLException e) { throw failed(e); } }
    @Override public Ref getRef(int index) throws SQLException { try { return ValueHandle.of(connection(), Ref.class, live().getRef(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public Blob getBlob(int index) throws SQLException { try { return ValueHandle.of(connection(), Blob.class, live().getBlob(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public Clob getClob(int index) throws SQLException { try { return ValueHandle.of(connection(), Clob.class, live().getClob(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public Array getArray(int index) throws SQLException { try { return ValueHandle.of(connection(), Array.class, live().getArray(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public @Nullable Object getObject(String label, Map<String, Class<?>> types) throws SQLException { try { return handleIfResult(live().getObject(label, types)); } catch (SQLException e) { throw failed(e); } }
    @Override public Ref getRef(String label) throws SQLException { try { return ValueHandle.of(connection(), Ref.class, live().getRef(label)); } catch (SQLException e) { throw failed(e); } }
    @Override public Blob getBlob(String label) throws SQLException { try { return ValueHandle.of(connection(), Blob.class, live().getBlob(label)); } catch (SQLException e) { throw failed(e); } }
    @Override public Clob getClob(String label) throws SQLException { try { return ValueHandle.of(connection(), Clob.class, live().getClob(label)); } catch (SQLException e) { throw failed(e); } }
    @Override public Array getArray(String label) throws SQLException { try { return ValueHandle.of(connection(), Array.class, live().getArray(label)); } catch (SQLException e) { throw failed(e); } }
    @Override public Date getDate(int index, Calendar calendar) throws SQLException { try { return live().getDate(index, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public Date getDate(String label, Calendar calendar) throws SQLException { try { return live().getDate(label, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public Time getTime(int index, Calendar calendar) throws SQLException { try { return live().getTime(index, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public Time getTime(String label, Calendar calendar) throws SQLException { try { return live().getTime(label, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public Timestamp getTimestamp(int index, Calendar calendar) throws SQLException { try { return live().getTimestamp(index, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public Timestamp getTimestamp(String label, Calendar calendar) throws SQLException { try { return live().getTimestamp(label, calendar); } catch (SQLException e) { throw failed(e); } }
    @Override public URL getURL(int index) throws SQLException { try { return live().getURL(index); } catch (SQLException e) { throw failed(e); } }
    @Override public URL getURL(String label) throws SQLException { try { return live().getURL(label); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateRef(int index, Ref value) throws SQLException { try { live().updateRef(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateRef(String label, Ref value) throws SQLException { try { live().updateRef(label, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBlob(int index, Blob value) throws SQLException { try { live().updateBlob(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBlob(String label, Blob value) throws SQLException { try { live().updateBlob(label, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateClob(int index, Clob value) throws SQLException { try { live().updateClob(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateClob(String label, Clob value) throws SQLException { try { live().updateClob(label, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateArray(int index, Array value) throws SQLException { try { live().updateArray(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateArray(String label, Array value) throws SQLException { try { live().updateArray(label, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public RowId getRowId(int index) throws SQLException { try { return live().getRowId(index); } catch (SQLException e) { throw failed(e); } }
    @Override public RowId getRowId(String label) throws SQLException { try { return live().getRowId(label); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateRowId(int index, RowId value) throws SQLException { try { live().updateRowId(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateRowId(String label, RowId value) throws SQLException { try { live().updateRowId(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public int getHoldability() throws SQLException { try { return live().getHoldability(); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNString(int index, String value) throws SQLException { try { live().updateNString(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNString(String label, String value) throws SQLException { try { live().updateNString(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNClob(int index, NClob value) throws SQLException { try { live().updateNClob(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNClob(String label, NClob value) throws SQLException { try { live().updateNClob(label, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public NClob getNClob(int index) throws SQLException { try { return ValueHandle.of(connection(), NClob.class, live().getNClob(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public NClob getNClob(String label) throws SQLException { try { return ValueHandle.of(connection(), NClob.class, live().getNClob(label)); } catch (SQLException e) { throw failed(e); } }
    @Override public SQLXML getSQLXML(int index) throws SQLException { try { return ValueHandle.of(connection(), SQLXML.class, live().getSQLXML(index)); } catch (SQLException e) { throw failed(e); } }
    @Override public SQLXML getSQLXML(String label) throws SQLException { try { return ValueHandle.of(connection(), SQLXML.class, live().getSQLXML(label)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateSQLXML(int index, SQLXML value) throws SQLException { try { live().updateSQLXML(index, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateSQLXML(String label, SQLXML value) throws SQLException { try { live().updateSQLXML(label, ValueHandle.unwrap(value)); } catch (SQLException e) { throw failed(e); } }
    @Override public String getNString(int index) throws SQLException { try { return live().getNString(index); } catch (SQLException e) { throw failed(e); } }
    @Override public String getNString(String label) throws SQLException { try { return live().getNString(label); } catch (SQLException e) { throw failed(e); } }
    @Override public Reader getNCharacterStream(int index) throws SQLException { try { return live().getNCharacterStream(index); } catch (SQLException e) { throw failed(e); } }
    @Override public Reader getNCharacterStream(String label) throws SQLException { try { return live().getNCharacterStream(label); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNCharacterStream(int index, Reader value, long length) throws SQLException { try { live().updateNCharacterStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNCharacterStream(String label, Reader value, long length) throws SQLException { try { live().updateNCharacterStream(label, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateAsciiStream(int index, InputStream value, long length) throws SQLException { try { live().updateAsciiStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBinaryStream(int index, InputStream value, long length) throws SQLException { try { live().updateBinaryStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateCharacterStream(int index, Reader value, long length) throws SQLException { try { live().updateCharacterStream(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateAsciiStream(String label, InputStream value, long length) throws SQLException { try { live().updateAsciiStream(label, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBinaryStream(String label, InputStream value, long length) throws SQLException { try { live().updateBinaryStream(label, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateCharacterStream(String label, Reader value, long length) throws SQLException { try { live().updateCharacterStream(label, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBlob(int index, InputStream value, long length) throws SQLException { try { live().updateBlob(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBlob(String label, InputStream value, long length) throws SQLException { try { live().updateBlob(label, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateClob(int index, Reader value, long length) throws SQLException { try { live().updateClob(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateClob(String label, Reader value, long length) throws SQLException { try { live().updateClob(label, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNClob(int index, Reader value, long length) throws SQLException { try { live().updateNClob(index, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNClob(String label, Reader value, long length) throws SQLException { try { live().updateNClob(label, value, length); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNCharacterStream(int index, Reader value) throws SQLException { try { live().updateNCharacterStream(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNCharacterStream(String label, Reader value) throws SQLException { try { live().updateNCharacterStream(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateAsciiStream(int index, InputStream value) throws SQLException { try { live().updateAsciiStream(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBinaryStream(int index, InputStream value) throws SQLException { try { live().updateBinaryStream(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateCharacterStream(int index, Reader value) throws SQLException { try { live().updateCharacterStream(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateAsciiStream(String label, InputStream value) throws SQLException { try { live().updateAsciiStream(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBinaryStream(String label, InputStream value) throws SQLException { try { live().updateBinaryStream(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateCharacterStream(String label, Reader value) throws SQLException { try { live().updateCharacterStream(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBlob(int index, InputStream value) throws SQLException { try { live().updateBlob(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateBlob(String label, InputStream value) throws SQLException { try { live().updateBlob(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateClob(int index, Reader value) throws SQLException { try { live().updateClob(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateClob(String label, Reader value) throws SQLException { try { live().updateClob(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNClob(int index, Reader value) throws SQLException { try { live().updateNClob(index, value); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateNClob(String label, Reader value) throws SQLException { try { live().updateNClob(label, value); } catch (SQLException e) { throw failed(e); } }
    @Override public <T> T getObject(int index, Class<T> type) throws SQLException { try { return ValueHandle.ofAny(connection(), type, live().getObject(index, type)); } catch (SQLException e) { throw failed(e); } }
    @Override public <T> T getObject(String label, Class<T> type) throws SQLException { try { return ValueHandle.ofAny(connection(), type, live().getObject(label, type)); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateObject(int index, Object value, SQLType type, int scale) throws SQLException { try { live().updateObject(index, ValueHandle.unwrap(value), type, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateObject(String label, Object value, SQLType type, int scale) throws SQLException { try { live().updateObject(label, ValueHandle.unwrap(value), type, scale); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateObject(int index, Object value, SQLType type) throws SQLException { try { live().updateObject(index, ValueHandle.unwrap(value), type); } catch (SQLException e) { throw failed(e); } }
    @Override public void updateObject(String label, Object value, SQLType type) throws SQLException { try { live().updateObject(label, ValueHandle.unwrap(value), type); } catch (SQLException e) { throw failed(e); } }
    // spotless:on
}
