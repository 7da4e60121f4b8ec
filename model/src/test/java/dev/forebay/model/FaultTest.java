// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.model.Fault.Delayed;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultTest {

    static Stream<Arguments> texts() {
        Latency fixed = new Latency.Fixed(Duration.ofMillis(20));
        Latency uniform = new Latency.Uniform(Duration.ofMillis(10), Duration.ofMillis(50));
        Latency exponential = new Latency.Exponential(Duration.ofMillis(20));
        return Stream.of(
                Arguments.of("refuse connects 5s", new Fault.RefuseConnects(Duration.ofSeconds(5))),
                Arguments.of("waking up 1m30s", new Fault.WakingUp(Duration.ofSeconds(90))),
                Arguments.of("freeze 500ms", new Fault.Freeze(Duration.ofMillis(500))),
                Arguments.of("drop 0.3", new Fault.Drop(0.3)),
                Arguments.of("drop 0.00001", new Fault.Drop(0.00001)),
                Arguments.of("delay connects 20ms", new Fault.Delay(Delayed.CONNECTS, fixed, null)),
                Arguments.of("delay statements 10ms..50ms", new Fault.Delay(Delayed.STATEMENTS, uniform, null)),
                Arguments.of("delay statements exp 20ms", new Fault.Delay(Delayed.STATEMENTS, exponential, null)),
                Arguments.of(
                        "delay statements exp 20ms for 30s",
                        new Fault.Delay(Delayed.STATEMENTS, exponential, Duration.ofSeconds(30))),
                Arguments.of("delay statements off", new Fault.Delay(Delayed.STATEMENTS, Latency.NONE, null)),
                Arguments.of("fail commits 3 OC000", new Fault.FailCommits(3, CommitFault.OC000)),
                Arguments.of("fail commits 1 OC001", new Fault.FailCommits(1, CommitFault.OC001)),
                Arguments.of("fail commits 2 XX000 applied", new Fault.FailCommits(2, CommitFault.XX000_APPLIED)),
                Arguments.of(
                        "fail commits 2 XX000 not applied", new Fault.FailCommits(2, CommitFault.XX000_NOT_APPLIED)),
                Arguments.of("expire tokens", new Fault.ExpireTokens()),
                Arguments.of("clear", new Fault.Clear()));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void aFaultIsReadFromItsTextAndWrittenAsIt(String text, Fault fault) {
        assertEquals(fault, Fault.parse(text));
        assertEquals(text, fault.text());
        assertEquals(fault, Fault.parse("  " + text.replace(" ", " \t ") + "\n"));
    }

    @Test
    void aFractionMayBeWrittenInPercent() {
        assertEquals(new Fault.Drop(0.3), Fault.parse("drop 30%"));
        assertEquals(new Fault.Drop(1), Fault.parse("drop 100%"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "|\"\" begins no fault; there are: refuse connects DURATION; waking up DURATION",
                "explode|\"explode\" begins no fault; there are: refuse",
                "drop|\"drop\" is not of the form: drop FRACTION",
                "drop x|\"x\" is not a fraction such as 0.3 or 30%",
                "drop 1.5|a fraction lies between 0 and 1: 1.5",
                "drop -0.5|\"-0.5\" is not a fraction",
                "drop NaN|\"NaN\" is not a fraction",
                "drop 0.3 now|\"drop 0.3 now\" is not of the form: drop FRACTION",
                "refuse connects|is not of the form: refuse connects DURATION",
                "refuse connects 5|\"5\" is not a duration such as 500ms or 1m30s: a unit is missing",
                "refuse connects -5s|a fault lasts between 0 and a day: -5s",
                "freeze 25h|a fault lasts between 0 and a day: 25h0m0s",
                "delay 20ms|is not of the form: delay connects|statements LATENCY",
                "delay commits 20ms|is not of the form: delay connects|statements LATENCY",
                "delay statements 50ms..20ms|the longest delay is shorter than the shortest: 50ms..20ms",
                "delay statements 2h|a delay must lie between 0 and an hour: 2h0m0s",
                "delay statements 20ms for|is not a duration",
                "fail commits OC000|is not of the form: fail commits COUNT OC000",
                "fail commits 3 XX000|is not of the form: fail commits COUNT OC000",
                "fail commits 0 OC000|a count of commits lies between 1 and a million: 0",
                "fail commits three OC000|\"three\" is not a count",
                "expire passwords|is not of the form: expire tokens",
                "clear all|\"clear all\" is not of the form: clear"
            })
    void whatIsWrongWithATextIsSaid(String line) {
        int bar = line.indexOf('|');
        check(line.substring(0, bar), line.substring(bar + 1));
    }

    private static void check(String text, String words) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Fault.parse(text));
        assertTrue(e.getMessage().contains(words), e.getMessage());
    }

    @Test
    void anEndlessTextIsRefusedUnread() {
        check("drop " + "0".repeat(1_000), "a fault of 1005 characters is too long");
    }

    @Test
    void noTextCrashesTheReader() {
        Random random = new Random(9);
        String[] words = {
            "drop",
            "delay",
            "fail",
            "commits",
            "statements",
            "connects",
            "for",
            "exp",
            "..",
            "1ms",
            "3",
            "0.3",
            "%",
            "XX000",
            "applied",
            "not",
            "refuse",
            "freeze",
            "waking",
            "up",
            "",
            "\u0000",
            "99999999999999999999s"
        };
        int read = 0;
        for (int round = 0; round < 100_000; round++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(7); length > 0; length--) {
                text.append(words[random.nextInt(words.length)]).append(random.nextInt(8) == 0 ? "" : " ");
            }
            try {
                Fault fault = Fault.parse(text.toString());
                assertEquals(fault, Fault.parse(fault.text()));
                read++;
            } catch (IllegalArgumentException expected) {
                assertTrue(expected.getMessage().length() > 10, expected::toString);
            }
        }
        assertTrue(read > 20, "the words must make some faults: " + read);
    }
}
