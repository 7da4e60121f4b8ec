// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class HappeningsTest {

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final Happenings happenings = new Happenings(() -> now);

    private List<String> told() {
        return happenings.newest().stream()
                .map(one -> one.where() + " " + one.event() + " " + one.detail() + " x" + one.times())
                .toList();
    }

    @Test
    void whatHappensOverAndOverIsOneEntryThatComesToTheFront() {
        Instant first = now;
        happenings.add("a", Event.FOUND_EMPTY, "");
        happenings.add("b", Event.FOUND_EMPTY, "");
        now = now.plusSeconds(10);
        happenings.add("a", Event.FOUND_EMPTY, "");
        assertEquals(List.of("a FOUND_EMPTY  x2", "b FOUND_EMPTY  x1"), told());
        assertEquals(first, happenings.newest().get(0).first());
        assertEquals(now, happenings.newest().get(0).last());
    }

    @Test
    void whatHappensAgainLaterOrOtherwiseIsAnotherEntry() {
        happenings.add("a", Event.OPEN_FAILED, "connect: refused");
        happenings.add("a", Event.OPEN_FAILED, "connect: timed out");
        now = now.plusSeconds(11);
        happenings.add("a", Event.OPEN_FAILED, "connect: refused");
        assertEquals(
                List.of(
                        "a OPEN_FAILED connect: refused x1",
                        "a OPEN_FAILED connect: timed out x1",
                        "a OPEN_FAILED connect: refused x1"),
                told());
    }

    @Test
    void theOldestAreForgotten() {
        for (int i = 0; i < 150; i++) {
            happenings.add("pool " + i, Event.SWEEP, "");
        }
        assertEquals(100, happenings.newest().size());
        assertEquals("pool 149", happenings.newest().get(0).where());
        assertEquals("pool 50", happenings.newest().get(99).where());
    }

    @Test
    void aLongDetailIsCut() {
        happenings.add("a", Event.OPEN_FAILED, "x".repeat(100_000));
        assertTrue(happenings.newest().get(0).detail().length() < 400);
    }

    @Test
    void whoeverLooksCanTellThatSomethingHappened() {
        long before = happenings.version();
        happenings.add("a", Event.SWEEP, "");
        long after = happenings.version();
        assertNotEquals(before, after);
        happenings.add("a", Event.SWEEP, "");
        assertNotEquals(after, happenings.version());
    }
}
