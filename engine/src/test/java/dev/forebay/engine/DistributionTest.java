// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Metric.Distribution;
import dev.forebay.engine.Metric.Recorder;
import dev.forebay.time.VirtualTime;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DistributionTest {

    private final VirtualTime time = new VirtualTime();

    private Distribution of(long... values) {
        Recorder recorder = new Recorder(time, Distribution.times());
        LongStream.of(values).forEach(recorder::record);
        return recorder.read();
    }

    @Test
    void aValueIsInTheFirstBucketWhoseBoundIsNotBelowIt() {
        Distribution values = of(0, 100, 101, 1_000_000_000_000L);
        assertEquals(2, values.countUpTo(100));
        assertEquals(3, values.countUpTo(125));
        assertEquals(3, values.countUpTo(100_000_000_000L), "what is above all bounds is in none of them");
        assertEquals(4, values.count());
        assertEquals(1_000_000_000_201L, values.sum());
        assertEquals(1_000_000_000_000L, values.max());
    }

    @Test
    void quantilesAreRightToAQuarter() {
        long[] values = new Random(7)
                .longs(10_000, 1_000, 50_000_000)
                .map(value -> value * value / 50_000_000)
                .sorted()
                .toArray();
        Distribution distribution = of(values);
        for (double quantile : new double[] {0.1, 0.5, 0.9, 0.99}) {
            double truth = values[(int) (quantile * values.length)];
            assertEquals(1, distribution.quantile(quantile) / truth, 0.25, "at " + quantile);
        }
        assertTrue(Double.isNaN(Distribution.NONE.quantile(0.5)));
        assertEquals(200_000_000_000L, of(200_000_000_000L).quantile(0.99), "beyond the bounds it is the greatest");
    }

    @Test
    void valuesAreAddedAndTakenAway() {
        Distribution one = of(100, 7_000);
        Distribution both = one.plus(of(7_000, 9_000_000));
        assertEquals(4, both.count());
        assertEquals(3, both.countUpTo(8_000));
        assertEquals(9_014_100, both.sum());
        assertEquals(9_000_000, both.max());
        Distribution rest = both.minus(one);
        assertEquals(2, rest.count());
        assertEquals(1, rest.countUpTo(8_000));
        assertEquals(9_007_000, rest.sum());
    }
}
