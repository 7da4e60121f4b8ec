// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.DiscardReason;
import dev.forebay.registry.ConnectionInfo;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.RegistryListener;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.ServerPoolStats;
import dev.forebay.registry.UserMapping;
import dev.forebay.registry.UserPoolStats;
import dev.forebay.testkit.PlainDataSource;
import dev.forebay.tx.internal.TimedDataSource;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The registry's front door, with real threads and a driver that has no database behind it. */
@Timeout(60)
class RegistryTest {

    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final StubDriver driver = new StubDriver();
    private final JdbcRegistry registry =
            JdbcRegistry.builder().drivers(type -> driver).build();

    @AfterEach
    void nothingIsLeftOpen() {
        registry.close();
        await(() -> driver.open.get() == 0, "open after the end: " + driver.open);
    }

    private interface Condition {
        boolean holds() throws SQLException;
    }

    private static void await(Condition condition, String otherwise) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        try {
            while (!condition.holds()) {
                assertTrue(System.nanoTime() < until, otherwise);
                Thread.onSpinWait();
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private void define(String name, String... options) throws RegistryException {
        ServerDefinition.Builder builder = ServerDefinition.builder(name, DatabaseType.POSTGRESQL)
                .option("host", "db.example.com")
                .option("dbname", "production")
                .option("min_connections", "0")
                .option("warmup_on_create", "false")
                .option("enable_health_check", "false");
        for (int i = 0; i < options.length; i += 2) {
            builder.option(options[i], options[i + 1]);
        }
        registry.register(builder.build());
        registry.map(name, UserMapping.ofPublic("app", Secret.of("hunter2")));
    }

    private static RegistryException failure(RegistryError expected, org.junit.jupiter.api.function.Executable call) {
        RegistryException e = assertThrows(RegistryException.class, call);
        assertEquals(expected, e.error(), e.toString());
        assertEquals(expected.sqlState(), e.getSQLState());
        return e;
    }

    /** A pool of the same endpoint has spent the burst; a second brings one permit, shared by all. */
    @Test
    void aClusterSharesItsRateWithThePoolsOfTheProcess() throws SQLException {
        int burst = 5;
        long began = System.nanoTime();
        ForebayConfig config = ForebayConfig.builder()
                .mode(ForebayConfig.Mode.ON_DEMAND)
                .staggeredStartup(false)
                .connectionRateLimit(1)
                .connectionBurstLimit(burst)
                .build();
        registry.register(ServerDefinition.builder("cluster", DatabaseType.AURORA_DSQL)
                .option("host", "Cluster.example.com")
                .option("min_connections", "0")
                .option("warmup_on_create", "false")
                .option("enable_health_check", "false")
                .build());
        registry.map("cluster", UserMapping.ofPublic("app", Secret.of("token")));
        try (ForebayDataSource pool = ForebayDataSource.builder()
                .config(config)
                .dataSource(new PlainDataSource() {
                    @Override
                    public Connection getConnection() throws SQLException {
                        Properties user = new Properties();
                        user.setProperty("user", "app");
                        return driver.connect("jdbc:stub:", user);
                    }
                })
                .endpoint("cluster.example.com:5432")
                .build()) {
            List<Connection> held = new ArrayList<>();
            for (int i = 0; i < burst; i++) {
                held.add(pool.getConnection());
            }
            registry.acquire("cluster", "ann", LONG).close();
            double seconds = (System.nanoTime() - began) / 1e9;
            assertTrue(seconds >= 0.99, () -> burst + 1 + " opened within " + seconds + " s");
            for (Connection connection : held) {
                connection.close();
            }
        }
    }

    // ---- names and options

    @Test
    void whoWaitsForAPausedServerIsToldSo() throws SQLException {
        define("s");
        registry.acquire("s", "ann", LONG).close();
        registry.pause("s");
        RegistryException paused = failure(RegistryError.TIMEOUT, () -> registry.acquire("s", "ann", SHORT));
        assertTrue(paused.getMessage().contains("paused"), paused.getMessage());

        registry.resume("s");
        registry.acquire("s", "ann", LONG).close();
    }

    @Test
    void unknownServersUsersAndOptionsHaveTheirOwnErrors() throws RegistryException {
        failure(RegistryError.SERVER_NOT_FOUND, () -> registry.acquire("s", "ann"));
        define("s");
        failure(RegistryError.INVALID_OPTION, () -> define("s"));
        registry.unmap("s", UserMapping.PUBLIC);
        failure(RegistryError.USER_MAPPING_MISSING, () -> registry.acquire("s", "ann"));
        failure(RegistryError.INVALID_OPTION, () -> define("t", "max_conections", "5"));
        failure(RegistryError.INVALID_OPTION, () -> define("t", "max_connections", "many"));
        failure(RegistryError.INVALID_OPTION, () -> define("t", "max_connections", "2", "min_connections", "3"));
        failure(RegistryError.INVALID_OPTION, () -> define("t", "host", " "));
        for (String more :
                List.of("evil/x?.example.com", "evil,db.example.com", "me:hunter2@h", "h;a=b", "h#", "h\n")) {
            RegistryException e = failure(RegistryError.INVALID_OPTION, () -> define("t", "host", more));
            assertFalse(e.getMessage().contains("hunter2"), e.getMessage());
        }
        failure(RegistryError.INVALID_OPTION, () -> define("t", "driver.password", "hunter2"));
    }

    @Test
    void onlyAllowedHostsCanBeRegistered() throws RegistryException {
        try (JdbcRegistry strict = JdbcRegistry.builder()
                .drivers(type -> driver)
                .allow((host, port) -> host.endsWith(".example.com") && port == 5432)
                .build()) {
            ServerDefinition.Builder server =
                    ServerDefinition.builder("s", DatabaseType.POSTGRESQL).option("dbname", "d");
            failure(
                    RegistryError.INVALID_OPTION,
                    () -> strict.register(
                            server.option("host", "169.254.169.254").build()));
            strict.register(server.option("host", "db.example.com").build());
            failure(
                    RegistryError.INVALID_OPTION,
                    () -> strict.update(server.option("port", "22").build()));
        }
    }

    // ---- one connection

    @Test
    void aConnectionIsUsedGivenBackAndUsedAgain() throws SQLException {
        define("s");
        Connection first;
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            first = remote.connection();
            StubDriver.run(first, "SELECT 1");
            assertEquals("s", remote.serverName());
            assertEquals("ann", remote.localUser());
        }
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            assertEquals(1, driver.links.size());
            assertTrue(
                    driver.links.get(0).calls.contains("DISCARD ALL"),
                    driver.links.get(0).calls.toString());
            assertTrue(driver.links.get(0).calls.contains("setQueryTimeout 30"));
            assertNotNull(remote.connection());
        }
        // Fault 24: use after release.
        SQLException e = assertThrows(SQLException.class, first::createStatement);
        assertEquals("08003", e.getSQLState());
    }

    /** Fault 24: what a second release does is unsaid. */
    @Test
    void givingBackTwiceGivesBackOnce() throws SQLException {
        define("s", "max_connections", "1");
        RemoteConnection first = registry.acquire("s", "ann", LONG);
        first.close();
        RemoteConnection second = registry.acquire("s", "ann", LONG);
        first.close();
        assertFalse(first.markFailed());
        failure(RegistryError.POOL_EXHAUSTED, () -> registry.acquire("s", "ann", SHORT));
        second.close();
        assertEquals(2, registry.serverStats("s").totalReleases());
    }

    @Test
    void oneThatIsMarkedFailedIsDestroyed() throws SQLException {
        define("s");
        RemoteConnection remote = registry.acquire("s", "ann", LONG);
        assertTrue(remote.markFailed());
        remote.close();
        await(() -> driver.links.get(0).closed, "not closed");
        registry.acquire("s", "ann", LONG).close();
        assertEquals(2, driver.links.size());
    }

    /** Fault 7: a reset that failed is ignored, and a dirty connection reused. */
    @Test
    void oneThatCannotBeResetIsDestroyed() throws SQLException {
        define("s");
        driver.onExecute = sql -> {
            if (sql.equals("DISCARD ALL")) {
                throw new SQLException("cannot", "XX000");
            }
        };
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            StubDriver.run(remote.connection(), "SET x = 1");
        }
        await(() -> driver.links.get(0).closed, "not closed");
        assertEquals(1, registry.userStats("s").get(0).validationFailures());
    }

    /** Fault 8: a connection in a transaction is taken for one that is not connected. */
    @Test
    void oneThatIsInATransactionIsRolledBackAndKept() throws SQLException {
        define("s");
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            remote.connection().setAutoCommit(false);
            StubDriver.run(remote.connection(), "UPDATE t SET x = 1");
            assertEquals(
                    ConnectionInfo.State.IN_TRANSACTION,
                    registry.connections("s").get(0).state());
        }
        StubDriver.Link link = driver.links.get(0);
        assertTrue(link.calls.indexOf("rollback") < link.calls.indexOf("DISCARD ALL"), link.calls.toString());
        assertTrue(link.autoCommit);
        assertFalse(link.closed);
    }

    @Test
    void aTransactionBegunInSqlIsRolledBackToo() throws SQLException {
        define("s");
        AtomicInteger tries = new AtomicInteger();
        driver.onExecute = sql -> {
            if (sql.equals("DISCARD ALL") && tries.getAndIncrement() == 0) {
                throw new SQLException("DISCARD ALL cannot run inside a transaction block", "25001");
            }
        };
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            StubDriver.run(remote.connection(), "BEGIN");
        }
        List<String> calls = driver.links.get(0).calls;
        assertTrue(calls.indexOf("ROLLBACK") < calls.indexOf("DISCARD ALL"), calls.toString());
        assertFalse(driver.links.get(0).closed);
    }

    /** Fault 6: rollback, reset and disconnect run under the pool's lock. */
    @Test
    void aResetThatHangsHoldsUpNobodyElse() throws Exception {
        define("s", "max_connections", "2");
        CountDownLatch inReset = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        driver.onExecute = sql -> {
            if (sql.equals("DISCARD ALL") && inReset.getCount() > 0) {
                inReset.countDown();
                awaitLatch(letGo);
            }
        };
        RemoteConnection slow = registry.acquire("s", "ann", LONG);
        StubDriver.run(slow.connection(), "SELECT 1");
        Thread closing = new Thread(() -> close(slow));
        closing.start();
        awaitLatch(inReset);
        try (RemoteConnection other = registry.acquire("s", "ann", LONG)) {
            assertEquals(2, registry.serverStats("s").activeConnections());
            assertNotNull(other);
        }
        letGo.countDown();
        closing.join();
    }

    /** Fault 20: after a time-out the first design reuses a connection whose answer is still to come. */
    @ParameterizedTest
    @MethodSource("timeouts")
    void oneWhoseStatementRanIntoItsTimeIsDestroyed(SQLException timeout) throws SQLException {
        define("s");
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            driver.onExecute = sql -> {
                throw timeout;
            };
            assertThrows(SQLException.class, () -> StubDriver.run(remote.connection(), "SELECT slow()"));
            driver.onExecute = sql -> {};
        }
        await(() -> driver.links.get(0).closed, "not closed");
    }

    static Stream<SQLException> timeouts() {
        return Stream.of(
                new SQLTimeoutException("too slow"),
                new SQLException("canceling statement due to statement timeout", "57014"),
                new SQLException("Query execution was interrupted (max_statement_time exceeded)", "70100", 1969),
                new SQLException("The query has timed out.", "HYT00"));
    }

    @Test
    void aFailedStatementAsSuchCostsNoConnection() throws SQLException {
        define("s");
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            driver.onExecute = sql -> {
                throw new SQLException("duplicate key", "23505");
            };
            assertThrows(SQLException.class, () -> StubDriver.run(remote.connection(), "INSERT"));
            driver.onExecute = sql -> {};
        }
        assertFalse(driver.links.get(0).closed);
    }

    @Test
    void validationOnReleaseFindsTheDead() throws SQLException {
        define("s", "validate_on_release", "true", "reset_on_release", "false");
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            StubDriver.run(remote.connection(), "SELECT 1");
            driver.links.get(0).valid = false;
        }
        await(() -> driver.links.get(0).closed, "not closed");
        assertFalse(driver.links.get(0).calls.contains("DISCARD ALL"));
    }

    // ---- waiting

    /** Fault 3, with threads: the maximum and the cap hold. */
    @Test
    void manyThreadsStayWithinMaximumAndCap() throws Exception {
        define("s", "max_connections", "3", "max_server_connections", "7");
        AtomicInteger failures = new AtomicInteger();
        AtomicInteger[] mostOf = new AtomicInteger[5];
        AtomicInteger[] of = new AtomicInteger[5];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            mostOf[i] = new AtomicInteger();
            of[i] = new AtomicInteger();
        }
        for (int t = 0; t < 20; t++) {
            int user = t % 5;
            threads.add(new Thread(() -> {
                for (int n = 0; n < 200; n++) {
                    try (RemoteConnection remote = registry.acquire("s", "user" + user, LONG)) {
                        mostOf[user].accumulateAndGet(of[user].incrementAndGet(), Math::max);
                        StubDriver.run(remote.connection(), "SELECT 1");
                        of[user].decrementAndGet();
                    } catch (SQLException e) {
                        failures.incrementAndGet();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, failures.get());
        assertTrue(driver.mostOpen.get() <= 7, driver.mostOpen + " open");
        for (AtomicInteger most : mostOf) {
            assertTrue(most.get() <= 3, most + " of one user");
        }
        ServerPoolStats stats = registry.serverStats("s");
        assertEquals(4_000, stats.totalAcquires());
        assertEquals(4_000, stats.totalReleases());
        assertEquals(4_000, stats.queriesExecuted());
    }

    @Test
    void zeroTakesWhatIsReadyAndWaitsForNothing() throws SQLException {
        define("s");
        assertThrows(RegistryException.class, () -> registry.acquire("s", "ann", Duration.ZERO));
        registry.acquire("s", "ann", LONG).close();
        registry.acquire("s", "ann", Duration.ZERO).close();
    }

    @Test
    void anInterruptEndsTheWaitAndIsKept() throws Exception {
        define("s", "max_connections", "1");
        RemoteConnection held = registry.acquire("s", "ann", LONG);
        AtomicReference<RegistryException> thrown = new AtomicReference<>();
        AtomicReference<Boolean> still = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            try {
                close(registry.acquire("s", "ann", LONG));
            } catch (RegistryException e) {
                thrown.set(e);
                still.set(Thread.currentThread().isInterrupted());
            }
        });
        waiter.start();
        await(() -> registry.serverStats("s").pendingRequests() == 1, "nobody waits");
        waiter.interrupt();
        waiter.join();
        assertNotNull(thrown.get());
        assertTrue(still.get());
        assertEquals(0, registry.serverStats("s").pendingRequests());
        held.close();
    }

    @Test
    void failFastAtTheCapDoesNotWait() throws SQLException {
        define("s", "exhaustion_policy", "FAIL_FAST", "max_server_connections", "1");
        try (RemoteConnection held = registry.acquire("s", "ann", LONG)) {
            assertNotNull(held);
            long began = System.nanoTime();
            failure(RegistryError.POOL_EXHAUSTED, () -> registry.acquire("s", "bob", LONG));
            assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(20), "it waited");
        }
        registry.acquire("s", "bob", LONG).close();
    }

    @Test
    void whoeverWaitsWhenTheDefinitionChangesIsServedByTheNewOne() throws Exception {
        define("s", "max_connections", "1");
        RemoteConnection held = registry.acquire("s", "ann", LONG);
        AtomicReference<String> url = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
                url.set(driver.links.get(1).url);
                assertNotNull(remote);
            } catch (SQLException e) {
                url.set(e.toString());
            }
        });
        waiter.start();
        await(() -> registry.serverStats("s").pendingRequests() == 1, "nobody waits");
        registry.update(registry.server("s").toBuilder()
                .option("host", "other.example.com")
                .build());
        waiter.join();
        assertEquals("jdbc:postgresql://other.example.com:5432/production", url.get());
        held.close();
        await(() -> driver.links.get(0).closed, "the old one is kept");
    }

    // ---- errors

    static Stream<Arguments> connectFailures() {
        return Stream.of(
                Arguments.of(new SQLException("no", "28P01"), RegistryError.AUTH_FAILED, false),
                Arguments.of(new SQLException("Access denied", "42000", 1045), RegistryError.AUTH_FAILED, false),
                Arguments.of(new SQLException("Login failed", "S0001", 18456), RegistryError.AUTH_FAILED, false),
                Arguments.of(
                        new SQLException("tls", "08006", new SSLHandshakeException("expired")),
                        RegistryError.SSL_ERROR,
                        false),
                Arguments.of(
                        new SQLException("slow", "08001", new SocketTimeoutException("connect timed out")),
                        RegistryError.TIMEOUT,
                        true),
                Arguments.of(
                        new SQLException("refused", "08001", new ConnectException("refused")),
                        RegistryError.CONNECTION_FAILED,
                        true),
                Arguments.of(
                        new SQLException("reset", "08006", new SocketException("Connection reset")),
                        RegistryError.NETWORK_ERROR,
                        true),
                Arguments.of(new SQLException("what?", "08P01"), RegistryError.PROTOCOL_ERROR, false),
                Arguments.of(new SQLException("starting up", "57P03"), RegistryError.SERVER_UNAVAILABLE, true),
                Arguments.of(new SQLException("unsupported protocol", "0A000"), RegistryError.VERSION_MISMATCH, false),
                Arguments.of(new SQLException("no database", "3D000"), RegistryError.CONNECTION_FAILED, false),
                Arguments.of(new SQLException("too many", "53300"), RegistryError.CONNECTION_FAILED, true));
    }

    /** Fault 21: every error becomes RD001. */
    @ParameterizedTest
    @MethodSource("connectFailures")
    void whatKeepsConnectionsFromOpeningIsSaid(SQLException cause, RegistryError error, boolean recoverable)
            throws SQLException {
        define("s");
        driver.onConnect = url -> {
            throw cause;
        };
        RegistryException e = failure(error, () -> registry.acquire("s", "ann", Duration.ofSeconds(1)));
        assertEquals(recoverable, e.isRecoverable());
        assertSame(cause, e.getCause());
    }

    /** PostgreSQL's driver says only that the attempt failed, and why in a cause. */
    @Test
    void anUnknownHostIsNamed() throws SQLException {
        define("s");
        driver.onConnect = url -> {
            throw new SQLException(
                    "The connection attempt failed.", "08001", new UnknownHostException("db.example.invalid"));
        };
        RegistryException e =
                failure(RegistryError.CONNECTION_FAILED, () -> registry.acquire("s", "ann", Duration.ofSeconds(1)));
        assertTrue(e.getMessage().contains("unknown host: db.example.invalid"), e.getMessage());
    }

    @Test
    void noErrorHoldsAPassword() throws SQLException {
        define("s");
        driver.passwords.put("app", "another");
        RegistryException e = failure(RegistryError.AUTH_FAILED, () -> registry.acquire("s", "ann", LONG));
        StringWriter all = new StringWriter();
        e.printStackTrace(new PrintWriter(all));
        assertFalse(all.toString().contains("hunter2"), all.toString());
        assertTrue(e.getMessage().contains("is rejected"), e.getMessage());
    }

    @Test
    void nothingThatDescribesItselfHoldsAPassword() throws SQLException {
        define("s", "driver.sslpassword", "hunter2");
        UserMapping mapping = new UserMapping(
                "ann", "app", UserMapping.Auth.PASSWORD, Secret.of("hunter2"), Map.of("keyStorePassword", "hunter2"));
        registry.map("s", mapping);
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            for (Object said : List.of(
                    mapping,
                    Secret.of("hunter2"),
                    registry.server("s"),
                    registry.mappings("s"),
                    remote,
                    remote.connection(),
                    registry.serverStats("s"),
                    registry.connections("s"))) {
                assertFalse(said.toString().contains("hunter2"), said.toString());
            }
        }
        assertEquals("hunter2", driver.links.get(0).properties.getProperty("keyStorePassword"));
    }

    @Test
    void aMissingDriverNamesItsArtifact() throws SQLException {
        try (JdbcRegistry plain = JdbcRegistry.builder().build()) {
            plain.register(ServerDefinition.builder("s", DatabaseType.SCRATCHBIRD)
                    .option("host", "h")
                    .option("dbname", "d")
                    .build());
            plain.map("s", UserMapping.ofPublic("app", Secret.of("hunter2")));
            RegistryException e = failure(RegistryError.CONNECTION_FAILED, () -> plain.acquire("s", "ann", LONG));
            assertTrue(e.getMessage().contains("com.scratchbird:scratchbird-jdbc"), e.getMessage());
            assertFalse(e.isRecoverable());
        }
    }

    /** Finding F4: what was struck out of the message, here the password "jdbc", changed what the error means. */
    @Test
    void aMissingDriverStaysOneWhateverThePasswordIs() throws SQLException {
        try (JdbcRegistry plain = JdbcRegistry.builder().build()) {
            plain.register(ServerDefinition.builder("s", DatabaseType.SCRATCHBIRD)
                    .option("host", "h")
                    .option("dbname", "d")
                    .build());
            plain.map("s", UserMapping.ofPublic("app", Secret.of("jdbc")));
            RegistryException e = failure(RegistryError.CONNECTION_FAILED, () -> plain.acquire("s", "ann", LONG));
            assertTrue(e.getMessage().contains("***"), e.getMessage());
            assertFalse(e.isRecoverable());
        }
    }

    @Test
    void anUnhealthyServerFailsFastUntilItIsHealthy() throws SQLException {
        define("s");
        registry.markUnhealthy("s", "maintenance");
        RegistryException e = failure(RegistryError.SERVER_UNAVAILABLE, () -> registry.acquire("s", "ann", LONG));
        assertTrue(e.getMessage().contains("maintenance"));
        assertEquals(1, registry.stats().unhealthyServers());
        registry.markHealthy("s");
        registry.acquire("s", "ann", LONG).close();
    }

    @Test
    void aCheckByHandTellsItsOutcome() throws SQLException {
        define("s");
        assertEquals(1, registry.checkNow("s").consecutiveSuccesses());
        driver.onConnect = url -> {
            throw new SQLException("refused", "08001", new ConnectException("refused"));
        };
        assertEquals(1, registry.checkNow("s").consecutiveFailures());
        assertEquals(0, registry.serverStats("s").totalConnections());
    }

    /** Fault 19: the default health query of the first design overrides the type's. */
    @Test
    void theHealthQueryIsTheTypesOwn() throws SQLException {
        for (String type : List.of("QUERY", "FULL_VALIDATE")) {
            registry.register(ServerDefinition.builder(type, DatabaseType.FIREBIRD)
                    .option("host", "h")
                    .option("dbname", "d")
                    .option("health_check_type", type)
                    .build());
            registry.map(type, UserMapping.ofPublic("app", Secret.of("hunter2")));
            assertEquals(1, registry.checkNow(type).consecutiveSuccesses());
        }
        for (StubDriver.Link link : driver.links) {
            assertEquals(List.of("SELECT 1 FROM RDB$DATABASE"), statements(link));
        }
    }

    private static List<String> statements(StubDriver.Link link) {
        return link.calls.stream().filter(call -> call.startsWith("SELECT")).toList();
    }

    // ---- operations

    @Test
    void aWarmUpWaitsForItsConnections() throws SQLException {
        define("s");
        registry.map("s", UserMapping.of("ann", "ann", Secret.of("hunter2")));
        assertEquals(3, registry.warmUp("s", 3));
        assertEquals(3, registry.userStats("s").get(0).idleConnections());
        assertEquals(2, registry.warmUp("s", "bob", 2));
        assertEquals(5, registry.evictIdle("s"));
        await(() -> driver.open.get() == 0, "not evicted");
    }

    @Test
    void aDataSourceActsForWhoeverActs() throws SQLException {
        define("s");
        TimedDataSource source = (TimedDataSource) registry.dataSource("s");
        failure(RegistryError.USER_MAPPING_MISSING, source::getConnection);
        try (JdbcRegistry.Scope outer = registry.actAs("ann")) {
            source.getConnection().close();
            try (JdbcRegistry.Scope inner = registry.actAs("bob")) {
                source.getConnection().close();
                assertNotNull(inner);
            }
            source.getConnection().close();
            assertNotNull(outer);
        }
        failure(RegistryError.USER_MAPPING_MISSING, source::getConnection);
        assertEquals(2, acquires("ann"));
        assertEquals(1, acquires("bob"));
        source.getConnection("cid", "hunter2").close();
        failure(RegistryError.AUTH_FAILED, () -> source.getConnection("cid", "guess"));
        assertEquals(1, acquires("cid"));
    }

    private long acquires(String user) throws RegistryException {
        return registry.userStats("s").stream()
                .filter(stats -> stats.localUser().equals(user))
                .mapToLong(UserPoolStats::totalAcquires)
                .sum();
    }

    @Test
    void theApplicationMaySayWhoActsAndWhoIsWho() throws SQLException {
        try (JdbcRegistry mine = JdbcRegistry.builder()
                .drivers(type -> driver)
                .currentUser(() -> "ann")
                .authenticator((user, password) -> password.equals("right"))
                .build()) {
            mine.register(ServerDefinition.builder("s", DatabaseType.POSTGRESQL)
                    .option("host", "h")
                    .option("dbname", "d")
                    .build());
            mine.map("s", UserMapping.ofPublic("app", Secret.of("hunter2")));
            mine.dataSource("s").getConnection().close();
            mine.dataSource("s").getConnection("bob", "right").close();
            failure(RegistryError.AUTH_FAILED, () -> mine.dataSource("s").getConnection("bob", "x"));
            assertEquals(2, mine.userStats("s").size());
        }
    }

    @Test
    void aClosedRegistrySaysSoAndLetsBorrowersFinish() throws SQLException {
        define("s");
        RemoteConnection held = registry.acquire("s", "ann", LONG);
        registry.close();
        failure(RegistryError.SERVER_UNAVAILABLE, () -> registry.acquire("s", "ann", LONG));
        StubDriver.run(held.connection(), "SELECT 1");
        held.close();
        await(() -> driver.open.get() == 0, "not closed");
    }

    @Test
    void statementsAreCountedForTheConnectionTheUserAndTheServer() throws SQLException {
        define("s");
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG);
                Statement statement = remote.connection().createStatement()) {
            statement.executeQuery("SELECT 1").close();
            statement.execute("SELECT 2");
            assertEquals(2, registry.connections("s").get(0).queryCount());
        }
        assertEquals(2, registry.userStats("s").get(0).queriesExecuted());
        assertTrue(registry.serverStats("s").avgQueryTimeMs() > 0);
    }

    private static void close(RemoteConnection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Finding C10: listeners were called under the locks of the server and of the user pool. */
    @Test
    void aListenerIsCalledOutsideTheLocks() throws Exception {
        AtomicReference<JdbcRegistry> made = new AtomicReference<>();
        AtomicInteger asked = new AtomicInteger();
        List<String> stuck = new CopyOnWriteArrayList<>();
        RegistryListener listener = new RegistryListener() {
            @Override
            public void discarded(String server, String localUser, DiscardReason reason) {
                Thread other = new Thread(() -> {
                    try {
                        made.get().serverStats("s");
                        made.get().pause("s");
                        made.get().resume("s");
                    } catch (RegistryException e) {
                        stuck.add(e.toString());
                    }
                });
                other.start();
                try {
                    other.join(3_000);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                asked.incrementAndGet();
                if (other.isAlive()) {
                    stuck.add("another thread waits for a lock of " + reason);
                }
            }
        };
        try (JdbcRegistry own = JdbcRegistry.builder()
                .drivers(type -> new StubDriver())
                .listener(listener)
                .build()) {
            made.set(own);
            own.register(ServerDefinition.builder("s", DatabaseType.POSTGRESQL)
                    .option("host", "h")
                    .option("dbname", "d")
                    .option("min_connections", "0")
                    .option("enable_health_check", "false")
                    .build());
            own.map("s", UserMapping.ofPublic("app", Secret.of("hunter2")));
            assertEquals(3, own.warmUp("s", "ann", 3));
            own.resize("s", 0, 1);
            assertTrue(asked.get() > 0);
            assertEquals(List.of(), stuck);
        }
    }

    /** Finding F5: Aurora DSQL rejects a token with the SQLSTATE of a failed connect, and it was tried time and again. */
    @Test
    void aRejectedTokenOfDsqlIsToldAtOnceAndTriedOnce() throws Exception {
        StubDriver dsql = new StubDriver();
        AtomicInteger tried = new AtomicInteger();
        dsql.onConnect = url -> {
            tried.incrementAndGet();
            throw new SQLException("FATAL: unable to accept connection, access denied", "08006");
        };
        try (JdbcRegistry own = JdbcRegistry.builder().drivers(type -> dsql).build()) {
            own.register(ServerDefinition.builder("s", DatabaseType.AURORA_DSQL)
                    .option("host", "h")
                    .option("enable_health_check", "false")
                    .build());
            own.map("s", UserMapping.ofPublic("admin", Secret.supplied("token", () -> "expired")));
            for (int i = 0; i < 5; i++) {
                String user = "user" + i;
                RegistryException e =
                        assertThrows(RegistryException.class, () -> own.acquire("s", user, Duration.ofSeconds(30)));
                assertEquals(RegistryError.AUTH_FAILED, e.error(), e.toString());
            }
            assertEquals(1, tried.get());
        }
    }
}
