// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static dev.forebay.engine.Pools.SECOND;
import static dev.forebay.engine.Pools.reservoir;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer.Session;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replacing connections before they have to go. */
class ReplacementTest {

    /** 200 connections opened together, ten a second after that, lifetime 40 s ± 4 s, guard 2 s: the storm. */
    private static Rig storm(int burst) {
        PoolConfig config = PoolConfig.builder(Supply.reservoir(200), 200)
                .spare(20)
                .lifetime(Duration.ofSeconds(40), Duration.ofSeconds(8), Duration.ofSeconds(2))
                .inFlightLimit(200)
                .build();
        Rig rig = Rig.of(config, time -> List.of(new RateLimit(new TokenBucket(10, burst), time)));
        rig.server.connectLatency(Duration.ofMillis(30));
        return rig.start();
    }

    @Test
    void theLevelNeverDipsThroughWavesOfExpiry() {
        Rig rig = storm(200).advance(SECOND);
        for (int step = 0; step < 1_200; step++) {
            rig.advance(Duration.ofMillis(100));
            assertEquals(200, rig.stats().open(), "at " + Duration.ofNanos(rig.time.nanos()));
        }
        PoolStats stats = rig.stats();
        assertEquals(0, stats.discards(DiscardReason.EXPIRING_SOON_ON_SCAN));
        assertEquals(0, stats.discards(DiscardReason.EXPIRED_ON_SCAN));
        assertTrue(rig.server.mostOpen() <= 220, "at most the spare more: " + rig.server.mostOpen());
    }

    @Test
    void theLevelNeverDipsWhileMostConnectionsAreInUse() {
        Rig rig = storm(200).advance(SECOND);
        Deque<Checkout<Session>> inUse = new ArrayDeque<>();
        for (int step = 0; step < 60_000; step++) {
            inUse.add(rig.take());
            if (inUse.size() > 120) {
                assertTrue(inUse.remove().returnToPool());
            }
            rig.advance(Duration.ofMillis(2));
            assertTrue(rig.stats().open() >= 200, rig.stats().toString());
        }
        assertEquals(0, rig.stats().empties());
    }

    @Test
    void replacingAheadCostsFewMoreOpensThanExpiryItself() {
        Rig rig = storm(200).advance(Duration.ofSeconds(1_200));
        double needed = 200 * 1_200 / 38.0; // each serves for 38 s on average
        assertTrue(rig.stats().opened() < 1.15 * needed, rig.stats().opened() + " opened, " + needed + " needed");
    }

    @Test
    void nothingIsReplacedLongBeforeItsTime() {
        Rig rig = Rig.of(reservoir(50).build()).filled();
        rig.time.advanceTo(Duration.ofMinutes(8).toNanos());
        assertEquals(50, rig.server.connectsAt().size());
        rig.time.advanceTo(Duration.ofMinutes(13).toNanos());
        assertTrue(rig.stats().discards(DiscardReason.REPLACED) >= 50);
        assertEquals(50, rig.stats().open());
    }

    @Test
    void aReplacementDisplacesTheEarliestToExpire() {
        Rig rig = Rig.of(reservoir(20).build()).filled();
        Session[] earliest = {null};
        long[] remaining = {Long.MAX_VALUE};
        Deque<Checkout<Session>> all = new ArrayDeque<>();
        for (int i = 0; i < 20; i++) {
            Checkout<Session> checkout = rig.take();
            all.add(checkout);
            long left = checkout.remainingNanos(rig.time.nanos());
            if (left < remaining[0]) {
                remaining[0] = left;
                earliest[0] = checkout.value();
            }
        }
        all.forEach(Checkout::returnToPool);
        while (rig.stats().discards(DiscardReason.REPLACED) == 0) {
            assertFalse(earliest[0].isClosed());
            stepWithinALifetime(rig);
        }
        assertTrue(earliest[0].isClosed());
        assertEquals(20, rig.stats().open());
    }

    /** Connects that take long: only so many replacements as there is spare can be on their way at once. */
    @ParameterizedTest
    @CsvSource({"2, 300", "2, 1000", "2, 2000", "2, 3000", "1, 1000", "1, 1500", "5, 3000"})
    void theLevelNeverDipsWhenConnectsAreSlow(int spare, long connectMillis) {
        PoolConfig config = PoolConfig.builder(Supply.reservoir(10), 10)
                .spare(spare)
                .lifetime(Duration.ofMillis(36_960), Duration.ofMillis(6_720), Duration.ofMillis(4_800))
                .build();
        Rig rig = Rig.of(config, time -> List.of(new RateLimit(new TokenBucket(15, 3), time)));
        rig.server.connectLatency(Duration.ofMillis(connectMillis));
        rig.start().advance(Duration.ofSeconds(10));
        for (int step = 0; step < 3_000; step++) {
            rig.advance(Duration.ofMillis(100));
            assertEquals(10, rig.stats().open(), "at " + Duration.ofNanos(rig.time.nanos()));
        }
    }

    private static void stepWithinALifetime(Rig rig) {
        assertTrue(rig.time.step() && rig.time.nanos() < Duration.ofMinutes(12).toNanos(), "nothing was replaced");
    }

    @Test
    void aLeasedConnectionIsDisplacedWhenItIsReturned() {
        Rig rig = Rig.of(reservoir(1).build()).filled();
        Checkout<Session> held = rig.take();
        while (rig.stats().opened() == 1) {
            stepWithinALifetime(rig);
        }
        assertFalse(held.value().isClosed());
        assertTrue(rig.pool.tryCheckout(new Checkout<>(), 0), "its replacement is ready");
        held.returnToPool();
        rig.time.runDue();
        assertEquals(1, rig.stats().discards(DiscardReason.REPLACED));
        assertEquals(1, rig.stats().open());
    }

    @Test
    void onlyReplacementsUseTheSpare() {
        Rig rig = Rig.of(reservoir(10).spare(5).build()).filled();
        for (int i = 0; i < 10; i++) {
            rig.take();
        }
        rig.queue(Duration.ofMinutes(5));
        rig.advance(Duration.ofMinutes(5));
        assertEquals(10, rig.server.mostOpen());
    }

    @Test
    void aLimiterThatCannotKeepUpIsUsedFromTheMomentTheWaveIsInSight() {
        PoolConfig config = PoolConfig.builder(Supply.reservoir(100), 100)
                .spare(10)
                .lifetime(Duration.ofSeconds(60), Duration.ZERO, Duration.ofSeconds(5))
                .build();
        Rig rig = Rig.of(config, time -> List.of(new RateLimit(new TokenBucket(1, 100), time)));
        rig.start().advance(Duration.ofSeconds(55));
        // A minute's connects at one a second cannot replace a hundred, but none of those seconds may be wasted.
        assertTrue(rig.stats().opened() >= 100 + 50, "opened " + rig.stats().opened());
    }
}
