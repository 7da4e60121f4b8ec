// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.forebay.engine.DiscardReason;
import dev.forebay.testkit.Postgres;
import dev.forebay.time.SystemTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

/** The reservoir under another pool: HikariCP borrows from it and keeps what it borrowed. */
@Timeout(120)
class UnderHikariIT {

    private static final Duration LIFETIME = Duration.ofSeconds(3);

    /** How long Hikari hands out a connection again without asking whether it is valid. */
    private static final long BYPASS_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

    private static ServerPool reservoir(int size) {
        ServerPool reservoir = new ServerPool(
                ConnectionSource.of(Postgres.shared().dataSource()),
                size,
                SessionConfig.DEFAULT,
                more -> more.lifetime(LIFETIME, Duration.ZERO, Duration.ofMillis(300))
                        .spare(1));
        reservoir.await(stats -> stats.ready() == size); // as at start-up: what is above does not wait for a fill
        return reservoir;
    }

    private static HikariDataSource hikari(ServerPool reservoir, int size) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(FakeDatabase.proxy(
                DataSource.class, (proxy, method, arguments) -> switch (method.getName()) {
                    case "getConnection" -> reservoir.borrowing.borrow(TimeUnit.MILLISECONDS.toNanos(100));
                    case "toString" -> "reservoir";
                    case "getLoginTimeout" -> 0;
                    default -> null;
                }));
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(10_000);
        return new HikariDataSource(config);
    }

    private static int backend(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getBackendPID();
    }

    @Test
    void thePoolAboveLetsGoOfAConnectionPastItsLifetime() throws SQLException {
        try (ServerPool reservoir = reservoir(2);
                HikariDataSource hikari = hikari(reservoir, 1)) {
            int first;
            try (Connection connection = hikari.getConnection()) {
                first = backend(connection);
            }
            long deadline = SystemTime.shared().nanos() + LIFETIME.toNanos() + BYPASS_NANOS;
            while (SystemTime.shared().nanos() < deadline) {
                Thread.onSpinWait();
            }
            try (Connection connection = hikari.getConnection();
                    Statement statement = connection.createStatement()) {
                assertNotEquals(first, backend(connection));
                assertTrue(statement.execute("select 1"));
            }
            String stillThere = "select 1 from pg_stat_activity where pid = " + first;
            while (Postgres.shared().ask(stillThere) != null) {
                Thread.onSpinWait();
            }
            assertEquals(0, reservoir.pool.stats().discards(DiscardReason.BAD_CONNECTION));
        }
    }

    @Test
    void whatHikariEvictsFor0A000ComesBackToTheReservoir() throws SQLException {
        try (ServerPool reservoir = reservoir(1);
                HikariDataSource hikari = hikari(reservoir, 1)) {
            try (Connection connection = hikari.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThrows(
                        SQLException.class, () -> statement.execute("do $$ begin raise feature_not_supported; end $$"));
            }
            try (Connection connection = hikari.getConnection()) {
                assertTrue(connection.isValid(1));
            }
            assertEquals(0, reservoir.pool.stats().discards(DiscardReason.BAD_CONNECTION));
        }
    }

    @Test
    void aBrokenConnectionIsLetGoByBoth() throws SQLException {
        try (ServerPool reservoir = reservoir(2);
                HikariDataSource hikari = hikari(reservoir, 1)) {
            try (Connection connection = hikari.getConnection();
                    Statement statement = connection.createStatement()) {
                Postgres.shared().ask("select pg_terminate_backend(" + backend(connection) + ", 5000)");
                assertThrows(SQLException.class, () -> statement.execute("select 1"));
            }
            try (Connection connection = hikari.getConnection();
                    Statement statement = connection.createStatement()) {
                assertTrue(statement.execute("select 1"));
            }
            reservoir.await(stats -> stats.discards(DiscardReason.BAD_CONNECTION) == 1);
        }
    }

    @Test
    void whatHikariClosesIsLeftAsItWas() throws SQLException {
        try (ServerPool reservoir = reservoir(1)) {
            try (HikariDataSource hikari = hikari(reservoir, 1);
                    Connection connection = hikari.getConnection()) {
                connection.setAutoCommit(false);
                connection.setNetworkTimeout(Runnable::run, 5_000);
                assertTrue(connection.createStatement().execute("select 1"));
            }
            reservoir.await(stats -> stats.ready() == 1 && stats.borrowed() == 0);
            try (Connection connection = reservoir.borrow()) {
                assertTrue(connection.getAutoCommit());
                assertEquals(0, connection.getNetworkTimeout());
            }
        }
    }
}
