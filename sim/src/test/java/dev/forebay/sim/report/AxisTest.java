// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The labels along an axis. */
class AxisTest {

    private static String labels(Axis axis) {
        return axis.ticks().stream().map(Axis.Tick::text).collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 0.2 0.4 0.6 0.8 1",
        "1, 0 0.2 0.4 0.6 0.8 1",
        "3, 0 1 2 3",
        "10, 0 2 4 6 8 10",
        "50, 0 10 20 30 40 50",
        "200, 0 50 100 150 200",
        "0.0123, 0 0.005 0.01",
        "22000, 0 5000 10k 15k 20k",
        "2400000, 0 500k 1M 1.5M 2M 2.5M"
    })
    void valuesGoUpInRoundSteps(double most, String labels) {
        assertEquals(labels, labels(Axis.ofValues(most)));
    }

    @ParameterizedTest
    @ValueSource(doubles = {1e-30, 1e-9, 0.7, 6, 99_999, 1e15, 1e300})
    void everyValueHasRoomAndAFewLabels(double most) {
        Axis axis = Axis.ofValues(most);
        assertTrue(axis.end() >= most);
        assertTrue(axis.ticks().size() <= 7, () -> axis.toString());
        assertTrue(axis.ticks().stream().allMatch(tick -> tick.share() >= 0 && tick.share() <= 1), axis::toString);
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 1ms",
        "PT10S, 0 2s 4s 6s 8s 10s",
        "PT90S, 0 15s 30s 45s 1m 1m15s 1m30s",
        "PT15M, 0 5m 10m 15m",
        "PT20M, 0 5m 10m 15m 20m",
        "PT24H, 0 6h 12h 18h 24h",
        "PT744H, 0 240h 480h 720h"
    })
    void timesGoUpInStepsOfAClock(Duration span, String labels) {
        assertEquals(labels, labels(Axis.ofTime(span)));
    }
}
