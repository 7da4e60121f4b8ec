// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Admission;
import dev.forebay.engine.Admission.Grant;
import dev.forebay.engine.Admission.Outcome;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Permits taken by many instances from one item, through lost and late messages and wrong clocks. */
class FleetRateLimitModelTest {

    private static final int RATE = 100;
    private static final int BURST = 200;
    private static final Duration SKEW = Duration.ofSeconds(2);

    private final List<Long> connects = new ArrayList<>();

    /** An instance that opens as many connections as it may. */
    private final class Instance {
        private final FleetWorld world;
        private final FleetWorld.Machine machine;
        private final FleetRateLimit limit;
        private int wanted;
        private int failures;

        Instance(FleetWorld world, FleetWorld.Machine machine, boolean window, int wanted) {
            this.world = world;
            this.machine = machine;
            this.wanted = wanted;
            GuardedStore store =
                    new GuardedStore(machine, Duration.ofSeconds(5), machine, world.random, FleetListener.NONE);
            Duration maxWait = Duration.ofSeconds(30);
            Fallback refusing = new Fallback.Refusing(store);
            this.limit = window
                    ? FleetRateLimit.window("here", RATE, maxWait, store, refusing, machine, machine, world.random)
                    : FleetRateLimit.bucket(
                            "here",
                            new TokenBucket(RATE, BURST),
                            maxWait,
                            store,
                            refusing,
                            machine,
                            machine,
                            world.random);
        }

        void start(int atOnce) {
            for (int i = 0; i < atOnce && wanted > 0; i++) {
                wanted--;
                attempt();
            }
        }

        private void attempt() {
            limit.ask(machine.nanos(), new Admission.Answer() {
                @Override
                public int behind() {
                    return wanted;
                }

                @Override
                public void granted(Grant grant) {
                    connects.add(world.real.nanos());
                    machine.schedule(machine.nanos() + 20_000_000 + world.random.nextInt(100_000_000), () -> {
                        grant.openEnded(Outcome.OPENED);
                        start(1);
                    });
                }

                @Override
                public void notBefore(long nanos) {
                    machine.schedule(nanos, Instance.this::attempt);
                }

                @Override
                public void failed(OpenFailure failure) {
                    failures++;
                    machine.schedule(machine.nanos() + 1_000_000_000, Instance.this::attempt);
                }
            });
        }
    }

    private List<Instance> fleet(FleetWorld world, int instances, Duration skew, boolean window, int wanted) {
        List<Instance> fleet = new ArrayList<>();
        for (int i = 0; i < instances; i++) {
            fleet.add(new Instance(world, world.machine(skew), window, wanted));
        }
        return fleet;
    }

    /** In no stretch of time are there more connects than the bucket and what flowed in since, clocks allowed for. */
    private void verify(double allowedSeconds) {
        double lowest = 0; // of i - RATE * t, over the connects so far
        for (int i = 0; i < connects.size(); i++) {
            double level = i - RATE * (connects.get(i) / 1e9);
            lowest = i == 0 ? level : Math.min(lowest, level);
            double over = level - lowest + 1 - BURST;
            assertTrue(over <= RATE * allowedSeconds, "connect " + i + " is " + over + " over the bucket");
        }
    }

    @Test
    void permitsNeverExceedTheBucketPlusWhatFlowedInPlusTheSkew() {
        for (long seed = 0; seed < 60; seed++) {
            connects.clear();
            FleetWorld world = new FleetWorld(seed);
            world.trouble = world.random.nextDouble() * 0.1;
            List<Instance> fleet = fleet(world, 8, SKEW, false, 2_000);
            fleet.forEach(one -> one.start(16));
            for (int step = 0; step < 60; step++) {
                Instance one = fleet.get(world.random.nextInt(fleet.size()));
                switch (world.random.nextInt(8)) {
                    case 0 -> one.machine.cutOff = !one.machine.cutOff;
                    case 1 -> {
                        one.machine.stop();
                        world.real.schedule(
                                world.real.nanos() + world.random.nextLong(5_000_000_000L), one.machine::goOn);
                    }
                    default -> world.real.advance(Duration.ofMillis(world.random.nextInt(2_000)));
                }
            }
            // two clocks differ by twice the skew; a permit is used up to a second late, or up to a stop later
            verify(2 * SKEW.toSeconds() + 1 + 5);
        }
    }

    /** The Go implementation's seconds gave a hundred at the end of one and another at the start of the next, and no burst. */
    @Test
    void theBurstIsThereAtOnceAndAfterItNoStretchOfASecondSeesTwiceTheRate() {
        FleetWorld world = new FleetWorld(6);
        List<Instance> fleet = fleet(world, 8, Duration.ZERO, false, 10_000);
        fleet.forEach(one -> one.start(32));
        world.real.advance(Duration.ofMillis(900));
        assertTrue(connects.size() >= BURST, connects.size() + " of the burst");
        world.real.advance(Duration.ofSeconds(30));
        List<Long> after =
                connects.stream().filter(nanos -> nanos > 3_000_000_000L).toList();
        int from = 0;
        for (int i = 0; i < after.size(); i++) {
            while (after.get(i) - after.get(from) >= 1_000_000_000L) {
                from++;
            }
            assertTrue(i - from + 1 <= RATE * 1.5, i - from + 1 + " within a second");
        }
    }

    @Test
    void clocksThatDifferALittleMintNothing() {
        FleetWorld world = new FleetWorld(7);
        List<Instance> fleet = fleet(world, 44, Duration.ofMillis(50), false, 10_000);
        fleet.forEach(one -> one.start(16));
        world.real.advance(Duration.ofSeconds(60));
        verify(0.1 + 1);
        double rate = (connects.size() - BURST) / 60.0;
        assertTrue(rate <= RATE * 1.03, rate + " a second");
    }

    /** The Go implementation kept a number of tokens and the last writer's time, which a lagging clock moved backwards. */
    @Test
    void timeThatMovesBackwardsMintsForTheReferenceAndNotForUs() {
        FleetWorld world = new FleetWorld(14);
        TokenBucket bucket = new TokenBucket(RATE, BURST);
        long state = bucket.empty(0);
        int ours = 0;
        double tokens = 0;
        long last = 0;
        int reference = 0;
        for (long nanos = 0; nanos < 60_000_000_000L; nanos += 4_000_000) {
            long clock = nanos + world.random.nextLong(-50_000_000, 50_000_000);
            tokens = Math.min(BURST, tokens + Math.max(0, clock - last) * RATE / 1e9);
            last = clock;
            if (tokens >= 1) {
                tokens--;
                reference++;
            }
            if (bucket.available(state, clock) >= 1) {
                state = bucket.take(state, clock, 1);
                ours++;
            }
        }
        assertTrue(reference > 60 * RATE * 2, reference + " by the Go implementation");
        assertTrue(ours <= 60 * RATE + RATE / 10, ours + " by us");
    }

    @Test
    void manyWhoWaitUseAllThatFlowsInAndRarelyGetInEachOthersWay() {
        FleetWorld world = new FleetWorld(8);
        List<Instance> fleet = fleet(world, 44, Duration.ofMillis(50), false, 10_000);
        fleet.forEach(one -> one.start(16));
        world.real.advance(Duration.ofSeconds(60));
        double rate = (connects.size() - BURST) / 60.0;
        assertTrue(rate >= RATE * 0.9, rate + " a second");
        long contended =
                fleet.stream().mapToLong(one -> one.limit.stats().contended()).sum();
        long requests =
                fleet.stream().mapToLong(one -> one.limit.stats().requests()).sum();
        assertTrue(contended < connects.size() / 10, contended + " in vain for " + connects.size());
        assertTrue(requests < connects.size() / 5, requests + " requests for " + connects.size());
    }

    @Test
    void aClockThatIsAnHourAheadLocksNobodyOut() {
        FleetWorld world = new FleetWorld(9);
        Instance ahead = new Instance(world, world.machineAhead(Duration.ofHours(1)), false, 10);
        ahead.start(10);
        world.real.advance(Duration.ofSeconds(1));
        connects.clear();
        List<Instance> fleet = fleet(world, 4, Duration.ZERO, false, 10_000);
        fleet.forEach(one -> one.start(16));
        world.real.advance(Duration.ofSeconds(60));
        verify(1);
        assertTrue(connects.size() >= BURST + 60 * RATE * 0.9, connects.size() + " connects in a minute");
    }

    @Test
    void aWindowGivesItsLimitInEachSecondOfTheClock() {
        FleetWorld world = new FleetWorld(10);
        List<Instance> fleet = fleet(world, 8, Duration.ZERO, true, 10_000);
        fleet.forEach(one -> one.start(16));
        world.real.advance(Duration.ofSeconds(30));
        int[] seconds = new int[31];
        connects.forEach(nanos -> seconds[(int) (nanos / 1_000_000_000)]++);
        int sum = 0;
        for (int count : seconds) {
            assertTrue(count <= RATE, count + " in one second");
            sum += count;
        }
        assertTrue(sum >= 30 * RATE * 0.7, sum + " in thirty seconds");
    }

    @Test
    void whatTheServerRefusesAsTooFastEmptiesTheBucketForAll() {
        FleetWorld world = new FleetWorld(11);
        Instance one = new Instance(world, world.machine(Duration.ZERO), false, 1);
        List<Grant> grants = new ArrayList<>();
        one.limit.ask(one.machine.nanos(), collecting(grants));
        world.real.advance(Duration.ofSeconds(1));
        grants.get(0).openEnded(Outcome.THROTTLED);
        one.limit.ask(one.machine.nanos(), collecting(grants));
        world.real.advance(Duration.ofMillis(500));
        Instance other = new Instance(world, world.machine(Duration.ZERO), false, 400);
        connects.clear();
        other.start(200);
        world.real.advance(Duration.ofSeconds(1));
        assertTrue(connects.size() < 2 * RATE, connects.size() + " although the bucket was emptied");
    }

    private static Admission.Answer collecting(List<Grant> grants) {
        return new Admission.Answer() {
            @Override
            public void granted(Grant grant) {
                grants.add(grant);
            }

            @Override
            public void notBefore(long nanos) {}

            @Override
            public void failed(OpenFailure failure) {
                throw new AssertionError(failure.toString());
            }
        };
    }

    @Test
    void aLongQueueIsNoFailureAsLongAsPermitsCome() {
        FleetWorld world = new FleetWorld(12);
        List<Instance> fleet = fleet(world, 100, Duration.ZERO, false, 1_000);
        fleet.forEach(one -> one.start(64));
        world.real.advance(Duration.ofSeconds(100));
        for (Instance one : fleet) {
            assertEquals(0, one.failures, "more is wanted than comes in thirty seconds, but each gets some");
            assertTrue(one.limit.stats().granted() > 0);
        }
    }

    @Test
    void whoeverGetsNoPermitForTooLongIsToldSo() {
        FleetWorld world = new FleetWorld(14);
        fleet(world, 20, Duration.ZERO, false, 10_000).forEach(one -> one.start(64));
        world.real.advance(Duration.ofSeconds(10));
        FleetRateLimit impatient = limit(world, RATE, BURST, Duration.ofSeconds(1));
        Waiting waiting = new Waiting();
        long until = world.real.nanos() + 2_000_000_000L;
        while (waiting.failures == 0 && world.real.nanos() < until) {
            impatient.ask(world.real.nanos(), waiting);
            world.real.advance(Duration.ofMillis(100));
            assertTrue(
                    waiting.failures == 0 || world.real.nanos() > until - 1_000_000_000L,
                    "it may have to wait for a second");
        }
        assertEquals(1, waiting.failures);
        assertEquals(0, waiting.grants.size());
    }

    @Test
    void whoeverAsksAgainBeforeItsTimeKeepsItsPlace() {
        FleetWorld world = new FleetWorld(15);
        FleetRateLimit limit = limit(world, 1, 1, Duration.ofSeconds(30));
        limit.ask(world.real.nanos(), new Waiting());
        world.real.advance(Duration.ofMillis(100));
        Waiting second = new Waiting();
        for (int times = 0; times < 5; times++) {
            limit.ask(world.real.nanos(), second);
            world.real.advance(Duration.ofMillis(100));
        }
        assertEquals(1, second.told.stream().distinct().count(), second.told.toString());
        world.real.advanceTo(second.told.get(0));
        limit.ask(world.real.nanos(), second);
        world.real.advance(Duration.ofSeconds(10));
        assertEquals(1, second.grants.size());
        assertEquals(0, limit.stats().wasted());
    }

    @Test
    void aPlaceThatNobodyWaitsForAnyMoreGoesToTheNext() {
        FleetWorld world = new FleetWorld(16);
        FleetRateLimit limit = limit(world, 1, 1, Duration.ofSeconds(30));
        Waiting first = new Waiting();
        Waiting givesUp = new Waiting();
        Waiting next = new Waiting();
        for (Waiting one : List.of(first, givesUp)) {
            limit.ask(world.real.nanos(), one);
            world.real.advance(Duration.ofMillis(100));
        }
        assertEquals(1, first.grants.size());
        limit.withdrawn(givesUp);
        limit.ask(world.real.nanos(), next);
        world.real.advance(Duration.ofMillis(100));
        assertEquals(givesUp.told, next.told);
    }

    private static FleetRateLimit limit(FleetWorld world, int rate, int burst, Duration maxWait) {
        FleetWorld.Machine machine = world.machine(Duration.ZERO);
        GuardedStore store =
                new GuardedStore(machine, Duration.ofSeconds(5), machine, world.random, FleetListener.NONE);
        return FleetRateLimit.bucket(
                "here",
                new TokenBucket(rate, burst),
                maxWait,
                store,
                new Fallback.Refusing(store),
                machine,
                machine,
                world.random);
    }

    /** Asks when it is told to by the test, and remembers the answers. */
    private static final class Waiting implements Admission.Answer {
        private final List<Grant> grants = new ArrayList<>();
        private final List<Long> told = new ArrayList<>();
        private int failures;

        @Override
        public void granted(Grant grant) {
            grants.add(grant);
        }

        @Override
        public void notBefore(long nanos) {
            told.add(nanos);
        }

        @Override
        public void failed(OpenFailure failure) {
            failures++;
        }
    }

    @Test
    void aPermitThatNobodyUsedWithinASecondIsLost() {
        FleetWorld world = new FleetWorld(13);
        Instance one = new Instance(world, world.machine(Duration.ZERO), false, 5);
        List<Grant> grants = new ArrayList<>();
        one.limit.ask(one.machine.nanos(), new Admission.Answer() {
            @Override
            public int behind() {
                return 5;
            }

            @Override
            public void granted(Grant grant) {
                grants.add(grant);
            }

            @Override
            public void notBefore(long nanos) {}

            @Override
            public void failed(OpenFailure failure) {
                throw new AssertionError(failure.toString());
            }
        });
        world.real.advance(Duration.ofMillis(1_300));
        long asked = world.requests;
        one.limit.ask(one.machine.nanos(), collecting(grants));
        world.real.advance(Duration.ofMillis(500));
        assertEquals(2, grants.size());
        assertTrue(world.requests > asked, "what was taken ahead is too old");
        assertEquals(5, one.limit.stats().wasted());
    }
}
