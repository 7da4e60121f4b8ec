// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.Supply.Census;
import dev.forebay.engine.Supply.Demand;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every {@link Supply} has to keep, on thousands of random pools each. A failure names the case and its seed. */
class SupplyContractTest {

    private static final int CASES = 3_000;
    private static final long SECOND = 1_000_000_000L;

    /** The supplies there are, of any size. */
    enum Kind {
        RESERVOIR {
            @Override
            Supply make(Random random, int maxOpen) {
                return Supply.reservoir(random.nextInt(maxOpen + 1));
            }
        },
        KEEPER {
            @Override
            Supply make(Random random, int maxOpen) {
                return Supply.keeper(maxOpen, Duration.ofMillis(1 + random.nextInt(3_000)), 1 + random.nextInt(10));
            }
        },
        ON_DEMAND_THAT_WAITS {
            @Override
            Supply make(Random random, int maxOpen) {
                return Supply.onDemand(random.nextInt(maxOpen + 1), maxOpen, Exhaustion.WAIT);
            }
        },
        ON_DEMAND_THAT_FAILS_FAST {
            @Override
            Supply make(Random random, int maxOpen) {
                return Supply.onDemand(random.nextInt(maxOpen + 1), maxOpen, Exhaustion.FAIL_FAST);
            }
        },
        ON_DEMAND_THAT_OVERFLOWS {
            @Override
            Supply make(Random random, int maxOpen) {
                return Supply.onDemand(random.nextInt(maxOpen + 1), maxOpen, Exhaustion.OVERFLOW);
            }
        };

        abstract Supply make(Random random, int maxOpen);
    }

    /** A random pool at a random moment. */
    private static final class Case {
        final Random random;
        final Supply supply;
        final long now;
        final Future future;
        final Census census;

        Case(Kind kind, long seed) {
            random = new Random(seed);
            int maxOpen = random.nextInt(random.nextBoolean() ? 6 : 2_000);
            supply = kind.make(random, maxOpen);
            now = 1 + (long) (random.nextDouble() * 7_200 * SECOND);
            int open = random.nextInt(maxOpen + 4); // a little over, as after a resize
            int leased = random.nextInt(open + 1);
            future = new Future(random, now, open);
            long opened = random.nextInt(4) == 0 ? random.nextInt(maxOpen + 1) : maxOpen + random.nextInt(10_000);
            census = new Census(
                    open,
                    () -> leased,
                    random.nextInt(40),
                    random.nextInt(5),
                    random.nextBoolean() ? 0 : random.nextInt(50),
                    maxOpen,
                    random.nextInt(20),
                    opened,
                    random.nextInt(3),
                    future);
        }

        Census with(int ready, int waiting, Census.Horizon horizon) {
            return new Census(
                    ready,
                    () -> 0,
                    census.opening(),
                    0,
                    waiting,
                    census.maxOpen(),
                    census.spare(),
                    census.opened(),
                    census.givenUp(),
                    horizon);
        }
    }

    private record Future(long[] retireAt, int started, double rate, long connect, long startedAt)
            implements Census.Horizon {

        Future(Random random, long now, int open) {
            this(
                    random.longs(random.nextInt(open + 1), now - SECOND, now + 700 * SECOND)
                            .sorted()
                            .toArray(),
                    random.nextInt(12),
                    random.nextInt(10) == 0 ? Double.POSITIVE_INFINITY : Math.exp(random.nextDouble() * 9 - 2),
                    random.nextInt(2_000_000_000),
                    (long) (now * random.nextDouble()));
        }

        @Override
        public int size() {
            return retireAt.length;
        }

        @Override
        public long dueAtNanos(int index) {
            return retireAt[index];
        }

        @Override
        public int startedSince(long nanos) {
            return started;
        }

        @Override
        public double grantsPerSecond() {
            return rate;
        }

        @Override
        public long connectNanos() {
            return connect;
        }

        @Override
        public long startedAtNanos() {
            return startedAt;
        }

        @Override
        public String toString() {
            return Arrays.toString(retireAt) + " started " + started + ", " + rate + "/s, connect " + connect
                    + ", since " + startedAt;
        }
    }

    private static void each(Kind kind, Consumer<Case> property) {
        for (long seed = 0; seed < CASES; seed++) {
            Case one = new Case(kind, seed);
            try {
                property.accept(one);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        kind + " seed " + seed + ", " + one.supply + " at " + one.now + ", " + one.census + ": " + e,
                        e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theSameCensusGetsTheSameAnswer(Kind kind) {
        each(kind, one -> {
            Demand first = one.supply.wanted(one.census, one.now);
            one.supply.wanted(one.with(0, 7, one.future), one.now + SECOND);
            assertEquals(first, one.supply.wanted(one.census, one.now));
        });
    }

    /** Only those that go soon are looked at; that must be as good as looking at each. */
    @Test
    void aReservoirReplacesAsIfItHadLookedAtEveryConnection() {
        each(Kind.RESERVOIR, one -> {
            int room = Math.max(0, one.census.room());
            int missing = Math.min(room, Math.max(0, one.supply.target() - one.census.ready()));
            int atOnce = one.census.spare() + room - missing;
            double turn = atOnce == 0 ? 0 : 1.0 * one.future.connectNanos() / atOnce;
            double interval = 1.1 * Math.max(1e9 / one.future.grantsPerSecond(), turn);
            long connect = 2 * one.future.connectNanos() + 50_000_000;
            int due = 0;
            long firstStart = Long.MAX_VALUE;
            for (int i = 0; i < one.future.size(); i++) {
                long startAt = one.future.dueAtNanos(i) - connect - (long) (interval * (i + 1));
                due = startAt <= one.now ? i + 1 : due;
                firstStart = startAt > one.now ? Math.min(firstStart, startAt) : firstStart;
            }
            Demand demand = one.supply.wanted(one.census, one.now);
            assertEquals(due, demand.extras());
            if (due == 0) {
                assertTrue(demand.recheckAtNanos() <= firstStart, "it would come too late");
            }
            assertTrue(demand.recheckAtNanos() > one.now, "it would look again and again");
        });
    }

    @ParameterizedTest
    @EnumSource
    void wantsNoLessThanNothingAndNoMoreThanThereIsRoomFor(Kind kind) {
        each(kind, one -> {
            Demand demand = one.supply.wanted(one.census, one.now);
            assertTrue(demand.opens() >= 0 && demand.extras() >= 0, demand.toString());
            assertTrue(demand.opens() <= Math.max(0, one.census.room()), demand.toString());
        });
    }

    /** Extras have a purpose each: one to displace, or one who waits. */
    @ParameterizedTest
    @EnumSource
    void wantsNoExtraWithoutAPurpose(Kind kind) {
        each(kind, one -> {
            Demand demand = one.supply.wanted(one.census, one.now);
            if (one.supply.extra() == Supply.Extra.REPLACEMENT) {
                assertTrue(demand.extras() <= one.future.size(), demand.toString());
            } else {
                assertTrue(demand.extras() <= one.census.waiting(), demand.toString());
                assertTrue(demand.extras() <= one.census.spare(), demand.toString());
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void looksAgainInTheFuture(Kind kind) {
        each(kind, one -> {
            Demand demand = one.supply.wanted(one.census, one.now);
            assertTrue(demand.recheckAtNanos() > one.now, demand.toString());
        });
    }

    /** Whoever is told to look again later must not miss anything until then. */
    @ParameterizedTest
    @EnumSource
    void theAnswerStaysTheSameUntilTheTimeToLookAgain(Kind kind) {
        each(kind, one -> {
            Demand demand = one.supply.wanted(one.census, one.now);
            long until = Math.min(demand.recheckAtNanos(), one.now + 1_000 * SECOND);
            for (long at : new long[] {until - 1, one.now + (long) ((until - 1 - one.now) * one.random.nextDouble())}) {
                Demand later = one.supply.wanted(one.census, at);
                assertEquals(demand.opens(), later.opens(), "at " + at);
                assertEquals(demand.extras(), later.extras(), "at " + at);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void wantsNothingWhereNothingIsMissing(Kind kind) {
        each(kind, one -> {
            Future ageless = new Future(new long[0], 0, 10, SECOND, 0);
            int full = Math.max(one.supply.target(), one.census.maxOpen());
            Demand demand = one.supply.wanted(one.with(full, 0, ageless), one.now);
            assertEquals(0, demand.opens());
            assertEquals(0, demand.extras());
        });
    }

    /** A reservoir never opens on a caller's behalf; the others do, as far as there is room. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RESERVOIR")
    void wantsOneForEachWhoWaits(Kind kind) {
        each(kind, one -> {
            assertTrue(one.supply.reactsToWaiting(), "it is asked when someone begins to wait");
            int unserved = one.census.waiting() - one.census.ready();
            Demand demand = one.supply.wanted(one.census, one.now);
            assertTrue(demand.opens() >= Math.min(unserved, one.census.room()), demand.toString());
        });
    }

    /** The other side of it: what is missing is asked for, now or at a time that is named. */
    @ParameterizedTest
    @EnumSource
    void wantsSomethingWhereSomethingIsMissing(Kind kind) {
        each(kind, one -> {
            boolean asksForNothing = one.supply.target() == 0 && !one.supply.reactsToWaiting();
            if (asksForNothing || one.census.maxOpen() == 0) {
                return;
            }
            Census empty = one.with(0, 1, one.future);
            Demand demand = one.supply.wanted(empty, one.now);
            assertTrue(demand.opens() > 0 || demand.recheckAtNanos() < Long.MAX_VALUE, demand.toString());
        });
    }
}
