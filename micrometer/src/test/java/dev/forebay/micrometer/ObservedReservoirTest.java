// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ConfiguredPool;
import dev.forebay.ForebayConfig;
import dev.forebay.engine.Checkout;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolListener;
import dev.forebay.testkit.CapturedLog;
import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.VirtualTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A configured reservoir with its log and its metrics: what happens in the engine is what they show. */
class ObservedReservoirTest {

    @RegisterExtension
    private final CapturedLog logged = new CapturedLog("dev.forebay.PoolLog");

    private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final VirtualTime time = new VirtualTime();
    private final SimServer server = new SimServer(time);
    private final MicrometerMetrics metrics = new MicrometerMetrics(time);

    @BeforeEach
    void listen() {
        metrics.bindTo(prometheus);
    }

    private Pool<Session> start(String target) {
        return start(Map.of(
                "DSQL_RESERVOIR_ENABLED", "true",
                "DSQL_RESERVOIR_TARGET_READY", target,
                "DSQL_RESERVOIR_GUARD_WINDOW", "45s"));
    }

    private Pool<Session> start(Map<String, String> variables) {
        ForebayConfig config = ForebayConfig.builder()
                .applyEnvironment(variables)
                .staggeredStartup(false)
                .serviceName("history")
                .build();
        PoolListener.Observed observed = new PoolListener.Observed(metrics);
        ConfiguredPool<Session> reservoir = new ConfiguredPool<>(
                config,
                server,
                List.of(),
                ConfiguredPool.localRateLimit(config, time),
                List.of(observed),
                time,
                new Random(1));
        observed.show(config.serviceName(), reservoir.pool()::stats);
        reservoir.start(outcome -> {});
        time.advance(Duration.ofSeconds(1));
        return reservoir.pool();
    }

    private void assertScraped(String... lines) {
        time.advance(Duration.ofMillis(20));
        List<String> scrape = prometheus.scrape().lines().toList();
        for (String line : lines) {
            assertTrue(scrape.contains(line), () -> line + " is missing in\n" + String.join("\n", scrape));
        }
    }

    private List<String> lines() {
        List<String> lines = new ArrayList<>();
        logged.events().forEach(event -> lines.add(event.getFormattedMessage()));
        return lines;
    }

    private static Checkout<Session> take(Pool<Session> pool) {
        Checkout<Session> checkout = new Checkout<>();
        assertTrue(pool.tryCheckout(checkout, 0));
        return checkout;
    }

    @Test
    void itsStartIsLoggedAsDocumented() {
        start("2");
        assertEquals(
                List.of(
                        "Reservoir mode enabled, registering reservoir driver",
                        "Reservoir refiller started  target_ready=2 low_watermark=2 base_lifetime=11m0s",
                        "Reservoir refiller: created connection  reservoir_size=1 target=2",
                        "Reservoir refiller: created connection  reservoir_size=2 target=2",
                        "Reservoir initial fill complete  size=2 target=2 elapsed=20ms"),
                lines());
    }

    @Test
    void leasedConnectionsCountAsPartOfTheReservoirAndEmptyCheckoutsAreCounted() {
        Pool<Session> pool = start("2");
        Checkout<Session> first = take(pool);
        Checkout<Session> second = take(pool);
        assertFalse(pool.tryCheckout(new Checkout<>(), 0));
        assertScraped(
                "dsql_reservoir_size{pool=\"history\",service=\"history\"} 2.0",
                "dsql_reservoir_ready{pool=\"history\",service=\"history\"} 0.0",
                "dsql_reservoir_leased{pool=\"history\",service=\"history\"} 2.0",
                "dsql_reservoir_target{pool=\"history\",service=\"history\"} 2.0",
                "dsql_reservoir_checkouts_total{pool=\"history\",service=\"history\"} 2.0",
                "dsql_reservoir_empty_total{pool=\"history\",service=\"history\"} 1.0",
                "dsql_reservoir_checkout_latency_milliseconds_count{pool=\"history\",service=\"history\"} 2",
                "dsql_reservoir_refills_total{pool=\"history\",service=\"history\"} 2.0");
        assertEquals("Reservoir empty  target=2", lines().get(5));

        first.returnToPool();
        second.discard(DiscardReason.BAD_CONNECTION);
        time.advance(Duration.ofSeconds(1));
        assertScraped(
                "dsql_reservoir_discards_total{pool=\"history\",reason=\"bad_connection\",service=\"history\"} 1.0",
                "db_client_connection_use_time_seconds_count{db_client_connection_pool_name=\"history\"} 2",
                "dsql_reservoir_refills_total{pool=\"history\",service=\"history\"} 3.0",
                "dsql_reservoir_size{pool=\"history\",service=\"history\"} 2.0");
    }

    private static Map<String, String> beneathAnotherPool() {
        return Map.of(
                "DSQL_RESERVOIR_ENABLED", "true",
                "DSQL_RESERVOIR_UNDER_ANOTHER_POOL", "true",
                "DSQL_RESERVOIR_TARGET_READY", "5",
                "DSQL_RESERVOIR_OUTER_POOL_SIZE", "20");
    }

    /** What the pool above holds is no part of the reservoir, so that the ratio means the same as without it. */
    @Test
    void whatThePoolAboveHoldsDoesNotFillTheReservoir() {
        Pool<Session> pool = start(beneathAnotherPool());
        for (int i = 0; i < 20; i++) {
            take(pool);
            time.advance(Duration.ofSeconds(1));
        }
        assertScraped(
                "dsql_reservoir_target{pool=\"history\",service=\"history\"} 5.0",
                "dsql_reservoir_leased{pool=\"history\",service=\"history\"} 20.0",
                "dsql_reservoir_size{pool=\"history\",service=\"history\"} 5.0");
        server.behave(SimServer.Behaviour.REFUSE);
        pool.evictIdle(5);
        assertScraped(
                "dsql_reservoir_leased{pool=\"history\",service=\"history\"} 20.0",
                "dsql_reservoir_ready{pool=\"history\",service=\"history\"} 0.0",
                "dsql_reservoir_size{pool=\"history\",service=\"history\"} 0.0");
    }

    /** The alert looks at size ÷ target below a half, which no idle pool on demand may be. */
    @Test
    void aPoolOnDemandAimsAtItsIdleMinimum() {
        start(Map.of("DSQL_POOL_MODE", "on-demand", "DSQL_ON_DEMAND_MIN_IDLE", "3"));
        assertScraped(
                "dsql_reservoir_target{pool=\"history\",service=\"history\"} 3.0",
                "dsql_reservoir_size{pool=\"history\",service=\"history\"} 3.0");
    }

    @Test
    void oneWhoWaitsIsSeenWhileWaitingAndAfterwards() {
        Pool<Session> pool = start("1");
        Checkout<Session> held = take(pool);
        pool.checkout(new Checkout<>(), 0, Long.MAX_VALUE, new Rig.Queued());
        time.advance(Duration.ofMillis(480));
        assertScraped(
                "dsql_pool_maxwait{pool=\"history\",service=\"history\"} 0.5",
                "db_client_connection_pending_requests{db_client_connection_pool_name=\"history\"} 1.0");
        held.returnToPool();
        assertScraped(
                "dsql_pool_maxwait{pool=\"history\",service=\"history\"} 0.0",
                "dsql_pool_wait_total{pool=\"history\",service=\"history\"} 1.0",
                "dsql_pool_wait_duration{pool=\"history\",service=\"history\"} 0.5",
                "dsql_reservoir_checkout_latency_milliseconds_bucket{pool=\"history\",service=\"history\",le=\"250.0\"} 1",
                "dsql_reservoir_checkout_latency_milliseconds_bucket{pool=\"history\",service=\"history\",le=\"500.0\"} 2");
    }

    @Test
    void aServerThatRefusesIsLoggedOnceForEachStepAndTheFillTimesOut() {
        server.behave(() -> SimServer.Behaviour.REFUSE);
        start("50");
        time.advance(Duration.ofSeconds(30));
        List<String> lines = lines();
        assertTrue(lines.contains("Reservoir initial fill timeout  current=0 target=50"), lines::toString);
        long failures = lines.stream()
                .filter(line -> line.startsWith("Reservoir refiller: connection open failed  error=\""))
                .count();
        assertTrue(failures >= 5 && failures <= 15, () -> failures + " lines: " + lines);
    }
}
