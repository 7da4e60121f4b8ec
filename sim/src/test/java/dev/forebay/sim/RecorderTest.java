// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The charts of a run. */
class RecorderTest {

    /** A pool that has one connection for two who come every 200 ms: one of them waits. */
    @ParameterizedTest
    @CsvSource({"30s, 1s, 1", "60m, 1s, 6"})
    void everyWaitIsInTheBucketInWhichItEnded(String duration, String every, int samplesOfABucket) {
        Result result = Simulation.run(
                ScenarioFile.parse(Path.of("waits.yaml"), """
                        duration: %s
                        sampleEvery: %s
                        services:
                          - name: history
                            targetReady: 1
                            settings: {staggered-startup: false}
                            workload: {maxInUse: 2, arrivalBurst: 2, holdTime: 50ms}
                        """.formatted(duration, every)), sample -> {}, nanos -> {});
        Result.Chart waits = result.charts().stream()
                .filter(chart -> chart.id().equals("waits"))
                .findFirst()
                .orElseThrow();
        double[] longest = waits.lines().get(1).values();
        assertEquals(samplesOfABucket, result.bucket().toSeconds());
        assertTrue(longest.length >= 30);
        assertEquals(
                longest.length,
                Arrays.stream(longest).filter(value -> value > 0).count());
        assertEquals(
                result.totals().waits().mostNanos() / 1e6,
                Arrays.stream(longest).max().orElseThrow());
    }
}
