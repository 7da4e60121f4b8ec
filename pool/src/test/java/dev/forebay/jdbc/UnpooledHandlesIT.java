// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayDataSource;
import dev.forebay.testkit.Postgres;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.PgArray;
import org.postgresql.jdbc.PgResultSet;
import org.postgresql.jdbc.PgStatement;

/** The ways from what a connection without a pool gives out back to it, on a real server and driver. */
@Timeout(120)
class UnpooledHandlesIT {

    private final UnpooledDataSource source = ForebayDataSource.builder()
            .dataSource(Postgres.shared().dataSource())
            .buildUnpooled();
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        connection = source.getConnection();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        source.close();
    }

    private void assertLeadsBack(ResultSet result) throws SQLException {
        Statement statement = result.getStatement();
        assertNotNull(statement);
        assertSame(connection, statement.getConnection());
        assertSame(statement, statement.unwrap(Statement.class));
        assertSame(result, result.unwrap(ResultSet.class));
    }

    @Test
    void aResultLeadsBackToItsStatement() throws SQLException {
        try (Statement statement = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement("select 1")) {
            assertSame(statement, statement.executeQuery("select 1").getStatement());
            assertTrue(statement.execute("select 1"));
            assertSame(statement, statement.getResultSet().getStatement());
            statement.execute("create temporary table t (x serial)");
            statement.execute("insert into t default values", Statement.RETURN_GENERATED_KEYS);
            ResultSet keys = statement.getGeneratedKeys();
            assertTrue(keys.next());
            assertSame(statement, keys.getStatement());
            assertSame(prepared, prepared.executeQuery().getStatement());
        }
    }

    @Test
    void aResultOfMetaDataLeadsBackToTheHandle() throws SQLException {
        assertSame(connection, connection.getMetaData().getConnection());
        assertLeadsBack(connection.getMetaData().getTables(null, null, "pg_class", null));
        assertLeadsBack(connection.getMetaData().getTypeInfo());
    }

    @Test
    void anArrayLeadsBackToTheHandle() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            ResultSet row = statement.executeQuery("select array[1, 2]");
            assertTrue(row.next());
            assertLeadsBack(row.getArray(1).getResultSet());
            assertLeadsBack(((Array) row.getObject(1)).getResultSet());
            assertLeadsBack(row.getObject(1, Array.class).getResultSet());
            assertLeadsBack(connection.createArrayOf("int4", new Object[] {4}).getResultSet());
        }
        connection.createStatement().execute("""
                create or replace function pg_temp.two(out x int4[]) language plpgsql as
                $$ begin x = array[1, 2]; end $$""");
        try (CallableStatement call = connection.prepareCall("{? = call pg_temp.two()}")) {
            call.registerOutParameter(1, Types.ARRAY);
            call.execute();
            assertLeadsBack(call.getArray(1).getResultSet());
        }
    }

    @Test
    void aCursorLeadsBackToTheHandle() throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("declare numbers cursor for select 1");
            ResultSet row = statement.executeQuery("select 'numbers'::refcursor");
            assertTrue(row.next());
            ResultSet numbers = (ResultSet) row.getObject(1);
            assertLeadsBack(numbers);
            assertTrue(numbers.next());
        }
        connection.rollback();
    }

    @Test
    void theDriverIsGivenItsOwnArraysBack() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select ?::int4[], ?::int4[]")) {
            Array made = connection.createArrayOf("int4", new Object[] {4});
            statement.setArray(1, made);
            statement.setObject(2, made);
            ResultSet row = statement.executeQuery();
            assertTrue(row.next());
            assertEquals("{4}{4}", row.getString(1) + row.getString(2));
        }
    }

    @Test
    void whoAsksForTheDriversOwnTypesGetsThem() throws SQLException {
        assertSame(connection, connection.unwrap(Connection.class));
        assertTrue(connection.isWrapperFor(Connection.class));
        assertTrue(connection.unwrap(PGConnection.class).getBackendPID() > 0);
        assertFalse(connection.isWrapperFor(PgArray.class));
        try (Statement statement = connection.createStatement()) {
            ResultSet row = statement.executeQuery("select array[1, 2]");
            assertTrue(row.next());
            assertNotNull(row.unwrap(PgResultSet.class));
            assertNotNull(statement.unwrap(PgStatement.class));
        }
    }
}
