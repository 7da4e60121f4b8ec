// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.sim.Result;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How values become paths. */
class PathDataTest {

    private static final double NONE = Double.NaN;

    /** Ten seconds, a value each. */
    private static Plot plot(boolean stacked, Result.Line... lines) {
        return plot(Duration.ofSeconds(1), stacked, lines);
    }

    private static Plot plot(Duration bucket, boolean stacked, Result.Line... lines) {
        Result hand = Samples.result("x", ForebayConfig.Mode.RESERVOIR, 1);
        Result.Chart chart = new Result.Chart("c", "c", "", stacked, List.of(lines), List.of());
        Result result =
                new Result(hand.scenario(), hand.totals(), List.of(), bucket, List.of(chart), List.of(), List.of());
        return Plot.of(List.of(new Run("x", result, "x"))).get(0);
    }

    private static String path(double... values) {
        Plot plot = plot(false, Samples.line("l", values));
        return PathData.ofLine(plot.lines().get(0), plot);
    }

    @Test
    void aPointIsInTheMiddleOfItsSecondAndAsHighAsItsValue() {
        assertEquals("M500 1 1500 2 2500 0.5", path(1, 2, 0.5));
    }

    @Test
    void whatIsMissingIsAGapAndASinglePointADot() {
        assertEquals("M500 1 1500 2M3500 3 3500 3M5500 1 6500 2", path(1, 2, NONE, 3, NONE, 1, 2));
        assertEquals("M1500 1 2500 2", path(NONE, 1, 2, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY));
    }

    @Test
    void aLevelStretchNeedsItsEndsOnly() {
        assertEquals("M500 7 4500 7 5500 8 7500 8", path(7, 7, 7, 7, 7, 8, 8, 8));
        assertEquals("M500 7 2500 7M4500 7 5500 7", path(7, 7, 7, NONE, 7, 7));
    }

    @Test
    void nothingAtAllIsAnEmptyPath() {
        assertEquals("", path());
        assertEquals("", path(NONE, NONE));
    }

    @Test
    void ofMoreValuesThanCanBeSeenTheExtremesStay() {
        double[] values = new double[10_000];
        Arrays.fill(values, 5);
        values[7_003] = 100;
        values[7_004] = 0;
        Plot plot = plot(Duration.ofMillis(1), false, Samples.line("l", values));
        assertEquals(
                "M1 5 6988 5 7004 100 7005 0 7006 5 9997 5",
                PathData.ofLine(plot.lines().get(0), plot));
    }

    @Test
    void valuesBeyondTheEndStayInside() {
        String path = path(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2);
        assertEquals("M500 1 9500 1 10000 2", path);
    }

    @Test
    void layersLieOnEachOtherAndAreNothingWhereTheyAddNothing() {
        Plot plot =
                plot(true, Samples.line("a", 0, 0, 2, 0, 0), Samples.line("b", 0, 0, 1, NONE, 0, 3), Samples.line("c"));
        assertEquals(
                List.of(
                        "M1500 0 2500 2 3500 0 3500 0 2500 0 1500 0Z",
                        "M1500 0 2500 3 3500 0 3500 0 2500 2 1500 0ZM4500 0 5500 3 5500 0 4500 0Z",
                        ""),
                PathData.ofLayers(plot));
    }

    @Test
    void ofManyLayeredValuesTheFullestStay() {
        double[] low = new double[6_000];
        double[] high = new double[6_000];
        Arrays.fill(low, 1);
        Arrays.fill(high, 1);
        high[3_005] = 50;
        Plot plot = plot(Duration.ofMillis(1), true, Samples.line("low", low), Samples.line("high", high));
        String upper = PathData.ofLayers(plot).get(1);
        assertTrue(upper.contains(" 3006 51 "), upper);
        assertEquals(1_200, upper.replaceAll("[^ MZ]", "").length() / 2, "600 columns, there and back");
    }
}
