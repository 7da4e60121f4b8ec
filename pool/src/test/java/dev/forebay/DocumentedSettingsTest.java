// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import dev.forebay.engine.Checkout;
import dev.forebay.testkit.CapturedLog;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Settings and log lines as the documents of the DSQL plugin have them. */
class DocumentedSettingsTest {

    @RegisterExtension
    private final CapturedLog log = new CapturedLog(PoolLog.class);

    @RegisterExtension
    private final CapturedLog start = new CapturedLog(ConfiguredPool.class);

    private final VirtualTime time = new VirtualTime();
    private final SimServer server = new SimServer(time);

    private ConfiguredPool<Session> start(Map<String, String> variables) {
        ForebayConfig config = ForebayConfig.builder()
                .staggeredStartup(false)
                .applyEnvironment(variables)
                .build();
        ConfiguredPool<Session> reservoir = new ConfiguredPool<>(
                config, server, List.of(), ConfiguredPool.localRateLimit(config, time), List.of(), time, new Random(1));
        reservoir.start(outcome -> {});
        time.advance(Duration.ofSeconds(30));
        return reservoir;
    }

    @Test
    void theLowWatermarkIsTheMaximumUnlessTheTargetIsLower() {
        assertEquals(
                40,
                ForebayConfig.fromEnvironment(reservoir("DSQL_MAX_CONNS", "40")).lowWatermark());
        ForebayConfig lower =
                ForebayConfig.fromEnvironment(reservoir("DSQL_MAX_CONNS", "40", "DSQL_RESERVOIR_TARGET_READY", "30"));
        assertEquals(30, lower.lowWatermark());
        assertEquals(30, lower.targetReady());
        assertEquals(
                200,
                ForebayConfig.fromEnvironment(reservoir("DSQL_RESERVOIR_TARGET_READY", "200"))
                        .lowWatermark());
        ForebayConfig beneath = ForebayConfig.fromEnvironment(reservoir(
                "DSQL_MAX_CONNS",
                "40",
                "DSQL_RESERVOIR_TARGET_READY",
                "60",
                "DSQL_RESERVOIR_UNDER_ANOTHER_POOL",
                "true"));
        assertEquals(40, beneath.lowWatermark());
    }

    private static Map<String, String> reservoir(String... variables) {
        Map<String, String> all = new HashMap<>(Map.of("DSQL_RESERVOIR_ENABLED", "true"));
        for (int i = 0; i < variables.length; i += 2) {
            all.put(variables[i], variables[i + 1]);
        }
        return all;
    }

    @Test
    void theKeeperObeysItsTickAndItsBatch() {
        ConfiguredPool<Session> pool = start(Map.of(
                "DSQL_MAX_CONNS", "20",
                "DSQL_POOL_KEEPER_TICK_INTERVAL", "5s",
                "DSQL_POOL_KEEPER_MAX_CONNS_PER_TICK", "3"));
        assertEquals(20, pool.pool().openCount());
        assertTrue(
                log.messages()
                        .contains(
                                "DSQL pool keeper started  target_pool_size=20 tick_interval=5s max_conns_per_tick=3"),
                () -> log.messages().toString());
        pool.pool().evictAll();
        time.advance(Duration.ofSeconds(4));
        int before = server.connectsAt().size();
        time.advance(Duration.ofSeconds(5));
        assertEquals(3, server.connectsAt().size() - before);
    }

    @Test
    void aMisspeltVariableIsALineAtWarnWithoutItsValue() {
        start(Map.of("DSQL_POOL_KEEPER_TICK", "hunter2"));
        assertEquals(
                List.of("WARN DSQL_POOL_KEEPER_TICK is not a variable of ours and is ignored;"
                        + " did you mean DSQL_POOL_KEEPER_TICK_INTERVAL?"),
                start.takeLines());
    }

    @Test
    void aCheckoutIsALineAtDebugAndNothingAtInfo() {
        log.level(Level.DEBUG);
        Map<String, String> two = reservoir("DSQL_RESERVOIR_TARGET_READY", "2");
        start(two).pool().tryCheckout(new Checkout<>(), 0);
        assertTrue(
                log.messages()
                        .contains("Reservoir driver Open() - connection checked out  open_count=1 reservoir_ready=1"),
                () -> log.messages().toString());
        log.takeLines();
        log.level(Level.INFO);
        start(two).pool().tryCheckout(new Checkout<>(), 0);
        assertTrue(log.messages().stream().noneMatch(line -> line.contains("checked out")));
    }
}
