// SPDX-License-Identifier: Apache-2.0
package dev.forebay.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.pool.DiscardReason;
import dev.forebay.pool.FailureCause;
import dev.forebay.time.VirtualTime;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MicrometerMetricsTest {

    private static final PoolStats STATS = new PoolStats(
            40,
            9,
            1,
            2,
            3,
            50,
            60,
            1000,
            7,
            6,
            1_500_000_000L,
            4,
            250_000_000L,
            77,
            Map.of(FailureCause.LEASE_ACQUIRE, 5L),
            Map.of(DiscardReason.EXPIRED_ON_SCAN, 11L));

    private final VirtualTime time = new VirtualTime();
    private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private MicrometerMetrics observing(MicrometerMetrics metrics, MeterRegistry registry) {
        metrics.observe("history", () -> STATS, time);
        metrics.bindTo(registry);
        return metrics;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dsql_reservoir_size{service=\"history\"} 49.0",
                "dsql_reservoir_target{service=\"history\"} 50.0",
                "dsql_reservoir_ready{service=\"history\"} 40.0",
                "dsql_reservoir_leased{service=\"history\"} 9.0",
                "dsql_reservoir_checkouts_total{service=\"history\"} 1000.0",
                "dsql_reservoir_empty_total{service=\"history\"} 7.0",
                "dsql_reservoir_discards_total{reason=\"expired_on_scan\",service=\"history\"} 11.0",
                "dsql_reservoir_discards_total{reason=\"reservoir_full\",service=\"history\"} 0.0",
                "dsql_reservoir_refills_total{service=\"history\"} 77.0",
                "dsql_reservoir_refill_failures_total{reason=\"lease_acquire\",service=\"history\"} 5.0",
                "dsql_reservoir_refill_failures_total{reason=\"token_provider\",service=\"history\"} 0.0",
                "dsql_reservoir_refill_failures_total{reason=\"rate_limit\",service=\"history\"} 0.0",
                "dsql_reservoir_checkout_latency_milliseconds_bucket{service=\"history\",le=\"0.1\"} 1",
                "dsql_reservoir_checkout_latency_milliseconds_bucket{service=\"history\",le=\"25.0\"} 2",
                "dsql_reservoir_checkout_latency_milliseconds_bucket{service=\"history\",le=\"1000.0\"} 2",
                "dsql_reservoir_checkout_latency_milliseconds_bucket{service=\"history\",le=\"+Inf\"} 2",
                "dsql_reservoir_checkout_latency_milliseconds_count{service=\"history\"} 2",
                "dsql_reservoir_checkout_latency_milliseconds_sum{service=\"history\"} 20.0",
                "dsql_pool_max_open{service=\"history\"} 60.0",
                "dsql_pool_open{service=\"history\"} 49.0",
                "dsql_pool_in_use{service=\"history\"} 9.0",
                "dsql_pool_idle{service=\"history\"} 40.0",
                "dsql_pool_wait_total{service=\"history\"} 6.0",
                "dsql_pool_wait_duration{service=\"history\"} 1.5",
                "dsql_pool_maxwait{service=\"history\"} 0.25",
                "db_client_connection_count{db_client_connection_pool_name=\"history\",db_client_connection_state=\"idle\"} 40.0",
                "db_client_connection_count{db_client_connection_pool_name=\"history\",db_client_connection_state=\"used\"} 9.0",
                "db_client_connection_max{db_client_connection_pool_name=\"history\"} 60.0",
                "db_client_connection_pending_requests{db_client_connection_pool_name=\"history\"} 3.0",
                "db_client_connection_timeouts_total{db_client_connection_pool_name=\"history\"} 4.0",
                "db_client_connection_wait_time_seconds_count{db_client_connection_pool_name=\"history\"} 1000",
                "db_client_connection_wait_time_seconds_sum{db_client_connection_pool_name=\"history\"} 1.5",
                "db_client_connection_use_time_seconds_sum{db_client_connection_pool_name=\"history\"} 3.0",
                "db_client_connection_create_time_seconds_sum{db_client_connection_pool_name=\"history\"} 0.25",
            })
    void aScrapeShowsTheNamesOfTheDocuments(String line) {
        MicrometerMetrics metrics = observing(new MicrometerMetrics(), prometheus);
        metrics.checkedOut(0);
        metrics.checkedOut(20_000_000);
        metrics.returned(3_000_000_000L);
        metrics.opened(1, 250_000_000);
        String scrape = prometheus.scrape();
        assertTrue(scrape.lines().anyMatch(line::equals), () -> line + " is missing in\n" + scrape);
    }

    @Test
    void hikariNamesAppearOnRequestOnly() {
        observing(new MicrometerMetrics(), prometheus);
        assertFalse(prometheus.scrape().contains("hikaricp"));

        PrometheusMeterRegistry other = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MicrometerMetrics metrics = observing(new MicrometerMetrics().withHikariNames(), other);
        metrics.checkedOut(1_000_000);
        TreeSet<String> names = new TreeSet<>();
        other.scrape()
                .lines()
                .filter(line -> line.startsWith("hikaricp"))
                .forEach(line -> names.add(line.replaceFirst(" .*", "")));
        String pool = "{pool=\"history\"}";
        for (String name : new String[] {
            "",
            "_active",
            "_idle",
            "_pending",
            "_max",
            "_min",
            "_timeout_total",
            "_acquire_seconds_count",
            "_usage_seconds_count",
            "_creation_seconds_count"
        }) {
            assertTrue(names.contains("hikaricp_connections" + name + pool), () -> name + " of " + names);
        }
    }

    @ParameterizedTest
    @EnumSource(Metric.class)
    void everyMetricIsThereInAnyRegistryUnderItsName(Metric metric) {
        SimpleMeterRegistry simple = new SimpleMeterRegistry();
        observing(new MicrometerMetrics().withHikariNames(), simple);
        assertFalse(simple.get(metric.id())
                .tag(metric.family().serviceLabel(), "history")
                .meters()
                .isEmpty());
    }

    @Test
    void oneSnapshotServesAScrape() {
        int[] snapshots = {0};
        MicrometerMetrics metrics = new MicrometerMetrics();
        Supplier<PoolStats> counting = () -> {
            snapshots[0]++;
            return STATS;
        };
        metrics.observe("history", counting, time);
        metrics.bindTo(prometheus);
        prometheus.scrape();
        assertEquals(1, snapshots[0]);
        time.advance(Duration.ofMillis(19));
        prometheus.scrape();
        assertEquals(1, snapshots[0]);
        time.advance(Duration.ofMillis(1));
        prometheus.scrape();
        assertEquals(2, snapshots[0]);
    }

    @Test
    void bindingBeforeThePoolExistsWorksToo() {
        MicrometerMetrics metrics = new MicrometerMetrics();
        SimpleMeterRegistry simple = new SimpleMeterRegistry();
        metrics.bindTo(prometheus);
        metrics.returned(5);
        metrics.observe("history", () -> STATS, time);
        metrics.bindTo(simple);
        metrics.returned(7_000_000);
        assertTrue(prometheus.scrape().contains("dsql_reservoir_size{service=\"history\"} 49.0"));
        assertEquals(7, simple.get("db.client.connection.use_time").timer().totalTime(TimeUnit.MILLISECONDS));
        assertThrows(IllegalStateException.class, () -> metrics.observe("other", () -> STATS, time));
    }

    @Test
    void closingTakesTheMetersAway() {
        MicrometerMetrics metrics = observing(new MicrometerMetrics().withHikariNames(), prometheus);
        assertFalse(prometheus.getMeters().isEmpty());
        metrics.close();
        assertEquals("", prometheus.scrape());
        metrics.checkedOut(1);
    }

    @Test
    void checkoutsThatDoNotWaitAreTimedUnlessThatIsSwitchedOff() {
        assertTrue(new MicrometerMetrics().hearsCheckouts());
        assertFalse(
                new MicrometerMetrics().withoutCheckoutTimes().withHikariNames().hearsCheckouts());
    }

    @Test
    void everyReasonIsALabelAndNothingElse() {
        assertEquals(
                DiscardReason.values().length,
                Metric.RESERVOIR_DISCARDS.series().size());
        assertEquals(
                FailureCause.values().length,
                Metric.RESERVOIR_REFILL_FAILURES.series().size());
    }
}
