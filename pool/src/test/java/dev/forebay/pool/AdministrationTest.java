// SPDX-License-Identifier: Apache-2.0
package dev.forebay.pool;

import static dev.forebay.pool.Pools.SECOND;
import static dev.forebay.pool.Pools.ageless;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.event.PoolListener;
import dev.forebay.fleet.ConnectionCap;
import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer.Behaviour;
import dev.forebay.testkit.SimServer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What can be done to a pool while it runs, and its end. */
class AdministrationTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void aLargerPoolFillsUp() {
        Rig rig = Rig.of(ageless(2).build()).filled();
        rig.pool.resize(Supply.reservoir(200), 200, 10);
        rig.advance(SECOND);
        assertEquals(200, rig.stats().ready());
        assertEquals(200, rig.stats().target());
    }

    @Test
    void aSmallerPoolLetsIdleOnesGoAtOnceAndOthersWhenTheyAreReturned() {
        Rig rig = Rig.of(ageless(10).build()).filled();
        List<Checkout<Session>> held = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            held.add(rig.take());
        }
        rig.pool.resize(Supply.reservoir(3), 3, 0);
        rig.advance(SECOND);
        assertEquals(0, rig.stats().ready());
        assertEquals(6, rig.stats().leased());
        held.forEach(Checkout::returnToPool);
        rig.advance(SECOND);
        assertEquals(3, rig.stats().ready());
        assertEquals(3, rig.server.open());
        assertEquals(7, rig.stats().discards(DiscardReason.RESERVOIR_FULL));
    }

    @Test
    void evictionReplacesEverythingWithoutTakingItFromItsBorrower() {
        Rig rig = Rig.of(ageless(5).build()).filled();
        Checkout<Session> held = rig.take();
        rig.pool.evictAll();
        rig.advance(SECOND);
        assertFalse(held.value().isClosed());
        assertEquals(4, rig.stats().ready());
        Session evicted = held.value();
        held.returnToPool();
        rig.advance(SECOND);
        assertTrue(evicted.isClosed());
        assertEquals(5, rig.stats().ready());
        assertEquals(5, rig.stats().discards(DiscardReason.EVICTED));
        rig.server.sessions().stream().limit(5).forEach(session -> assertTrue(session.isClosed()));
    }

    @Test
    void aSuspendedPoolHandsOutNothingAndLosesNobody() {
        Rig rig = Rig.of(ageless(2).build()).filled();
        Checkout<Session> held = rig.take();
        rig.pool.suspend();
        assertTrue(rig.isEmpty());
        Rig.Queued waiting = rig.queue(LONG);
        held.returnToPool();
        rig.advance(SECOND);
        assertFalse(waiting.served);
        assertEquals(2, rig.stats().ready());
        rig.pool.resume();
        assertTrue(waiting.served);
    }

    @Test
    void closingRefusesThoseWhoWaitAtOnce() {
        Rig rig = Rig.of(ageless(1).build()).filled();
        rig.take();
        Rig.Queued waiting = rig.queue(LONG);
        rig.pool.close();
        assertSame(Refusal.CLOSED, waiting.refusal);
        assertSame(Refusal.CLOSED, rig.queue(LONG).refusal);
    }

    @Test
    void closingClosesLeasedOnesOnReturnReleasesEveryLeaseAndLeaksNothing() {
        ConnectionCap leases = new ConnectionCap(10);
        Rig rig = Rig.of(ageless(5).build(), time -> List.of(leases));
        rig.filled();
        Checkout<Session> held = rig.take();
        boolean[] drained = {false};
        rig.pool.close();
        rig.pool.whenDrained(() -> drained[0] = true);
        rig.advance(SECOND);
        assertEquals(1, rig.server.open());
        assertEquals(1, leases.held());
        assertNotNull(held.value());
        assertFalse(drained[0]);
        held.returnToPool();
        rig.advance(SECOND);
        assertEquals(0, rig.server.open());
        assertEquals(0, leases.held());
        assertTrue(drained[0]);
        assertEquals(Long.MAX_VALUE, rig.time.nextNanos(), "nothing is scheduled any more");
    }

    @Test
    void anOpenUnderWayIsClosedWhenItArrivesAtAClosedPool() {
        ConnectionCap leases = new ConnectionCap(10);
        Rig rig = Rig.of(ageless(1).build(), time -> List.of(leases));
        rig.server.next(Behaviour.HANG);
        rig.start();
        rig.pool.close();
        rig.pool.close();
        rig.advance(SECOND);
        assertEquals(1, leases.held());
        rig.server.endHung(Behaviour.ACCEPT);
        rig.advance(SECOND);
        assertEquals(0, rig.server.open());
        assertEquals(0, leases.held());
        assertEquals(1, rig.stats().discards(DiscardReason.POOL_CLOSED));
    }

    /** Whatever those who listen get wrong, the pool fills, serves, discards and closes. */
    @Test
    void listenersThatThrowChangeNothing() {
        PoolListener rude = new PoolListener() {
            @Override
            public boolean hearsCheckouts() {
                return true;
            }

            @Override
            public void returned(long heldNanos) {
                throw new IllegalStateException("returned");
            }

            @Override
            public void opened(int open, long connectNanos) {
                throw new IllegalStateException("opened");
            }

            @Override
            public void discarded(DiscardReason reason, long remainingNanos) {
                throw new IllegalStateException("discarded");
            }

            @Override
            public void foundEmpty() {
                throw new IllegalStateException("empty");
            }

            @Override
            public void checkedOut(long waitedNanos) {
                throw new IllegalStateException("checked out");
            }
        };
        Rig rig = Rig.of(ageless(2).build(), rude).filled();
        Checkout<Session> one = rig.take();
        Checkout<Session> other = rig.take();
        assertFalse(rig.pool.tryCheckout(new Checkout<>(), 0));
        Rig.Queued waiting = rig.queue(LONG);
        one.returnToPool();
        assertTrue(waiting.served);
        other.discard(DiscardReason.BAD_CONNECTION);
        rig.advance(SECOND);
        assertEquals(2, rig.stats().open());
        rig.pool.close();
        rig.returnAll();
        rig.advance(SECOND);
        assertEquals(0, rig.server.open());
    }

    @Test
    void idleOnesCanBeEvictedByHandLongestUnusedFirst() {
        Rig rig = Rig.of(ageless(3).reuseOrder(ReuseOrder.NEWEST_FIRST).build()).filled();
        Checkout<Session> used = rig.take();
        Session fresh = used.value();
        rig.advance(SECOND);
        used.returnToPool();
        assertEquals(2, rig.pool.evictIdle(2));
        assertFalse(fresh.isClosed());
        rig.advance(SECOND);
        assertEquals(2, rig.stats().discards(DiscardReason.EVICTED));
    }
}
