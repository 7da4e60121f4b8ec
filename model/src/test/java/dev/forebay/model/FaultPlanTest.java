// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FaultPlanTest {

    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;

    private final Cluster cluster = new Cluster(ClusterSettings.dsql(), new Random(3), 0);
    private final FaultPlan faults = cluster.faults();

    private void inject(String text, long now) {
        assertEquals(List.of(), cluster.inject(Fault.parse(text), now));
    }

    @Test
    void nothingIsWrongUntilAskedFor() {
        assertEquals(Optional.empty(), faults.commitFault());
        assertEquals(0, faults.statementDelayNanos(0));
        assertEquals(0, faults.connectDelayNanos(0));
    }

    @Test
    void commitFaultsAreUsedUpInTheOrderOfAsking() {
        inject("fail commits 2 OC001", 0);
        inject("fail commits 1 XX000 applied", 0);
        inject("fail commits 1 OC001", 0);
        List<CommitFault> seen = new ArrayList<>();
        for (Optional<CommitFault> next = faults.commitFault(); next.isPresent(); next = faults.commitFault()) {
            seen.add(next.get());
        }
        assertEquals(List.of(CommitFault.OC001, CommitFault.OC001, CommitFault.XX000_APPLIED, CommitFault.OC001), seen);
        inject("fail commits 1 OC000", 0);
        assertEquals(Optional.of(CommitFault.OC000), faults.commitFault());
        assertEquals(Optional.empty(), faults.commitFault());
    }

    @Test
    void aCommitFaultSaysWhatTheClientHearsAndWhatHappened() {
        assertEquals("40001", CommitFault.OC000.sqlState());
        assertEquals("change conflicts with another transaction (OC000)", CommitFault.OC000.message());
        assertEquals("schema has been updated by another transaction (OC001)", CommitFault.OC001.message());
        assertEquals("XX000", CommitFault.XX000_APPLIED.sqlState());
        assertEquals("server unavailable", CommitFault.XX000_NOT_APPLIED.message());
        assertTrue(CommitFault.XX000_APPLIED.applied());
        assertFalse(CommitFault.XX000_NOT_APPLIED.applied());
        assertFalse(CommitFault.OC000.applied());
    }

    @Test
    void commitFaultsThatWaitAreBounded() {
        for (int i = 0; i < 1_000; i++) {
            inject("fail commits 1 OC000", 0);
        }
        assertThrows(IllegalStateException.class, () -> inject("fail commits 1 OC000", 0));
        assertTrue(faults.commitFault().isPresent());
        inject("fail commits 1 OC000", 0);
    }

    @Test
    void aDelayIsForItsKindAndItsTime() {
        inject("delay statements 20ms for 1s", 0);
        assertEquals(20 * MILLI, faults.statementDelayNanos(SECOND - 1));
        assertEquals(0, faults.statementDelayNanos(SECOND));
        assertEquals(0, faults.connectDelayNanos(0));
        inject("delay connects 5ms", SECOND);
        assertEquals(5 * MILLI, faults.connectDelayNanos(1_000_000 * SECOND));
        inject("delay connects off", SECOND);
        assertEquals(0, faults.connectDelayNanos(SECOND));
    }

    @Test
    void aFreezeHoldsEverythingUntilItsEnd() {
        inject("freeze 2s", SECOND);
        assertEquals(2 * SECOND, faults.statementDelayNanos(SECOND));
        assertEquals(SECOND, faults.connectDelayNanos(2 * SECOND));
        assertEquals(0, faults.statementDelayNanos(3 * SECOND));
        inject("freeze 2s", 4 * SECOND);
        inject("freeze 0s", 4 * SECOND);
        assertEquals(0, faults.statementDelayNanos(4 * SECOND));
    }

    @Test
    void delaysFollowTheirDistributionAndTheirSeed() {
        assertEquals(drawn("10ms..50ms", 1), drawn("10ms..50ms", 1));
        List<Long> uniform = drawn("10ms..50ms", 2);
        uniform.forEach(delay -> assertTrue(delay >= 10 * MILLI && delay <= 50 * MILLI, delay::toString));
        assertEquals(30.0 * MILLI, mean(uniform), MILLI);
        assertTrue(uniform.stream().anyMatch(delay -> delay < 11 * MILLI));
        assertTrue(uniform.stream().anyMatch(delay -> delay > 49 * MILLI));

        List<Long> exponential = drawn("exp 20ms", 3);
        assertEquals(20.0 * MILLI, mean(exponential), MILLI);
        long above = exponential.stream().filter(delay -> delay > 20 * MILLI).count();
        assertEquals(Math.exp(-1), (double) above / exponential.size(), 0.02);
        exponential.forEach(delay -> assertTrue(delay >= 0 && delay <= 400 * MILLI, delay::toString));
    }

    private static List<Long> drawn(String latency, long seed) {
        Cluster cluster = new Cluster(ClusterSettings.dsql(), new Random(seed), 0);
        cluster.inject(Fault.parse("delay statements " + latency), 0);
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            delays.add(cluster.faults().statementDelayNanos(0));
        }
        return delays;
    }

    private static double mean(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).average().orElseThrow();
    }

    @Test
    void clearEndsEveryFault() {
        for (String text : List.of(
                "refuse connects 1h",
                "waking up 1h",
                "freeze 1h",
                "delay connects 1s",
                "delay statements 1s",
                "fail commits 5 OC000",
                "expire tokens")) {
            inject(text, SECOND);
        }
        inject("clear", SECOND);
        nothingIsWrongUntilAskedFor();
        assertTrue(cluster.connect(SECOND) instanceof Connect.Admitted);
        inject("fail commits 1 OC001", SECOND);
        assertEquals(Optional.of(CommitFault.OC001), faults.commitFault(), "what was cleared does not come back");
        assertEquals(Optional.empty(), faults.commitFault());
    }
}
