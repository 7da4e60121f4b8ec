// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Connector;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.time.SystemTime;
import dev.forebay.time.VirtualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JdbcConnectorTest {

    private final VirtualTime time = new VirtualTime();
    private final FakeDatabase database = new FakeDatabase();

    /** Where an open ends. */
    private static final class Outcome implements Connector.Opening<PhysicalConnection> {
        final CompletableFuture<PhysicalConnection> opened = new CompletableFuture<>();
        final CompletableFuture<OpenFailure> failure = new CompletableFuture<>();
        volatile Runnable onAbandon;

        @Override
        public void opened(PhysicalConnection value) {
            opened.complete(value);
        }

        @Override
        public void failed(OpenFailure failed) {
            failure.complete(failed);
        }

        @Override
        public boolean isAbandoned() {
            return false;
        }

        @Override
        public void onAbandon(Runnable action) {
            onAbandon = action;
        }
    }

    private JdbcConnector inline(ConnectionSource source, SessionConfig config) {
        return new JdbcConnector("p", source, config, time, Runnable::run, Runnable::run);
    }

    private Outcome open(SessionConfig config) {
        Outcome outcome = new Outcome();
        inline(ConnectionSource.of(database), config).open(outcome);
        return outcome;
    }

    // ---- open

    @Test
    void anOpenAsksNothingThatIsNotNeeded() {
        assertNotNull(open(SessionConfig.DEFAULT).opened.join());
        assertEquals(List.of("c1.getAutoCommit()"), database.take());
    }

    @Test
    void aNewConnectionIsSetUpAsConfigured() {
        SessionConfig config = SessionConfig.builder()
                .initSql("set a = b")
                .autoCommit(false)
                .readOnly(true)
                .isolation(Connection.TRANSACTION_REPEATABLE_READ)
                .catalog("cat")
                .schema("sch")
                .networkTimeout(Duration.ofSeconds(9))
                .build();
        assertNotNull(open(config).opened.join());
        List<String> calls = database.take();
        calls = calls.stream()
                .filter(call -> call.contains("execute") || call.startsWith("c1.set"))
                .map(call -> call.replaceAll("setNetworkTimeout\\(.*, ", "setNetworkTimeout("))
                .toList();
        assertEquals(
                List.of(
                        "c1.setNetworkTimeout(9000)",
                        "c1.s1.execute(set a = b)",
                        "c1.setReadOnly(true)",
                        "c1.setTransactionIsolation(4)",
                        "c1.setCatalog(cat)",
                        "c1.setSchema(sch)",
                        "c1.setAutoCommit(false)"),
                calls);
    }

    @Test
    void aConnectionThatCannotBeSetUpIsClosed() {
        database.failures.put("execute", new SQLException("no such setting", "42704"));
        Outcome outcome = open(SessionConfig.builder().initSql("set a = b").build());
        assertEquals(OpenFailure.Cause.CONNECT, outcome.failure.join().cause());
        assertTrue(database.links.get(0).closed);
    }

    @ParameterizedTest
    @CsvSource({"53400, RATE_LIMIT", "53300, CONNECTION_COUNT", "08006, CONNECT", "28000, CONNECT", ", CONNECT"})
    void aRefusedConnectSaysWhy(String state, OpenFailure.Cause cause) {
        database.failures.put("getConnection", new SQLException("unable to accept connection", state));
        assertEquals(cause, open(SessionConfig.DEFAULT).failure.join().cause());
    }

    @Test
    void aDriverThatThrowsSomethingElseHasFailedToo() {
        database.failures.put("getConnection", new IllegalStateException("bug in the driver"));
        assertEquals(
                OpenFailure.Cause.CONNECT,
                open(SessionConfig.DEFAULT).failure.join().cause());
    }

    // ---- passwords

    @Test
    void eachConnectAsksForAPassword() {
        AtomicInteger asked = new AtomicInteger();
        ConnectionSource source = ConnectionSource.of(database, "me", () -> "token" + asked.incrementAndGet());
        for (int i = 0; i < 2; i++) {
            inline(source, SessionConfig.DEFAULT).open(new Outcome());
        }
        assertTrue(database.take().containsAll(List.of("connect as me with token1", "connect as me with token2")));
    }

    @Test
    void aPasswordThatCannotBeObtainedIsACauseOfItsOwn() {
        ConnectionSource source = ConnectionSource.of(database, "me", () -> {
            throw new java.io.IOException("no credentials");
        });
        Outcome outcome = new Outcome();
        inline(source, SessionConfig.DEFAULT).open(outcome);
        assertEquals(OpenFailure.Cause.TOKEN_PROVIDER, outcome.failure.join().cause());
        assertTrue(outcome.failure.join().error().getMessage().contains("no credentials"));
    }

    @Test
    void aPasswordTheDriverBlabsIsScrubbed() {
        String secret = "s3cr3t-token";
        SQLException blabbing = new SQLException("login failed for me/" + secret, "53400", 7);
        blabbing.initCause(new IllegalStateException("bad password " + secret));
        database.failures.put("getConnection", blabbing);
        Outcome outcome = new Outcome();
        JdbcConnector connector = inline(ConnectionSource.of(database, "me", () -> secret), SessionConfig.DEFAULT);
        connector.open(outcome);
        OpenFailure failure = outcome.failure.join();
        StringWriter printed = new StringWriter();
        failure.error().printStackTrace(new PrintWriter(printed));
        assertFalse(printed.toString().contains(secret), printed::toString);
        assertTrue(failure.error().getMessage().contains("login failed for me/***"));
        assertEquals(OpenFailure.Cause.RATE_LIMIT, failure.cause(), "the state is kept");
        assertFalse(connector.toString().contains(secret));
    }

    @Test
    void aPasswordHiddenBelowAHarmlessMessageIsScrubbed() {
        String secret = "s3cr3t-token";
        SQLException outer = new SQLException("login failed");
        outer.setNextException(new SQLException("tried " + secret));
        database.failures.put("getConnection", outer);
        Outcome outcome = new Outcome();
        inline(ConnectionSource.of(database, "me", () -> secret), SessionConfig.DEFAULT)
                .open(outcome);
        SQLException error =
                assertInstanceOf(SQLException.class, outcome.failure.join().error());
        assertEquals("tried ***", error.getNextException().getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:oracle:thin:scott/tiger@db:1521/x, jdbc:oracle:thin:@db:1521/x",
        "jdbc:any://me:p@ss@host/db, jdbc:any://host/db",
        "jdbc:postgresql://h/db?password=p, jdbc:postgresql://h/db"
    })
    void aDescriptionNamesTheServerOnly(String url, String described) {
        assertEquals(described, ConnectionSource.of(url, new Properties()).toString());
    }

    @Test
    void aUrlGivesAwayNoPassword() {
        Properties properties = new Properties();
        properties.setProperty("password", "fromProperties");
        ConnectionSource source = ConnectionSource.of(
                "jdbc:nobody://me:inUserInfo@host/db?user=x&password=inParameter&x=fromProperties", properties);
        assertEquals("jdbc:nobody://host/db", source.toString());
        Outcome outcome = new Outcome();
        inline(source, SessionConfig.DEFAULT).open(outcome);
        String message = outcome.failure.join().error().toString();
        assertTrue(message.contains("No suitable driver"), message);
        assertFalse(message.matches(".*(inUserInfo|inParameter|fromProperties).*"), message);
    }

    @Test
    void aUrlConnectsThroughItsDriverWithThePassword() throws SQLException {
        Driver driver = FakeDatabase.proxy(Driver.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "connect" ->
                arguments[0].equals("jdbc:fake:")
                        ? database.getConnection("-", ((Properties) arguments[1]).getProperty("password"))
                        : null;
            case "hashCode" -> 1;
            case "equals" -> proxy == arguments[0];
            default -> null;
        });
        DriverManager.registerDriver(driver);
        try {
            Outcome outcome = new Outcome();
            inline(ConnectionSource.of("jdbc:fake:", new Properties(), () -> "pw"), SessionConfig.DEFAULT)
                    .open(outcome);
            assertNotNull(outcome.opened.join());
            assertEquals("connect as - with pw", database.take().get(0));
        } finally {
            DriverManager.deregisterDriver(driver);
        }
    }

    // ---- check

    @Test
    void aCheckAsksTheDriverAndLeavesNoTransactionOpen() {
        PhysicalConnection connection =
                open(SessionConfig.builder().autoCommit(false).build()).opened.join();
        database.take();
        CompletableFuture<Boolean> alive = new CompletableFuture<>();
        inline(ConnectionSource.of(database), SessionConfig.DEFAULT).check(connection, alive::complete);
        assertTrue(alive.join());
        assertEquals(List.of("c1.isValid(5)", "c1.rollback()"), database.take());
    }

    @Test
    void aCheckMayBeAStatement() {
        SessionConfig config = SessionConfig.builder()
                .validationSql("select 1")
                .validationTimeout(Duration.ofSeconds(2))
                .build();
        PhysicalConnection connection = open(config).opened.join();
        CompletableFuture<Boolean> alive = new CompletableFuture<>();
        inline(ConnectionSource.of(database), config).check(connection, alive::complete);
        assertTrue(alive.join());
        assertTrue(database.take().containsAll(List.of("c1.s1.setQueryTimeout(2)", "c1.s1.execute(select 1)")));
        database.failures.put("execute", new SQLException("gone", "08006"));
        CompletableFuture<Boolean> second = new CompletableFuture<>();
        inline(ConnectionSource.of(database), config).check(connection, second::complete);
        assertFalse(second.join());
    }

    // ---- threads

    @Test
    void aDriverThatBlocksHoldsUpNobodyAndIsInterruptedWhenGivenUp() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CompletableFuture<String> thread = new CompletableFuture<>();
        DataSource blocking = FakeDatabase.proxy(DataSource.class, (proxy, method, arguments) -> {
            if (!method.getName().equals("getConnection")) {
                return null;
            }
            thread.complete(Thread.currentThread().getName());
            inside.countDown();
            try {
                new CountDownLatch(1).await();
                return null;
            } catch (InterruptedException e) {
                throw new SQLException("interrupted", e);
            }
        });
        JdbcConnector connector =
                new JdbcConnector("p", ConnectionSource.of(blocking), SessionConfig.DEFAULT, SystemTime.shared());
        Outcome outcome = new Outcome();
        connector.open(outcome);
        inside.await();
        outcome.onAbandon.run();
        assertEquals(
                "interrupted", outcome.failure.get(10, TimeUnit.SECONDS).error().getMessage());
        assertEquals("forebay-p-open-1", thread.join());
        connector.shutdown();
        Outcome late = new Outcome();
        connector.open(late);
        assertEquals(OpenFailure.Cause.CONNECT, late.failure.join().cause());
    }

    @Test
    void aCloseThatHangsIsAborted() throws Exception {
        CountDownLatch closing = new CountDownLatch(1);
        CountDownLatch aborted = new CountDownLatch(1);
        Connection hanging = FakeDatabase.proxy(Connection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
                closing.countDown();
                aborted.await();
            } else if (method.getName().equals("abort")) {
                aborted.countDown();
            } else if (method.getName().equals("getAutoCommit")) {
                return true;
            }
            return null;
        });
        JdbcConnector connector = new JdbcConnector(
                "p",
                ConnectionSource.of(database),
                SessionConfig.DEFAULT,
                time,
                task -> new Thread(task).start(),
                task -> {
                    Thread closer = new Thread(task);
                    closer.start();
                });
        PhysicalConnection connection = new PhysicalConnection(hanging, SessionConfig.DEFAULT, time, "hanging");
        CompletableFuture<Void> closed = new CompletableFuture<>();
        connector.close(connection, DiscardReason.EVICTED, () -> closed.complete(null));
        closing.await();
        time.advance(Duration.ofSeconds(2));
        assertFalse(closed.isDone());
        assertEquals(1, aborted.getCount());
        time.advance(Duration.ofSeconds(1));
        closed.get(10, TimeUnit.SECONDS);
        assertEquals(0, aborted.getCount());
    }

    @Test
    void aCloseThatFailsIsAClose() {
        PhysicalConnection connection = open(SessionConfig.DEFAULT).opened.join();
        database.failures.put("close", new SQLException("broken pipe", "08006"));
        CompletableFuture<Void> closed = new CompletableFuture<>();
        inline(ConnectionSource.of(database), SessionConfig.DEFAULT)
                .close(connection, DiscardReason.BAD_CONNECTION, () -> closed.complete(null));
        assertTrue(closed.isDone());
    }
}
