// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.storm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.bench.storm.HiccupMeter.Span;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HiccupMeterTest {

    private static final Span WAIT = new Span(100, 200);

    private static long unexplained(Span... hiccups) {
        return HiccupMeter.unexplainedNanos(WAIT, List.of(hiccups));
    }

    @Test
    void withoutHiccupsNothingIsExplained() {
        assertEquals(100, unexplained());
    }

    @Test
    void hiccupsElsewhereExplainNothing() {
        assertEquals(100, unexplained(new Span(0, 100), new Span(200, 300)));
    }

    @Test
    void aHiccupExplainsWhatItOverlaps() {
        assertEquals(70, unexplained(new Span(50, 130)));
        assertEquals(50, unexplained(new Span(120, 170)));
        assertEquals(0, unexplained(new Span(90, 210)));
    }

    @Test
    void hiccupsOfSeveralThreadsAtOnceCountOnce() {
        assertEquals(40, unexplained(new Span(140, 180), new Span(120, 160), new Span(130, 140)));
    }
}
