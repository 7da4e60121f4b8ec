// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class VerdictTest {

    private static final Plan PLAN = new Plan(120, Plan.Broken.NOTHING);
    private static final Seen.Wave WAVE = wave(0, 0, 300, 270);

    private static final Seen GOOD = new Seen(
            1_000, 0, Duration.ofMillis(2), 400, 0, WAVE, 0, 20, 3, Duration.ofSeconds(2), 7, 1, 0, 90, 0, 900, 901);

    /** One thing that went wrong, and the promise that it breaks. */
    static Stream<Arguments> troubles() {
        return Stream.of(
                Arguments.of("every checkout", seen(1_000, 1, 400, 0, WAVE, seconds(2), 7, 1, 0, 90, 0, 900, 901)),
                Arguments.of("every checkout", seen(0, 0, 400, 0, WAVE, seconds(2), 7, 1, 0, 90, 0, 900, 901)),
                Arguments.of("the cluster's limit", seen(1_000, 0, 400, 1, WAVE, seconds(2), 7, 1, 0, 90, 0, 900, 901)),
                Arguments.of(
                        "while all expire",
                        seen(1_000, 0, 400, 0, wave(1, 0, 300, 270), seconds(2), 7, 1, 0, 90, 0, 900, 901)),
                Arguments.of(
                        "while all expire",
                        seen(1_000, 0, 400, 0, wave(0, 0, 0, 0), seconds(2), 7, 1, 0, 90, 0, 900, 901)),
                Arguments.of(
                        "while all expire",
                        seen(1_000, 0, 400, 0, wave(0, 0, 300, 269), seconds(2), 7, 1, 0, 90, 0, 900, 901)),
                Arguments.of("while all expire", seen(1_000, 0, 359, 0, WAVE, seconds(2), 7, 1, 0, 90, 0, 900, 901)),
                Arguments.of("half are dropped", seen(1_000, 0, 400, 0, WAVE, seconds(24), 7, 1, 0, 90, 0, 900, 901)),
                Arguments.of("half are dropped", seen(1_000, 0, 400, 0, WAVE, null, 7, 1, 0, 90, 0, 900, 901)),
                Arguments.of("nothing breaks", seen(1_000, 0, 400, 0, WAVE, seconds(2), 20, 1, 0, 90, 0, 900, 901)),
                Arguments.of("nothing breaks", seen(1_000, 0, 400, 0, WAVE, seconds(2), 7, 1, 1, 90, 0, 900, 901)),
                Arguments.of("every conflict", seen(1_000, 0, 400, 0, WAVE, seconds(2), 7, 1, 0, 90, 1, 900, 901)),
                Arguments.of("every conflict", seen(1_000, 0, 400, 0, WAVE, seconds(2), 7, 1, 0, 0, 0, 900, 901)),
                Arguments.of("no update is lost", seen(1_000, 0, 400, 0, WAVE, seconds(2), 7, 1, 0, 90, 0, 900, 899)),
                Arguments.of("no update is lost", seen(1_000, 0, 400, 0, WAVE, seconds(2), 7, 1, 0, 90, 0, 900, 902)));
    }

    private static Seen seen(
            long checkouts,
            long failed,
            long admitted,
            long refused,
            Seen.Wave wave,
            @Nullable Duration recovered,
            long broken,
            long unknown,
            long unexpected,
            long conflicts,
            long givenUp,
            long commits,
            long sum) {
        return new Seen(
                checkouts,
                failed,
                Duration.ofMillis(2),
                admitted,
                refused,
                wave,
                0,
                20,
                3,
                recovered,
                broken,
                unknown,
                unexpected,
                conflicts,
                givenUp,
                commits,
                sum);
    }

    private static Seen.Wave wave(long empties, long stalls, int looks, int highLooks) {
        return new Seen.Wave(empties, stalls, looks, highLooks);
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }

    @ParameterizedTest
    @MethodSource("troubles")
    void eachTroubleBreaksItsOwnPromiseAndNoOther(String promise, Seen seen) {
        Verdict verdict = Verdict.of(PLAN, seen, GOOD);
        List<String> broken = verdict.rows().stream()
                .filter(row -> !row.kept())
                .map(Verdict.Row::promise)
                .toList();
        assertEquals(1, broken.size(), broken.toString());
        assertTrue(broken.get(0).contains(promise), broken.toString());
        assertFalse(verdict.kept());
    }

    @ParameterizedTest
    @MethodSource("troubles")
    void theTroublesOfTheOtherAreShownAndNotJudged(String promise, Seen seen) {
        assertTrue(Verdict.of(PLAN, GOOD, seen).kept(), promise);
    }

    @Test
    void stallsAreShownAndNotJudged() {
        Seen stalled = seen(1_000, 0, 400, 0, wave(0, 12, 300, 270), seconds(2), 7, 1, 0, 90, 0, 900, 901);
        Verdict verdict = Verdict.of(PLAN, stalled, GOOD);
        assertTrue(verdict.kept());
        String shown = verdict.rows().toString();
        assertTrue(shown.contains("0 empty, 12 stalls, 162 of 180 open for 90 %"), shown);
        assertTrue(shown.contains("all 1,000, longest wait 0.002 s"), shown);
        assertTrue(shown.contains("after 2.0 s, 3 stalls"), shown);
    }

    @Test
    void theTableStandsInColumns() {
        StringWriter text = new StringWriter();
        Verdict.of(PLAN, GOOD, GOOD).print(new PrintWriter(text));
        List<String> lines = text.toString().lines().toList();
        assertEquals(9, lines.size(), text.toString());
        int column = lines.get(0).indexOf("Verdict");
        lines.subList(1, 8).forEach(line -> assertEquals("ok", line.substring(column), text.toString()));
    }
}
