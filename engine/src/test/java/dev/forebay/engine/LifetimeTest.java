// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static dev.forebay.engine.Pools.MINUTE;
import static dev.forebay.engine.Pools.SECOND;
import static dev.forebay.engine.Pools.reservoir;
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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Lifetimes, the guard window, and what happens at their ends. */
class LifetimeTest {

    /** One connection of exactly ten minutes, guard window one minute, which nothing replaces ahead of time. */
    private static PoolConfig.Builder tenMinutes() {
        return PoolConfig.builder(Supply.onDemand(1, 1, Exhaustion.WAIT), 1)
                .lifetime(Duration.ofMinutes(10), Duration.ZERO, MINUTE);
    }

    @Test
    void lifetimesAreDrawnAtBirthFromBaseMinusToBasePlusHalfTheJitter() {
        Rig rig = Rig.of(reservoir(500).inFlightLimit(500).build()).start().advance(Duration.ofMillis(20));
        List<Long> lifetimes = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            lifetimes.add(rig.take().remainingNanos(rig.time.nanos())
                    + Duration.ofMillis(20).toNanos());
        }
        long shortest = lifetimes.stream().min(Long::compare).orElseThrow();
        long longest = lifetimes.stream().max(Long::compare).orElseThrow();
        assertTrue(shortest >= Duration.ofMinutes(10).toNanos(), "shortest " + Duration.ofNanos(shortest));
        assertTrue(longest <= Duration.ofMinutes(12).toNanos(), "longest " + Duration.ofNanos(longest));
        assertTrue(shortest < Duration.ofMinutes(10).plusSeconds(10).toNanos(), "the range is used at its low end");
        assertTrue(longest > Duration.ofMinutes(11).plusSeconds(50).toNanos(), "the range is used at its high end");
        assertEquals(500, new HashSet<>(lifetimes).size(), "each has its own");
    }

    @Test
    void aConnectionInsideTheGuardWindowIsDiscardedByTheScan() {
        Rig rig = Rig.of(tenMinutes().build()).filled();
        rig.time.advanceTo(Duration.ofMinutes(9).toNanos() - 1);
        assertEquals(0, rig.stats().discards(DiscardReason.EXPIRING_SOON_ON_SCAN));
        rig.advance(SECOND);
        assertEquals(1, rig.stats().discards(DiscardReason.EXPIRING_SOON_ON_SCAN));
        assertTrue(rig.server.sessions().get(0).isClosed());
    }

    @Test
    void aConnectionInsideTheGuardWindowIsNotTakenBack() {
        Rig rig = Rig.of(tenMinutes().build()).filled();
        Checkout<Session> held = rig.take();
        rig.time.advanceTo(Duration.ofMinutes(9).plusSeconds(10).toNanos());
        assertTrue(held.returnToPool());
        rig.time.runDue();
        assertEquals(1, rig.stats().discards(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME));
        assertTrue(rig.server.sessions().get(0).isClosed());
    }

    @Test
    void aConnectionThatExpiredInUseIsNotTakenBack() {
        Rig rig = Rig.of(tenMinutes().build()).filled();
        Checkout<Session> held = rig.take();
        rig.time.advanceTo(Duration.ofMinutes(11).toNanos());
        assertEquals(0, held.remainingNanos(rig.time.nanos()));
        held.returnToPool();
        rig.time.runDue();
        assertEquals(1, rig.stats().discards(DiscardReason.EXPIRED_ON_RETURN));
    }

    /** Between two steps a connection can come into its guard window unnoticed: the checkout itself has to look. */
    @Test
    void aConnectionInsideTheGuardWindowIsNotHandedOutAndTheNextOneIs() {
        Rig rig = Rig.of(PoolConfig.builder(Supply.onDemand(2, 2, Exhaustion.WAIT), 2)
                .lifetime(Duration.ofMinutes(10), Duration.ZERO, MINUTE)
                .reuseOrder(ReuseOrder.NEWEST_FIRST)
                .build());
        rig.server.next(Behaviour.ACCEPT, Behaviour.REFUSE); // so that the second is opened later
        rig.start().advance(SECOND);
        Session older = rig.server.sessions().get(0);
        Checkout<Session> one = rig.take();
        Checkout<Session> other = rig.take();
        boolean olderLast = other.value() == older;
        (olderLast ? one : other).returnToPool();
        (olderLast ? other : one).returnToPool();
        rig.time.jumpTo(Duration.ofMinutes(9).plusMillis(50).toNanos());
        Checkout<Session> got = rig.take();
        assertNotSame(older, got.value());
        rig.time.runDue();
        assertEquals(1, rig.stats().discards(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME));
    }

    /** Forty-nine stale ones in the way, and closing each takes a minute: the fiftieth is handed out all the same. */
    @Test
    void aCheckoutPassesOverAnyNumberOfStaleConnectionsAndClosesNoneItself() {
        Rig rig = Rig.of(PoolConfig.builder(Supply.onDemand(50, 50, Exhaustion.WAIT), 50)
                .lifetime(Duration.ofMinutes(10), Duration.ZERO, MINUTE)
                .inFlightLimit(49)
                .build());
        rig.server.closeLatency(() -> MINUTE).connectLatency(SECOND);
        rig.start().advance(SECOND.multipliedBy(3));
        assertEquals(50, rig.stats().ready());
        rig.time.jumpTo(Duration.ofMinutes(9).plusMillis(500).toNanos());
        Checkout<Session> fresh = rig.take();
        assertSame(rig.server.sessions().get(49), fresh.value());
        assertTrue(rig.server.sessions().stream().noneMatch(Session::isClosed), "nothing is closed on the way");
        rig.time.runDue();
        assertEquals(49, rig.stats().closing());
    }

    @Test
    void aReturnThatComesTooLateClosesNothingItself() {
        Rig rig = Rig.of(tenMinutes().build()).filled();
        Checkout<Session> held = rig.take();
        Session session = held.value();
        rig.time.jumpTo(Duration.ofMinutes(11).toNanos());
        assertTrue(held.returnToPool());
        assertFalse(session.isClosed());
        rig.time.runDue();
        assertTrue(session.isClosed());
    }

    @Test
    void expiryIsNoticedWhenItIsDueNotASecondLater() {
        Rig rig = Rig.of(tenMinutes().build()).filled();
        rig.time.advanceTo(Duration.ofMinutes(9).toNanos());
        assertEquals(0, rig.stats().ready());
    }

    @Test
    void aWaveOfClusteredConnectionsGoesInOneStepWithoutTouchingTheOthers() {
        PoolConfig config = PoolConfig.builder(Supply.onDemand(10_000, 10_000, Exhaustion.WAIT), 10_000)
                .lifetime(Duration.ofMinutes(10), Duration.ZERO, MINUTE)
                .inFlightLimit(10_000)
                .build();
        Rig rig = Rig.of(config).start();
        rig.advance(SECOND);
        Set<Session> held = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            held.add(rig.take().value());
        }
        rig.server.behave(Behaviour.REFUSE);
        rig.time.advanceTo(Duration.ofMinutes(9).toNanos());
        assertEquals(9_900, rig.stats().discards(DiscardReason.EXPIRING_SOON_ON_SCAN));
        assertEquals(100, rig.stats().borrowed());
        held.forEach(session -> assertFalse(session.isClosed()));
    }

    /** It is never ready when a step looks, and nothing replaces it: only checkout and return can notice its age. */
    @Test
    void aConnectionThatIsHardlyEverReturnedExpiresAllTheSame() {
        Rig rig = Rig.of(tenMinutes().build()).filled();
        for (int second = 0; second < 3_600; second++) {
            Rig.Queued borrower = rig.queue(SECOND);
            rig.advance(Duration.ofMillis(100));
            assertTrue(borrower.served, "after " + second + " s");
            long left = borrower.checkout.remainingNanos(rig.time.nanos());
            assertTrue(left > Duration.ofSeconds(59).toNanos(), Duration.ofNanos(left) + " left");
            rig.advance(Duration.ofMillis(900));
            borrower.checkout.returnToPool();
        }
        assertTrue(rig.stats().discards(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME) >= 6);
    }

    /**
     * The only valid connection among hundreds that are due stays in reach at every moment of the scan: one thread scans
     * without end while another, alone, borrows and returns it.
     */
    @Test
    void theScanTakesNothingValidOutOfReach() throws InterruptedException {
        PoolConfig config = PoolConfig.builder(Supply.onDemand(300, 300, Exhaustion.WAIT), 300)
                .lifetime(Duration.ofMinutes(10), Duration.ZERO, MINUTE)
                .inFlightLimit(300)
                .build();
        Rig rig = Rig.of(config);
        rig.server.connectLatency(SECOND);
        rig.start().advance(SECOND);
        for (int i = 0; i < 300; i++) {
            Checkout<Session> checkout = rig.take();
            if (checkout.value().id() == 0) {
                checkout.discard(DiscardReason.EVICTED); // its successor comes first in the scan
            }
        }
        rig.advance(SECOND.multipliedBy(2));
        assertEquals(1, rig.stats().ready());
        long now = Duration.ofMinutes(9).plusMillis(500).toNanos();
        rig.time.jumpTo(now);
        AtomicBoolean borrowing = new AtomicBoolean(true);
        int[] missed = {0};
        Thread borrower = new Thread(() -> {
            for (int i = 0; i < 200_000; i++) {
                Checkout<Session> checkout = new Checkout<>();
                if (rig.pool.claim(checkout, 0)) {
                    checkout.returnToPool();
                } else {
                    missed[0]++;
                }
            }
            borrowing.set(false);
        });
        borrower.start();
        while (borrowing.get()) {
            rig.pool.poll(now);
        }
        borrower.join();
        assertEquals(0, missed[0]);
        assertEquals(299, rig.stats().borrowed());
    }

    @Test
    void aBorrowedConnectionDoesNotOutliveItsLifetimeByBeingReturnedAgainAndAgain() {
        Rig rig = Rig.of(reservoir(5).build()).filled();
        long limit = Duration.ofMinutes(12).toNanos();
        for (int second = 0; second < 3_600; second++) {
            Checkout<Session> checkout = rig.take();
            assertTrue(checkout.value().ageNanos(rig.time.nanos()) <= limit, "older than any lifetime");
            rig.advance(SECOND);
            checkout.returnToPool();
        }
    }
}
