// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ConflictWindowTest {

    private static final long SECOND = 1_000_000_000L;

    private final ConflictWindow window = new ConflictWindow(0);

    @Test
    void countsTheCurrentSecondAndThe59BeforeIt() {
        assertEquals(1, window.add("a", 0));
        assertEquals(2, window.add("a", SECOND - 1));
        assertEquals(3, window.add("a", 30 * SECOND));
        assertEquals(4, window.add("a", 60 * SECOND - 1));
        assertEquals(3, window.add("a", 60 * SECOND));
        assertEquals(4, window.add("a", 89 * SECOND));
        assertEquals(4, window.add("a", 90 * SECOND));
    }

    @Test
    void aLongSilenceEmptiesIt() {
        for (int i = 0; i < 100; i++) {
            window.add("a", i * SECOND);
        }
        assertEquals(1, window.add("b", 1_000_000 * SECOND));
        assertEquals(new ConflictWindow.Busiest("b", 1), window.busiest());
    }

    @Test
    void aReadingFromBeforeTheNewestCountsAsNow() {
        window.add("a", 100 * SECOND);
        assertEquals(2, window.add("a", 10 * SECOND));
        assertEquals(3, window.add("a", 159 * SECOND));
        assertEquals(2, window.add("a", 160 * SECOND));
    }

    @Test
    void theBusiestIsThatOfTheLastMinute() {
        assertEquals(new ConflictWindow.Busiest("none", 0), window.busiest());
        for (int i = 0; i < 10; i++) {
            window.add("early", 0);
        }
        window.add("late", SECOND);
        window.add("equal", SECOND);
        assertEquals(new ConflictWindow.Busiest("early", 10), window.busiest());
        window.add("late", 60 * SECOND);
        assertEquals(new ConflictWindow.Busiest("late", 2), window.busiest());
    }

    @Test
    void namesBeyondTheBoundAreOther() {
        for (int i = 0; i < 1_000; i++) {
            window.add("order " + i, 0);
        }
        assertEquals(new ConflictWindow.Busiest("other", 1_000 - ConflictWindow.MOST_OPERATIONS), window.busiest());
    }

    /** Beside a list of all there was. */
    @Test
    void agreesWithAListOfEverything() {
        for (long seed = 1; seed <= 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ConflictWindow tried = new ConflictWindow(0);
            Deque<Long> seconds = new ArrayDeque<>();
            long now = 0;
            for (int i = 0; i < 500; i++) {
                now += random.nextLong(random.nextInt(20) == 0 ? 100 * SECOND : 2 * SECOND);
                long oldest = now / SECOND - 59;
                seconds.add(now / SECOND);
                seconds.removeIf(second -> second < oldest);
                assertEquals(seconds.size(), tried.add("a", now), "seed " + seed + " step " + i);
            }
        }
    }
}
