// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.Supply;
import dev.forebay.engine.Supply.Census;
import dev.forebay.engine.Supply.Demand;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The supply of user pools: on demand, with a floor under what is open. */
class FloorTest {

    private static final Census.Horizon NOTHING_EXPIRES = new Census.Horizon() {
        @Override
        public int size() {
            return 0;
        }

        @Override
        public long dueAtNanos(int index) {
            throw new IndexOutOfBoundsException(index);
        }

        @Override
        public int startedSince(long nanos) {
            return 0;
        }

        @Override
        public double grantsPerSecond() {
            return Double.POSITIVE_INFINITY;
        }

        @Override
        public long connectNanos() {
            return 0;
        }

        @Override
        public long startedAtNanos() {
            return 0;
        }
    };

    private static Census census(int open, int leased, int closing, int waiting, int max) {
        return new Census(open, () -> leased, 0, closing, waiting, max, 2, 0, 0, NOTHING_EXPIRES);
    }

    @Test
    void wantsWhatOnDemandWantsAndAtLeastTheFloor() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            int max = random.nextInt(1, 12);
            int open = random.nextInt(max + 1);
            int closing = random.nextInt(max - open + 1);
            Census census = census(open, random.nextInt(open + 1), closing, random.nextInt(6), max);
            Exhaustion exhaustion = Exhaustion.values()[random.nextInt(3)];
            Supply onDemand = Supply.onDemand(0, max, exhaustion);
            int least = random.nextInt(max + 1);
            Floor floor = new Floor(onDemand, least);
            Demand demand = floor.wanted(census, i);
            Demand plain = onDemand.wanted(census, i);
            int missing = Math.max(0, Math.min(least - open, census.room()));
            assertEquals(Math.max(plain.opens(), missing), demand.opens());
            assertEquals(plain.extras(), demand.extras());
            assertTrue(demand.opens() <= Math.max(0, census.room()));
            assertEquals(demand, floor.wanted(census, i), "the same again");
            assertEquals(onDemand.extra(), floor.extra());
            assertTrue(floor.reactsToWaiting());
            assertEquals(onDemand.target(), floor.target());
        }
    }

    @Test
    void whatIsInUseCountsTowardsTheFloor() {
        Floor floor = new Floor(Supply.onDemand(0, 10, Exhaustion.WAIT), 3);
        assertEquals(0, floor.wanted(census(3, 3, 0, 0, 10), 0).opens());
        assertEquals(1, floor.wanted(census(2, 2, 0, 0, 10), 0).opens());
        assertEquals(2, floor.wanted(census(2, 2, 0, 2, 10), 0).opens(), "those who wait come first");
    }
}
