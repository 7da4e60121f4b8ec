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

    private static final List<Figures> FIGURES = List.of(
            new Figures("Forebay", 180, 180, 0, 3, 0, 17), new Figures("HikariCP", 97, 180, 12_345, 4_100, 250, 18));

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
                      | Forebay                                         | HikariCP
                 time |   level   stalls  longest s  refused  conflicts |   level   stalls  longest s  refused  conflicts
                 0:01 | 180/180        0      0.003        0         17 |  97/180    12345      4.100      250         18
                 1:02 | 180/180        0      0.003        0         17 |  97/180    12345      4.100      250         18
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
