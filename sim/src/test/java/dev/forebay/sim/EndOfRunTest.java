// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** An assertion that a run has not shown when it ends does not hold. */
class EndOfRunTest {

    private static final String SLOW = """
            duration: %s
            limiterPerSec: 1
            assertConvergeWithin: 60s
            services: [{name: web}]
            """;

    @Test
    void aProcessOnItsWayBackAtTheEndHasNotConverged() {
        Played played = Played.of(SLOW.formatted("5m30s") + "faults: [{at: 5m, fault: drop 100%}]");
        assertEquals(List.of("assertConvergeWithin"), played.failed());
        String what = played.failure("assertConvergeWithin").what();
        assertTrue(what.endsWith(" of 50 connections at the end, 30.0 s after 50 connections dropped"), what);
    }

    @Test
    void incidentsThatFollowEachOtherDoNotExcuseAFleetThatNeverRecovers() {
        StringBuilder faults = new StringBuilder("faults:\n");
        for (int at = 120; at < 600; at += 50) {
            faults.append("  - {at: ").append(at).append("s, fault: drop 90%}\n");
        }
        assertEquals(
                List.of("assertConvergeWithin"),
                Played.of(SLOW.formatted("10m") + faults).failed());
    }

    @Test
    void aProcessThatIsFullAtTheEndOfAFaultThatLastsHasArrived() {
        assertEquals(
                List.of(),
                Played.of(SLOW.formatted("5m") + "faults: [{at: 0s, fault: delay statements 1ms for 5m}]")
                        .failed());
    }

    @Test
    void aLevelThatWasNeverReachedWasNotKeptEither() {
        Played played = Played.of(SLOW.formatted("30s")
                .replace("assertConvergeWithin: 60s", "assertConvergeWithin: off\nassertStableFor: off"));
        assertEquals(List.of("assertMinFill"), played.failed());
        assertEquals("never reached", played.verdict("assertMinFill").measured());
    }

    @Test
    void whoStillWaitsHasWaited() {
        Played played = Played.of("""
                duration: 5m
                assertMaxWaitP99: 1s
                services:
                  - name: web
                    targetReady: 2
                    workload: {maxInUse: 50, holdTime: 1h, maxWait: 1h}
                """);
        assertEquals(List.of("assertMaxWaitP99"), played.failed());
        assertEquals(50, played.result().totals().waits().count());
    }

    @Test
    void theRateOfALastBucketThatIsShorterIsNotThinned() {
        Played played = Played.of("""
                duration: 25s
                sampleEvery: 10s
                services: [{name: web, workload: {arrivalBurst: 10, spawnEvery: 100ms, holdTime: 1ms}}]
                """);
        double[] done = played.line("work", "done");
        assertEquals(3, done.length);
        assertEquals(100, done[1], 1);
        assertEquals(100, done[2], 1);
    }
}
