// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.forebay.bench.results.Table.Column;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TableTest {

    private static Results run(String... lines) {
        return new Results(LocalDate.EPOCH, List.of(lines));
    }

    /** Runs whose only line is {@code line} with one of {@code figures} in place of each {@code #}. */
    private static List<Results> runs(String line, Object[]... figures) {
        return Arrays.stream(figures)
                .map(each -> run(String.format(line.replace("%", "%%").replace("#", "%s"), each)))
                .toList();
    }

    private static String row(List<Results> runs, boolean less) {
        Table table = new Table(
                runs, "", List.of(new Column("Ours", "x", "ours", true), new Column("Theirs", "x", "theirs", false)));
        Table filled = less ? table.less("row", "RUN a=1:", " # ns") : table.more("row", "RUN a=1:", " # ns");
        return filled.toString().lines().skip(2).findFirst().orElseThrow();
    }

    @Test
    void aFigureIsTheOneOfItsLineItsSubjectAndItsWords() {
        Results run = run(
                "registry users=10 threads=1: pool 1.0 ns",
                "registry users=1 threads=1: registry 70.5 ns, pool 60.0 ns, pool by name 65.0 ns; registry/pool 1.17",
                "storm mode=standard forebay drop: 9 checkouts, p99 27 ms max 1,300 ms, 3 stalls, recovery >60.0 s",
                "wait hold=1ms threads=platform forebay: 6579/s, wait p50 3.33 ms p99 10.13 ms p99.9 12.00 ms");
        assertEquals("60.0", run.figure("registry users=1 threads=1:", "pool", " # ns"));
        assertEquals("70.5", run.figure("registry users=1 threads=1:", "registry", " # ns"));
        assertEquals("27", run.figure("storm mode=standard forebay drop:", null, ", p99 # ms"));
        assertEquals("1,300", run.figure("storm mode=standard forebay drop:", null, " max # ms"));
        assertEquals(">60.0", run.figure("storm mode=standard forebay drop:", null, " recovery # s"));
        assertEquals("10.13", run.figure("wait hold=1ms threads=platform forebay:", null, " p99 # ms"));
        assertEquals("6579", run.figure("wait hold=1ms threads=platform forebay:", null, " #/s"));
        assertNull(run.figure("wait hold=1ms threads=platform forebay:", null, " p90 # ms"));
        assertNull(run.figure("registry users=1 threads=1:", "reg", " # ns"));
        assertNull(run.figure("storm forebay drop:", null, ", p99 # ms"));
    }

    @Test
    void ratiosAreTakenWithinARunAndNotBetweenMedians() {
        List<Results> runs = runs(
                "x a=1: ours # ns, theirs # ns",
                new Object[] {"10.0", "40.0"},
                new Object[] {"20.0", "40.0"},
                new Object[] {"30.0", "33.0"});
        assertEquals("| row, ns | 20.0 (10.0–30.0) | 40.0, 2.00× (1.10–4.00) |", row(runs, true));
    }

    @Test
    void oursIsBoldIfItIsBehindInEveryRun() {
        List<Results> always =
                runs("x a=1: ours # ns, theirs # ns", new Object[] {2, 1}, new Object[] {2, 1}, new Object[] {5000, 1});
        assertEquals("| row, ns | **2** (2–5,000) | 1, 0.50× (0.00–0.50) |", row(always, true));
        assertEquals("| row, ns | 2 (2–5,000) | 1, 0.50× (0.00–0.50) |", row(always, false));
        List<Results> often =
                runs("x a=1: ours # ns, theirs # ns", new Object[] {2, 1}, new Object[] {2, 1}, new Object[] {2, 2});
        assertEquals("| row, ns | 2 | 1, 0.50× (0.50–1.00) |", row(often, true));
    }

    @Test
    void withoutAFigureThereIsNoRatio() {
        List<Results> nothing =
                runs("x a=1: ours # ns, theirs none", new Object[] {1}, new Object[] {1}, new Object[] {1});
        assertEquals("| row, ns | 1 | – |", row(nothing, true));
        List<Results> zero =
                runs("x a=1: ours # ns, theirs # ns", new Object[] {0, 1}, new Object[] {0, 1}, new Object[] {0, 1});
        assertEquals("| row, ns | 0 | 1 |", row(zero, true));
    }

    @Test
    void theHeadingHasAsManyColumnsAsTheRows() {
        Table table = new Table(List.of(), "Rows |", List.of(new Column("Ours", "x", "ours", true)));
        assertEquals("| Rows | | Ours |\n|---|---|---|", table.toString());
    }

    @Test
    void aRowWithoutOurFigureIsRefused() {
        List<Results> other =
                runs("x a=2: ours # ns, theirs # ns", new Object[] {1, 1}, new Object[] {1, 1}, new Object[] {1, 1});
        assertThrows(IllegalArgumentException.class, () -> row(other, true));
    }
}
