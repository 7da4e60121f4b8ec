// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.testkit.Postgres;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The data source beneath a real HikariCP. */
class UnderAnotherPoolIT {

    private static ForebayDataSource reservoir(int target, int outer) throws SQLException {
        return ForebayDataSource.builder()
                .dataSource(Postgres.shared().dataSource())
                .config(config(target, outer))
                .build();
    }

    private static ForebayConfig config(int target, int outer) {
        return ForebayConfig.builder()
                .mode(ForebayConfig.Mode.RESERVOIR)
                .targetReady(target)
                .underAnotherPool(true)
                .outerPoolSize(outer)
                .staggeredStartup(false)
                .build();
    }

    @Test
    void hikariServesFromTheReservoirAndKeepsItsLevel() throws SQLException {
        try (ForebayDataSource reservoir = reservoir(4, 3);
                HikariDataSource hikari = hikari(reservoir, 3)) {
            List<Connection> held = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                held.add(hikari.getConnection());
            }
            for (Connection connection : held) {
                assertTrue(connection.isValid(5));
                connection.close();
            }
            assertTrue(reservoir.stats().borrowed() >= 3);
            assertTrue(reservoir.stats().open() <= 7);
        }
    }

    /** HikariCP tells its data source its own timeout; the brief wait is what makes it try again instead. */
    @Test
    void theWaitStaysBriefWhateverThePoolAboveSets() throws SQLException {
        try (ForebayDataSource reservoir = reservoir(1, 0)) {
            reservoir.setLoginTimeout(600);
            Connection only = reservoir.getConnection();
            SQLException error = assertThrows(SQLTransientConnectionException.class, reservoir::getConnection);
            assertTrue(error.getMessage().startsWith("no connection within 0.1 s"), error.getMessage());
            assertEquals("08001", error.getSQLState());
            only.close();
        }
    }

    @Test
    void closingClosesWhatIsIdleAlthoughOneIsBorrowed() throws SQLException {
        ForebayDataSource reservoir = reservoir(4, 0);
        Connection borrowed = reservoir.getConnection();
        reservoir.close();
        assertEquals(1, reservoir.stats().open());
        assertEquals(0, reservoir.stats().ready() + reservoir.stats().closing());
        borrowed.close();
    }

    /** The expression of the shipped alert, on what a scrape shows. */
    private static boolean isReservoirLow(PrometheusMeterRegistry registry) throws IOException {
        String rules = Files.readString(Path.of("../dashboards/alerts.yaml"));
        assertTrue(
                rules.contains("expr: dsql_reservoir_size / dsql_reservoir_target < 0.5\n"), "what is looked at here");
        return gauge(registry, "dsql_reservoir_size") / gauge(registry, "dsql_reservoir_target") < 0.5;
    }

    private static double gauge(PrometheusMeterRegistry registry, String name) {
        return registry.get(name).tag("service", "beneath").gauge().value();
    }

    @Test
    void theAlertFiresForAReservoirThatIsEmptiedBeneathHikari() throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MicrometerMetrics metrics = new MicrometerMetrics();
        metrics.bindTo(registry);
        try (Postgres server = Postgres.start(Map.of("max_connections", "30"));
                ForebayDataSource reservoir = ForebayDataSource.builder()
                        .dataSource(server.dataSource())
                        .observer(metrics)
                        .config(config(5, 20).toBuilder().serviceName("beneath").build())
                        .build();
                HikariDataSource hikari = hikari(reservoir, 20)) {
            List<Connection> held = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                held.add(hikari.getConnection());
            }
            await(() -> reservoir.stats().ready() == 5);
            await(() -> gauge(registry, "dsql_reservoir_size") == 5);
            assertFalse(isReservoirLow(registry), "all is well");
            server.freeze();
            reservoir.evictIdle(5);
            await(() -> gauge(registry, "dsql_reservoir_ready") == 0);
            assertEquals(20, reservoir.stats().borrowed());
            assertTrue(isReservoirLow(registry), "it is empty");
            server.thaw();
            await(() -> gauge(registry, "dsql_reservoir_size") == 5);
            assertFalse(isReservoirLow(registry), "and full again");
            for (Connection connection : held) {
                connection.close();
            }
        }
    }

    private static void await(BooleanSupplier condition) {
        assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
            while (!condition.getAsBoolean()) {
                Thread.onSpinWait();
            }
        });
    }

    private static HikariDataSource hikari(ForebayDataSource below, int size) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(below);
        config.setMaximumPoolSize(size);
        return new HikariDataSource(config);
    }
}
