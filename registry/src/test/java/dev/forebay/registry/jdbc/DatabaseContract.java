// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.HealthStatus;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.Settings;
import dev.forebay.registry.UserMapping;
import dev.forebay.time.SystemTime;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every database type must do, on a real server of it, in fair weather and in foul. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DatabaseContract {

    private static final Duration LONG = Duration.ofSeconds(30);

    private RealServer server;
    private JdbcRegistry registry;

    abstract RealServer start() throws Exception;

    /** Why there is no such server here; null if there is one. */
    abstract String missing();

    @BeforeEach
    void prepare() throws Exception {
        String missing = missing();
        assumeTrue(missing == null, missing);
        if (server == null) {
            server = start();
        }
        registry = JdbcRegistry.builder().build();
    }

    @AfterEach
    void end() {
        if (registry != null) {
            registry.close();
        }
    }

    @AfterAll
    void stop() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    private void define(String... options) throws RegistryException {
        define(server.port(), RealServer.PASSWORD, options);
    }

    private void define(int port, String password, String... options) throws RegistryException {
        ServerDefinition.Builder builder = ServerDefinition.builder("s", server.type())
                .option("host", "127.0.0.1")
                .option("port", Integer.toString(port))
                .option("dbname", server.database())
                .option("min_connections", "0")
                .option("enable_health_check", "false");
        for (int i = 0; i < options.length; i += 2) {
            builder.option(options[i], options[i + 1]);
        }
        registry.register(builder.build());
        registry.map("s", UserMapping.ofPublic(RealServer.USER, Secret.of(password)));
    }

    private static String ask(RemoteConnection remote, String sql) throws SQLException {
        try (Statement statement = remote.connection().createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertTrue(result.next());
            return result.getString(1).trim();
        }
    }

    private static void run(RemoteConnection remote, String sql) throws SQLException {
        try (Statement statement = remote.connection().createStatement()) {
            statement.execute(sql);
        }
    }

    private String healthQuery() throws SQLException {
        return registry.server("s").settings().probe().query();
    }

    @Test
    void aConnectionIsReusedWithACleanSession() throws SQLException {
        define("max_connections", "1");
        String[] dirt = server.dirt();
        for (int i = 0; i < 3; i++) {
            try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
                assertEquals("1", ask(remote, healthQuery()));
                if (dirt != null) {
                    assertEquals(dirt[2], ask(remote, dirt[1]));
                    run(remote, dirt[0]);
                }
            }
        }
        assertEquals(1, registry.serverStats("s").connectionsCreated());
    }

    @Test
    void aDatabaseChosenByAStatementIsLeftOnReturn() throws SQLException {
        String[] elsewhere = server.elsewhere();
        assumeTrue(elsewhere != null, server + " has one database a session");
        define("max_connections", "1");
        for (int i = 0; i < 2; i++) {
            try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
                assertEquals(server.database(), ask(remote, elsewhere[1]));
                run(remote, elsewhere[0]);
            }
        }
        assertEquals(1, registry.serverStats("s").connectionsCreated());
    }

    @Test
    void whatWasNotCommittedIsRolledBackAndTheConnectionKept() throws SQLException {
        define("max_connections", "1");
        String[] kept = server.inTransaction();
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            run(remote, kept[0]);
        }
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            remote.connection().setAutoCommit(false);
            run(remote, kept[1]);
        }
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            assertEquals("0", ask(remote, kept[2]));
            run(remote, "DROP TABLE kept");
        }
        assertEquals(1, registry.serverStats("s").connectionsCreated());
    }

    @Test
    void aWrongPasswordIsSaidAtOnceAndMakesNoServerUnhealthy() throws SQLException {
        define(server.port(), "wrong", "failure_threshold", "1");
        RegistryException e = assertThrows(RegistryException.class, () -> registry.acquire("s", "ann", LONG));
        assertEquals(RegistryError.AUTH_FAILED, e.error(), e.toString());
        assertFalse(e.isRecoverable());
        registry.checkNow("s");
        assertTrue(registry.isHealthy("s"));
    }

    @Test
    void aRefusedConnectIsAConnectionThatFailed() throws Exception {
        int nobody;
        try (ServerSocket free = new ServerSocket(0)) {
            nobody = free.getLocalPort();
        }
        define(nobody, RealServer.PASSWORD, "failure_threshold", "1");
        RegistryException e =
                assertThrows(RegistryException.class, () -> registry.acquire("s", "ann", Duration.ofMillis(500)));
        assertEquals(RegistryError.CONNECTION_FAILED, e.error(), e.toString());
        assertTrue(e.isRecoverable());
        HealthStatus status = registry.checkNow("s");
        assertFalse(status.healthy(), status.toString());
        awaitUnhealthy();
    }

    private void awaitUnhealthy() {
        RegistryException e = assertThrows(RegistryException.class, () -> registry.acquire("s", "ann", LONG));
        assertEquals(RegistryError.SERVER_UNAVAILABLE, e.error());
    }

    @Test
    void anUnknownDatabaseWillNotComeByItself() throws SQLException {
        define("dbname", server.type() == DatabaseType.FIREBIRD ? "/nowhere/no.fdb" : "nowhere");
        RegistryException e = assertThrows(RegistryException.class, () -> registry.acquire("s", "ann", LONG));
        assertEquals(RegistryError.CONNECTION_FAILED, e.error(), e.toString());
        assertFalse(e.isRecoverable(), e.toString());
    }

    /** It accepts, and never answers. */
    @Test
    void aServerThatHangsHoldsNobodyLongerThanHeIsWilling() throws Exception {
        try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            define(
                    mute.getLocalPort(),
                    RealServer.PASSWORD,
                    "connect_timeout",
                    "1000",
                    "health_check_timeout",
                    "1000",
                    "failure_threshold",
                    "1");
            long began = System.nanoTime();
            RegistryException e =
                    assertThrows(RegistryException.class, () -> registry.acquire("s", "ann", Duration.ofMillis(1_500)));
            assertEquals(RegistryError.TIMEOUT, e.error(), e.toString());
            assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(10));
            assertFalse(registry.checkNow("s").healthy());
        }
    }

    @Test
    void aSlowNetworkIsWaitedForAsLongAsIsAllowed() throws Exception {
        try (SlowNetwork slow = new SlowNetwork(server.port(), 40_000_000)) {
            define(slow.port(), RealServer.PASSWORD);
            try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
                assertEquals("1", ask(remote, healthQuery()));
            }
            assertTrue(registry.checkNow("s").healthy());
        }
    }

    @Test
    void aNetworkSlowerThanTheConnectTimeoutIsATimeout() throws Exception {
        try (SlowNetwork slow = new SlowNetwork(server.port(), 3_000_000_000L)) {
            define(slow.port(), RealServer.PASSWORD, "connect_timeout", "1000");
            RegistryException e =
                    assertThrows(RegistryException.class, () -> registry.acquire("s", "ann", Duration.ofMillis(2_000)));
            assertEquals(RegistryError.TIMEOUT, e.error(), e.toString());
            assertTrue(e.isRecoverable());
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfProbeSucceedsOnALivingServer(Settings.HealthCheck type) throws SQLException {
        define("health_check_type", type.name());
        HealthStatus status = registry.checkNow("s");
        assertEquals(1, status.consecutiveSuccesses(), status.toString());
    }

    @Test
    void aSessionThatIsKilledMidTransactionIsDestroyedAndTheNextIsFine() throws Exception {
        define("max_connections", "1");
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            remote.connection().setAutoCommit(false);
            ask(remote, healthQuery());
            server.killSessions();
            assertThrows(SQLException.class, () -> {
                for (int i = 0; i < 100; i++) {
                    ask(remote, healthQuery()); // Firebird ends it at the next, not at once
                }
            });
        }
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            assertEquals("1", ask(remote, healthQuery()));
        }
        assertEquals(2, registry.serverStats("s").connectionsCreated());
    }

    @Test
    void idleConnectionsThatWereKilledAreNotHandedOut() throws Exception {
        define("validate_on_acquire", "true", "validation_interval_seconds", "0");
        assertEquals(2, registry.warmUp("s", "ann", 2));
        server.killSessions();
        long then = SystemTime.shared().nanos();
        await(
                () -> SystemTime.shared().coarseNanos() > then,
                "within a tick, one that was just opened counts as proven");
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            assertEquals("1", ask(remote, healthQuery()));
        }
    }

    @Test
    void aRestartedServerIsUsedAgain() throws Exception {
        define("validate_on_acquire", "true", "validation_interval_seconds", "1");
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            assertEquals("1", ask(remote, healthQuery()));
            server.stop();
            assertThrows(SQLException.class, () -> ask(remote, healthQuery()));
        }
        RegistryException e =
                assertThrows(RegistryException.class, () -> registry.acquire("s", "ann", Duration.ofMillis(500)));
        assertEquals(RegistryError.CONNECTION_FAILED, e.error(), e.toString());
        server.start();
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            assertEquals("1", ask(remote, healthQuery()));
        }
    }

    @Test
    void aStatementThatTakesTooLongEndsAndCostsItsConnection() throws SQLException {
        define("query_timeout", "1000");
        long began = System.nanoTime();
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            assertThrows(SQLException.class, () -> run(remote, server.sleep()));
        }
        assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(30));
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            assertEquals("1", ask(remote, healthQuery()));
        }
        assertEquals(2, registry.serverStats("s").connectionsCreated());
    }

    @Test
    void aServerThatFreezesIsFoundOutAndForgivenWhenItThaws() throws Exception {
        define(
                "query_timeout",
                "1000",
                "health_check_timeout",
                "1000",
                "health_check_interval",
                "200",
                "enable_health_check",
                "true",
                "failure_threshold",
                "2");
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            ask(remote, healthQuery());
            server.freeze();
            try {
                assertThrows(SQLException.class, () -> ask(remote, healthQuery()));
                await(() -> !registry.isHealthy("s"), "still healthy");
                awaitUnhealthy();
            } finally {
                server.thaw();
            }
        }
        await(() -> registry.isHealthy("s"), "still unhealthy");
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            assertEquals("1", ask(remote, healthQuery()));
        }
    }

    /** Finding F7: it took 8 s, on PostgreSQL 13, of which 5 and 10 were grace. */
    @Test
    void aStatementOnAFrozenServerEndsWithItsTimeout() throws Exception {
        define("query_timeout", "2000");
        RemoteConnection remote = registry.acquire("s", "ann", LONG);
        ask(remote, healthQuery());
        server.freeze();
        try {
            long began = System.nanoTime();
            assertThrows(SQLException.class, () -> ask(remote, healthQuery()));
            assertShort(began, 6);
            began = System.nanoTime();
            remote.close();
            assertShort(began, 1);
        } finally {
            server.thaw();
        }
    }

    /** Finding F7: close() blocked its caller until the network timeout. */
    @Test
    void aReturnToAFrozenServerWaitsNoLongerThanTheResetTimeout() throws Exception {
        define("query_timeout", "20000");
        RemoteConnection remote = registry.acquire("s", "ann", LONG);
        remote.connection().setAutoCommit(false);
        ask(remote, healthQuery());
        server.freeze();
        try {
            long began = System.nanoTime();
            remote.close();
            assertShort(began, 5);
        } finally {
            server.thaw();
        }
        try (RemoteConnection next = registry.acquire("s", "ann", LONG)) {
            assertEquals("1", ask(next, healthQuery()));
        }
        assertEquals(
                2, registry.serverStats("s").connectionsCreated(), "the one that could not be rolled back is gone");
    }

    private static void assertShort(long began, long seconds) {
        long took = System.nanoTime() - began;
        assertTrue(took < TimeUnit.SECONDS.toNanos(seconds), "took " + took / 1_000_000 + " ms");
    }

    /** Finding F6. */
    @Test
    void usersTakeTurnsAtAServerThatTakesFewerSessionsThanTheCap() throws Exception {
        int sessions = server.limitSessions();
        assumeTrue(sessions > 0, server + " knows no such limit");
        try {
            define("max_connections", "1");
            int users = 2 * sessions;
            Map<String, Throwable> failed = new ConcurrentHashMap<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < users; i++) {
                String user = "user" + i;
                threads.add(new Thread(() -> {
                    try {
                        for (int turn = 0; turn < 5; turn++) {
                            try (RemoteConnection remote = registry.acquire("s", user, LONG)) {
                                ask(remote, healthQuery());
                            }
                        }
                    } catch (SQLException | RuntimeException e) {
                        failed.put(user, e);
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(Map.of(), failed);
        } finally {
            registry.close();
            server.unlimitSessions();
        }
    }

    private interface Condition {
        boolean holds() throws SQLException;
    }

    private static void await(Condition condition, String otherwise) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
        while (!condition.holds()) {
            assertTrue(System.nanoTime() < until, otherwise);
            LockSupport.parkNanos(5_000_000);
        }
    }
}
