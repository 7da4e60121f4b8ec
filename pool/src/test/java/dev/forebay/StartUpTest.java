// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Checkout;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.Refusal;
import dev.forebay.engine.Waiter;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Behaviour;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How each mode starts, in virtual time. */
class StartUpTest {

    private final VirtualTime time = new VirtualTime();
    private final SimServer server = new SimServer(time);
    private ConfiguredPool.Outcome outcome;
    private int connectsBefore;

    private static ConfiguredPool<Session> pool(ForebayConfig config, SimServer server, VirtualTime time) {
        return new ConfiguredPool<>(
                config, server, List.of(), ConfiguredPool.localRateLimit(config, time), List.of(), time, new Random(1));
    }

    private ConfiguredPool<Session> start(String... variables) {
        ForebayConfig.Builder builder = ForebayConfig.builder();
        for (int i = 0; i < variables.length; i += 2) {
            builder.applyEnvironment(Map.of(variables[i], variables[i + 1]));
        }
        ConfiguredPool<Session> reservoir = pool(builder.build(), server, time);
        reservoir.start(ended -> {
            assertNull(outcome, "a start-up ends once");
            outcome = ended;
            connectsBefore = server.connectsAt().size();
        });
        return reservoir;
    }

    @Test
    void theInitialFillIsOverAtTheLowWatermark() {
        ConfiguredPool<Session> reservoir = start(
                "DSQL_RESERVOIR_ENABLED", "true",
                "DSQL_STAGGERED_STARTUP", "false",
                "DSQL_RESERVOIR_TARGET_READY", "50",
                "DSQL_RESERVOIR_LOW_WATERMARK", "20",
                "DSQL_CONNECTION_BURST_LIMIT", "1",
                "DSQL_CONNECTION_RATE_LIMIT", "10");
        time.advance(Duration.ofMillis(1_910));
        assertNull(outcome, "nineteen are open");
        time.advance(Duration.ofMillis(100));
        assertEquals(new ConfiguredPool.Outcome(true, 20, 0), outcome);
        time.advance(Duration.ofSeconds(4));
        assertEquals(50, reservoir.pool().openCount(), "the fill goes on to the target");
    }

    @Test
    void theInitialFillRespectsTheRateLimit() {
        start(
                "DSQL_RESERVOIR_ENABLED", "true",
                "DSQL_STAGGERED_STARTUP", "false",
                "DSQL_RESERVOIR_TARGET_READY", "50",
                "DSQL_CONNECTION_BURST_LIMIT", "5",
                "DSQL_CONNECTION_RATE_LIMIT", "10");
        time.advance(Duration.ofSeconds(1));
        assertEquals(15, server.connectsAt().size());
    }

    @Test
    void anInitialFillThatTakesTooLongIsNotWaitedFor() {
        server.behave(Behaviour.REFUSE);
        ConfiguredPool<Session> reservoir = start(
                "DSQL_RESERVOIR_ENABLED", "true",
                "DSQL_STAGGERED_STARTUP", "false",
                "DSQL_RESERVOIR_TARGET_READY", "50");
        time.advance(Duration.ofMillis(29_999));
        assertNull(outcome);
        time.advance(Duration.ofMillis(1));
        assertEquals(new ConfiguredPool.Outcome(false, 0, 0), outcome);
        server.behave(Behaviour.ACCEPT);
        time.advance(Duration.ofSeconds(20));
        assertEquals(50, reservoir.pool().openCount(), "and the service recovers without a restart");
    }

    @Test
    void standardModeIsTheDefaultAndWarmsUpBeforeItIsReady() {
        ConfiguredPool<Session> reservoir = start("DSQL_STAGGERED_STARTUP", "false");
        assertEquals(ForebayConfig.Mode.STANDARD, reservoir.config().mode());
        time.advance(Duration.ofMillis(1_990));
        assertNull(outcome, "99 are open, one after the other");
        time.advance(Duration.ofMillis(20));
        assertEquals(new ConfiguredPool.Outcome(true, 100, 0), outcome);
        assertEquals(1, server.mostConnecting());
    }

    /** Whoever has not switched the reservoir on gets what he had, whatever else is set. */
    @Test
    void reservoirSettingsChangeNothingInStandardMode() {
        List<String> plain = twoHoursOfStandardMode(Map.of());
        assertEquals(
                plain,
                twoHoursOfStandardMode(Map.of(
                        "DSQL_RESERVOIR_ENABLED", "false",
                        "DSQL_RESERVOIR_TARGET_READY", "7",
                        "DSQL_RESERVOIR_LOW_WATERMARK", "3",
                        "DSQL_RESERVOIR_BASE_LIFETIME", "2m",
                        "DSQL_RESERVOIR_LIFETIME_JITTER", "1m",
                        "DSQL_RESERVOIR_GUARD_WINDOW", "10s",
                        "DSQL_RESERVOIR_INITIAL_FILL_TIMEOUT", "1ms",
                        "DSQL_RESERVOIR_INFLIGHT_LIMIT", "3",
                        "DSQL_RESERVOIR_SPARE", "5",
                        "DSQL_RESERVOIR_EMPTY_WAIT", "1ms")));
    }

    /** When it connected and what it counted, with one connection less now and then. */
    private static List<String> twoHoursOfStandardMode(Map<String, String> variables) {
        VirtualTime time = new VirtualTime();
        SimServer server = new SimServer(time);
        ConfiguredPool<Session> standard = pool(ForebayConfig.fromEnvironment(variables), server, time);
        List<String> history = new ArrayList<>();
        standard.start(ended -> history.add(time.nanos() + " " + ended));
        for (int minute = 0; minute < 120; minute++) {
            time.advance(Duration.ofMinutes(1));
            Checkout<Session> checkout = new Checkout<>();
            if (standard.pool().tryCheckout(checkout, 0)) {
                checkout.discard(DiscardReason.EVICTED);
            }
            history.add(standard.pool().stats().toString());
        }
        history.add(server.connectsAt().toString());
        return history;
    }

    @Test
    void theWarmUpGoesOnAfterAConnectionThatCouldNotBeOpened() {
        server.next(
                Behaviour.ACCEPT,
                Behaviour.REFUSE,
                Behaviour.REFUSE,
                Behaviour.REFUSE,
                Behaviour.REFUSE,
                Behaviour.REFUSE,
                Behaviour.REFUSE);
        start("DSQL_STAGGERED_STARTUP", "false", "DSQL_MAX_CONNS", "10");
        time.advance(Duration.ofMinutes(1));
        assertNotNull(outcome);
        assertFalse(outcome.complete());
        assertEquals(1, outcome.failed());
        assertEquals(9, outcome.open());
    }

    @Test
    void aWarmUpWithNothingToConnectToEndsWithTheFirstConnection() {
        server.behave(Behaviour.REFUSE);
        start("DSQL_STAGGERED_STARTUP", "false");
        time.advance(Duration.ofSeconds(20));
        assertEquals(new ConfiguredPool.Outcome(false, 0, 1), outcome);
        assertEquals(6, connectsBefore);
    }

    @ParameterizedTest
    @ValueSource(strings = {"standard", "reservoir", "on-demand"})
    void servicesStartedTogetherDoNotConnectTogether(String mode) {
        start("DSQL_POOL_MODE", mode, "DSQL_ON_DEMAND_MIN_IDLE", "5");
        time.advance(Duration.ofSeconds(6));
        long first = server.connectsAt().get(0);
        assertTrue(first > 0 && first < Duration.ofSeconds(5).toNanos(), "first connect at " + first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"standard", "reservoir", "on-demand"})
    void aStaggeredStartCanBeSwitchedOff(String mode) {
        start("DSQL_POOL_MODE", mode, "DSQL_ON_DEMAND_MIN_IDLE", "5", "DSQL_STAGGERED_STARTUP", "false");
        time.runDue();
        assertEquals(0, server.connectsAt().get(0));
    }

    @Test
    void aStaggeredStartDoesNotShortenTheInitialFill() {
        server.behave(Behaviour.REFUSE);
        start("DSQL_RESERVOIR_ENABLED", "true");
        time.advance(Duration.ofSeconds(6));
        long delay = server.connectsAt().get(0);
        time.advanceTo(delay + Duration.ofSeconds(30).toNanos() - 1);
        assertNull(outcome);
        time.advance(Duration.ofNanos(1));
        assertNotNull(outcome);
    }

    @Test
    void onDemandServesThoseWhoAskWhateverTheStagger() {
        ConfiguredPool<Session> reservoir = start(
                "DSQL_POOL_MODE", "on-demand",
                "DSQL_ON_DEMAND_MIN_IDLE", "5",
                "DSQL_STAGGERED_STARTUP_MAX_DELAY", "1h");
        boolean[] served = {false};
        reservoir.pool().checkout(new Checkout<>(), 0, Duration.ofSeconds(1).toNanos(), new Waiter.Turn() {
            @Override
            public void served() {
                served[0] = true;
            }

            @Override
            public void refused(Refusal why) {}
        });
        time.advance(Duration.ofMillis(100));
        assertTrue(served[0]);
        assertEquals(1, reservoir.pool().openCount(), "the idle ones come later");
        time.advance(Duration.ofHours(1));
        assertEquals(6, reservoir.pool().openCount());
    }

    @Test
    void onDemandIsReadyAtOnce() {
        pool(ForebayConfig.builder().mode(ForebayConfig.Mode.ON_DEMAND).build(), server, time)
                .start(ended -> outcome = ended);
        assertEquals(new ConfiguredPool.Outcome(true, 0, 0), outcome);
    }
}
