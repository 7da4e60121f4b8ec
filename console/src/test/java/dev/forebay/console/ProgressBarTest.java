// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The progress bar, by a clock of the test's. */
class ProgressBarTest {

    private final StringWriter text = new StringWriter();
    private long nanos = Long.MAX_VALUE - 1; // it wraps, as clocks may

    private ProgressBar bar(boolean terminal) {
        return new ProgressBar(new PrintWriter(text), terminal, () -> nanos);
    }

    private void pass(int millis) {
        nanos += Duration.ofMillis(millis).toNanos();
    }

    @Test
    void whatTakesAMomentShowsNothing() {
        try (ProgressBar bar = bar(true)) {
            pass(499);
            bar.show(1, 2, "half");
        }
        assertEquals("", text.toString());
    }

    @Test
    void withoutATerminalThereIsNothing() {
        try (ProgressBar bar = bar(false)) {
            pass(5_000);
            bar.show(1, 2, "half");
        }
        assertEquals("", text.toString());
    }

    @Test
    void whatTakesLongerShowsHowFarItIsAFewTimesASecondAndIsTakenAway() {
        try (ProgressBar bar = bar(true)) {
            pass(500);
            bar.show(1, 2, "half");
            pass(99);
            bar.show(2, 2, "too soon");
            pass(1);
            bar.show(3, 2, "all");
        }
        assertEquals(
                "\r\u001b[K[###############---------------] 50 %  half"
                        + "\r\u001b[K[##############################] 100 %  all" + "\r\u001b[K",
                text.toString());
    }
}
