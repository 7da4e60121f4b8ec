// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How numbers, times and names are written. */
class WordingTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0",
                "1 | < 0.001 ms",
                "1000 | 0.001 ms",
                "123456 | 0.123 ms",
                "6039000 | 6.04 ms",
                "29200000 | 29.2 ms",
                "1000000000 | 1 s",
                "4567000000 | 4.57 s",
                "59999000000 | 60 s",
                "61000000000 | 1m1s"
            })
    void waits(long nanos, String text) {
        assertEquals(text, Wording.waited(nanos));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NaN | –",
                "Infinity | –",
                "0 | 0",
                "-0.0 | 0",
                "0.00001 | 0",
                "0.12345 | 0.1235",
                "1.5 | 1.5",
                "99.999 | 100",
                "123.456 | 123.5",
                "1234.5 | 1,235",
                "22000 | 22,000",
                "-1.25 | -1.25"
            })
    void values(double value, String text) {
        assertEquals(text, Wording.value(value));
    }

    @ParameterizedTest
    @CsvSource({"300000000000, 5m0s", "300250000000, 5m0.25s", "999, 0s", "1999999, 1ms"})
    void moments(long nanos, String text) {
        assertEquals(text, Wording.moment(nanos));
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 0s", "PT10M, 10m", "PT1H, 1h", "PT1H30M, 1h30m", "PT1H0M5S, 1h0m5s", "PT100M0.5S, 1h40m0.5s"})
    void lengths(Duration length, String text) {
        assertEquals(text, Wording.length(length));
    }

    @Test
    void markupIsTextAndWhatXmlForbidsIsReplaced() {
        assertEquals("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;", Wording.escape("<a b=\"c\" d='e'>&"));
        assertEquals("\ufffd \ufffd\ufffd\ufffd", Wording.escape("\u0000\n\u001b\ud800\uffff"));
        assertEquals("\ufffdtxt", Wording.escape("\u202etxt"));
        assertEquals("😀é", Wording.escape("😀é"));
    }

    @Test
    void nothingInANameMovesTheCursor() {
        assertEquals("a?[2Jb?c?", Wording.plain("a\u001b[2Jb\nc\u009b"));
    }
}
