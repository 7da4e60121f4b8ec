// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Counts by seconds of the clock, and by any second. */
class PerSecondTest {

    private static final long SECOND = 1_000_000_000;

    @Test
    void aSecondOfTheClockEndsWithItAndASlidingOneDoesNot() {
        PerSecond counts = new PerSecond();
        assertEquals(1, counts.count(SECOND - 2));
        assertEquals(2, counts.count(SECOND - 1));
        assertEquals(1, counts.count(SECOND));
        assertEquals(3, counts.inSlidingSecond());
        assertEquals(2, counts.count(2 * SECOND - 2));
        assertEquals(3, counts.inSlidingSecond(), "what happened exactly a second ago is out");
        assertEquals(2, counts.most());
        assertEquals(3, counts.mostSliding());
    }

    @Test
    void countsAsOneDoesWhoKeepsAllTimes() {
        Dice dice = new Dice(1);
        PerSecond counts = new PerSecond();
        Deque<Long> times = new ArrayDeque<>();
        Map<Long, Integer> bySecond = new HashMap<>();
        int mostSliding = 0;
        long now = 0;
        for (int i = 0; i < 20_000; i++) {
            long pace = i % 5_000 < 2_500 ? SECOND / 20 : SECOND / 2_000;
            now += dice.nextLong(pace);
            times.addLast(now);
            while (times.getFirst() <= now - SECOND) {
                times.removeFirst();
            }
            mostSliding = Math.max(mostSliding, times.size());
            assertEquals(bySecond.merge(now / SECOND, 1, Integer::sum), counts.count(now));
            assertEquals(times.size(), counts.inSlidingSecond());
        }
        assertEquals(mostSliding, counts.mostSliding());
        assertEquals(
                bySecond.values().stream().mapToInt(Integer::intValue).max().orElseThrow(), counts.most());
    }

    @Test
    void whatWasTakenIsNotTakenAgain() {
        PerSecond counts = new PerSecond();
        for (int i = 0; i < 5; i++) {
            counts.count(i);
        }
        counts.count(SECOND);
        assertEquals(5, counts.takeMost());
        assertEquals(0, counts.takeMost());
        counts.count(SECOND + 1);
        assertEquals(2, counts.takeMost(), "the second of the clock goes on");
        assertEquals(5, counts.most());
    }
}
