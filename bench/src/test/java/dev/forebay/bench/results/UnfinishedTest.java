// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class UnfinishedTest {

    private static final List<String> ALL = List.of("wait", "wait --threads virtual", "occ", "sim");

    @Test
    void theLastComparisonIsMadeAgain() {
        Unfinished run = Unfinished.of(
                List.of(
                        "# 2 processors",
                        "# wait: load average 0.1, others use 0.00 processors",
                        "wait hold=1ms: forebay 1/s",
                        "# wait --threads virtual: load average 0.1, others use 0.00 processors",
                        "wait hold=1ms: forebay 2/s",
                        "# occ: load average 0.1, others use 0.00 processors",
                        "occ postgresql rows=1: fair 3/s"),
                ALL);
        assertEquals("2 processors", run.machine());
        assertEquals(List.of("occ", "sim"), run.left());
        assertEquals(5, run.lines().size());
        assertEquals("wait hold=1ms: forebay 2/s", run.lines().get(4));
    }

    @Test
    void oneBesideWhichOthersWorkedStaysATrial() {
        assertFalse(Unfinished.of(file("0.02"), ALL).isTrial());
        assertTrue(Unfinished.of(file("0.45"), ALL).isTrial());
    }

    private static List<String> file(String others) {
        return List.of(
                "# 2 processors",
                "# wait: load average 0.1, others use " + others + " processors",
                "# wait --threads virtual: load average 0.1, others use 0.00 processors");
    }

    @Test
    void ofAnEmptyFileNothingIsLeft() {
        assertThrows(IllegalArgumentException.class, () -> Unfinished.of(List.of(), ALL));
        assertThrows(IllegalArgumentException.class, () -> Unfinished.of(List.of("# 2 processors"), ALL));
    }

    @Test
    void aRunWithOtherCommandsIsNoneOfThese() {
        List<String> quick = List.of("# 2 processors", "# wait --quick: load average 0.1, others use 0.00 processors");
        assertThrows(IllegalArgumentException.class, () -> Unfinished.of(quick, ALL));
    }
}
