// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.sql.Check;
import dev.forebay.local.sql.DsqlGuard;
import dev.forebay.local.sql.Limits;
import dev.forebay.local.sql.Profile;
import dev.forebay.local.sql.Script;
import dev.forebay.time.VirtualTime;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The guard, and the queries that statements are turned into, on a plain PostgreSQL. */
class DsqlGuardIT {

    private static BackingPostgres postgres;
    private static DataSource plain;

    private final VirtualTime time = new VirtualTime();
    private Connection connection;

    @BeforeAll
    static void start() throws IOException {
        Path cache = Path.of("target", "postgres").toAbsolutePath();
        postgres = BackingPostgres.start(cache, "secret", Map.of());
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {postgres.port()});
        source.setDatabaseName(BackingPostgres.DATABASE);
        source.setUser(BackingPostgres.SUPERUSER);
        source.setPassword("secret");
        plain = source;
    }

    @AfterAll
    static void stop() throws IOException {
        postgres.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        run("DROP TABLE IF EXISTS t, s");
        run("CREATE TABLE t (id int PRIMARY KEY, a text, b bytea)");
        run("CREATE TABLE s (id int, k int)");
        run("INSERT INTO t SELECT g, 'x' || g FROM generate_series(1, 10) g");
        run("INSERT INTO s SELECT g % 4, g FROM generate_series(1, 10) g");
        connection = DsqlGuard.wrap(plain, Profile.SEPTEMBER_2026, Limits.DEFAULT, time)
                .getConnection();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @Test
    void refusesByNameAndLeavesAConnectionOutsideOfTransactionsAlone() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertRefused("0A000", "unsupported statement: Truncate", () -> statement.execute("TRUNCATE t"));
            assertRefused(
                    "0A000",
                    "locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported",
                    () -> statement.executeQuery("SELECT * FROM t FOR SHARE"));
            assertRefused(
                    "0A000",
                    "CREATE TRIGGER not supported",
                    () -> prepare("CREATE TRIGGER x").execute());
            assertRefused(
                    "0A000",
                    "cannot drop primary key column id",
                    () -> statement.execute("ALTER TABLE t DROP COLUMN id"));
            assertSame(connection, statement.getConnection());
        }
        assertEquals(10, count("t"));
    }

    @Test
    void failsTheTransactionThatItRefusesIn() throws SQLException {
        connection.setAutoCommit(false);
        update("INSERT INTO t VALUES (11)");
        assertRefused("0A000", "unsupported transaction statement: SAVEPOINT", () -> connection.setSavepoint("x"));
        assertRefused(
                "25P02",
                "current transaction is aborted, commands ignored until end of transaction block",
                () -> update("TRUNCATE t"));
        connection.rollback();
        assertEquals(10, count("t"));
        update("INSERT INTO t VALUES (11)");
        connection.commit();
        assertEquals(11, count("t"));
    }

    @Test
    void commitsNothingOfATransactionThatItRefusedIn() throws SQLException {
        update("BEGIN");
        update("INSERT INTO t VALUES (11)");
        assertRefused("0A000", "unsupported statement: Truncate", () -> update("TRUNCATE t"));
        update("COMMIT");
        assertEquals(10, count("t"));
    }

    @Test
    void keepsChangesOfTheCatalogApart() throws SQLException {
        connection.setAutoCommit(false);
        update("CREATE TABLE IF NOT EXISTS t (id int)");
        assertRefused("0A000", "ddl and dml are not supported in the same transaction", () -> update("DELETE FROM t"));
        connection.rollback();
        connection.setAutoCommit(true);
        assertRefused(
                "0A000",
                "multiple ddl statements not supported in a transaction",
                () -> update("DROP TABLE IF EXISTS x; DROP TABLE IF EXISTS y"));
        update("DROP TABLE IF EXISTS x");
        update("DROP TABLE IF EXISTS y");
    }

    @Test
    void undoesWhatModifiesTooManyRows() throws SQLException {
        String many = "INSERT INTO s SELECT g, g FROM generate_series(1, 3001) g";
        assertRefused("54000", "transaction row limit exceeded", () -> update(many));
        assertEquals(10, count("s"));
        assertTrue(connection.getAutoCommit());
        update(many.replace("3001", "3000"));
        assertEquals(3_010, count("s"));
        connection.setAutoCommit(false);
        update("DELETE FROM s WHERE k <= 1500 AND id = k");
        update("INSERT INTO s SELECT 1, 1 FROM generate_series(1, 1400)");
        assertRefused("54000", "transaction row limit exceeded", () -> update(many));
    }

    @Test
    void refusesTheCommitOfTooMuchData() throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = prepare("INSERT INTO t (id, b) VALUES (?, ?)")) {
            for (int id = 100; id < 111; id++) {
                insert.setInt(1, id);
                insert.setBytes(2, new byte[1 << 20]);
                insert.addBatch();
                insert.clearParameters();
            }
            insert.executeBatch();
        }
        assertRefused("54000", "transaction size limit 10mb exceeded", connection::commit);
        assertEquals(10, count("t"));
    }

    @Test
    void refusesTheCommitOfAnOldTransaction() throws SQLException {
        update("BEGIN");
        update("INSERT INTO t VALUES (11)");
        time.advance(Duration.ofSeconds(301));
        assertRefused("54000", "transaction age limit of 300s exceeded", () -> update("COMMIT"));
        assertEquals(10, count("t"));
    }

    @Test
    void knowsOneIsolationLevel() {
        assertRefused(
                "0A000",
                "Unsupported isolation level: SERIALIZABLE",
                () -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
    }

    @Test
    void makesPlainIndexesOfAsynchronousOnes() throws SQLException {
        update("CREATE INDEX ASYNC guarded ON t (a)");
        try (PreparedStatement prepared = prepare("CREATE UNIQUE INDEX ASYNC ON t (id, a)")) {
            assertFalse(prepared.execute());
        }
        assertRefused(
                "0A000", "datatype bytea is not supported in a key", () -> update("CREATE INDEX ASYNC ON t (id, b)"));
    }

    @Test
    void passesPostgresOwnErrorsOn() throws SQLException {
        connection.setAutoCommit(false);
        assertEquals(
                "23505",
                assertThrows(SQLException.class, () -> update("INSERT INTO t VALUES (1)"))
                        .getSQLState());
        assertEquals(
                "25P02",
                assertThrows(SQLException.class, () -> update("SELECT 1")).getSQLState());
        connection.rollback();
        assertEquals(10, count("t"));
    }

    /** The count of {@code matching} is that of the statement. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE t SET a = 'y' WHERE id > 4 RETURNING id",
                "UPDATE t AS x SET a = 'y' FROM s WHERE s.id = x.id",
                "UPDATE ONLY t SET (a, b) = (SELECT 'z', NULL::bytea) WHERE a IS DISTINCT FROM 'x3'",
                "DELETE FROM t",
                "DELETE FROM t USING s, s AS r WHERE t.id = s.id AND r.id = s.id",
                "WITH x AS (SELECT id FROM s) DELETE FROM t WHERE id IN (SELECT id FROM x FOR UPDATE)",
                "INSERT INTO s VALUES (1, 2), (DEFAULT, 3)",
                "INSERT INTO s (id) SELECT id FROM t WHERE id < 4",
                "INSERT INTO s DEFAULT VALUES",
                "INSERT INTO s (id) (SELECT 1 UNION SELECT 2)",
                "WITH x AS (VALUES (1), (2)) INSERT INTO s (id) SELECT * FROM x -- the end",
            })
    void touchesWhatItWasSaidToTouch(String sql) throws SQLException {
        String matching = Script.of(sql).get(0).matching().orElseThrow();
        try (Connection direct = plain.getConnection();
                Statement statement = direct.createStatement()) {
            long said;
            try (ResultSet counted = statement.executeQuery(matching)) {
                assertTrue(counted.next());
                said = counted.getLong(1);
            }
            boolean rows = statement.execute(sql);
            long done = statement.getUpdateCount();
            if (rows) {
                done = 0;
                try (ResultSet returned = statement.getResultSet()) {
                    while (returned.next()) {
                        done++;
                    }
                }
            }
            assertEquals(done, said);
            assertTrue(said > 0);
        }
    }

    /** The catalog is asked in valid SQL, and answers. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ALTER TABLE public.t DROP COLUMN id | true",
                "ALTER TABLE t DROP COLUMN a | false",
                "ALTER TABLE nowhere DROP COLUMN id | false",
                "ALTER TABLE \"t\" DROP CONSTRAINT t_pkey | true",
                "ALTER TABLE t DROP CONSTRAINT other | false",
                "CREATE INDEX ASYNC ON t (a, b) | true",
                "CREATE INDEX ASYNC ON t (a) | false",
            })
    void asksTheCatalog(String sql, boolean refused) throws SQLException {
        boolean any = false;
        try (Connection direct = plain.getConnection();
                Statement statement = direct.createStatement()) {
            for (Check check :
                    Profile.SEPTEMBER_2026.judge(Script.of(sql).get(0)).checks()) {
                try (ResultSet answer = statement.executeQuery(check.sql())) {
                    any |= answer.next() && answer.getBoolean(1);
                }
            }
        }
        assertEquals(refused, any);
    }

    private PreparedStatement prepare(String sql) throws SQLException {
        return connection.prepareStatement(sql);
    }

    private void update(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void run(String sql) throws SQLException {
        try (Connection direct = plain.getConnection();
                Statement statement = direct.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long count(String table) throws SQLException {
        try (Connection direct = plain.getConnection();
                Statement statement = direct.createStatement();
                ResultSet counted = statement.executeQuery("SELECT count(*) FROM " + table)) {
            assertTrue(counted.next());
            return counted.getLong(1);
        }
    }

    private static void assertRefused(String sqlState, String message, Executable executable) {
        SQLException refused = assertThrows(SQLException.class, executable);
        assertEquals(sqlState + " ERROR: " + message, refused.getSQLState() + " " + refused.getMessage());
    }
}
