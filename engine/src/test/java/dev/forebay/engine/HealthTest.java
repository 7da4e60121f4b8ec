// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static dev.forebay.engine.Pools.SECOND;
import static dev.forebay.engine.Pools.ageless;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A ready connection is a living one. */
class HealthTest {

    @Test
    void idleConnectionsGetAKeepalive() {
        Rig rig = Rig.of(ageless(10).keepalive(Duration.ofSeconds(30)).build()).filled();
        assertEquals(0, rig.server.checks());
        rig.advance(Duration.ofSeconds(31));
        assertEquals(10, rig.server.checks());
        assertEquals(10, rig.stats().ready());
    }

    @Test
    void whatIsUsedNeedsNoKeepalive() {
        Rig rig = Rig.of(ageless(1).keepalive(Duration.ofSeconds(30)).build()).filled();
        for (int i = 0; i < 100; i++) {
            rig.take().returnToPool();
            rig.advance(SECOND);
        }
        assertEquals(0, rig.server.checks());
    }

    @Test
    void keepalivesTakeAtMostATenthOutOfReach() {
        Rig rig = Rig.of(ageless(50).keepalive(Duration.ofSeconds(30)).build()).filled();
        rig.server.checkLatency(() -> Duration.ofMillis(5));
        rig.advance(Duration.ofSeconds(31));
        assertEquals(50, rig.server.checks());
        assertEquals(5, rig.server.mostChecking());
    }

    @Test
    void aDeadIdleConnectionIsFoundAndReplacedBeforeAnyoneGetsIt() {
        Rig rig = Rig.of(ageless(3).keepalive(Duration.ofSeconds(30)).build()).filled();
        rig.server.kill(1);
        rig.advance(Duration.ofSeconds(40));
        assertEquals(1, rig.stats().discards(DiscardReason.FAILED_VALIDATION));
        assertEquals(3, rig.stats().ready());
        for (int i = 0; i < 3; i++) {
            assertTrue(rig.take().value().isAlive());
        }
    }

    @Test
    void aPoolThatFailsFastWaitsForTheOneThatIsBeingChecked() {
        Rig rig = Rig.of(ageless(1)
                        .trust(Duration.ofSeconds(60))
                        .exhaustion(Exhaustion.FAIL_FAST)
                        .build())
                .filled();
        rig.advance(Duration.ofMinutes(5));
        Rig.Queued waiting = rig.queue(Duration.ofSeconds(30));
        rig.advance(Duration.ofMillis(5));
        assertTrue(waiting.served, "refused: " + waiting.refusal);
    }

    @Test
    void aConnectionIdleForLongIsValidatedBeforeItIsHandedOut() {
        Rig rig = Rig.of(ageless(2).trust(Duration.ofSeconds(60)).build()).filled();
        rig.advance(Duration.ofMinutes(5));
        rig.server.kill(1);
        Rig.Queued waiting = rig.queue(Duration.ofSeconds(30));
        assertFalse(waiting.served, "not without a check");
        rig.advance(Duration.ofMillis(5));
        assertTrue(waiting.served);
        assertTrue(waiting.checkout.value().isAlive());
    }

    @Test
    void theFirstLostConnectionHasAllTheIdleOnesChecked() {
        List<Integer> sweeps = new ArrayList<>();
        Rig rig = Rig.of(ageless(50).build(), new PoolListener() {
            @Override
            public void sweeping(int connections) {
                sweeps.add(connections);
            }
        });
        rig.filled();
        rig.server.kill(25);
        Checkout<Session> checkout = rig.take();
        while (checkout.value().isAlive()) {
            Checkout<Session> next = rig.take();
            checkout.returnToPool();
            checkout = next;
            rig.advance(Duration.ofMillis(1));
        }
        checkout.discard(DiscardReason.BAD_CONNECTION);
        rig.advance(Duration.ofMillis(100));
        assertEquals(24, rig.stats().discards(DiscardReason.FAILED_VALIDATION));
        assertFalse(sweeps.isEmpty());
        rig.advance(SECOND);
        for (int i = 0; i < 50; i++) {
            assertTrue(rig.take().value().isAlive(), "a corpse was served");
        }
    }

    @Test
    void oneDropIsOneSweepAndTheNextDropIsAnother() {
        List<Integer> sweeps = new ArrayList<>();
        Rig rig = Rig.of(ageless(50).build(), new PoolListener() {
            @Override
            public void sweeping(int connections) {
                sweeps.add(connections);
            }
        });
        rig.filled();
        Checkout<Session> inUse = rig.take();
        rig.server.kill(50);
        rig.take().discard(DiscardReason.BAD_CONNECTION);
        rig.advance(Duration.ofMillis(100));
        inUse.discard(DiscardReason.BAD_CONNECTION);
        rig.advance(Duration.ofSeconds(10));
        assertEquals(List.of(48), sweeps, "what dies of the same cause is no news");
        rig.server.kill(50);
        rig.take().discard(DiscardReason.BAD_CONNECTION);
        rig.advance(Duration.ofMillis(100));
        assertEquals(List.of(48, 49), sweeps);
    }

    @Test
    void aSecondDropSoonAfterTheFirstIsSweptToo() {
        Rig rig = Rig.of(ageless(10).build()).filled();
        rig.server.kill(5);
        rig.take().discard(DiscardReason.BAD_CONNECTION);
        rig.advance(Duration.ofMillis(300));
        rig.server.kill(10);
        rig.take().discard(DiscardReason.BAD_CONNECTION);
        rig.advance(Duration.ofSeconds(2));
        for (int i = 0; i < 10; i++) {
            assertTrue(rig.take().value().isAlive(), "a corpse was served");
        }
    }

    @Test
    void duringASweepNothingUnprovenIsHandedOut() {
        Rig rig = Rig.of(ageless(10).build()).filled();
        rig.server.kill(10);
        rig.server.checkLatency(() -> Duration.ofMillis(50));
        rig.take().discard(DiscardReason.BAD_CONNECTION);
        rig.time.runDue();
        assertTrue(rig.isEmpty());
        Rig.Queued waiting = rig.queue(Duration.ofSeconds(10));
        rig.advance(SECOND);
        assertTrue(waiting.checkout.value().isAlive());
    }

    @Test
    void whoeverWaitsForTheProofOfAConnectionAtHandDidNotFindTheReservoirEmpty() {
        Rig rig = Rig.of(ageless(10).build()).filled();
        rig.server.checkLatency(() -> Duration.ofMillis(50));
        rig.take().discard(DiscardReason.BAD_CONNECTION);
        rig.time.runDue();
        Rig.Queued waiting = rig.queue(Duration.ofSeconds(10));
        rig.advance(Duration.ofMillis(60));
        assertTrue(waiting.checkout.value().isAlive());
        assertEquals(0, rig.stats().empties());
        assertEquals(1, rig.stats().waits());
    }

    @Test
    void ifNoneOfThemIsAliveItDidAndIsCountedOnce() {
        Rig rig = Rig.of(ageless(10).build()).filled();
        rig.server.kill(10);
        rig.server.checkLatency(() -> Duration.ofMillis(50));
        rig.server.connectLatency(() -> Duration.ofMillis(500));
        rig.take().discard(DiscardReason.BAD_CONNECTION);
        rig.time.runDue();
        Rig.Queued waiting = rig.queue(Duration.ofSeconds(10));
        Rig.Queued impatient = rig.queue(Duration.ofMillis(10));
        rig.advance(Duration.ofMillis(20));
        assertEquals(1, rig.stats().empties(), "whose time is over before anything is proven got nothing");
        rig.advance(SECOND);
        assertTrue(waiting.checkout.value().isAlive());
        assertEquals(2, rig.stats().empties());
        assertEquals(1, rig.stats().timeouts());
    }

    @Test
    void aCheckThatHangsCountsAsFailed() {
        Rig rig = Rig.of(ageless(1).checkTimeout(SECOND).build()).filled();
        rig.server.checkLatency(() -> Duration.ofHours(1));
        rig.pool.checkAll();
        rig.advance(Duration.ofMillis(999));
        assertEquals(1, rig.stats().open());
        rig.advance(Duration.ofMillis(100));
        assertEquals(1, rig.stats().discards(DiscardReason.FAILED_VALIDATION));
        rig.advance(Duration.ofHours(1));
        assertEquals(1, rig.stats().ready());
    }

    @Test
    void whoeverHoldsAConnectionTooLongIsReportedOnce() {
        List<Object> reported = new ArrayList<>();
        Rig rig = Rig.of(ageless(2).heldTooLong(Duration.ofSeconds(10)).build(), new PoolListener() {
            @Override
            public void heldTooLong(Object value, long heldNanos) {
                reported.add(value);
                assertTrue(heldNanos >= Duration.ofSeconds(10).toNanos());
            }
        });
        rig.filled();
        Checkout<Session> held = rig.take();
        Checkout<Session> brief = rig.take();
        rig.advance(Duration.ofSeconds(9));
        brief.returnToPool();
        assertTrue(reported.isEmpty());
        rig.advance(Duration.ofMinutes(5));
        assertEquals(List.of(held.value()), reported);
    }

    @Test
    void checksEndWithThePool() {
        Rig rig = Rig.of(ageless(40).build()).filled();
        rig.pool.checkAll();
        rig.time.runDue();
        rig.pool.close();
        rig.advance(Duration.ofSeconds(10));
        assertEquals(0, rig.server.open());
        Checkout<Session> none = new Checkout<>();
        assertFalse(rig.pool.tryCheckout(none, 0));
        assertNull(none.value());
        assertSame(Refusal.CLOSED, rig.queue(SECOND).refusal);
    }
}
