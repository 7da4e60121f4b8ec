// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static dev.forebay.engine.Pools.SECOND;
import static dev.forebay.engine.Pools.ageless;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.PoolConfig.ReuseOrder;
import dev.forebay.testkit.ConnectionCap;
import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Behaviour;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.Time;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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
        assertEquals(6, rig.stats().borrowed());
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

    @Test
    void whatIsOutLongestCanBeAskedBack() {
        Rig rig = Rig.of(ageless(3).build()).filled();
        Checkout<Session> first = rig.take();
        rig.advance(SECOND);
        Checkout<Session> second = rig.take();
        Session longest = first.value();
        Session other = second.value();
        assertTrue(rig.pool.evictBorrowed());
        second.returnToPool();
        first.returnToPool();
        rig.advance(SECOND);
        assertTrue(longest.isClosed());
        assertFalse(other.isClosed());
        assertFalse(rig.pool.evictBorrowed(), "nothing is out");
    }

    @Test
    void thoseWhoWaitCanBeToldThatItIsOfNoUse() {
        Rig rig = Rig.of(ageless(1).build()).filled();
        rig.take();
        Rig.Queued first = rig.queue(LONG);
        Rig.Queued second = rig.queue(LONG);
        assertEquals(2, rig.pool.waitingCount());
        assertEquals(2, rig.pool.refuseWaiting(Refusal.HOPELESS));
        assertEquals(Refusal.HOPELESS, first.refusal);
        assertEquals(Refusal.HOPELESS, second.refusal);
        assertEquals(0, rig.pool.waitingCount());
    }

    @Test
    void theInventoryTellsTheHistoryOfEachConnection() {
        Rig rig = Rig.of(ageless(2).build()).filled();
        long filledAt = rig.time.nanos();
        assertTrue(rig.pool.idleSinceNanos() <= filledAt);
        rig.advance(SECOND);
        Checkout<Session> first = rig.take();
        Checkout<Session> second = rig.take();
        assertEquals(Long.MAX_VALUE, rig.pool.idleSinceNanos(), "none is idle");
        rig.advance(SECOND);
        Session used = first.value();
        first.returnToPool();
        assertEquals(filledAt + 2 * SECOND.toNanos(), rig.pool.idleSinceNanos());
        for (Pool.Pooled<Session> one : rig.pool.inventory()) {
            assertEquals(one.value() != used, one.borrowed());
            assertEquals(1, one.uses());
            assertFalse(one.leaving());
            assertEquals(one.borrowed() ? 1 : 0, one.heldNanos() / 1e9, 0.01, "seconds, off a coarse clock");
        }
        assertTrue(second.isCurrent());
    }

    /** The birth is read off the exact clock, a return off the coarse one, which lags. */
    @Test
    void noConnectionWasUsedBeforeItWasBorn() {
        VirtualTime time = new VirtualTime();
        Time lagging = new Time() {
            @Override
            public long nanos() {
                return time.nanos();
            }

            @Override
            public long coarseNanos() {
                return 0;
            }

            @Override
            public Scheduled schedule(long atNanos, Runnable task) {
                return time.schedule(atNanos, task);
            }
        };
        time.advance(SECOND);
        Pool<Session> pool = new Pool<>(
                ageless(1).build(), new SimServer(time), List.of(), lagging, new Random(42), PoolListener.NONE);
        pool.start();
        time.advance(SECOND);
        Checkout<Session> checkout = new Checkout<>();
        assertTrue(pool.tryCheckout(checkout, 0));
        checkout.returnToPool();
        Pool.Pooled<Session> returned = pool.inventory().get(0);
        assertEquals(SECOND.toNanos(), returned.bornAtNanos());
        assertEquals(SECOND.toNanos(), returned.usedAtNanos());
        assertEquals(SECOND.toNanos(), returned.provenAtNanos());
    }

    @Test
    void aConnectionThatWasPutAsideForACheckIsNotCountedAsCheckedOut() {
        Rig rig = Rig.of(ageless(1).trust(SECOND).build()).filled();
        rig.advance(SECOND.multipliedBy(2));
        Rig.Queued queued = rig.queue(LONG);
        rig.advance(SECOND);
        assertTrue(queued.served);
        assertEquals(1, rig.stats().checkouts());
        assertEquals(1, rig.pool.inventory().get(0).uses());
    }

    /** One that keeps an order among those it refused must hear of those who leave. */
    @Test
    void anAdmissionIsToldOfWhatIsNoLongerWanted() {
        List<Admission.Answer> refused = new ArrayList<>();
        List<Admission.Answer> left = new ArrayList<>();
        Admission never = new Admission() {
            @Override
            public void ask(long nowNanos, Answer answer) {
                refused.add(answer);
                answer.notBefore(Long.MAX_VALUE);
            }

            @Override
            public void withdrawn(Answer answer) {
                left.add(answer);
            }
        };
        Rig rig = Rig.of(
                PoolConfig.builder(Supply.onDemand(0, 2, Exhaustion.WAIT), 2).build(), time -> List.of(never));
        rig.pool.start();
        rig.queue(SECOND);
        rig.advance(Duration.ofMillis(500));
        assertEquals(1, refused.size());
        assertEquals(List.of(), left);
        rig.advance(SECOND);
        assertEquals(refused, left);
        rig.queue(LONG);
        rig.advance(SECOND);
        rig.pool.close();
        rig.advance(SECOND);
        assertEquals(refused, left, "a pool that is closed leaves nothing in line");
        assertEquals(2, left.size());
    }

    @Test
    void anotherNumberOfIdleOnesIsSparedFromThenOn() {
        Rig rig = Rig.of(PoolConfig.builder(Supply.onDemand(0, 6, Exhaustion.WAIT), 6)
                .idle(SECOND, 4)
                .build());
        rig.pool.start();
        for (int i = 0; i < 6; i++) {
            rig.queue(LONG);
        }
        rig.advance(SECOND);
        rig.returnAll();
        rig.advance(SECOND.multipliedBy(3));
        assertEquals(4, rig.stats().ready());
        rig.pool.resize(Supply.onDemand(0, 6, Exhaustion.WAIT), 6, 0, 1);
        rig.advance(SECOND);
        assertEquals(1, rig.stats().ready());
    }
}
