// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.engine.Metric.Distribution;
import dev.forebay.time.VirtualTime;
import org.junit.jupiter.api.Test;

/** The times that are shown while checkouts are under way, at moments that {@link TimesTest} meets too rarely. */
class TimingsTest {

    private final Timings timings = new Timings(new VirtualTime());

    private Distribution checkouts(long counted) {
        return timings.read(counted, 0, 0).checkouts();
    }

    @Test
    void thoseThatWereNotTimedAreSpreadLikeThoseThatWere() {
        for (int i = 0; i < 3; i++) {
            timings.sampled(100);
        }
        timings.sampled(8_000);
        timings.waited(5_000_000);
        Distribution shown = checkouts(1_001);
        assertEquals(1_001, shown.count());
        assertEquals(750, shown.countUpTo(100));
        assertEquals(1_000, shown.countUpTo(8_000));
        assertEquals(750 * 100 + 250 * 8_000 + 5_000_000, shown.sum());
        assertEquals(5_000_000, shown.max());
    }

    @Test
    void newOnesAreSpreadLikeTheNewestThatWereTimed() {
        timings.sampled(100);
        checkouts(10);
        timings.sampled(8_000);
        assertEquals(10, checkouts(15).countUpTo(100));
        assertEquals(15, checkouts(15).countUpTo(8_000));
        assertEquals(20, checkouts(20).count(), "without a new one, like all");
    }

    /** A checkout is counted by its connection before it is noted here. */
    @Test
    void oneThatIsCountedButNotNotedYetIsShownNextTime() {
        assertEquals(0, checkouts(1).count());
        timings.waited(700);
        assertEquals(1, checkouts(1).count());
        assertEquals(1, checkouts(1).countUpTo(800));
    }

    /** It was noted after the count was taken. */
    @Test
    void oneThatIsNotedButNotCountedYetIsShownNextTime() {
        timings.sampled(100);
        timings.waited(700);
        timings.waited(700);
        assertEquals(0, checkouts(1).count());
        assertEquals(3, checkouts(3).count());
        assertEquals(1, checkouts(3).countUpTo(100));
    }

    /** Connections and their states are read one after the other, while both change. */
    @Test
    void noNumberFalls() {
        assertEquals(5, timings.read(0, 5, 70).uses());
        assertEquals(5, timings.read(0, 4, 60).uses());
        assertEquals(70, timings.read(0, 4, 60).usedNanos());
        timings.sampled(100);
        assertEquals(9, checkouts(9).count());
        assertEquals(9, checkouts(8).count());
        assertEquals(9, checkouts(9).count());
        assertEquals(10, checkouts(10).count());
    }
}
