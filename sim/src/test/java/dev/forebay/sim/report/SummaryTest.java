// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The summary on a terminal. */
class SummaryTest {

    @Test
    void aRunIsItsFiguresItsServicesAndItsVerdicts() {
        assertEquals("""
                local  (seed 42, 10s, 1 service, 2 processes, reservoir)

                  Connects admitted           12,345
                  Refused as too fast              0
                  Refused as too many              1
                  Refused by a fault               2
                  Connects, busiest second       100
                  Connects, any second           103
                  Open at once                   202
                  Closed, busiest second           7
                  All at their target after   2.03 s
                  Checkouts                    1,234
                  Found nothing ready              5
                  Gave up waiting                  1
                  Work that failed                 3
                  Wait, 99 of 100            12.3 ms
                  Wait, longest               4.56 s
                  Calls of the table             798
                  Events simulated            19,740

                  SERVICE  PROC  TARGET  LOWEST  CHECKOUTS  EMPTY  GAVE UP  REFILLS  FAILED  DISCARDS      P99  LONGEST
                  local       2     100      98      1,234      5        1      150       2        50  12.3 ms   4.56 s

                PASS no 53400: no connect refused as too fast; found 0 refused
                FAIL assertZeroEmptyEvents: none for local; found 5 local
                     at 5s, local: nothing ready for local
                       before, at 4s, cluster: drop 0.5 local
                       before, at 4.25s, local: noticed local
                     again: ./forebay sim local --seed 42
                1 of 2 assertions failed
                """, Summary.of(List.of(Samples.run("local"))));
    }

    @Test
    void twoRunsStandBesideEachOtherWithTheirRatios() {
        assertEquals("""
                reservoir: local  (seed 42, 10s, 1 service, 2 processes, reservoir)
                standard: local  (seed 42, 10s, 1 service, 2 processes, standard)

                                             reservoir  standard  ratio
                  Connects admitted             12,345    12,345     ×1
                  Refused as too fast                0         0
                  Refused as too many                1         1     ×1
                  Refused by a fault                 2         2     ×1
                  Connects, busiest second         100       100     ×1
                  Connects, any second             103       103     ×1
                  Open at once                     202       202     ×1
                  Closed, busiest second             7         7     ×1
                  All at their target after     2.03 s    2.03 s     ×1
                  Checkouts                      1,234     1,234     ×1
                  Found nothing ready                5         5     ×1
                  Gave up waiting                    1         1     ×1
                  Work that failed                   3         3     ×1
                  Wait, 99 of 100              12.3 ms   12.3 ms     ×1
                  Wait, longest                 4.56 s    4.56 s     ×1
                  Calls of the table               798       798     ×1
                  Events simulated              19,740    19,740     ×1

                  reservoir  PROC  TARGET  LOWEST  CHECKOUTS  EMPTY  GAVE UP  REFILLS  FAILED  DISCARDS      P99  LONGEST
                  local         2     100      98      1,234      5        1      150       2        50  12.3 ms   4.56 s

                  standard  PROC  TARGET  LOWEST  CHECKOUTS  EMPTY  GAVE UP  REFILLS  FAILED  DISCARDS      P99  LONGEST
                  local        2     100      98      1,234      5        1      150       2        50  12.3 ms   4.56 s

                reservoir
                PASS no 53400: no connect refused as too fast; found 0 refused
                FAIL assertZeroEmptyEvents: none for local; found 5 local
                     at 5s, local: nothing ready for local
                       before, at 4s, cluster: drop 0.5 local
                       before, at 4.25s, local: noticed local
                     again: ./forebay sim local --seed 42
                1 of 2 assertions failed

                standard
                PASS no 53400: no connect refused as too fast; found 0 refused
                FAIL assertZeroEmptyEvents: none for local; found 5 local
                     at 5s, local: nothing ready for local
                       before, at 4s, cluster: drop 0.5 local
                       before, at 4.25s, local: noticed local
                     again: ./forebay sim local --mode standard --seed 42
                1 of 2 assertions failed
                """, Summary.of(Samples.two()));
    }

    @Test
    void anEmptyRunHasFiguresToo() {
        String text = Summary.of(List.of(new Run("empty", Samples.empty(), "x")));
        assertTrue(text.startsWith("empty  (seed 1, 10s, 0 services, 0 processes)\n\n  Connects admitted "), text);
        assertTrue(text.contains("All at their target after  never\n"), text);
        assertTrue(text.endsWith("\nNothing was asserted\n"), text);
    }

    @Test
    void onlyFailuresAreToldToWhoAsksForThem() {
        assertEquals("""
                FAIL assertZeroEmptyEvents: none for local; found 5 local
                     at 5s, local: nothing ready for local
                       before, at 4s, cluster: drop 0.5 local
                       before, at 4.25s, local: noticed local
                     again: ./forebay sim local --seed 42
                """, Summary.ofFailures(Samples.run("local")));
        assertEquals("", Summary.ofFailures(new Run("empty", Samples.empty(), "x")));
    }

    @Test
    void theFirstFailureIsALine() {
        assertEquals(
                "assertZeroEmptyEvents: none for local; found 5 local; at 5s, local: nothing ready for local",
                Summary.ofFirstFailure(Samples.run("local").result()));
        assertEquals("", Summary.ofFirstFailure(Samples.empty()));
    }

    @Test
    void aNameCanNeitherMoveTheCursorNorBreakTheTable() {
        String text = Summary.of(List.of(Samples.run("\u001b[31mred\nFAIL " + "x".repeat(3_600))));
        assertFalse(text.contains("\u001b"), text);
        assertTrue(text.contains("\n  ?[31mred?FAIL xxxxxxxxx…     2 "), text);
        assertEquals(1, text.lines().filter(line -> line.startsWith("FAIL")).count());
    }
}
