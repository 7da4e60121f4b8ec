// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.testkit.Postgres;
import java.io.StringReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;

/** Transactions on a real server, with the driver's own connections and with those of two pools. */
@Timeout(60)
class TransactionsIT {

    private static final TxRetryPolicy AT_ONCE =
            new TxRetryPolicy(5, Duration.ofMillis(1), Duration.ofMillis(1), TxRetryPolicy.Jitter.FULL);
    private static final TxRetryPolicy IN_AN_HOUR =
            new TxRetryPolicy(5, Duration.ofHours(1), Duration.ofHours(1), TxRetryPolicy.Jitter.of(0));

    private final ExecutorService other = Executors.newSingleThreadExecutor();

    /** Where the connections come from; each in REPEATABLE READ. */
    enum Source {
        DRIVER,
        HIKARI,
        FOREBAY;

        DataSource open() throws SQLException {
            PGSimpleDataSource driver = (PGSimpleDataSource) Postgres.shared().dataSource();
            driver.setOptions("-c default_transaction_isolation=repeatable\\ read");
            return switch (this) {
                case DRIVER -> driver;
                case HIKARI -> {
                    HikariConfig config = new HikariConfig();
                    config.setDataSource(driver);
                    config.setMaximumPoolSize(1);
                    yield new HikariDataSource(config);
                }
                case FOREBAY ->
                    ForebayDataSource.builder()
                            .dataSource(driver)
                            .config(ForebayConfig.builder()
                                    .mode(ForebayConfig.Mode.ON_DEMAND)
                                    .maxOpen(1)
                                    .build())
                            .build();
            };
        }
    }

    private interface Use {
        void of(Transactions tx) throws Exception;
    }

    private static void with(Source source, Use use) throws Exception {
        DataSource dataSource = source.open();
        try {
            use.of(Transactions.builder(dataSource).policy(AT_ONCE).build());
        } finally {
            if (dataSource instanceof AutoCloseable closeable) {
                closeable.close();
            }
        }
    }

    @BeforeEach
    void tables() throws SQLException {
        Postgres.shared().ask("""
                DROP TABLE IF EXISTS tx_account;
                CREATE TABLE tx_account (id int PRIMARY KEY, balance int NOT NULL);
                INSERT INTO tx_account VALUES (1, 100), (2, 100)""");
    }

    @AfterEach
    void end() {
        other.shutdownNow();
    }

    private static int balance(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT balance FROM tx_account WHERE id = 1")) {
            result.next();
            return result.getInt(1);
        }
    }

    private static void set(Connection connection, int balance) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE tx_account SET balance = ? WHERE id = 1")) {
            update.setInt(1, balance);
            update.executeUpdate();
        }
    }

    private static int committed() throws SQLException {
        return Integer.parseInt(Postgres.shared().ask("SELECT balance FROM tx_account WHERE id = 1"));
    }

    private static void meanwhile(String sql) throws SQLException {
        Postgres.shared().ask(sql);
    }

    // ---- conflicts

    @ParameterizedTest
    @EnumSource
    void whoReadWhatAnotherHasChangedSinceReadsItAgain(Source source) throws Exception {
        with(source, tx -> {
            int attempts = tx.call("deposit", c -> {
                int read = balance(c);
                if (c.attempt() == 1) {
                    meanwhile("UPDATE tx_account SET balance = balance + 1000 WHERE id = 1");
                }
                set(c, read + 5);
                return c.attempt();
            });
            assertEquals(2, attempts);
            assertEquals(1105, committed());
        });
    }

    @Test
    void aConflictAtCommitRunsTheBodyAgain() throws Exception {
        failAtCommit("IF NEW.balance < 110 THEN RAISE EXCEPTION 'OC000' USING ERRCODE = '40001'; END IF;");
        with(Source.FOREBAY, tx -> {
            int attempts = tx.call("deposit", c -> {
                set(c, 100 + 5 * c.attempt());
                return c.attempt();
            });
            assertEquals(2, attempts);
            assertEquals(110, committed());
        });
    }

    @Test
    void anInternalErrorAtCommitIsAnUnknownOutcome() throws Exception {
        failAtCommit("RAISE EXCEPTION 'server unavailable' USING ERRCODE = 'XX000';");
        with(
                Source.FOREBAY,
                tx -> assertThrows(OutcomeUnknownException.class, () -> tx.run("deposit", c -> set(c, 5))));
        assertEquals(100, committed());
    }

    @Test
    void aConnectionLostDuringCommitIsAnUnknownOutcome() throws Exception {
        failAtCommit("PERFORM pg_terminate_backend(pg_backend_pid());");
        with(
                Source.FOREBAY,
                tx -> assertThrows(OutcomeUnknownException.class, () -> tx.run("deposit", c -> set(c, 5))));
        assertEquals(100, committed());
    }

    @Test
    void aConstraintThatFailsAtCommitHasAKnownOutcome() throws Exception {
        failAtCommit("RAISE EXCEPTION 'no' USING ERRCODE = '23514';");
        with(Source.FOREBAY, tx -> {
            SQLException e = assertThrows(SQLException.class, () -> tx.run("deposit", c -> set(c, 5)));
            assertEquals("23514", e.getSQLState());
        });
    }

    private static void failAtCommit(String what) throws SQLException {
        Postgres.shared()
                .ask("CREATE OR REPLACE FUNCTION tx_at_commit() RETURNS trigger LANGUAGE plpgsql AS " + "$$ BEGIN "
                        + what + " RETURN NULL; END $$");
        Postgres.shared()
                .ask("CREATE CONSTRAINT TRIGGER at_commit AFTER UPDATE ON tx_account "
                        + "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION tx_at_commit()");
    }

    // ---- errors that a body swallows

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aTransactionThatAnErrorHasEndedIsNotTakenForCommitted(int fetchSize) throws Exception {
        with(Source.DRIVER, tx -> {
            SQLException e = assertThrows(
                    SQLException.class,
                    () -> tx.run("deposit", c -> {
                        set(c, 5);
                        try (Statement statement = c.createStatement()) {
                            statement.setFetchSize(fetchSize);
                            ResultSet result =
                                    statement.executeQuery("SELECT 1 / (3 - i) FROM generate_series(1, 3) i");
                            while (result.next()) {
                                result.getInt(1);
                            }
                        } catch (SQLException swallowed) {
                            assertEquals("22012", swallowed.getSQLState());
                        }
                    }));
            assertEquals("22012", ((SQLException) e.getCause()).getSQLState());
            assertEquals(100, committed());
        });
    }

    @Test
    void norIsOneWhoseErrorWentPastTheBodysConnection() throws Exception {
        for (Source source : Source.values()) {
            with(
                    source,
                    tx -> assertThrows(
                            SQLException.class,
                            () -> tx.run("deposit", c -> {
                                set(c, 5);
                                c.afterCommit(() -> {
                                    throw new AssertionError("it is not committed");
                                });
                                assertThrows(
                                        SQLException.class,
                                        () -> c.unwrap(PGConnection.class)
                                                .getCopyAPI()
                                                .copyIn("COPY nowhere FROM STDIN", new StringReader("")));
                            })));
            assertEquals(100, committed());
        }
    }

    @Test
    void anErrorThatHasNotEndedTheTransactionIsTheBodysOwnAffair() throws Exception {
        PGSimpleDataSource saving = (PGSimpleDataSource) Postgres.shared().dataSource();
        saving.setAutosave(AutoSave.ALWAYS);
        Transactions.of(saving).run("deposit", c -> {
            set(c, 5);
            try (Statement statement = c.createStatement()) {
                assertThrows(SQLException.class, () -> statement.execute("INSERT INTO tx_account VALUES (1, 1)"));
            }
            assertThrows(SQLFeatureNotSupportedException.class, c::createNClob);
        });
        assertEquals(5, committed());
    }

    @Test
    void anErrorThatASavepointUndoesIsTheBodysOwnAffair() throws Exception {
        with(
                Source.DRIVER,
                tx -> tx.run("deposit", c -> {
                    set(c, 5);
                    Savepoint before = c.setSavepoint();
                    try (Statement statement = c.createStatement()) {
                        assertThrows(
                                SQLException.class, () -> statement.execute("INSERT INTO tx_account VALUES (1, 1)"));
                    }
                    c.rollback(before);
                }));
        assertEquals(5, committed());
    }

    // ---- stopping

    @ParameterizedTest
    @EnumSource
    void aStatementUnderWayEndsAtTheDeadline(Source source) throws Exception {
        with(source, tx -> {
            GivenUpException e = assertThrows(
                    GivenUpException.class,
                    () -> tx.within(Duration.ofMillis(300)).run("slow", TransactionsIT::sleep));
            assertEquals(GivenUpException.Reason.DEADLINE, e.reason());
            tx.run("next", c -> set(c, 5));
        });
        assertEquals(5, committed());
    }

    @Test
    void theDeadlineReachesTheWaitForAConnection() throws Exception {
        try (ForebayDataSource pool = (ForebayDataSource) Source.FOREBAY.open();
                Connection held = pool.getConnection()) {
            GivenUpException e = assertThrows(
                    GivenUpException.class,
                    () -> Transactions.of(pool).within(Duration.ofMillis(200)).run("deposit", c -> {}));
            assertEquals(GivenUpException.Reason.DEADLINE, e.reason());
            assertFalse(held.isClosed());
        }
    }

    @Test
    void aServerThatHangsIsGivenUp() throws Exception {
        try (Postgres server = Postgres.start(Map.of())) {
            Transactions tx = Transactions.of(server.dataSource());
            GivenUpException e = assertThrows(
                    GivenUpException.class,
                    () -> tx.within(Duration.ofMillis(500)).run("deposit", c -> {
                        server.freeze();
                        try (Statement statement = c.createStatement()) {
                            statement.execute("SELECT 1");
                        } finally {
                            server.thaw();
                        }
                    }));
            assertEquals(GivenUpException.Reason.DEADLINE, e.reason());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCancellationEndsTheStatementUnderWay(Source source) throws Exception {
        with(source, tx -> {
            Cancellation cancellation = new Cancellation();
            String mark = "sleeper of " + source;
            Future<?> running = other.submit(() -> {
                tx.cancelledBy(cancellation).run("slow", c -> sleep(c, mark));
                return null;
            });
            awaitSleeper(mark);
            cancellation.cancel();
            assertEquals(GivenUpException.Reason.CANCELLED, givenUp(running).reason());
        });
    }

    private static void sleep(Connection connection) throws SQLException {
        sleep(connection, "sleeper");
    }

    private static void sleep(Connection connection, String mark) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_sleep(3600) /* " + mark + " */");
        }
    }

    /** Until this very statement is asleep, not one that was cancelled a moment ago. */
    private static void awaitSleeper(String mark) throws SQLException {
        String asleep = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'PgSleep'"
                + " AND query LIKE 'SELECT pg_sleep(3600) /* " + mark + " */'";
        while (Postgres.shared().ask(asleep).equals("0")) {
            Thread.onSpinWait();
        }
    }

    private static GivenUpException givenUp(Future<?> running) throws InterruptedException {
        ExecutionException e = assertThrows(ExecutionException.class, running::get);
        return (GivenUpException) e.getCause();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWaitEndsAtOnceWhenItIsCancelledOrItsThreadInterrupted(boolean cancel) throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        Cancellation cancellation = new Cancellation();
        Transactions tx = Transactions.builder(Source.DRIVER.open())
                .policy(IN_AN_HOUR)
                .listener(new TxListener() {
                    @Override
                    public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
                        waiting.countDown();
                    }
                })
                .build();
        boolean[] interrupted = new boolean[1];
        Future<?> running = other.submit(() -> {
            try {
                tx.cancelledBy(cancellation).run("deposit", c -> {
                    throw OneAccount.conflict();
                });
            } finally {
                interrupted[0] = Thread.currentThread().isInterrupted();
            }
            return null;
        });
        waiting.await();
        if (cancel) {
            cancellation.cancel();
        } else {
            other.shutdownNow();
        }
        GivenUpException e = givenUp(running);
        assertEquals(cancel ? GivenUpException.Reason.CANCELLED : GivenUpException.Reason.INTERRUPTED, e.reason());
        assertEquals(1, e.attempts().size());
        assertEquals(!cancel, interrupted[0]);
    }

    // ---- the connection afterwards

    @ParameterizedTest
    @EnumSource(names = {"HIKARI", "FOREBAY"})
    void theConnectionIsAsItWas(Source source) throws Exception {
        DataSource dataSource = source.open();
        try (AutoCloseable closing = (AutoCloseable) dataSource) {
            Transactions tx = Transactions.of(dataSource);
            int[] pid = new int[1];
            tx.run("report", c -> {
                pid[0] = c.unwrap(PGConnection.class).getBackendPID();
                c.setReadOnly(true);
                c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                c.setSchema("pg_catalog");
                c.setNetworkTimeout(Runnable::run, 5000);
            });
            assertThrows(
                    IllegalStateException.class,
                    () -> tx.run("report", c -> {
                        c.setReadOnly(true);
                        throw new IllegalStateException();
                    }));
            try (Connection connection = dataSource.getConnection()) {
                assertEquals(pid[0], connection.unwrap(PGConnection.class).getBackendPID());
                assertTrue(connection.getAutoCommit());
                assertEquals(false, connection.isReadOnly());
                assertEquals(Connection.TRANSACTION_REPEATABLE_READ, connection.getTransactionIsolation());
                assertEquals("public", connection.getSchema());
                assertEquals(0, connection.getNetworkTimeout());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConnectionThatNoPoolTidiesUpIsAsItWas(boolean autoCommit) throws Exception {
        try (Connection own = Postgres.shared().connect();
                Statement statement = own.createStatement()) {
            statement.execute("SET search_path = pg_catalog, public");
            own.setClientInfo("ApplicationName", "before");
            own.setAutoCommit(autoCommit);
            Transactions tx = Transactions.of(new OneConnection(Unclosed.of(own)));
            tx.within(Duration.ofMinutes(1)).run("report", c -> {
                c.setSchema("information_schema");
                c.setClientInfo("ApplicationName", "during");
                c.setNetworkTimeout(Runnable::run, 50_000);
            });
            assertEquals(TransactionState.IDLE, own.unwrap(BaseConnection.class).getTransactionState());
            own.setAutoCommit(true);
            assertEquals("before", own.getClientInfo("ApplicationName"));
            assertEquals(0, own.getNetworkTimeout());
            try (ResultSet result = statement.executeQuery("SHOW search_path")) {
                result.next();
                assertEquals("pg_catalog, public", result.getString(1));
            }
        }
    }

    /** A connection whose {@code close} does nothing. */
    private interface Unclosed {
        static Connection of(Connection connection) {
            return (Connection) Proxy.newProxyInstance(
                    Unclosed.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            return null;
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }
}
