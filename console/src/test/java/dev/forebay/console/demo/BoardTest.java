// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoardTest {

    private static final List<Figures> FIGURES =
            List.of(new Figures("Forebay", 40, 0.004, 0, 17, 0), new Figures("HikariCP", 31, 12.5, 3, 18, 25));

    private final StringWriter text = new StringWriter();

    @Test
    void withoutATerminalThereIsALineEachTimeAndNothingIsTakenBack() {
        Board board = new Board(new PrintWriter(text), false);
        board.step(Duration.ZERO, "it begins");
        board.show(Duration.ofSeconds(1), FIGURES);
        board.show(Duration.ofSeconds(62), FIGURES);
        board.clear();
        assertEquals("""
                 0:00  * it begins
                      | Forebay                                   | HikariCP
                 time | level  p99 ms   empty  conflicts  refused | level  p99 ms   empty  conflicts  refused
                 0:01 | 40/40   0.004       0         17        0 | 31/40  12.500       3         18       25
                 1:02 | 40/40   0.004       0         17        0 | 31/40  12.500       3         18       25
                """, text.toString());
    }

    @Test
    void onATerminalOneBlockIsDrawnAnewAndFitsIntoEightyColumns() {
        Board board = new Board(new PrintWriter(text), true);
        board.step(Duration.ZERO, "it begins");
        board.show(Duration.ofSeconds(1), FIGURES);
        String first = text.toString();
        assertFalse(first.contains("\u001b"), first);
        assertTrue(first.lines().allMatch(line -> line.length() <= 80), first);
        board.show(Duration.ofSeconds(2), FIGURES);
        String second = text.toString().substring(first.length());
        assertTrue(second.startsWith("\u001b[" + first.lines().count() + "A\u001b[J"), second);
        assertEquals(first.lines().count(), second.lines().count());
    }
}
