// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoDurationTest {

    @ParameterizedTest
    @CsvSource({
        "11m, PT11M",
        "45s, PT45S",
        "100ms, PT0.1S",
        "1h30m, PT1H30M",
        "1.5h, PT1H30M",
        ".5s, PT0.5S",
        "2.s, PT2S",
        "250us, PT0.00025S",
        "250µs, PT0.00025S",
        "250μs, PT0.00025S",
        "7ns, PT0.000000007S",
        "0, PT0S",
        "-0, PT0S",
        "0s, PT0S",
        "-5s, PT-5S",
        "+5s, PT5S",
        "1m1m, PT2M",
        "2562047h47m16.854775807s, PT2562047H47M16.854775807S",
    })
    void readsWhatGoReads(String text, Duration expected) {
        assertEquals(expected, GoDuration.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "11, a unit is missing",
        "1h30, a unit is missing",
        "m, not a duration",
        "-, not a duration",
        "'', not a duration",
        "1..5s, not a duration",
        ".s, not a duration",
        "1e3s, '\"e\" is not a unit'",
        "5 s, '\" s\" is not a unit'",
        "5d, '\"d\" is not a unit'",
        "5S, '\"S\" is not a unit'",
        "PT5S, not a duration",
        "2562047h47m16.854775808s, too long",
    })
    void saysWhatIsWrongWithTheRest(String text, String problem) {
        IllegalArgumentException error = assertThrows(IllegalArgumentException.class, () -> GoDuration.parse(text));
        assertEquals(problem, error.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "PT11M, 11m0s",
        "PT0.1S, 100ms",
        "PT12.3S, 12.3s",
        "PT1H30M, 1h30m0s",
        "PT1H0.5S, 1h0m0.5s",
        "PT100H, 100h0m0s",
        "PT0S, 0s",
        "PT0.0000015S, 1.5µs",
        "PT0.000000007S, 7ns",
        "PT-30S, -30s",
        "PT55M, 55m0s",
        "PT1S, 1s",
        "PT10S, 10s",
        "PT0.000999999S, 999.999µs",
    })
    void printsAsGoPrints(Duration duration, String expected) {
        assertEquals(expected, GoDuration.format(duration));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 999, 1_000, 1_000_001, 59_999_999_999L, 3_600_000_000_000L, Long.MAX_VALUE, -1_500_000})
    void readsWhatItPrints(long nanos) {
        assertEquals(Duration.ofNanos(nanos), GoDuration.parse(GoDuration.format(nanos)));
    }

    @Test
    void printsTheShortestLongToo() {
        assertEquals("-2562047h47m16.854775808s", GoDuration.format(Long.MIN_VALUE));
    }
}
