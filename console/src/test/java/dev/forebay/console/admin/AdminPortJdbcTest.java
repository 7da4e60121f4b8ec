// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.registry.DatabaseType;
import dev.forebay.wire.SelfSigned;
import io.netty.handler.ssl.SslContextBuilder;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;

/** pgjdbc as a client. */
@Timeout(120)
final class AdminPortJdbcTest {

    private TestPort port;

    @BeforeEach
    void start() throws Exception {
        port = new TestPort();
    }

    @AfterEach
    void stop() {
        port.close();
    }

    // ---- questions

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
    void everyQueryModeAnswersWithParameters(String mode) throws Exception {
        try (Connection connection = port.connect("preferQueryMode", mode, "prepareThreshold", "-1");
                PreparedStatement question = connection.prepareStatement(
                        "SELECT server_name, healthy, total_conns, acquires, avg_acquire_time_ms"
                                + " FROM sys.remote_pool_stats WHERE server_name = ? AND total_conns < ? AND healthy = ?")) {
            for (int i = 0; i < 3; i++) {
                question.setString(1, "legacy_pg");
                question.setInt(2, 5);
                question.setBoolean(3, true);
                try (ResultSet rows = question.executeQuery()) {
                    assertTrue(rows.next());
                    assertEquals("legacy_pg", rows.getString(1));
                    assertTrue(rows.getBoolean(2));
                    assertEquals(0, rows.getInt(3));
                    assertEquals(0L, rows.getLong(4));
                    assertEquals(0.0, rows.getDouble(5));
                    assertFalse(rows.next());
                }
            }
        }
    }

    @Test
    void questionsAreFullSql() throws Exception {
        try (Connection connection = port.connect()) {
            assertEquals(
                    List.of("mysql|1|0", "postgresql|1|0"),
                    rows(
                            connection,
                            "SELECT f.db_type, count(*), sum(s.acquires) FROM sys.foreign_servers f"
                                    + " JOIN sys.remote_pool_stats s USING (server_name) WHERE f.port > 1000"
                                    + " GROUP BY 1 HAVING count(*) > 0 ORDER BY 1 LIMIT 5"));
            assertEquals(
                    List.of("legacy_pg"),
                    rows(
                            connection,
                            "WITH down AS (SELECT server_name FROM remote_server_status WHERE is_healthy)"
                                    + " SELECT server_name FROM down WHERE server_name IN (SELECT server_name FROM user_mappings)"));
            assertEquals(
                    List.of("LEGACY-pg"),
                    rows(connection, "SELECT upper(left('legacy_pg', 6)) || '-' || substring('legacy_pg' from 8)"));
            assertEquals(
                    List.of("t|f|x"),
                    rows(connection, "SELECT 'ab' ~ '^a', 'ab' !~* 'B', CASE WHEN 1 <> 2 THEN E'x' END"));
        }
    }

    @Test
    void valuesComeInBinaryAndGoInBinary() throws Exception {
        try (Connection connection = port.connect("prepareThreshold", "-1", "binaryTransfer", "true");
                PreparedStatement question = connection.prepareStatement(
                        "SELECT ?::int8, ?::float8, ?::bool, ?::text, ?::int4, ?::timestamptz, ?::numeric")) {
            OffsetDateTime at = OffsetDateTime.parse("2026-11-16T10:11:12.123456Z");
            for (int i = 0; i < 2; i++) {
                question.setLong(1, Long.MIN_VALUE);
                question.setDouble(2, 1.5);
                question.setBoolean(3, true);
                question.setString(4, "Grüße, 'x'");
                question.setInt(5, -7);
                question.setObject(6, at);
                question.setBigDecimal(7, new BigDecimal("-12345.75"));
                try (ResultSet rows = question.executeQuery()) {
                    assertTrue(rows.next());
                    assertEquals(Long.MIN_VALUE, rows.getLong(1));
                    assertEquals(1.5, rows.getDouble(2));
                    assertTrue(rows.getBoolean(3));
                    assertEquals("Grüße, 'x'", rows.getString(4));
                    assertEquals(-7, rows.getInt(5));
                    assertEquals(
                            at.toInstant(),
                            rows.getObject(6, OffsetDateTime.class).toInstant());
                    assertEquals(at.toInstant(), rows.getTimestamp(6).toInstant());
                    assertEquals(-12345.75, rows.getDouble(7));
                }
                question.setNull(4, Types.VARCHAR);
            }
        }
    }

    @Test
    void aResultIsReadInPieces() throws Exception {
        for (int i = 0; i < 250; i++) {
            port.registry.register(TestPort.server("s" + i, DatabaseType.POSTGRESQL, "h"));
        }
        try (Connection connection = port.connect()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(10);
                try (ResultSet rows = statement.executeQuery("SELECT server_name FROM sys.foreign_servers")) {
                    int count = 0;
                    while (rows.next()) {
                        count++;
                    }
                    assertEquals(252, count);
                }
            }
            connection.commit();
        }
    }

    @Test
    void aLargeResultArrivesWhole() throws Exception {
        for (int i = 0; i < 200; i++) {
            port.registry.register(TestPort.server("s" + i, DatabaseType.POSTGRESQL, "h"));
        }
        try (Connection connection = port.connect()) {
            assertEquals(
                    202 * 202,
                    rows(connection, "SELECT a.options, b.options FROM foreign_servers a, foreign_servers b")
                            .size());
        }
    }

    // ---- statements

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended"})
    void whatIsAdministeredIsPerformedOnce(String mode) throws Exception {
        try (Connection connection = port.connect("preferQueryMode", mode);
                Statement statement = connection.createStatement()) {
            assertFalse(statement.execute("CREATE SERVER x FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (host 'h')"));
            assertFalse(statement.execute("PAUSE legacy_pg"));
        }
        assertEquals(2, port.performed.size());
        assertInstanceOf(AdminStatement.CreateServer.class, port.performed.get(0));
        assertInstanceOf(AdminStatement.Control.class, port.performed.get(1));
    }

    @Test
    void aProcedureTakesParameters() throws Exception {
        try (Connection connection = port.connect();
                PreparedStatement call = connection.prepareStatement("CALL sys.warmup_pool(?, ?)")) {
            call.setString(1, "it's");
            call.setInt(2, 3);
            call.execute();
        }
        assertEquals(List.of(new AdminStatement.Call("sys.warmup_pool", List.of("it's", "3"))), port.performed);
    }

    @Test
    void severalStatementsInOneStringAreDoneInOrderUpToTheFirstThatFails() throws Exception {
        try (Connection connection = port.connect("preferQueryMode", "simple");
                Statement statement = connection.createStatement()) {
            PSQLException failed = assertThrows(
                    PSQLException.class, () -> statement.execute("PAUSE a; /* ; */ SELECT ';'; SELECT nope; PAUSE b"));
            assertEquals("42703", failed.getSQLState());
            assertEquals(37, failed.getServerErrorMessage().getPosition());
        }
        assertEquals(1, port.performed.size());
    }

    @Test
    void anErrorPointsAtItsPlace() throws Exception {
        assertPlace("42601", "SELECT FROM WHERE x", 13);
        assertPlace("42P01", "SELECT * FROM no_such_view", 15);
        assertPlace("42703", "  SELECT server_name, nope FROM sys.foreign_servers", 23);
        assertPlace("42883", "SELECT file_read('/etc/passwd')", 8);
        assertPlace("42601", "CREATE SERVER x FOREIGN DATA WRAPPR y", 30);
    }

    private void assertPlace(String sqlState, String sql, int position) throws SQLException {
        for (String mode : List.of("simple", "extended")) {
            try (Connection connection = port.connect("preferQueryMode", mode);
                    Statement statement = connection.createStatement()) {
                PSQLException failed = assertThrows(PSQLException.class, () -> statement.execute(sql), sql);
                assertEquals(sqlState, failed.getSQLState(), sql + failed.getMessage());
                assertEquals(position, failed.getServerErrorMessage().getPosition(), mode + sql + failed.getMessage());
            }
        }
    }

    // ---- transactions and settings

    @Test
    void aTransactionIsAState() throws Exception {
        try (Connection connection = port.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT 1");
            Savepoint savepoint = connection.setSavepoint();
            assertEquals("42P01", state(() -> statement.execute("SELECT * FROM nope")));
            assertEquals("25P02", state(() -> statement.execute("SELECT 1")));
            connection.rollback(savepoint);
            statement.execute("PAUSE x");
            connection.rollback();
            statement.execute("SELECT 1");
            assertEquals("42P01", state(() -> statement.execute("SELECT * FROM nope")));
            connection.rollback();
            connection.setAutoCommit(true);
            statement.execute("SELECT 1");
        }
    }

    @Test
    void settingsAreTheSessionsOwn() throws Exception {
        try (Connection connection = port.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET application_name = 'mine'");
            assertEquals(List.of("mine"), rows(connection, "SHOW application_name"));
            assertEquals(List.of("mine"), rows(connection, "SELECT current_setting('application_name')"));
            statement.execute("SET SESSION statement_timeout TO '2s'");
            statement.execute("SET TIME ZONE 'Europe/Berlin'");
            assertEquals(
                    List.of("2026-07-01 14:00:00+02"), rows(connection, "SELECT '2026-07-01 12:00:00Z'::timestamptz"));
            assertEquals("22023", state(() -> statement.execute("SET TimeZone = 'Nowhere/Else'")));
            assertEquals("42704", state(() -> statement.execute("SET no_such_setting = 1")));
            assertEquals("22023", state(() -> statement.execute("SET client_encoding = 'LATIN1'")));
            assertEquals(List.of("read committed"), rows(connection, "SHOW TRANSACTION ISOLATION LEVEL"));
            statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
            statement.execute("RESET application_name");
            statement.execute("DISCARD ALL");
            assertEquals("42704", state(() -> rows(connection, "SHOW no_such_setting")));
            assertTrue(connection.isValid(5));
        }
    }

    @Test
    void whatCannotBeDoneHereSaysSo() throws Exception {
        try (Connection connection = port.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : List.of(
                    "COPY x FROM STDIN",
                    "INSERT INTO x VALUES (1)",
                    "DELETE FROM sys.foreign_servers",
                    "CREATE TABLE x (a int)",
                    "LISTEN x",
                    "EXPLAIN DELETE FROM sys.foreign_servers",
                    "PREPARE x AS SELECT 1")) {
                String state = state(() -> statement.execute(sql));
                assertTrue(List.of("0A000", "42501").contains(state), sql + " " + state);
            }
        }
    }

    // ---- who may

    @Test
    void aWrongPasswordAndAStrangerAreToldTheSame() throws Exception {
        assertEquals("28P01", state(() -> port.connect("password", "wrong").close()));
        assertEquals("28P01", state(() -> port.connect("user", "eve").close()));
        assertTrue(port.audit.stream()
                .anyMatch(line -> line.user().equals("eve") && line.sqlState().equals("28P01")));
    }

    @Test
    void anotherDatabaseDoesNotExist() {
        assertEquals(
                "3D000",
                state(() -> java.sql.DriverManager.getConnection(
                                port.url().replace("/forebay", "/postgres"), TestPort.USER, TestPort.PASSWORD)
                        .close()));
    }

    @Test
    void moreSessionsThanItTakesAreRefused() throws Exception {
        try (TestPort small =
                new TestPort((statement, user) -> Answer.done("DONE"), builder -> builder.mostSessions(1))) {
            try (Connection first = small.connect()) {
                assertTrue(first.isValid(5));
                assertEquals("53300", state(() -> small.connect().close()));
            }
            TestPort.await(() -> small.port.sessions() == 0);
            small.connect().close();
        }
    }

    @Test
    void tlsIsServedIfItIsOffered() throws Exception {
        SelfSigned certificate = SelfSigned.of(List.of("localhost"), Instant.now(), Duration.ofDays(1));
        var tls = SslContextBuilder.forServer(certificate.key(), certificate.certificate())
                .build();
        try (TestPort encrypted = new TestPort((statement, user) -> Answer.done("DONE"), builder -> builder.tls(tls))) {
            try (Connection connection = encrypted.connect("sslmode", "require")) {
                assertEquals(List.of("1"), rows(connection, "SELECT 1"));
            }
        }
        assertThrows(
                SQLException.class, () -> port.connect("sslmode", "require").close());
    }

    // ---- cancelling

    @Test
    void aCancelEndsAStatementOfTheRegistrys() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Administration slow = (statement, user) -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new SQLException("interrupted", "XX000", e);
            }
            return Answer.done("DONE");
        };
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (TestPort slowPort = new TestPort(slow, builder -> {});
                Connection connection = slowPort.connect();
                Statement statement = connection.createStatement()) {
            Future<String> ended = other.submit(() -> state(() -> statement.execute("PAUSE x")));
            begun.await();
            try (Connection second = slowPort.connect()) { // it is not in anybody's way
                assertEquals(List.of("1"), rows(second, "SELECT 1"));
            }
            statement.cancel();
            assertEquals("57014", ended.get());
            assertEquals(List.of("1"), rows(connection, "SELECT 1"));
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void aClientThatGoesAwayEndsItsWork() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        Administration slow = (statement, user) -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw new SQLException("interrupted", "XX000", e);
            }
            return Answer.done("DONE");
        };
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (TestPort slowPort = new TestPort(slow, builder -> {})) {
            Connection connection = slowPort.connect();
            Future<String> ended =
                    other.submit(() -> state(() -> connection.createStatement().execute("PAUSE x")));
            begun.await();
            connection.abort(Runnable::run);
            interrupted.await();
            assertTrue(ended.get().startsWith("08"));
            TestPort.await(() -> slowPort.port.sessions() == 0);
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void aClientThatGoesAwayLeavesADefinitionToItsEnd() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Administration writing = (statement, user) -> {
            begun.countDown();
            try {
                gone.await();
                interrupted.complete(Thread.interrupted());
            } catch (InterruptedException e) {
                interrupted.complete(true);
            }
            return Answer.done("ALTER SERVER");
        };
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (TestPort port = new TestPort(writing, builder -> {})) {
            Connection connection = port.connect();
            Future<String> ended = other.submit(
                    () -> state(() -> connection.createStatement().execute("ALTER SERVER s OPTIONS (SET port '1')")));
            begun.await();
            connection.abort(Runnable::run);
            assertTrue(ended.get().startsWith("08"));
            TestPort.await(() -> port.port.sessions() == 0);
            gone.countDown();
            assertFalse(interrupted.get());
        } finally {
            other.shutdownNow();
        }
    }

    // ---- metadata

    @Test
    void theDriversMetadataAreThere() throws Exception {
        try (Connection connection = port.connect()) {
            DatabaseMetaData about = connection.getMetaData();
            assertEquals(14, about.getDatabaseMajorVersion());
            assertEquals(List.of("forebay"), column(about.getCatalogs(), "TABLE_CAT"));
            assertTrue(column(about.getSchemas(), "TABLE_SCHEM").contains("sys"));
            assertEquals(
                    6,
                    column(about.getTables(null, "sys", "%", new String[] {"VIEW"}), "TABLE_NAME")
                            .size());
            assertEquals(
                    List.of("remote_pool_stats"),
                    column(about.getTables(null, "sys", "remote\\_pool%", null), "TABLE_NAME"));
            assertEquals(
                    List.of("server_name", "is_healthy", "last_check", "consecutive_failures", "error_message"),
                    column(about.getColumns(null, "sys", "remote_server_status", "%"), "COLUMN_NAME"));
            assertEquals(List.of(), column(about.getPrimaryKeys(null, "sys", "foreign_servers"), "COLUMN_NAME"));
            assertTrue(column(about.getTypeInfo(), "TYPE_NAME").contains("timestamptz"));
            assertTrue(column(about.getTableTypes(), "TABLE_TYPE").contains("VIEW"));
            assertEquals(List.of(), column(about.getImportedKeys(null, "sys", "foreign_servers"), "FK_NAME"));
            assertEquals(List.of(), column(about.getProcedures(null, null, "%"), "PROCEDURE_NAME"));
            assertEquals("sys", connection.getSchema());
        }
    }

    // ---- words

    private interface Step {
        void run() throws Exception;
    }

    private static String state(Step step) {
        return assertThrows(SQLException.class, step::run).getSQLState();
    }

    static List<String> rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    row.add(rows.getString(i));
                }
                all.add(String.join("|", row));
            }
            return all;
        }
    }

    private static List<String> column(ResultSet rows, String name) throws SQLException {
        List<String> all = new ArrayList<>();
        while (rows.next()) {
            all.add(rows.getString(name));
        }
        rows.close();
        return all;
    }

    /** Finding C8: a port with a certificate took plain text too. */
    @Test
    void aPortWithACertificateTakesTlsOnly() throws Exception {
        SelfSigned certificate = SelfSigned.of(List.of("localhost"), Instant.now(), Duration.ofDays(1));
        var tls = SslContextBuilder.forServer(certificate.key(), certificate.certificate())
                .build();
        try (TestPort encrypted = new TestPort((statement, user) -> Answer.done("DONE"), builder -> builder.tls(tls))) {
            assertThrows(
                    SQLException.class,
                    () -> encrypted.connect("sslmode", "disable").close());
        }
    }

    /** Finding C8: wrong passwords were answered as fast as they came. */
    @Test
    void aWrongPasswordWaitsForItsAnswer() {
        long began = System.nanoTime();
        assertThrows(SQLException.class, () -> port.connect("password", "wrong").close());
        assertTrue(System.nanoTime() - began > 900_000_000L);
    }

    /** A guesser who took silence for a no was as fast as the network. */
    @Test
    void aRightPasswordAfterAWrongOneWaitsAsLong() throws Exception {
        assertThrows(SQLException.class, () -> port.connect("password", "wrong").close());
        long began = System.nanoTime();
        port.connect().close();
        assertTrue(System.nanoTime() - began > 900_000_000L);
    }
}
