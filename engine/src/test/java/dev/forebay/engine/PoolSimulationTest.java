// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.PoolConfig.ReuseOrder;
import dev.forebay.testkit.ConnectionCap;
import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer.Behaviour;
import dev.forebay.testkit.SimServer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random pools under random load, faults and administration, one event at a time, with everything that must always hold
 * checked after every event. A failure names its seed; {@code run(seed)} replays it.
 */
class PoolSimulationTest {

    @Test
    void invariantsHoldAfterEveryEventOfManyRandomRuns() {
        runAll(0, 400);
    }

    @Test
    @Tag("soak")
    void invariantsHoldAfterEveryEventOfVeryManyRandomRuns() {
        runAll(1_000, 40_000);
    }

    private static void runAll(long from, int count) {
        for (long seed = from; seed < from + count; seed++) {
            try {
                new Run(seed).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** One random life of a pool. */
    private static final class Run {
        private final Random random;
        private final Rig rig;
        private final ConnectionCap lease;
        private final List<Checkout<Session>> held = new ArrayList<>();
        private final List<Rig.Queued> queued = new ArrayList<>();
        private final int limitRate;
        private final int limitBurst;
        private final int leases;
        private int maxOpen;
        private int spare;
        /** The largest maximum plus spare so far: what was opened under it may still be there. */
        private int ceiling;

        private boolean suspended;

        Run(long seed) {
            random = new Random(seed);
            maxOpen = 1 + random.nextInt(12);
            spare = random.nextInt(4);
            ceiling = maxOpen + spare;
            limitRate = 1 + random.nextInt(50);
            limitBurst = 1 + random.nextInt(10);
            leases = random.nextInt(4) == 0 ? 1 + random.nextInt(maxOpen) : 1_000;
            ConnectionCap[] cap = new ConnectionCap[1];
            rig = Rig.of(
                    config(),
                    time -> {
                        cap[0] = new ConnectionCap(leases);
                        return List.of(cap[0], new RateLimit(new TokenBucket(limitRate, limitBurst), time));
                    },
                    PoolListener.NONE,
                    seed);
            lease = cap[0];
            rig.server
                    .connectLatency(() -> millis(100))
                    .closeLatency(() -> millis(20))
                    .checkLatency(() -> millis(30))
                    .behave(this::behaviour);
        }

        private Duration millis(int most) {
            return Duration.ofMillis(random.nextInt(most));
        }

        private Behaviour behaviour() {
            return switch (random.nextInt(20)) {
                case 0 -> Behaviour.REFUSE;
                case 1 -> Behaviour.THROTTLE;
                case 2 -> Behaviour.NO_TOKEN;
                case 3 -> Behaviour.HANG;
                default -> Behaviour.ACCEPT;
            };
        }

        private PoolConfig config() {
            PoolConfig.Builder builder = PoolConfig.builder(supply(), maxOpen)
                    .spare(spare)
                    .inFlightLimit(1 + random.nextInt(8))
                    .openTimeout(Duration.ofMillis(50 + random.nextInt(200)))
                    .checkTimeout(Duration.ofMillis(10 + random.nextInt(50)))
                    .exhaustion(exhaustion)
                    .reuseOrder(random.nextBoolean() ? ReuseOrder.SPREAD : ReuseOrder.NEWEST_FIRST)
                    .maxWaiting(random.nextInt(10));
            if (random.nextInt(4) > 0) {
                builder.lifetime(Duration.ofSeconds(5), millis(2_000), millis(900));
            }
            if (random.nextBoolean()) {
                builder.keepalive(Duration.ofMillis(500)).trust(Duration.ofMillis(700));
                trustNanos = Duration.ofMillis(700).toNanos();
            }
            if (random.nextInt(3) == 0) {
                builder.idle(Duration.ofSeconds(1), random.nextInt(3));
            }
            return builder.build();
        }

        private Exhaustion exhaustion = Exhaustion.WAIT;
        private long trustNanos = Long.MAX_VALUE;

        private Supply supply() {
            return switch (random.nextInt(3)) {
                case 0 -> Supply.reservoir(1 + random.nextInt(maxOpen));
                case 1 -> Supply.keeper(maxOpen, Duration.ofMillis(100), 1);
                default -> {
                    exhaustion = Exhaustion.values()[random.nextInt(Exhaustion.values().length)];
                    yield Supply.onDemand(random.nextInt(maxOpen), maxOpen, exhaustion);
                }
            };
        }

        void run() {
            rig.start();
            for (int step = 0; step < 600; step++) {
                act();
                verify();
                for (int events = random.nextInt(4); events > 0 && rig.time.step(); events--) {
                    verify();
                }
                if (random.nextInt(10) == 0) {
                    rig.advance(millis(400));
                    verify();
                }
            }
            finish();
        }

        private void act() {
            switch (random.nextInt(24)) {
                case 0, 1, 2, 3, 4, 5 -> {
                    Checkout<Session> checkout = new Checkout<>();
                    if (rig.pool.tryCheckout(checkout, random.nextInt(5))) {
                        held.add(checkout);
                    }
                }
                case 6, 7, 8 -> queued.add(rig.queue(millis(1_500)));
                case 9, 10, 11, 12, 13, 14 -> giveBack();
                case 15 -> {
                    if (!held.isEmpty()) {
                        pick().discard(DiscardReason.BAD_CONNECTION);
                    }
                }
                case 16 -> rig.server.kill(random.nextInt(4));
                case 17 -> rig.server.endHung(random.nextBoolean() ? Behaviour.ACCEPT : Behaviour.REFUSE);
                case 18 -> {
                    if (!queued.isEmpty()) {
                        Rig.Queued one = queued.get(random.nextInt(queued.size()));
                        if (one.waiter.cancel(Refusal.CANCELLED)) {
                            queued.remove(one);
                        }
                    }
                }
                case 19 -> resize();
                case 20 -> {
                    if (random.nextInt(4) == 0) {
                        rig.pool.evictAll();
                    }
                }
                case 21 -> rig.pool.evictIdle(random.nextInt(3));
                case 22 -> rig.pool.checkAll();
                default -> {
                    suspended = !suspended && random.nextInt(3) == 0;
                    if (suspended) {
                        rig.pool.suspend();
                    } else {
                        rig.pool.resume();
                    }
                }
            }
        }

        private void giveBack() {
            if (held.isEmpty()) {
                return;
            }
            Checkout<Session> checkout = pick();
            Session session = checkout.value();
            assertTrue(checkout.returnToPool(), "a current checkout can be returned");
            assertTrue(checkout.value() == null && !checkout.returnToPool(), "a spent checkout is spent: " + session);
        }

        private Checkout<Session> pick() {
            return held.remove(random.nextInt(held.size()));
        }

        private void resize() {
            if (random.nextInt(3) > 0) {
                return;
            }
            maxOpen = 1 + random.nextInt(12);
            spare = random.nextInt(4);
            ceiling = Math.max(ceiling, maxOpen + spare);
            rig.pool.resize(supply(), maxOpen, spare);
        }

        private void collectServed() {
            for (Iterator<Rig.Queued> all = queued.iterator(); all.hasNext(); ) {
                Rig.Queued waiting = all.next();
                if (waiting.served) {
                    held.add(waiting.checkout);
                    all.remove();
                } else if (waiting.refusal != null) {
                    all.remove();
                }
            }
        }

        private void verify() {
            collectServed();
            PoolStats stats = rig.stats();
            Set<Session> inHands = new HashSet<>();
            for (Checkout<Session> checkout : held) {
                Session session = checkout.value();
                assertTrue(session != null, "a held checkout is current");
                assertTrue(inHands.add(session), "one connection in two hands: " + session);
                assertTrue(!session.isClosed(), "closed in its borrower's hands: " + session);
            }
            assertEquals(held.size(), stats.borrowed(), "leased");
            assertTrue(stats.ready() >= 0 && stats.opening() >= 0 && stats.closing() >= 0, "no count is negative");
            int total = stats.ready() + stats.borrowed() + stats.opening() + stats.closing();
            assertTrue(total <= ceiling, "at most " + ceiling + " exist: " + stats);
            assertTrue(rig.server.open() + rig.server.connecting() <= total, "the server sees no more than is counted");
            assertTrue(lease.held() <= Math.min(leases, total), "no lease without a connection: " + stats);
            assertTrue(rig.server.open() <= lease.held(), "no connection without a lease");
            assertTrue(suspended || stats.waiting() == 0 || !somethingIsReady(), "someone waits in vain: " + stats);
            verifyRate();
        }

        /** Whether a connection could be handed out as it is. */
        private boolean somethingIsReady() {
            long now = rig.time.nanos();
            boolean[] found = {false};
            rig.pool.lock();
            try {
                rig.pool.forEach(entry -> found[0] |=
                        entry.isReady() && now < entry.retireAtNanos && now - entry.provenAtNanos <= trustNanos);
            } finally {
                rig.pool.unlock();
            }
            return found[0];
        }

        private int connectsChecked;

        private void verifyRate() {
            List<Long> connects = rig.server.connectsAt();
            for (; connectsChecked < connects.size(); connectsChecked++) {
                long last = connects.get(connectsChecked);
                int from = connectsChecked;
                while (from >= 0 && last - connects.get(from) < 1_000_000_000L) {
                    from--;
                }
                int inASecond = connectsChecked - from;
                assertTrue(inASecond <= limitRate + limitBurst + 1, inASecond + " connects in a second");
            }
        }

        /** Heals everything, and sees that the pool recovers; then closes it, and sees that nothing is left. */
        private void finish() {
            rig.server.behave(Behaviour.ACCEPT);
            rig.server.endHung(Behaviour.ACCEPT);
            rig.pool.resume();
            suspended = false;
            rig.time.runDue();
            verify();
            while (!held.isEmpty()) {
                pick().returnToPool();
            }
            rig.advance(Duration.ofSeconds(60));
            verify();
            if (held.isEmpty()) {
                rig.server.endHung(Behaviour.ACCEPT);
                Rig.Queued last = rig.queue(Duration.ofSeconds(30));
                rig.advance(Duration.ofSeconds(29));
                assertTrue(
                        last.served || exhaustion == Exhaustion.FAIL_FAST || last.refusal == Refusal.TOO_MANY_WAITING,
                        "a healthy pool serves: " + rig.stats() + " " + last.refusal);
                queued.add(last);
                collectServed();
            }
            boolean[] drained = {false};
            rig.pool.close();
            rig.pool.whenDrained(() -> drained[0] = true);
            rig.time.runDue();
            collectServed();
            assertTrue(queued.isEmpty(), "closing refuses those who wait");
            while (!held.isEmpty()) {
                pick().returnToPool();
            }
            rig.server.endHung(Behaviour.ACCEPT);
            rig.advance(Duration.ofSeconds(20));
            assertTrue(drained[0], "drained: " + rig.stats());
            assertEquals(0, rig.server.open(), "open at the server");
            assertEquals(0, lease.held(), "leases held");
            assertEquals(Long.MAX_VALUE, rig.time.nextNanos(), "nothing is scheduled any more");
        }
    }
}
