// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static dev.forebay.engine.Pools.ageless;
import static dev.forebay.engine.Pools.reservoir;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.PoolConfig.ReuseOrder;
import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer.Behaviour;
import dev.forebay.testkit.SimServer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Checking out, waiting in line, and handing over. */
class CheckoutTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void aReadyConnectionIsHandedOutAtOnce() {
        Rig rig = Rig.of(ageless(2).build()).filled();
        long next = rig.time.nextNanos();
        Checkout<Session> checkout = rig.take();
        assertNotNull(checkout.value());
        assertEquals(next, rig.time.nextNanos(), "nothing is left to be done for it");
        assertEquals(1, rig.stats().borrowed());
        assertEquals(1, rig.stats().ready());
        assertEquals(1, rig.stats().checkouts());
    }

    @Test
    void anEmptyPoolSaysSoAtOnceAndIsCounted() {
        Rig rig = Rig.of(ageless(1).build()).filled();
        rig.take();
        assertFalse(rig.pool.tryCheckout(new Checkout<>(), 0));
        assertEquals(1, rig.stats().empties());
        assertEquals(1, rig.stats().checkouts());
    }

    @Test
    void aCheckoutNeverOpensAConnectionInAReservoir() {
        Rig rig = Rig.of(ageless(1).build()).filled();
        rig.take();
        int connects = rig.server.connectsAt().size();
        rig.pool.tryCheckout(new Checkout<>(), 0);
        rig.queue(Duration.ofSeconds(5));
        rig.advance(Duration.ofSeconds(10));
        assertEquals(connects, rig.server.connectsAt().size());
    }

    @Test
    void aCheckoutAndAReturnAskNoLimiterAndCallNoConnector() {
        int[] asked = {0};
        Rig rig = Rig.of(
                ageless(2).build(),
                time -> List.of((now, answer) -> {
                    asked[0]++;
                    answer.granted(() -> {});
                }));
        rig.filled();
        assertEquals(2, asked[0]);
        for (int i = 0; i < 100; i++) {
            rig.take().returnToPool();
        }
        rig.take();
        rig.take();
        assertTrue(rig.isEmpty());
        rig.queue(LONG);
        assertEquals(2, asked[0]);
        assertEquals(2, rig.server.connectsAt().size());
        assertEquals(0, rig.server.checks());
    }

    @Test
    void aSpentCheckoutReachesNothingAndReturnsNothing() {
        Rig rig = Rig.of(ageless(1).build()).filled();
        Checkout<Session> first = rig.take();
        assertTrue(first.returnToPool());
        Checkout<Session> second = rig.take();
        assertNull(first.value());
        assertFalse(first.returnToPool());
        assertFalse(first.discard(DiscardReason.BAD_CONNECTION));
        assertNotNull(second.value());
        assertEquals(1, rig.stats().borrowed());
    }

    @Test
    void waitersAreServedInTheOrderInWhichTheyCame() {
        Rig rig = Rig.of(ageless(1).build()).filled();
        Checkout<Session> held = rig.take();
        List<Rig.Queued> line = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            line.add(rig.queue(LONG));
        }
        for (int i = 0; i < 5; i++) {
            held.returnToPool();
            assertTrue(line.get(i).served, "number " + i);
            if (i < 4) {
                assertFalse(line.get(i + 1).served, "number " + (i + 1));
            }
            held = line.get(i).checkout;
        }
        assertEquals(5, rig.stats().waits());
    }

    @Test
    void aReturnedConnectionGoesStraightToTheFirstInLineAndNewcomersQueueBehind() {
        Rig rig = Rig.of(ageless(2).build()).filled();
        Checkout<Session> first = rig.take();
        Checkout<Session> second = rig.take();
        rig.queue(LONG);
        Rig.Queued behind = rig.queue(LONG);
        first.returnToPool();
        assertFalse(rig.pool.claim(new Checkout<>(), 7), "someone waits, so nobody may barge in");
        second.returnToPool();
        assertTrue(behind.served);
    }

    @Test
    void aWaiterWhoseDeadlinePassesIsToldAndTheNextOneIsServed() {
        Rig rig = Rig.of(ageless(1).build()).filled();
        Checkout<Session> held = rig.take();
        Rig.Queued impatient = rig.queue(Duration.ofMillis(100));
        Rig.Queued patient = rig.queue(LONG);
        rig.advance(Duration.ofMillis(99));
        assertNull(impatient.refusal);
        rig.advance(Duration.ofMillis(1));
        assertSame(Refusal.TIMED_OUT, impatient.refusal);
        held.returnToPool();
        assertTrue(patient.served);
        assertEquals(1, rig.stats().timeouts());
    }

    @Test
    void oneWhoGivesUpIsForgotten() {
        Rig rig = Rig.of(ageless(1).build()).filled();
        Checkout<Session> held = rig.take();
        Rig.Queued gone = rig.queue(LONG);
        assertTrue(gone.waiter.cancel(Refusal.CANCELLED));
        held.returnToPool();
        assertFalse(gone.served);
        assertNull(gone.refusal);
        assertEquals(1, rig.stats().ready());
        assertFalse(gone.waiter.cancel(Refusal.CANCELLED));
    }

    @Test
    void onlySoManyMayWait() {
        Rig rig = Rig.of(ageless(1).maxWaiting(2).build()).filled();
        rig.take();
        rig.queue(LONG);
        rig.queue(LONG);
        assertSame(Refusal.TOO_MANY_WAITING, rig.queue(LONG).refusal);
    }

    @Test
    void theAgeOfTheOldestWaiterIsKnown() {
        Rig rig = Rig.of(ageless(1).build()).filled();
        rig.take();
        rig.queue(LONG);
        rig.advance(Duration.ofSeconds(3));
        rig.queue(LONG);
        rig.advance(Duration.ofSeconds(2));
        assertEquals(Duration.ofSeconds(5).toNanos(), rig.stats().oldestWaitNanos());
        assertEquals(2, rig.stats().waiting());
    }

    @Test
    void anArrivalServesWhoWaits() {
        Rig rig = Rig.of(ageless(1).build());
        rig.server.connectLatency(Duration.ofSeconds(1));
        rig.start();
        Rig.Queued early = rig.queue(LONG);
        rig.advance(Duration.ofMillis(999));
        assertFalse(early.served);
        rig.advance(Duration.ofMillis(1));
        assertTrue(early.served);
    }

    @Test
    void aCheckoutDoesNotWaitWhileAnOpenHangs() {
        Rig rig = Rig.of(ageless(2).build());
        rig.server.next(Behaviour.ACCEPT, Behaviour.HANG);
        rig.filled();
        assertNotNull(rig.take().value());
        assertEquals(1, rig.server.connecting());
    }

    /** The pool's lock is what every step holds while it decides: a checkout and a return must not need it. */
    @Test
    void checkoutAndReturnTakeNoLock() throws InterruptedException {
        Rig rig = Rig.of(reservoir(2).build()).filled();
        CountDownLatch done = new CountDownLatch(1);
        rig.pool.lock();
        try {
            Thread borrower = new Thread(() -> {
                for (int i = 0; i < 1_000; i++) {
                    Checkout<Session> checkout = new Checkout<>();
                    if (rig.pool.tryCheckout(checkout, i)) {
                        checkout.returnToPool();
                    }
                }
                done.countDown();
            });
            borrower.start();
            assertTrue(done.await(20, TimeUnit.SECONDS), "a checkout waited for the pool's lock");
        } finally {
            rig.pool.unlock();
        }
        assertEquals(1_000, rig.stats().checkouts());
    }

    @Test
    void theNewestIsReusedFirstWhereThatIsWanted() {
        Rig rig = Rig.of(ageless(3).reuseOrder(ReuseOrder.NEWEST_FIRST).build()).filled();
        Checkout<Session> a = rig.take();
        Checkout<Session> b = rig.take();
        Checkout<Session> c = rig.take();
        Session middle = b.value();
        Session first = a.value();
        c.returnToPool();
        a.returnToPool();
        b.returnToPool();
        Checkout<Session> newest = rig.take();
        assertSame(middle, newest.value());
        assertSame(first, rig.take().value());
        assertNotSame(middle, rig.take().value());
    }

    @Test
    void whoHoldsWhatForHowLongIsKnown() {
        Rig rig = Rig.of(ageless(3).build()).filled();
        assertTrue(rig.pool.tryCheckout(new Checkout<>(), 17));
        rig.advance(Duration.ofSeconds(5));
        assertTrue(rig.pool.tryCheckout(new Checkout<>(), 18));
        rig.advance(Duration.ofSeconds(2));
        List<Pool.Holding<Session>> holdings = rig.pool.holdings();
        assertEquals(2, holdings.size());
        assertEquals(17, holdings.get(0).affinity());
        assertEquals(18, holdings.get(1).affinity());
        assertEquals(7.0, holdings.get(0).heldNanos() / 1e9, 0.01);
    }
}
