// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.engine.Metric.Distribution;
import dev.forebay.engine.Metric.Recorder;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LatelyTest {

    private final VirtualTime time = new VirtualTime();
    private final Recorder recorder = new Recorder(time, Distribution.times());
    private final Lately lately = new Lately(recorder::read, time);

    /** Both quantiles of a scrape are of the same values. */
    @Test
    void inTheFirstMinuteAllAreOfLate() {
        recorder.record(1_000);
        assertEquals(1, lately.get().count());
        assertEquals(1, lately.get().count());
        time.advance(Duration.ofSeconds(59));
        recorder.record(1_000);
        assertEquals(2, lately.get().count());
    }

    @Test
    void valuesAreForgottenAfterAMinute() {
        lately.get();
        for (int i = 0; i < 40; i++) {
            recorder.record(i < 20 ? 1_000 : 8_000_000);
            time.advance(Duration.ofSeconds(15));
            lately.get();
        }
        Distribution seen = lately.get();
        assertEquals(7_000_000, seen.quantile(0.5), 1_000_000, "half of them are in the bucket up to 8 ms");
        assertEquals(4, seen.count(), "four in a minute");
    }

    @Test
    void aLongWhileWithoutALookIsAllOfLate() {
        lately.get();
        recorder.record(1_000);
        time.advance(Duration.ofMinutes(10));
        lately.get();
        recorder.record(1_000);
        time.advance(Duration.ofMinutes(10));
        assertEquals(1, lately.get().count());
    }
}
