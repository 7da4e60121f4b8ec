// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.console.demo.Hiccups.Lateness;
import org.junit.jupiter.api.Test;

class HiccupsTest {

    private static final long PERIOD = 1_000_000;

    @Test
    void aThreadThatWakesUpInTimeHasLostNothing() {
        Lateness lateness = new Lateness(0, PERIOD);
        for (long now = PERIOD; now < 10 * PERIOD; now += PERIOD) {
            lateness = lateness.awakeAt(now);
        }
        assertEquals(0, lateness.lostNanos());
    }

    @Test
    void latenessAddsUp() {
        Lateness lateness = new Lateness(0, 100).awakeAt(140);
        assertEquals(40, lateness.lostNanos());
        assertEquals(50, lateness.awakeAt(140 + PERIOD + 10).lostNanos());
    }

    @Test
    void anOverdueWakeUpCountsBeforeItHappens() {
        Lateness lateness = new Lateness(7, 100);
        assertEquals(7, lateness.until(100));
        assertEquals(37, lateness.until(130));
    }
}
