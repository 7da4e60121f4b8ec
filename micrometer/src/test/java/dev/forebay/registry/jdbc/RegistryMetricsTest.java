// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.micrometer.MicrometerMetrics;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.UserMapping;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Prometheus is shown of a registry. */
class RegistryMetricsTest {

    private final StubDriver driver = new StubDriver();
    private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JdbcRegistry registry = JdbcRegistry.builder()
            .drivers(type -> driver)
            .observer(new MicrometerMetrics(prometheus))
            .build();

    @BeforeEach
    void aServer() throws Exception {
        register("s");
    }

    private void register(String name) throws RegistryException {
        registry.register(ServerDefinition.builder(name, DatabaseType.POSTGRESQL)
                .option("host", "h")
                .option("dbname", "d")
                .option("max_connections", "1")
                .option("enable_health_check", "false")
                .build());
        registry.map(name, UserMapping.ofPublic("app", Secret.of("hunter2")));
    }

    @AfterEach
    void end() {
        registry.close();
    }

    /** Scrapes until a line says {@code start}: numbers of a snapshot are some milliseconds old. */
    private String shows(String line) {
        return await(text -> text.contains("\n" + line + "\n"), line);
    }

    private String await(Predicate<String> holds, String what) {
        long until = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        String text;
        do {
            text = "\n" + prometheus.scrape();
            if (holds.test(text)) {
                return text;
            }
            Thread.onSpinWait();
        } while (System.nanoTime() < until);
        throw new AssertionError(what + " is not in\n" + text);
    }

    @Test
    void theDocumentsNamesAreShown() throws Exception {
        try (RemoteConnection remote = registry.acquire("s", "alice")) {
            StubDriver.run(remote.connection(), "SELECT 1");
            shows("scratchbird_remote_pool_connections{server=\"s\",state=\"active\"} 1.0");
            assertThrows(SQLException.class, () -> registry.acquire("s", "alice", Duration.ofMillis(1)));
        }
        shows("scratchbird_remote_pool_connections{server=\"s\",state=\"idle\"} 1.0");
        shows("scratchbird_remote_pool_acquires_total{server=\"s\"} 1.0");
        shows("scratchbird_remote_pool_releases_total{server=\"s\"} 1.0");
        shows("scratchbird_remote_pool_timeouts_total{server=\"s\"} 1.0");
        shows("scratchbird_remote_pool_errors_total{server=\"s\"} 0.0");
        shows("scratchbird_remote_connection_queries_total{server=\"s\"} 1.0");
        shows("scratchbird_remote_pool_healthy{server=\"s\"} 1.0");
        shows("scratchbird_remote_pool_health_checks_total{result=\"failure\",server=\"s\"} 0.0");
        shows(
                "db_client_connection_count{db_client_connection_pool_name=\"s\",db_client_connection_state=\"idle\"} 1.0");
    }

    @Test
    void aGaugeIsAGauge() {
        String text = shows("# TYPE scratchbird_remote_pool_connections gauge");
        assertFalse(text.contains("scratchbird_remote_pool_connections_total"), text);
        shows("# TYPE scratchbird_remote_pool_acquires_total counter");
    }

    @Test
    void quantilesComeWithSumAndCount() throws Exception {
        try (RemoteConnection remote = registry.acquire("s", "alice")) {
            StubDriver.run(remote.connection(), "SELECT 1");
        }
        shows("scratchbird_remote_pool_acquire_duration_seconds_count{server=\"s\"} 1");
        String text = shows("scratchbird_remote_connection_query_duration_seconds_count{server=\"s\"} 1");
        assertTrue(text.contains("scratchbird_remote_pool_acquire_duration_seconds_sum{server=\"s\"}"), text);
        assertTrue(
                text.contains("scratchbird_remote_pool_acquire_duration_seconds{server=\"s\",quantile=\"0.99\"}"),
                text);
        assertFalse(text.contains("_seconds_seconds"), text);
    }

    @Test
    void aBrokenConnectionIsSeenToHaveFailed() throws Exception {
        shows("scratchbird_remote_pool_connections_failed_total{server=\"s\"} 0.0");
        try (RemoteConnection remote = registry.acquire("s", "alice")) {
            assertTrue(remote.markFailed());
        }
        shows("scratchbird_remote_pool_connections_failed_total{server=\"s\"} 1.0");
    }

    @Test
    void metersComeAndGoWithTheirServers() throws Exception {
        register("t");
        shows("scratchbird_remote_pool_healthy{server=\"t\"} 1.0");
        registry.rename("t", "u");
        assertFalse(shows("scratchbird_remote_pool_healthy{server=\"u\"} 1.0").contains("server=\"t\""));
        registry.unregister("u");
        await(text -> !text.contains("server=\"u\"") && text.contains("server=\"s\""), "the other server alone");
        registry.close();
        assertFalse(prometheus.scrape().contains("scratchbird"), prometheus.scrape());
    }

    @Test
    void nothingShownHoldsAPassword() throws Exception {
        registry.acquire("s", "alice").close();
        assertFalse(prometheus.scrape().contains("hunter2"));
    }

    /** Finding C2: a probe that found out nothing was counted as a success. */
    @Test
    void aProbeThatFoundOutNothingHasAResultOfItsOwn() throws Exception {
        driver.onConnect = url -> {
            throw new SQLException("too many clients already", "53300");
        };
        registry.checkNow("s");
        shows("scratchbird_remote_pool_health_checks_total{result=\"unknown\",server=\"s\"} 1.0");
        shows("scratchbird_remote_pool_health_checks_total{result=\"success\",server=\"s\"} 0.0");
        shows("scratchbird_remote_pool_health_checks_total{result=\"failure\",server=\"s\"} 0.0");
    }
}
