// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.micrometer.MicrometerMetrics;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.UserMapping;
import dev.forebay.testkit.Postgres;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Bytes are counted where the driver takes a socket factory, and absent elsewhere. */
class TrafficIT {

    private static final int MUCH = 100_000;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private double bytes(String direction, String server) {
        FunctionCounter counter = meters.find("scratchbird_remote_connection_bytes_" + direction + "_total")
                .tag("server", server)
                .functionCounter();
        return counter == null ? -1 : counter.count();
    }

    @Test
    void whatGoesThroughPostgresConnectionsIsCounted() throws Exception {
        Postgres postgres = Postgres.shared();
        try (JdbcRegistry registry =
                JdbcRegistry.builder().observer(new MicrometerMetrics(meters)).build()) {
            registry.register(ServerDefinition.builder("pg", DatabaseType.POSTGRESQL)
                    .option("host", "127.0.0.1")
                    .option("port", Integer.toString(postgres.port()))
                    .option("dbname", "postgres")
                    .option("enable_health_check", "false")
                    .build());
            registry.map("pg", UserMapping.ofPublic("postgres", Secret.of("")));
            assertEquals(0, bytes("sent", "pg"));
            try (RemoteConnection remote = registry.acquire("pg", "alice", Duration.ofSeconds(30));
                    Statement statement = remote.connection().createStatement();
                    ResultSet rows = statement.executeQuery("SELECT repeat('x', " + MUCH + ")")) {
                assertTrue(rows.next());
                assertEquals(MUCH, rows.getString(1).length());
            }
            awaitMoreThan(MUCH, "received");
            double sent = bytes("sent", "pg");
            assertTrue(sent > 30 && sent < MUCH, "sent " + sent);
            assertTrue(bytes("received", "pg") < 2 * MUCH, "received " + bytes("received", "pg"));
        }
    }

    private void awaitMoreThan(double least, String direction) {
        long until = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (bytes(direction, "pg") <= least) { // the numbers of a snapshot are some milliseconds old
            assertTrue(System.nanoTime() < until, direction + " " + bytes(direction, "pg"));
            Thread.onSpinWait();
        }
    }

    @Test
    void theyAreAbsentForOtherTypesAndTheirDriversAreToldNothing() throws Exception {
        StubDriver driver = new StubDriver();
        try (JdbcRegistry registry = JdbcRegistry.builder()
                .drivers(type -> driver)
                .observer(new MicrometerMetrics(meters))
                .build()) {
            registry.register(ServerDefinition.builder("my", DatabaseType.MARIADB)
                    .option("host", "h")
                    .option("dbname", "d")
                    .option("enable_health_check", "false")
                    .build());
            registry.map("my", UserMapping.ofPublic("app", Secret.of("")));
            registry.acquire("my", "alice", Duration.ofSeconds(30)).close();
            assertEquals(-1, bytes("sent", "my"));
            assertFalse(driver.links.get(0).properties.containsKey("socketFactory"));
        }
    }

    @Test
    void aFactoryOfOnesOwnIsKept() throws Exception {
        StubDriver driver = new StubDriver();
        try (JdbcRegistry registry = JdbcRegistry.builder()
                .drivers(type -> driver)
                .observer(new MicrometerMetrics(meters))
                .build()) {
            registry.register(ServerDefinition.builder("pg", DatabaseType.POSTGRESQL)
                    .option("host", "h")
                    .option("dbname", "d")
                    .option("enable_health_check", "false")
                    .option("driver.socketFactory", "com.example.Sockets")
                    .build());
            registry.map("pg", UserMapping.ofPublic("app", Secret.of("")));
            registry.acquire("pg", "alice", Duration.ofSeconds(30)).close();
            assertEquals("com.example.Sockets", driver.links.get(0).properties.getProperty("socketFactory"));
        }
    }
}
