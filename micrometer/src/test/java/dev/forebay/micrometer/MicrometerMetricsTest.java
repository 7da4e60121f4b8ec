// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.Metric;
import dev.forebay.engine.Metric.Distribution;
import dev.forebay.engine.Metric.Recorder;
import dev.forebay.engine.Observer.Observation;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.PoolStats;
import dev.forebay.fleet.FleetStats;
import dev.forebay.fleet.FleetStats.LeaseStats;
import dev.forebay.fleet.FleetStats.PermitStats;
import dev.forebay.time.VirtualTime;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
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
            Map.of(OpenFailure.Cause.LEASE_ACQUIRE, 5L),
            Map.of(DiscardReason.EXPIRED_ON_SCAN, 11L),
            new PoolStats.Times(latencies(0, 20_000_000), 1, 3_000_000_000L, 3_000_000_000L));

    private static Distribution latencies(long... nanos) {
        Recorder recorder = new Recorder(new VirtualTime(), Distribution.times());
        LongStream.of(nanos).forEach(recorder::record);
        return recorder.read();
    }

    private final VirtualTime time = new VirtualTime();
    private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private final MicrometerMetrics metrics = new MicrometerMetrics(time);

    /** Shows a pool of the service history. */
    private static PoolListener.Observed history(MicrometerMetrics metrics, MeterRegistry registry) {
        PoolListener.Observed pool = history(metrics, () -> STATS);
        metrics.bindTo(registry);
        return pool;
    }

    private static PoolListener.Observed history(MicrometerMetrics metrics, Supplier<PoolStats> stats) {
        PoolListener.Observed pool = new PoolListener.Observed(metrics);
        pool.show("history", stats);
        return pool;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dsql_reservoir_size{pool=\"history\",service=\"history\"} 40.0",
                "dsql_reservoir_target{pool=\"history\",service=\"history\"} 50.0",
                "dsql_reservoir_ready{pool=\"history\",service=\"history\"} 40.0",
                "dsql_reservoir_leased{pool=\"history\",service=\"history\"} 9.0",
                "dsql_reservoir_checkouts_total{pool=\"history\",service=\"history\"} 1000.0",
                "dsql_reservoir_empty_total{pool=\"history\",service=\"history\"} 7.0",
                "dsql_reservoir_discards_total{pool=\"history\",reason=\"expired_on_scan\",service=\"history\"} 11.0",
                "dsql_reservoir_discards_total{pool=\"history\",reason=\"reservoir_full\",service=\"history\"} 0.0",
                "dsql_reservoir_refills_total{pool=\"history\",service=\"history\"} 77.0",
                "dsql_reservoir_refill_failures_total{pool=\"history\",reason=\"lease_acquire\",service=\"history\"} 5.0",
                "dsql_reservoir_refill_failures_total{pool=\"history\",reason=\"token_provider\",service=\"history\"} 0.0",
                "dsql_reservoir_refill_failures_total{pool=\"history\",reason=\"rate_limit\",service=\"history\"} 0.0",
                "dsql_reservoir_checkout_latency_milliseconds_bucket{pool=\"history\",service=\"history\",le=\"0.1\"} 1",
                "dsql_reservoir_checkout_latency_milliseconds_bucket{pool=\"history\",service=\"history\",le=\"25.0\"} 2",
                "dsql_reservoir_checkout_latency_milliseconds_bucket{pool=\"history\",service=\"history\",le=\"1000.0\"} 2",
                "dsql_reservoir_checkout_latency_milliseconds_bucket{pool=\"history\",service=\"history\",le=\"+Inf\"} 2",
                "dsql_reservoir_checkout_latency_milliseconds_count{pool=\"history\",service=\"history\"} 2",
                "dsql_reservoir_checkout_latency_milliseconds_sum{pool=\"history\",service=\"history\"} 20.0",
                "dsql_reservoir_checkout_latency_milliseconds_max{pool=\"history\",service=\"history\"} 20.0",
                "# TYPE dsql_reservoir_checkout_latency_milliseconds histogram",
                "# HELP dsql_reservoir_checkout_latency_milliseconds How long checkouts took",
                "dsql_pool_max_open{pool=\"history\",service=\"history\"} 60.0",
                "dsql_pool_open{pool=\"history\",service=\"history\"} 49.0",
                "dsql_pool_in_use{pool=\"history\",service=\"history\"} 9.0",
                "dsql_pool_idle{pool=\"history\",service=\"history\"} 40.0",
                "dsql_pool_wait_total{pool=\"history\",service=\"history\"} 6.0",
                "dsql_pool_wait_duration{pool=\"history\",service=\"history\"} 1.5",
                "dsql_pool_maxwait{pool=\"history\",service=\"history\"} 0.25",
                "db_client_connection_count{db_client_connection_pool_name=\"history\",db_client_connection_state=\"idle\"} 40.0",
                "db_client_connection_count{db_client_connection_pool_name=\"history\",db_client_connection_state=\"used\"} 9.0",
                "db_client_connection_max{db_client_connection_pool_name=\"history\"} 60.0",
                "db_client_connection_pending_requests{db_client_connection_pool_name=\"history\"} 3.0",
                "db_client_connection_timeouts_total{db_client_connection_pool_name=\"history\"} 4.0",
                "db_client_connection_wait_time_seconds_count{db_client_connection_pool_name=\"history\"} 1000",
                "db_client_connection_wait_time_seconds_sum{db_client_connection_pool_name=\"history\"} 1.5",
                "db_client_connection_use_time_seconds_count{db_client_connection_pool_name=\"history\"} 1",
                "db_client_connection_use_time_seconds_sum{db_client_connection_pool_name=\"history\"} 3.0",
                "db_client_connection_use_time_seconds_max{db_client_connection_pool_name=\"history\"} 3.0",
                "# TYPE db_client_connection_use_time_seconds summary",
                "db_client_connection_create_time_seconds_sum{db_client_connection_pool_name=\"history\"} 0.25",
            })
    void aScrapeShowsTheNamesOfTheDocuments(String line) {
        PoolListener.Observed pool = history(metrics, prometheus);
        pool.opened(1, 250_000_000);
        String scrape = prometheus.scrape();
        assertTrue(scrape.lines().anyMatch(line::equals), () -> line + " is missing in\n" + scrape);
    }

    @Test
    void hikariNamesAppearOnRequestOnly() {
        history(metrics, prometheus);
        assertFalse(prometheus.scrape().contains("hikaricp"));

        PrometheusMeterRegistry other = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        history(new MicrometerMetrics(other).withHikariNames(), () -> STATS);
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
            "_acquire_seconds_max",
            "_usage_seconds_count",
            "_usage_seconds_max",
            "_creation_seconds_count",
            "_creation_seconds_max"
        }) {
            assertTrue(names.contains("hikaricp_connections" + name + pool), () -> name + " of " + names);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.forebay.micrometer.Catalogues#ofPools")
    void everyMetricIsThereInAnyRegistryUnderItsName(Metric<?> metric) {
        SimpleMeterRegistry simple = new SimpleMeterRegistry();
        history(metrics.withHikariNames(), simple);
        for (String label : metric.ownerLabels()) {
            assertFalse(simple.get(metric.id()).tag(label, "history").meters().isEmpty());
        }
    }

    @Test
    void oneSnapshotServesAScrape() {
        int[] snapshots = {0};
        Supplier<PoolStats> counting = () -> {
            snapshots[0]++;
            return STATS;
        };
        history(metrics, counting);
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
        SimpleMeterRegistry simple = new SimpleMeterRegistry();
        metrics.bindTo(prometheus);
        PoolListener.Observed pool = new PoolListener.Observed(metrics);
        pool.opened(1, 5);
        pool.show("history", () -> STATS);
        metrics.bindTo(simple);
        pool.opened(2, 7_000_000);
        assertTrue(prometheus.scrape().contains("dsql_reservoir_size{pool=\"history\",service=\"history\"} 40.0"));
        assertEquals(7, simple.get("db.client.connection.create_time").timer().totalTime(TimeUnit.MILLISECONDS));
    }

    @Test
    void closingTakesTheMetersAway() {
        PoolListener.Observed pool = history(metrics.withHikariNames(), prometheus);
        assertFalse(prometheus.getMeters().isEmpty());
        pool.close();
        assertEquals("", prometheus.scrape());
        pool.opened(1, 1);
    }

    @Test
    void closingTheMetricsTakesAllMetersAwayAndNoneComesBack() {
        PoolListener.Observed pool = history(metrics, prometheus);
        metrics.close();
        pool.opened(1, 1);
        history(metrics, () -> STATS);
        metrics.bindTo(prometheus);
        assertEquals("", prometheus.scrape());
    }

    @Test
    void twoPoolsOfOneServiceAreBothShown() {
        history(metrics.withHikariNames(), prometheus);
        PoolListener.Observed second = history(metrics.withHikariNames(), prometheus);
        String scrape = prometheus.scrape();
        for (String pool : new String[] {"history", "history-2"}) {
            assertTrue(scrape.contains("dsql_reservoir_size{pool=\"" + pool + "\",service=\"history\"} 40.0"), scrape);
            assertTrue(scrape.contains("db_client_connection_max{db_client_connection_pool_name=\"" + pool + "\"}"));
            assertTrue(scrape.contains("hikaricp_connections{pool=\"" + pool + "\"}"));
        }
        String count = "dsql_reservoir_checkout_latency_milliseconds_count{pool=\"%s\",service=\"history\"} %d";
        assertTrue(scrape.contains(count.formatted("history", 2)) && scrape.contains(count.formatted("history-2", 2)));
        second.close();
        assertFalse(prometheus.scrape().contains("history-2"));
        assertTrue(prometheus.scrape().contains("dsql_reservoir_size{pool=\"history\""));
        history(metrics, prometheus);
        assertTrue(prometheus.scrape().contains("history-2"), "the name is free again");
    }

    /** Services whose names are like those that a second pool gets take nothing from each other. */
    @Test
    void aServiceNamedLikeASecondPoolIsShownToo() {
        for (String service : new String[] {"history-2", "history", "history"}) {
            new PoolListener.Observed(metrics).show(service, () -> STATS);
        }
        metrics.bindTo(prometheus);
        assertEquals(Set.of("history-2", "history", "history-3"), labels("dsql_reservoir_size", "pool"));
    }

    @Test
    void poolsBuiltAtTheSameMomentAreAllShown() throws Exception {
        int pools = 16;
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> threads = IntStream.range(0, pools)
                .mapToObj(i -> new Thread(() -> {
                    MicrometerMetrics own = new MicrometerMetrics(prometheus);
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        return;
                    }
                    history(own, () -> STATS);
                }))
                .toList();
        threads.forEach(Thread::start);
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(pools, labels("dsql_reservoir_size", "pool").size());
    }

    @Test
    void theFleetsNumbersOfTwoPoolsAreBothShown() {
        FleetStats none = new FleetStats(LeaseStats.NONE, PermitStats.NONE, FleetStats.UP);
        metrics.bindTo(prometheus);
        FleetStats.show(metrics, "history", () -> none);
        Observation second = FleetStats.show(metrics, "history", () -> none);
        assertEquals(Set.of("history", "history-2"), labels("dsql_distributed_conn_lease_slots", "pool"));
        second.close();
        assertEquals(Set.of("history"), labels("dsql_distributed_conn_lease_slots", "pool"));
    }

    /** A bucket is shown as it is counted only if its bound is one that is counted at. */
    @Test
    void everyBoundOfATimeIsOneThatIsCountedAt() {
        Set<Long> counted = LongStream.of(Distribution.times()).boxed().collect(Collectors.toSet());
        for (Metric<?> metric : Catalogues.all()) {
            double unit = metric.kind() == Metric.Kind.HISTOGRAM_MILLIS ? 1e6 : 1e9;
            for (double bound : metric.kind() == Metric.Kind.HISTOGRAM ? List.<Double>of() : metric.bounds()) {
                assertTrue(counted.contains(Math.round(bound * unit)), () -> metric.id() + " at " + bound);
            }
        }
    }

    /** Tags and refusals that a registry adds to all of its meters hold for the distributions, too. */
    @Test
    void aRegistrysFiltersHoldForDistributions() {
        prometheus.config().commonTags("region", "eu-west-1");
        PrometheusMeterRegistry deaf = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        deaf.config().meterFilter(MeterFilter.denyNameStartsWith("dsql_reservoir_checkout"));
        history(metrics, prometheus);
        metrics.bindTo(deaf);
        assertEquals(Set.of("eu-west-1"), labels("dsql_reservoir_checkout_latency_milliseconds_bucket", "region"));
        assertTrue(deaf.scrape().contains("dsql_reservoir_size"));
        assertFalse(deaf.scrape().contains("dsql_reservoir_checkout_latency"), deaf::scrape);
    }

    /** Each of the registries in a composite gets what it can show. */
    @Test
    void aCompositeShowsDistributionsInEachOfItsRegistries() {
        SimpleMeterRegistry simple = new SimpleMeterRegistry();
        CompositeMeterRegistry composite = new CompositeMeterRegistry();
        composite.add(new CompositeMeterRegistry().add(prometheus)).add(simple);
        PoolListener.Observed pool = history(metrics, composite);
        String name = "dsql_reservoir_checkout_latency_milliseconds";
        assertTrue(prometheus.scrape().contains(name + "_bucket{pool=\"history\",service=\"history\",le=\"25.0\"} 2"));
        assertEquals(
                2, simple.get(name + ".histogram").tag("le", "25.0").gauge().value());
        assertEquals(20, simple.get(name + "_max").gauge().value());
        pool.close();
        assertEquals("", prometheus.scrape());
        assertEquals(List.of(), simple.getMeters());
    }

    /** Label values of a metric as Prometheus sees them. */
    private Set<String> labels(String metric, String label) {
        Matcher found = Pattern.compile("(?m)^" + metric + "\\{.*?" + label + "=\"([^\"]+)\"")
                .matcher(prometheus.scrape());
        return found.results().map(match -> match.group(1)).collect(Collectors.toSet());
    }

    /** Dashboards and alerts name these: one that changes breaks them. */
    @Test
    void everyReasonIsALabelUnderTheNameThatDashboardsKnow() {
        history(metrics, prometheus);
        assertEquals(
                Set.of(
                        "insufficient_remaining_lifetime",
                        "expired_on_checkout",
                        "expired_on_return",
                        "expired_on_scan",
                        "expiring_soon_on_scan",
                        "reservoir_full",
                        "replaced",
                        "bad_connection",
                        "failed_validation",
                        "idle_timeout",
                        "overflow",
                        "evicted",
                        "pool_closed"),
                labels("dsql_reservoir_discards_total", "reason"));
        assertEquals(
                Set.of("rate_limit", "lease_acquire", "token_provider", "connection_count", "connect"),
                labels("dsql_reservoir_refill_failures_total", "reason"));
    }
}
