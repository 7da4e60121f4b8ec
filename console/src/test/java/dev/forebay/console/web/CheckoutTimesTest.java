// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CheckoutTimesTest {

    private static final double AN_EIGHTH_OF_A_DOUBLING = 0.1;

    private final CheckoutTimes times = new CheckoutTimes();

    private void add(int count, long nanos) {
        for (int i = 0; i < count; i++) {
            times.add(nanos);
        }
    }

    @Test
    void oneOfAHundredMayTakeLonger() {
        add(99, 1_000_000);
        add(1, 500_000_000);
        assertEquals(1, times.takeP99Millis(), AN_EIGHTH_OF_A_DOUBLING);
    }

    @Test
    void twoOfAHundredMayNot() {
        add(98, 1_000_000);
        add(2, 500_000_000);
        assertEquals(500, times.takeP99Millis(), 500 * AN_EIGHTH_OF_A_DOUBLING);
    }

    @Test
    void whoAsksBeginsAnew() {
        add(1, 1_000_000);
        times.takeP99Millis();
        assertEquals(0, times.takeP99Millis());
    }

    @Test
    void noTimeIsTooShortOrTooLong() {
        add(1, 0);
        add(1, Long.MAX_VALUE);
        assertEquals(Math.pow(2, 48) / 1e6, times.takeP99Millis(), 1);
    }
}
