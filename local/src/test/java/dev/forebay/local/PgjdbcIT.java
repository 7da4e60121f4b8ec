// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.postgresql.copy.CopyManager;
import org.postgresql.util.PSQLException;

/** pgjdbc as a client, in each way that it puts queries. */
@Timeout(120)
class PgjdbcIT {

    private static LocalDsql dsql;

    private final String table = "t" + UUID.randomUUID().toString().replace("-", "");

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
    }

    @AfterAll
    static void stop() throws Exception {
        dsql.close();
    }

    @BeforeEach
    void aTable() throws SQLException {
        try (Connection connection = connect()) {
            execute(
                    connection,
                    "CREATE TABLE " + table + " (id int PRIMARY KEY, word text, key uuid DEFAULT gen_random_uuid())");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
    void aTransactionIsKeptOrUndone(String mode) throws SQLException {
        try (Connection connection = connect("preferQueryMode", mode)) {
            connection.setAutoCommit(false);
            insert(connection, 1, "kept");
            connection.commit();
            insert(connection, 2, "undone");
            connection.rollback();
            assertEquals("kept", value(connection, "SELECT string_agg(word, ',') FROM " + table));
            connection.commit();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
    void ofTwoWritersTheSecondFailsAtItsCommit(String mode) throws SQLException {
        try (Connection one = connect("preferQueryMode", mode);
                Connection two = connect("preferQueryMode", mode)) {
            insert(one, 1, "first");
            one.setAutoCommit(false);
            two.setAutoCommit(false);
            assertEquals(1, update(one, 1, "one"));
            assertEquals(1, update(two, 1, "two"));
            one.commit();
            SQLException conflict = assertThrows(SQLException.class, two::commit);
            assertEquals("40001", conflict.getSQLState());
            assertTrue(conflict.getMessage().contains("(OC000)"), conflict.getMessage());
            two.setAutoCommit(true);
            assertEquals("one", value(two, "SELECT word FROM " + table));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended"})
    void aTransactionThatBeganBeforeTheCatalogChangedFailsWithOc001(String mode) throws SQLException {
        try (Connection one = connect("preferQueryMode", mode);
                Connection two = connect("preferQueryMode", mode)) {
            one.setAutoCommit(false);
            insert(one, 1, "early");
            execute(two, "CREATE TABLE other_" + table + " (id int PRIMARY KEY)");
            SQLException conflict = assertThrows(SQLException.class, () -> {
                insert(one, 2, "late");
                one.commit();
            });
            assertEquals("40001", conflict.getSQLState());
            assertTrue(conflict.getMessage().contains("(OC001)"), conflict.getMessage());
            one.rollback();
            insert(one, 1, "again");
            one.commit();
        }
    }

    @Test
    void aStatementPreparedOnTheServerGoesOnGivingAnswers() throws SQLException {
        try (Connection connection = connect("prepareThreshold", "3");
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO " + table + " (id, word) VALUES (?, ?)");
                PreparedStatement select = connection.prepareStatement("SELECT word FROM " + table + " WHERE id = ?")) {
            for (int i = 0; i < 20; i++) {
                insert.setInt(1, i);
                insert.setString(2, "word " + i);
                assertEquals(1, insert.executeUpdate());
                select.setInt(1, i);
                try (ResultSet result = select.executeQuery()) {
                    assertTrue(result.next());
                    assertEquals("word " + i, result.getString(1));
                }
            }
            assertTrue(select.unwrap(PGStatement.class).isUseServerPrepare());
            assertTrue(insert.unwrap(PGStatement.class).isUseServerPrepare());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBatchIsWrittenWhole(boolean rewritten) throws SQLException {
        try (Connection connection = connect("reWriteBatchedInserts", Boolean.toString(rewritten))) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO " + table + " (id, word) VALUES (?, ?)")) {
                for (int i = 0; i < 500; i++) {
                    insert.setInt(1, i);
                    insert.setString(2, "word");
                    insert.addBatch();
                }
                int[] counts = insert.executeBatch();
                assertEquals(500, counts.length);
                if (!rewritten) {
                    assertTrue(Arrays.stream(counts).allMatch(count -> count == 1));
                }
            }
            connection.commit();
            assertEquals("500", value(connection, "SELECT count(*) FROM " + table));
        }
    }

    @Test
    void aBatchThatFailsLeavesNothing() throws SQLException {
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.addBatch("INSERT INTO " + table + " (id) VALUES (1)");
                statement.addBatch("INSERT INTO " + table + " (id) VALUES (1)");
                statement.addBatch("INSERT INTO " + table + " (id) VALUES (2)");
                assertEquals(
                        "23505",
                        assertThrows(SQLException.class, statement::executeBatch)
                                .getSQLState());
            }
            assertEquals(
                    "25P02",
                    assertThrows(SQLException.class, () -> value(connection, "SELECT 1"))
                            .getSQLState());
            connection.rollback();
            assertEquals("0", value(connection, "SELECT count(*) FROM " + table));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended"})
    void anErrorNamesTheConstraintAndTheKey(String mode) throws SQLException {
        try (Connection connection = connect("preferQueryMode", mode)) {
            insert(connection, 1, "one");
            PSQLException twice = assertThrows(PSQLException.class, () -> insert(connection, 1, "two"));
            assertEquals("23505", twice.getSQLState());
            assertEquals(table + "_pkey", twice.getServerErrorMessage().getConstraint());
            assertEquals(
                    "Key (id)=(1) already exists.",
                    twice.getServerErrorMessage().getDetail());
        }
    }

    @Test
    void keysThatTheServerMadeAreReturned() throws SQLException {
        try (Connection connection = connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO " + table + " (id) VALUES (1), (2)", new String[] {"key"})) {
            assertEquals(2, insert.executeUpdate());
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertTrue(keys.next());
                UUID first = keys.getObject(1, UUID.class);
                assertEquals(first.toString(), value(connection, "SELECT key FROM " + table + " WHERE id = 1"));
                assertTrue(keys.next());
                assertFalse(keys.next());
            }
        }
    }

    @Test
    void aCursorFetchesSomeRowsAtATime() throws SQLException {
        try (Connection connection = connect()) {
            execute(connection, "INSERT INTO " + table + " SELECT i, 'word ' || i FROM generate_series(1, 1000) i");
            connection.setAutoCommit(false);
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT id FROM " + table + " WHERE id > ? ORDER BY id")) {
                select.setInt(1, 100);
                select.setFetchSize(7);
                try (ResultSet result = select.executeQuery()) {
                    int expected = 101;
                    while (result.next()) {
                        assertEquals(expected++, result.getInt(1));
                        if (expected % 100 == 0) { // something else meanwhile
                            assertEquals("1", value(connection, "SELECT 1"));
                        }
                    }
                    assertEquals(1001, expected);
                }
            }
            connection.commit();
        }
    }

    @Test
    void copyGoesInAndOut() throws Exception {
        try (Connection connection = connect()) {
            CopyManager copy = connection.unwrap(PGConnection.class).getCopyAPI();
            String rows = "1,one\n2,two\n";
            assertEquals(2, copy.copyIn("COPY " + table + " (id, word) FROM STDIN CSV", new StringReader(rows)));
            StringWriter out = new StringWriter();
            assertEquals(2, copy.copyOut("COPY (SELECT id, word FROM " + table + " ORDER BY id) TO STDOUT CSV", out));
            assertEquals(rows, out.toString());
            PSQLException wrong = assertThrows(
                    PSQLException.class,
                    () -> copy.copyIn("COPY " + table + " (id, word) FROM STDIN CSV", new StringReader("3,x\ny,z\n")));
            assertEquals("22P02", wrong.getSQLState());
            assertEquals("2", value(connection, "SELECT count(*) FROM " + table));
        }
    }

    @Test
    void aLargeValueGoesThereAndBack() throws SQLException {
        String large = "0123456789abcdef".repeat(60_000);
        try (Connection connection = connect()) {
            insert(connection, 1, large);
            assertEquals(large, value(connection, "SELECT word FROM " + table));
            try (Statement statement = connection.createStatement();
                    ResultSet result =
                            statement.executeQuery("SELECT word FROM " + table + ", generate_series(1, 30)")) {
                int rows = 0;
                while (result.next()) {
                    rows++;
                    assertEquals(large.length(), result.getString(1).length());
                }
                assertEquals(30, rows);
            }
        }
    }

    @Test
    void aStatementIsCancelled() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> {
                try {
                    statement.execute("SELECT count(*) AS " + table
                            + " FROM generate_series(1, 100000) a, generate_series(1, 100000) b");
                } catch (SQLException e) {
                    throw new CompletionException(e);
                }
            });
            awaitRunning(table);
            statement.cancel();
            Exception ended = assertThrows(Exception.class, () -> running.get(60, TimeUnit.SECONDS));
            assertEquals("57014", ((SQLException) ended.getCause()).getSQLState());
            assertEquals("1", value(connection, "SELECT 1"));
        }
    }

    @Test
    void tlsMayBeginAtOnce() throws SQLException {
        try (Connection connection = connect("sslNegotiation", "direct")) {
            assertEquals("1", value(connection, "SELECT 1"));
        }
    }

    @Test
    void withoutTlsNobodyIsServed() {
        SQLException refused = assertThrows(SQLException.class, () -> connect("sslmode", "disable"));
        assertTrue(
                refused.getSQLState().startsWith("08") || refused.getSQLState().startsWith("28"),
                () -> refused + " " + refused.getSQLState());
    }

    @Test
    void tablesAndColumnsAreToldOfByTheDriver() throws SQLException {
        try (Connection connection = connect()) {
            try (ResultSet columns = connection.getMetaData().getColumns(null, "public", table, null)) {
                String[] names = new String[3];
                for (int i = 0; columns.next(); i++) {
                    names[i] = columns.getString("COLUMN_NAME");
                }
                assertArrayEquals(new String[] {"id", "word", "key"}, names);
            }
            try (ResultSet keys = connection.getMetaData().getPrimaryKeys(null, "public", table)) {
                assertTrue(keys.next());
                assertEquals("id", keys.getString("COLUMN_NAME"));
            }
            assertEquals("PostgreSQL", connection.getMetaData().getDatabaseProductName());
            assertEquals(16, connection.getMetaData().getDatabaseMajorVersion());
        }
    }

    @Test
    void aConnectionKnowsItsSchemaAndThatItIsValid() throws SQLException {
        try (Connection connection = connect("currentSchema", "sys")) {
            assertEquals("sys", connection.getSchema());
            assertTrue(connection.isValid(5));
            assertEquals(Connection.TRANSACTION_REPEATABLE_READ, connection.getTransactionIsolation());
        }
    }

    private static Connection connect(String... settings) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "admin");
        properties.setProperty("password", dsql.token("admin", Duration.ofMinutes(5)));
        properties.setProperty("sslmode", "verify-full");
        properties.setProperty("sslrootcert", dsql.caFile().toString());
        for (int i = 0; i < settings.length; i += 2) {
            properties.setProperty(settings[i], settings[i + 1]);
        }
        return DriverManager.getConnection(
                "jdbc:postgresql://" + dsql.host() + ":" + dsql.port() + "/" + LocalDsql.DATABASE, properties);
    }

    private void insert(Connection connection, int id, String word) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO " + table + " (id, word) VALUES (?, ?)")) {
            insert.setInt(1, id);
            insert.setString(2, word);
            assertEquals(1, insert.executeUpdate());
        }
    }

    private int update(Connection connection, int id, String word) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE " + table + " SET word = ? WHERE id = ?")) {
            update.setString(1, word);
            update.setInt(2, id);
            return update.executeUpdate();
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String value(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertTrue(result.next());
            return result.getString(1);
        }
    }

    /** Until a query with this word in it is at work. */
    private static void awaitRunning(String word) throws SQLException {
        try (Connection behind = dsql.behind().getConnection()) {
            String running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%" + word
                    + "%' AND pid <> pg_backend_pid()";
            while (value(behind, running).equals("0")) {
                Thread.onSpinWait();
            }
        }
    }
}
