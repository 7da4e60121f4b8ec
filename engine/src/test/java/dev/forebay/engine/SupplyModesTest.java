// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static dev.forebay.engine.Pools.MINUTE;
import static dev.forebay.engine.Pools.SECOND;
import static dev.forebay.engine.Pools.ageless;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.PoolConfig.ReuseOrder;
import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer.Behaviour;
import dev.forebay.testkit.SimServer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What each supply does with the same engine. */
class SupplyModesTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    /** Of lifetimes that end within five and a half minutes, as they do by default. */
    private static final Duration LONG_SPREAD = Duration.ofSeconds(330);

    private static Rig keeper(int size) {
        PoolConfig config = PoolConfig.builder(Supply.keeper(size, SECOND, Supply.keeperBatch(size, LONG_SPREAD)), size)
                .inFlightLimit(10)
                .backoff(new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5), 6))
                .build();
        return Rig.of(config);
    }

    private static Rig onDemand(int minIdle, int maxOpen, int spare, Exhaustion exhaustion) {
        return Rig.of(PoolConfig.builder(Supply.onDemand(minIdle, maxOpen, exhaustion), maxOpen)
                .spare(spare)
                .exhaustion(exhaustion)
                .reuseOrder(ReuseOrder.NEWEST_FIRST)
                .idle(MINUTE, minIdle)
                .build());
    }

    // ---- keeper

    @Test
    void theKeeperWarmsUpOneConnectionAfterTheOther() {
        Rig rig = keeper(100).filled();
        assertEquals(100, rig.stats().ready());
        assertEquals(1, rig.server.mostConnecting());
    }

    @Test
    void theWarmUpTriesEachConnectionSixTimesAndThenPassesOn() {
        Rig rig = keeper(2);
        rig.server.next(
                Behaviour.REFUSE,
                Behaviour.REFUSE,
                Behaviour.REFUSE,
                Behaviour.REFUSE,
                Behaviour.REFUSE,
                Behaviour.REFUSE);
        rig.start().advance(MINUTE);
        assertEquals(2, rig.stats().ready());
        List<Long> connects = rig.server.connectsAt();
        long nominal = 200_000_000L;
        for (int i = 1; i < 6; i++) {
            long wait = connects.get(i) - connects.get(i - 1) - 20_000_000L;
            assertTrue(wait >= nominal / 2 && wait <= nominal * 3 / 2, "wait " + i + " is " + wait);
            nominal *= 2;
        }
    }

    @Test
    void theKeeperReplacesInBatchesSizedByThePoolEachTick() {
        assertEquals(1, Supply.keeperBatch(50, LONG_SPREAD));
        assertEquals(1, Supply.keeperBatch(100, LONG_SPREAD));
        assertEquals(1, Supply.keeperBatch(120, LONG_SPREAD));
        assertEquals(2, Supply.keeperBatch(121, LONG_SPREAD));
        assertEquals(5, Supply.keeperBatch(500, LONG_SPREAD));
        assertEquals(10, Supply.keeperBatch(1_200, LONG_SPREAD));
        assertEquals(10, Supply.keeperBatch(5_000, LONG_SPREAD));
        assertEquals(5, Supply.keeperBatch(100, Duration.ofSeconds(20)), "as many as end in a second");
        assertEquals(10, Supply.keeperBatch(100, Duration.ZERO), "all may end at once");
        assertEquals(1, Supply.keeperBatch(1, Duration.ZERO));
        Rig rig = keeper(500).start().advance(MINUTE);
        assertEquals(500, rig.stats().ready());
        rig.advance(Duration.ofMillis(500)); // between two ticks
        assertEquals(23, rig.pool.evictIdle(23));
        int before = 500;
        for (int batch : new int[] {5, 5, 5, 5, 3, 0}) {
            rig.advance(Duration.ofMillis(10)); // what was evicted is closed
            assertEquals(batch, rig.server.connectsAt().size() - before);
            before += batch;
            rig.advance(Duration.ofMillis(990));
        }
        rig.advance(SECOND);
        assertEquals(500, rig.stats().ready());
    }

    @Test
    void aLargeBatchIsStillALimit() {
        PoolConfig config = PoolConfig.builder(Supply.keeper(300, SECOND, 100), 300)
                .inFlightLimit(300)
                .build();
        Rig rig = Rig.of(config).start().advance(MINUTE).advance(Duration.ofMillis(500));
        assertEquals(300, rig.pool.evictIdle(300));
        rig.advance(Duration.ofMillis(400));
        int opened = rig.server.connectsAt().size() - 300;
        assertTrue(opened > 0 && opened <= 100, opened + " within a tick");
    }

    /** As {@code database/sql} does beside its keeper: what nobody waits for comes one a tick, the rest at once. */
    @Test
    void theKeeperOpensAtOnceForThoseWhoWait() {
        Rig rig = keeper(100).filled();
        assertEquals(100, rig.pool.evictIdle(100));
        List<Rig.Queued> line = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            line.add(rig.queue(LONG));
        }
        rig.advance(SECOND);
        assertEquals(60, line.stream().filter(one -> one.served).count());
        rig.returnAll();
        rig.advance(Duration.ofSeconds(10));
        assertEquals(70, rig.stats().open(), "the others come one each tick");
        rig.advance(Duration.ofSeconds(30));
        assertEquals(100, rig.stats().open());
    }

    @Test
    void theKeeperOpensForWaitersAsFastAsTheLimiterAllows() {
        PoolConfig config = PoolConfig.builder(Supply.keeper(50, SECOND, 1), 50).build();
        Rig rig = Rig.of(config, time -> List.of(new RateLimit(new TokenBucket(10, 5), time)));
        rig.filled();
        rig.pool.evictIdle(50);
        List<Rig.Queued> line = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            line.add(rig.queue(LONG));
        }
        rig.advance(Duration.ofMillis(100));
        assertEquals(5, line.stream().filter(one -> one.served).count(), "the burst");
        rig.advance(Duration.ofSeconds(4));
        assertEquals(45, line.stream().filter(one -> one.served).count(), "and ten each second");
        rig.advance(SECOND);
        assertEquals(50, line.stream().filter(one -> one.served).count());
        assertEquals(50, rig.server.mostOpen(), "the maximum holds");
    }

    @Test
    void theWarmUpServesThoseWhoWait() {
        Rig rig = keeper(100);
        rig.server.connectLatency(Duration.ofMillis(500));
        rig.start();
        List<Rig.Queued> line = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            line.add(rig.queue(LONG));
        }
        rig.advance(SECOND);
        assertEquals(10, line.stream().filter(one -> one.served).count());
        assertEquals(10, rig.server.mostConnecting());
    }

    @Test
    void theKeeperOpensNothingMoreForThoseWhoWaitAtItsSize() {
        Rig rig = keeper(5).filled();
        for (int i = 0; i < 5; i++) {
            rig.take();
        }
        Rig.Queued waiting = rig.queue(LONG);
        rig.advance(SECOND);
        assertFalse(waiting.served);
        assertEquals(5, rig.server.connectsAt().size());
        rig.returnAll();
        assertTrue(waiting.served);
    }

    @Test
    void theKeeperDoesNotReplaceAheadOfExpiry() {
        PoolConfig config = PoolConfig.builder(Supply.keeper(10, SECOND, 1), 10)
                .lifetime(Duration.ofMinutes(55), Duration.ZERO, Duration.ZERO)
                .build();
        Rig rig = Rig.of(config).filled();
        rig.time.advanceTo(Duration.ofMinutes(55).toNanos() - 1);
        assertEquals(10, rig.server.connectsAt().size());
        rig.advance(SECOND);
        assertTrue(rig.stats().open() < 10, "it dips, which is why there is a reservoir");
    }

    // ---- on demand

    @Test
    void onDemandOpensOnlyBecauseSomeoneWaits() {
        Rig rig = onDemand(0, 5, 0, Exhaustion.WAIT).filled();
        assertEquals(0, rig.server.connectsAt().size());
        Rig.Queued waiting = rig.queue(LONG);
        rig.advance(Duration.ofMillis(20));
        assertTrue(waiting.served);
        assertEquals(1, rig.server.connectsAt().size());
        assertEquals(1, rig.stats().open());
    }

    @Test
    void onDemandKeepsAMinimumIdle() {
        Rig rig = onDemand(2, 5, 0, Exhaustion.WAIT).filled();
        assertEquals(2, rig.stats().ready());
        rig.take();
        rig.advance(Duration.ofMillis(100));
        rig.queue(LONG);
        rig.advance(SECOND);
        assertEquals(2, rig.stats().ready());
    }

    @Test
    void onDemandNeverExceedsItsMaximum() {
        Rig rig = onDemand(0, 3, 0, Exhaustion.WAIT).filled();
        List<Rig.Queued> line = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            line.add(rig.queue(LONG));
        }
        rig.advance(SECOND);
        assertEquals(3, line.stream().filter(one -> one.served).count());
        assertEquals(3, rig.server.mostOpen());
        line.get(0).checkout.returnToPool();
        assertTrue(line.get(3).served);
    }

    @Test
    void idleConnectionsGoLongestUnusedFirstDownToTheMinimum() {
        Rig rig = onDemand(1, 5, 0, Exhaustion.WAIT).filled();
        List<Rig.Queued> line = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            line.add(rig.queue(LONG));
        }
        rig.advance(SECOND);
        line.forEach(one -> one.checkout.returnToPool());
        Session newest = null;
        for (int i = 0; i < 100; i++) {
            Checkout<Session> busy = rig.take();
            newest = busy.value();
            busy.returnToPool();
            rig.advance(SECOND);
        }
        assertEquals(1, rig.stats().open());
        assertTrue(rig.stats().discards(DiscardReason.IDLE_TIMEOUT) >= 3);
        assertFalse(newest.isClosed());
    }

    @Test
    void failFastRefusesAtOnceWhenEverythingIsInUse() {
        Rig rig = onDemand(0, 1, 0, Exhaustion.FAIL_FAST).filled();
        Rig.Queued first = rig.queue(LONG);
        rig.advance(SECOND);
        assertTrue(first.served);
        assertSame(Refusal.EXHAUSTED, rig.queue(LONG).refusal);
        first.checkout.returnToPool();
        assertTrue(rig.queue(LONG).served);
    }

    @Test
    void overflowOpensAFewMoreAndClosesThemOnReturn() {
        Rig rig = onDemand(0, 1, 2, Exhaustion.OVERFLOW).filled();
        List<Rig.Queued> line = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            line.add(rig.queue(LONG));
            rig.advance(SECOND);
        }
        assertEquals(3, line.stream().filter(one -> one.served).count(), "one, and two over the edge");
        assertEquals(3, rig.server.mostOpen());
        Session overflowing = line.get(2).checkout.value();
        line.get(2).checkout.returnToPool();
        rig.advance(SECOND);
        assertTrue(overflowing.isClosed());
        assertEquals(1, rig.stats().discards(DiscardReason.OVERFLOW));
        assertTrue(line.get(3).served, "who waits gets another one");
        assertNotSame(overflowing, line.get(3).checkout.value());
        assertEquals(3, rig.server.mostOpen());
    }

    @Test
    void overflowCostsNoRegularConnection() {
        Rig rig = Rig.of(PoolConfig.builder(Supply.onDemand(0, 2, Exhaustion.OVERFLOW), 2)
                .spare(2)
                .exhaustion(Exhaustion.OVERFLOW)
                .lifetime(Duration.ofMinutes(55), Duration.ZERO, Duration.ZERO)
                .build());
        rig.start();
        for (int i = 0; i < 4; i++) {
            rig.queue(LONG);
        }
        rig.advance(SECOND);
        assertEquals(4, rig.stats().borrowed());
        rig.returnAll();
        rig.advance(SECOND);
        assertEquals(2, rig.stats().ready());
        assertEquals(0, rig.stats().discards(DiscardReason.REPLACED));
    }

    // ---- reservoir

    @Test
    void aReservoirUnderAnotherPoolKeepsItsLevelWhileTheOtherPoolHoldsItsOwn() {
        Rig rig = Rig.of(PoolConfig.builder(Supply.reservoir(10), 30).build()).filled();
        for (int i = 0; i < 20; i++) {
            rig.take();
            rig.advance(SECOND);
            assertEquals(10, rig.stats().ready(), "after " + i);
        }
        assertEquals(30, rig.stats().open());
        rig.take();
        rig.advance(SECOND);
        assertEquals(30, rig.stats().open(), "the maximum holds");
        assertEquals(30, rig.server.mostOpen(), "for the server too");
    }

    @Test
    void aSurplusIsKept() {
        Rig rig = Rig.of(PoolConfig.builder(Supply.reservoir(10), 30).build()).filled();
        List<Checkout<Session>> held = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            held.add(rig.take());
            rig.advance(SECOND);
        }
        held.forEach(Checkout::returnToPool);
        rig.advance(MINUTE);
        assertEquals(20, rig.stats().ready());
        assertTrue(rig.stats().discards().isEmpty());
    }

    @Test
    void checkoutsAndReturnsOpenNothing() {
        Rig rig = Rig.of(ageless(50).build()).filled();
        for (int i = 0; i < 36_000; i++) {
            Checkout<Session> checkout = rig.take();
            rig.advance(Duration.ofMillis(100));
            checkout.returnToPool();
        }
        assertEquals(50, rig.server.connectsAt().size());
    }
}
