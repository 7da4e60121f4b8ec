// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How arrivals change over time. */
class TrafficTest {

    private static double at(Traffic traffic, Duration when) {
        return traffic.at(when.toNanos());
    }

    @Test
    void aDayBeginsAtItsLeastAndHasItsMostAtNoon() {
        Traffic day = new Traffic.Daily(0.2, 3, Duration.ofHours(24));
        assertEquals(0.2, at(day, Duration.ZERO), 1e-9);
        assertEquals(1.6, at(day, Duration.ofHours(6)), 1e-9);
        assertEquals(3, at(day, Duration.ofHours(12)), 1e-9);
        assertEquals(1.6, at(day, Duration.ofHours(18)), 1e-9);
        assertEquals(0.2, at(day, Duration.ofHours(24 * 365)), 1e-9);
    }

    @Test
    void aSpikeLastsFromItsBeginningToItsEnd() {
        Traffic spike = new Traffic.Spike(Duration.ofSeconds(10), Duration.ofSeconds(5), 4);
        assertEquals(1, at(spike, Duration.ofMillis(9_999)));
        assertEquals(4, at(spike, Duration.ofSeconds(10)));
        assertEquals(4, at(spike, Duration.ofMillis(14_999)));
        assertEquals(1, at(spike, Duration.ofSeconds(15)));
    }

    @Test
    void aRecordingHoldsEachFactorUntilTheNext() {
        Traffic recorded = new Traffic.Replay(List.of(
                new Traffic.Step(Duration.ofSeconds(1), 0.5),
                new Traffic.Step(Duration.ofSeconds(2), 2),
                new Traffic.Step(Duration.ofSeconds(9), 0)));
        assertEquals(0, at(recorded, Duration.ofMillis(999)));
        assertEquals(0.5, at(recorded, Duration.ofSeconds(1)));
        assertEquals(2, at(recorded, Duration.ofSeconds(2)));
        assertEquals(2, at(recorded, Duration.ofMillis(8_999)));
        assertEquals(0, at(recorded, Duration.ofDays(9)));
        assertEquals(1, at(Traffic.STEADY, Duration.ofDays(9)));
    }
}
