// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Quantiles from counts. */
class HistogramTest {

    @Test
    void quantilesOfManyLengthsAreExactToThreeInAHundredAndNeverTooLow() {
        Dice dice = new Dice(1);
        for (int round = 0; round < 50; round++) {
            Histogram histogram = new Histogram();
            long[] lengths = new long[1 + dice.nextInt(500)];
            for (int i = 0; i < lengths.length; i++) {
                lengths[i] = dice.nextLong() >>> (2 + dice.nextInt(62));
                histogram.add(lengths[i]);
            }
            Arrays.sort(lengths);
            for (double share : new double[] {0, 0.01, 0.5, 0.9, 0.99, 1}) {
                int rank = Math.max(1, (int) Math.ceil(share * lengths.length));
                long exact = lengths[rank - 1];
                long told = histogram.quantile(share);
                assertTrue(told >= exact, () -> told + " for " + exact);
                assertTrue(told <= exact + exact / 32, () -> told + " for " + exact);
            }
            assertEquals(lengths.length, histogram.total());
            assertEquals(lengths[lengths.length - 1], histogram.most());
            assertEquals(histogram.most(), histogram.quantile(1));
        }
    }

    @Test
    void takesEveryLengthThereCanBe() {
        Histogram histogram = new Histogram();
        histogram.add(0);
        histogram.add(Long.MAX_VALUE);
        assertEquals(new Result.Waits(2, 0, Long.MAX_VALUE, Long.MAX_VALUE), histogram.waits());
    }

    @Test
    void ofNothingAllIsZero() {
        assertEquals(new Result.Waits(0, 0, 0, 0), new Histogram().waits());
    }

    @Test
    void twoTogetherAreAsIfOneHadCountedAllAndAClearedOneIsNew() {
        Histogram both = new Histogram();
        Histogram odd = new Histogram();
        Histogram even = new Histogram();
        for (long nanos = 1; nanos <= 1_000; nanos++) {
            both.add(nanos * nanos);
            (nanos % 2 == 0 ? even : odd).add(nanos * nanos);
        }
        odd.addAll(even);
        assertEquals(both.waits(), odd.waits());
        odd.clear();
        assertEquals(new Histogram().waits(), odd.waits());
        odd.add(3);
        assertEquals(new Result.Waits(1, 3, 3, 3), odd.waits());
    }
}
