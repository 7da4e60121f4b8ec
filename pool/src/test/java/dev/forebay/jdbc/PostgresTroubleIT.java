// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.testkit.Postgres;
import dev.forebay.time.SystemTime;
import dev.forebay.tx.ErrorMeaning;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a pool makes of a server that is restarted, full, frozen or silent. */
@Timeout(120)
class PostgresTroubleIT {

    private static Postgres server;

    @BeforeAll
    static void startServer() {
        server = Postgres.start(Map.of("max_connections", "8", "superuser_reserved_connections", "0"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static long seconds(int seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void aRestartIsOvercome() throws SQLException {
        try (ServerPool pool = ServerPool.of(server, 3)) {
            pool.await(stats -> stats.ready() == 3);
            Connection borrowed = pool.borrow();
            server.restart();
            Statement statement = borrowed.createStatement();
            assertThrows(SQLException.class, () -> statement.execute("select 1"));
            borrowed.close();
            pool.await(stats -> stats.ready() == 3 && stats.opened() >= 6);
            for (int i = 0; i < 3; i++) {
                try (Connection fresh = pool.borrow();
                        Statement query = fresh.createStatement()) {
                    assertTrue(query.execute("select 1"));
                }
            }
            assertEquals(1, pool.pool.stats().discards(DiscardReason.BAD_CONNECTION));
        }
    }

    @Test
    void aFullServerIsToldApartFromABrokenOne() throws SQLException {
        try (ServerPool pool = ServerPool.of(server, 20)) {
            pool.await(stats -> stats.openFailures(OpenFailure.Cause.CONNECTION_COUNT) > 0 && stats.open() > 0);
            assertEquals(0, pool.pool.stats().openFailures(OpenFailure.Cause.CONNECT));
            assertEquals(Map.of(), pool.pool.stats().discards());
            List<Connection> held = new ArrayList<>();
            SQLException error = assertThrows(SQLTransientConnectionException.class, () -> {
                while (true) {
                    held.add(pool.borrowing.borrow(seconds(1)));
                }
            });
            for (Connection connection : held) {
                assertTrue(connection.isValid(5));
                connection.close();
            }
            assertTrue(error.getMessage().contains("last open failure (connection_count)"), error::getMessage);
            assertEquals(ErrorMeaning.TOO_MANY_CONNECTIONS, ErrorMeaning.of(error));
        }
    }

    @Test
    void aFrozenServerHoldsUpNobodyForLongerThanAllowed() throws SQLException {
        SessionConfig config = SessionConfig.builder()
                .networkTimeout(Duration.ofMillis(500))
                .validationTimeout(Duration.ofSeconds(1))
                .build();
        ConnectionSource source = ConnectionSource.of(server.dataSource());
        try (ServerPool pool = new ServerPool(
                source,
                2,
                config,
                more -> more.openTimeout(Duration.ofMillis(500)).checkTimeout(Duration.ofSeconds(2)))) {
            pool.await(stats -> stats.ready() == 2);
            Connection borrowed = pool.borrow();
            Statement statement = borrowed.createStatement();
            server.freeze();
            try {
                SQLException error = assertThrows(SQLException.class, () -> statement.execute("select 1"));
                assertEquals(ErrorMeaning.CONNECTION_LOST, ErrorMeaning.of(error));
                borrowed.close();
                pool.await(stats -> stats.discards(DiscardReason.BAD_CONNECTION) == 1
                        && stats.discards(DiscardReason.FAILED_VALIDATION) == 1
                        && stats.openFailures(OpenFailure.Cause.CONNECT) > 0);
                long began = SystemTime.shared().nanos();
                assertThrows(SQLTransientConnectionException.class, () -> pool.borrowing.borrow(seconds(1)));
                assertTrue(SystemTime.shared().nanos() - began < seconds(5));
            } finally {
                server.thaw();
            }
            pool.await(stats -> stats.ready() == 2);
            try (Connection fresh = pool.borrow()) {
                assertTrue(fresh.isValid(5));
            }
        }
    }

    @Test
    void aSilentServerIsGivenUpButStaysCountedUntilTheDriverIsDone() throws Exception {
        List<Socket> accepted = new CopyOnWriteArrayList<>();
        try (ServerSocket silent = new ServerSocket(0)) {
            Thread acceptor = new Thread(() -> {
                try {
                    while (true) {
                        accepted.add(silent.accept());
                    }
                } catch (IOException closed) {
                    // the test is over
                }
            });
            acceptor.start();
            ConnectionSource source = ConnectionSource.of(
                    "jdbc:postgresql://localhost:" + silent.getLocalPort() + "/x?user=me", new Properties());
            ServerPool pool =
                    new ServerPool(source, 1, SessionConfig.DEFAULT, more -> more.openTimeout(Duration.ofMillis(300)));
            pool.await(stats -> stats.openFailures(OpenFailure.Cause.CONNECT) > 0);
            assertTrue(pool.pool.stats().closing() > 0, "given up, but not ended");
            assertThrows(SQLTransientConnectionException.class, () -> pool.borrowing.borrow(seconds(1) / 2));
            pool.pool.close();
            silent.close();
            acceptor.join();
            for (Socket socket : accepted) {
                socket.close();
            }
            pool.close();
            assertEquals(0, pool.pool.stats().closing());
        }
    }

    @Test
    void aConnectionHeldPastItsLifetimeIsInvalidAndNotTakenBack() throws SQLException {
        ConnectionSource source = ConnectionSource.of(server.dataSource());
        try (ServerPool pool = new ServerPool(
                source,
                1,
                SessionConfig.DEFAULT,
                more -> more.lifetime(Duration.ofSeconds(2), Duration.ZERO, Duration.ofMillis(200)))) {
            Connection held = pool.borrow();
            assertTrue(held.isValid(5));
            while (held.isValid(5)) {
                Thread.onSpinWait();
            }
            assertFalse(held.isClosed());
            try (Statement statement = held.createStatement()) {
                assertTrue(statement.execute("select 1"), "it still works, and is not taken from its borrower");
            }
            held.close();
            try (Connection fresh = pool.borrow()) {
                assertTrue(fresh.isValid(5));
            }
            assertEquals(1, pool.pool.stats().discards(DiscardReason.EXPIRED_ON_RETURN));
            assertEquals(0, pool.pool.stats().discards(DiscardReason.BAD_CONNECTION));
        }
    }
}
