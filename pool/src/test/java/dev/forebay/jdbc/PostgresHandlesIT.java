// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.DiscardReason;
import dev.forebay.testkit.Postgres;
import dev.forebay.tx.ErrorMeaning;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PgDatabaseMetaData;
import org.postgresql.jdbc.PgResultSet;
import org.postgresql.jdbc.PgStatement;

/** Handles on a real server and driver. */
@Timeout(120)
class PostgresHandlesIT {

    private final Postgres server = Postgres.shared();
    private ServerPool pool = ServerPool.of(server, 1);

    @AfterEach
    void close() {
        pool.close();
    }

    private static int backend(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getBackendPID();
    }

    @Test
    void aStatementLeftBehindCannotTouchTheNextBorrower() throws SQLException {
        Connection first = pool.borrow();
        int backend = backend(first);
        PreparedStatement prepared = first.prepareStatement("select set_config('forebay.mark', 'touched', false)");
        Statement plain = first.createStatement();
        ResultSet result = plain.executeQuery("select generate_series(1, 3)");
        first.close();
        try (Connection second = pool.borrow();
                Statement statement = second.createStatement()) {
            assertEquals(backend, backend(second), "the same connection");
            assertEquals(
                    "08003",
                    assertThrows(SQLException.class, prepared::executeQuery).getSQLState());
            assertThrows(SQLException.class, () -> plain.execute("select set_config('forebay.mark', 'x', false)"));
            assertThrows(SQLException.class, result::next);
            assertThrows(SQLException.class, plain::cancel);
            ResultSet mark = statement.executeQuery("select current_setting('forebay.mark', true)");
            assertTrue(mark.next());
            assertNull(mark.getString(1));
        }
    }

    @Test
    void whatIsUnsupportedCostsNoConnection() throws SQLException {
        int backend;
        try (Connection connection = pool.borrow();
                Statement statement = connection.createStatement()) {
            backend = backend(connection);
            SQLException error = assertThrows(
                    SQLException.class, () -> statement.execute("do $$ begin raise feature_not_supported; end $$"));
            assertEquals("0A000", error.getSQLState());
        }
        try (Connection connection = pool.borrow()) {
            assertEquals(backend, backend(connection));
        }
    }

    @Test
    void anOpenTransactionIsRolledBackAndTheSettingsAreRestored() throws SQLException {
        server.ask("create schema if not exists elsewhere");
        server.ask("create table if not exists rolled_back (n int)");
        int backend;
        try (Connection connection = pool.borrow()) {
            backend = backend(connection);
            connection.setReadOnly(true);
            connection.setReadOnly(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            connection.setAutoCommit(false);
            connection.setSchema("elsewhere");
            connection.commit();
            connection.setClientInfo("ApplicationName", "somebody");
            connection.setNetworkTimeout(Runnable::run, 60_000);
            connection.createStatement().execute("insert into public.rolled_back values (1)");
        }
        assertEquals("0", server.ask("select count(*) from rolled_back"));
        try (Connection connection = pool.borrow()) {
            assertEquals(backend, backend(connection));
            assertTrue(connection.getAutoCommit());
            assertFalse(connection.isReadOnly());
            assertEquals(Connection.TRANSACTION_READ_COMMITTED, connection.getTransactionIsolation());
            assertEquals("public", connection.getSchema());
            assertEquals(0, connection.getNetworkTimeout());
            assertNotEquals("somebody", connection.getClientInfo("ApplicationName"));
        }
    }

    private void copy(Connection connection, String table) throws Exception {
        new CopyManager(connection.unwrap(BaseConnection.class))
                .copyIn("copy " + table + " from stdin", new StringReader("1\n"));
    }

    private void assertRolledBack(String table) throws SQLException {
        try (Connection next = pool.borrow()) {
            assertTrue(next.getAutoCommit());
            assertEquals(
                    TransactionState.IDLE,
                    next.unwrap(BaseConnection.class).getTransactionState(),
                    "a transaction is open");
        }
        assertEquals("0", server.ask("select count(*) from " + table));
    }

    /** COPY goes past the handle, after a commit that the handle has seen. */
    @Test
    void workPastTheHandleAfterACommitIsRolledBack() throws Exception {
        server.ask("create table if not exists past_handle (n int)");
        try (Connection connection = pool.borrow()) {
            connection.setAutoCommit(false);
            BaseConnection driver = connection.unwrap(BaseConnection.class);
            connection.commit();
            new CopyManager(driver).copyIn("copy past_handle from stdin", new StringReader("1\n"));
        }
        assertRolledBack("past_handle");
    }

    /** Statements and results of the driver lead to its connection as well. */
    @Test
    void workPastAStatementAfterACommitIsRolledBack() throws Exception {
        server.ask("create table if not exists past_statement (n int)");
        try (Connection connection = pool.borrow();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            Connection driver = statement.unwrap(PgStatement.class).getConnection();
            connection.commit();
            insert(driver, "past_statement");
        }
        assertRolledBack("past_statement");
        try (Connection connection = pool.borrow();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select 1")) {
            connection.setAutoCommit(false);
            Connection driver = rows.unwrap(PgResultSet.class).getStatement().getConnection();
            connection.commit();
            insert(driver, "past_statement");
        }
        assertRolledBack("past_statement");
    }

    private static void insert(Connection driver, String table) throws SQLException {
        try (Statement statement = driver.createStatement()) {
            statement.execute("insert into " + table + " values (1)");
        }
    }

    @Test
    void aTransactionBegunOnTheDriversConnectionIsRolledBack() throws Exception {
        server.ask("create table if not exists past_mode (n int)");
        try (Connection connection = pool.borrow()) {
            connection.unwrap(BaseConnection.class).setAutoCommit(false);
            copy(connection, "past_mode");
        }
        assertRolledBack("past_mode");
    }

    @Test
    void aTransactionBegunBySqlIsRolledBack() throws Exception {
        server.ask("create table if not exists begun_by_sql (n int)");
        try (Connection connection = pool.borrow();
                Statement statement = connection.createStatement()) {
            statement.execute("begin");
            statement.execute("insert into begun_by_sql values (1)");
        }
        assertRolledBack("begun_by_sql");
    }

    /** The driver fetches the rest of a large object while it is read, from whoever has the connection then. */
    @Test
    void aStreamKeptBeyondItsLoanIsOfNoUse() throws Exception {
        InputStream kept;
        try (Connection connection = pool.borrow();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            ResultSet row = statement.executeQuery("select lo_from_bytea(0, decode(repeat('01', 100000), 'hex'))");
            assertTrue(row.next());
            kept = row.getBlob(1).getBinaryStream();
            assertEquals(1, kept.read());
            assertEquals(9, kept.read(new byte[9]));
        }
        assertThrows(IOException.class, kept::read);
        assertThrows(IOException.class, () -> kept.read(new byte[9]));
        assertThrows(IOException.class, () -> kept.skip(1));
        kept.close();
    }

    @Test
    void anArrayKeptBeyondItsLoanIsOfNoUse() throws SQLException {
        Array kept;
        Array made;
        try (Connection connection = pool.borrow();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select array[1, 2], array[3]")) {
            assertTrue(row.next());
            kept = row.getArray(1);
            made = connection.createArrayOf("int4", new Object[] {4});
            assertEquals(2, ((Object[]) kept.getArray()).length);
            assertTrue(row.getObject(2) instanceof Array);
            try (PreparedStatement prepared = connection.prepareStatement("select ?::int[]")) {
                prepared.setArray(1, made); // the driver gets its own back
                ResultSet same = prepared.executeQuery();
                assertTrue(same.next());
                assertEquals(4, ((Object[]) same.getArray(1).getArray())[0]);
            }
            try (ResultSet elements = kept.getResultSet()) {
                assertEquals(connection, elements.getStatement().getConnection(), "not the driver's");
            }
        }
        assertEquals("08003", assertThrows(SQLException.class, kept::getArray).getSQLState());
        assertEquals(
                "08003", assertThrows(SQLException.class, made::getBaseTypeName).getSQLState());
        kept.free();
    }

    @Test
    void workPastTheMetaDataIsRolledBack() throws Exception {
        server.ask("create table if not exists past_metadata (n int)");
        try (Connection connection = pool.borrow()) {
            Connection driver =
                    connection.getMetaData().unwrap(PgDatabaseMetaData.class).getConnection();
            driver.setAutoCommit(false);
            driver.createStatement().execute("insert into past_metadata values (1)");
        }
        assertRolledBack("past_metadata");
    }

    @Test
    void nothingIsLeftInTransactionWhereManualCommitIsTheDefault() throws SQLException {
        SessionConfig config = SessionConfig.builder()
                .autoCommit(false)
                .schema("pg_catalog")
                .initSql("set application_name = 'manual'")
                .build();
        pool.close();
        pool = ServerPool.of(server, 1, config);
        try (Connection connection = pool.borrow()) {
            assertEquals("pg_catalog", connection.getSchema());
            connection.setSchema("public");
            connection.isValid(1);
            connection.getMetaData().getTables(null, "public", "%", null).next();
        }
        assertEquals("idle", server.ask("select state from pg_stat_activity where application_name = 'manual'"));
        pool.pool.checkAll();
        try (Connection connection = pool.borrow()) {
            assertEquals("pg_catalog", connection.getSchema());
            connection.rollback();
            assertEquals("idle", server.ask("select state from pg_stat_activity where application_name = 'manual'"));
        }
    }

    @Test
    void aKilledBackendIsDiscardedAndReplaced() throws SQLException {
        Connection connection = pool.borrow();
        server.ask("select pg_terminate_backend(" + backend(connection) + ")");
        Statement statement = connection.createStatement();
        SQLException error = assertThrows(SQLException.class, () -> statement.execute("select 1"));
        assertEquals(ErrorMeaning.CONNECTION_LOST, ErrorMeaning.of(error));
        assertFalse(connection.isValid(1));
        connection.close();
        try (Connection next = pool.borrow()) {
            assertTrue(next.isValid(1));
        }
        assertEquals(1, pool.pool.stats().discards(DiscardReason.BAD_CONNECTION));
    }

    @Test
    void oneKilledBackendHasTheOthersChecked() throws SQLException {
        pool.close();
        pool = ServerPool.of(server, 4);
        Connection[] all = new Connection[4];
        int[] backends = new int[4];
        for (int i = 0; i < 4; i++) {
            all[i] = pool.borrow();
            backends[i] = backend(all[i]);
        }
        for (int i = 1; i < 4; i++) {
            all[i].close();
        }
        for (int backend : backends) {
            server.ask("select pg_terminate_backend(" + backend + ", 5000)");
        }
        assertFalse(all[0].isValid(1));
        all[0].close();
        pool.await(stats -> stats.ready() == 4
                && stats.discards(DiscardReason.BAD_CONNECTION) == 1
                && stats.discards(DiscardReason.FAILED_VALIDATION) == 3);
    }

    @Test
    void aCursorInAParameterLeadsBackToTheHandle() throws SQLException {
        server.ask("create or replace function numbers() returns refcursor language plpgsql as "
                + "$$ declare c refcursor; begin open c for select 42; return c; end $$");
        try (Connection connection = pool.borrow()) {
            connection.setAutoCommit(false);
            try (CallableStatement call = connection.prepareCall("{? = call numbers()}")) {
                call.registerOutParameter(1, Types.OTHER);
                call.execute();
                ResultSet cursor = (ResultSet) call.getObject(1);
                assertTrue(cursor.next());
                assertEquals(42, cursor.getInt(1));
                assertEquals(connection, cursor.getStatement().getConnection());
            }
        }
    }

    @Test
    void anAbortEndsAStatementUnderWay() throws Exception {
        Connection connection = pool.borrow();
        int backend = backend(connection);
        Thread aborter = new Thread(() -> {
            try {
                while (server.ask("select 1 from pg_stat_activity where state = 'active' and pid = " + backend)
                        == null) {
                    Thread.onSpinWait();
                }
                connection.abort(Runnable::run);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
        aborter.start();
        Statement statement = connection.createStatement();
        assertThrows(SQLException.class, () -> statement.execute("select pg_sleep(60)"));
        aborter.join(TimeUnit.SECONDS.toMillis(10));
        assertTrue(connection.isClosed());
        try (Connection next = pool.borrow()) {
            assertNotEquals(backend, backend(next));
        }
    }
}
