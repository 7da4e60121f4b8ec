// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arithmetic of a token bucket. */
class TokenBucketTest {

    private static final long SECOND = 1_000_000_000L;

    @Test
    void aFullBucketHoldsItsCapacity() {
        TokenBucket bucket = new TokenBucket(10, 25);
        assertEquals(25, bucket.available(bucket.full(7 * SECOND), 7 * SECOND));
        assertEquals(10, bucket.perSecond());
        assertEquals(25, bucket.capacity());
    }

    @Test
    void savingUpEndsAtTheCapacity() {
        TokenBucket bucket = new TokenBucket(10, 25);
        long state = bucket.full(0);
        assertEquals(25, bucket.available(state, 1_000 * SECOND));
        state = bucket.take(state, 1_000 * SECOND, 25);
        assertEquals(0, bucket.available(state, 1_000 * SECOND), "what flowed in before was not saved");
    }

    @Test
    void permitsFlowInOneIntervalAfterTheOther() {
        TokenBucket bucket = new TokenBucket(100, 5);
        long interval = SECOND / 100;
        long state = bucket.empty(SECOND);
        assertEquals(0, bucket.available(state, SECOND));
        assertEquals(0, bucket.available(state, SECOND + interval - 1));
        for (int permits = 1; permits <= 5; permits++) {
            assertEquals(permits, bucket.available(state, SECOND + permits * interval));
        }
        assertEquals(5, bucket.available(state, SECOND + 6 * interval));
    }

    @Test
    void itSaysWhenPermitsCanBeHad() {
        TokenBucket bucket = new TokenBucket(100, 5);
        long interval = SECOND / 100;
        long empty = bucket.empty(SECOND);
        assertEquals(SECOND + interval, bucket.availableAt(empty, 1));
        assertEquals(SECOND + 5 * interval, bucket.availableAt(empty, 5));
        assertTrue(bucket.availableAt(bucket.full(SECOND), 5) <= SECOND, "a full bucket has them now");
    }

    @Test
    void takingLeavesTheRest() {
        TokenBucket bucket = new TokenBucket(1, 10);
        long state = bucket.take(bucket.full(SECOND), SECOND, 3);
        assertEquals(7, bucket.available(state, SECOND));
        assertEquals(0, bucket.available(bucket.take(state, SECOND, 7), SECOND));
    }

    @Test
    void whatIsGivenBackIsThereAgain() {
        TokenBucket bucket = new TokenBucket(1, 10);
        long state = bucket.empty(SECOND);
        assertEquals(4, bucket.available(bucket.giveBack(state, 4), SECOND));
    }

    @Test
    void givingBackToAFullBucketMakesItNoFuller() {
        TokenBucket bucket = new TokenBucket(1, 10);
        long state = bucket.take(bucket.full(0), 0, 1);
        state = bucket.giveBack(state, 1);
        long later = 100 * SECOND;
        assertEquals(10, bucket.available(bucket.giveBack(state, 5), later));
        assertEquals(0, bucket.available(bucket.take(bucket.giveBack(state, 5), later, 10), later));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "-1, 1", "NaN, 1", "2e9, 1", "1, 0", "1, -1"})
    void aRateOrCapacityThatMakesNoSenseIsRefused(double perSecond, long capacity) {
        assertThrows(IllegalArgumentException.class, () -> new TokenBucket(perSecond, capacity));
    }

    /** Its state is a time in nanoseconds, which end after three centuries. */
    @ParameterizedTest
    @CsvSource({"1e-9, 10", "0.001, 100000000", "1, 9223372036854775807"})
    void aBucketThatWouldTakeCenturiesToFillIsRefused(double perSecond, long capacity) {
        assertThrows(IllegalArgumentException.class, () -> new TokenBucket(perSecond, capacity));
    }

    /**
     * Whatever the history, no stretch of time has seen more than the capacity plus what flowed in during it, and a
     * permit that is refused is refused for good reason: the stretch since the bucket was last full has used it all.
     */
    @Test
    void noStretchOfAnyHistorySeesMoreThanCapacityPlusRateTimesItsLength() {
        for (long seed = 0; seed < 500; seed++) {
            new History(seed).run();
        }
    }

    private static final class History {
        private final String name;
        private final Random random;
        private final double perSecond;
        private final TokenBucket bucket;
        private final List<Long> takenAt = new ArrayList<>();
        private long now;
        private long state;

        History(long seed) {
            random = new Random(seed);
            perSecond = Math.exp(random.nextDouble() * 12 - 3);
            bucket = new TokenBucket(perSecond, 1 + random.nextInt(20));
            name = "seed " + seed + ", " + perSecond + "/s, " + bucket.capacity();
            now = random.nextInt(1_000);
            state = bucket.full(now);
        }

        void run() {
            for (int i = 0; i < 200; i++) {
                now += (long) (random.nextDouble() * 3e9 / perSecond);
                switch (random.nextInt(8)) {
                    case 0 -> now += (long) (bucket.capacity() * 1e9 / perSecond);
                    case 1 -> giveBack();
                    default -> take(1 + random.nextInt((int) Math.min(3, bucket.capacity())));
                }
            }
        }

        private void take(int permits) {
            boolean there = bucket.available(state, now) >= permits;
            assertEquals(there, bucket.availableAt(state, permits) <= now, name + ": two ways to ask the same");
            if (there) {
                long left = bucket.available(state, now) - permits;
                state = bucket.take(state, now, permits);
                assertEquals(left, bucket.available(state, now), name);
                for (int i = 0; i < permits; i++) {
                    takenAt.add(now);
                }
                verify();
            }
        }

        private void giveBack() {
            if (!takenAt.isEmpty() && takenAt.get(takenAt.size() - 1) == now) {
                takenAt.remove(takenAt.size() - 1);
                state = bucket.giveBack(state, 1);
            }
        }

        private void verify() {
            for (int from = 0; from < takenAt.size(); from++) {
                double seconds = (now - takenAt.get(from)) / 1e9;
                double allowed = bucket.capacity() + perSecond * seconds * (1 + 1e-6);
                int taken = takenAt.size() - from;
                assertTrue(taken <= allowed + 1e-6, () -> name + ": " + taken + " in " + seconds + " s");
            }
        }
    }
}
