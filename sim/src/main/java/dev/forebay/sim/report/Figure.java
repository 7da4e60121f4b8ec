// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import dev.forebay.sim.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * A number of the whole fleet, for each run. Immutable.
 *
 * @param name its name
 * @param values its values, one for each run
 * @param ratio the second divided by the first; empty without a second, or where it says nothing
 */
record Figure(String name, List<String> values, String ratio) {

    Figure {
        values = List.copyOf(values);
    }

    /** The figures of {@code runs}, one or two of them. */
    static List<Figure> of(List<Run> runs) {
        List<Figure> figures = new ArrayList<>();
        figures.add(counted("Connects admitted", runs, run -> run.totals().admitted()));
        figures.add(counted("Refused as too fast", runs, run -> run.totals().refusedForRate()));
        figures.add(counted("Refused as too many", runs, run -> run.totals().refusedForCount()));
        figures.add(counted("Refused by a fault", runs, run -> run.totals().refusedOtherwise()));
        figures.add(
                counted("Connects, busiest second", runs, run -> run.totals().busiestSecond()));
        figures.add(counted("Connects, any second", runs, run -> run.totals().busiestSlidingSecond()));
        figures.add(counted("Open at once", runs, run -> run.totals().mostOpen()));
        figures.add(counted("Closed, busiest second", runs, run -> run.totals().mostClosuresPerSecond()));
        figures.add(timed("All at their target after", runs, run -> run.totals().convergedNanos()));
        figures.add(counted("Checkouts", runs, run -> sum(run, Result.ServiceTotals::checkouts)));
        figures.add(counted("Found nothing ready", runs, run -> sum(run, Result.ServiceTotals::empties)));
        figures.add(counted("Gave up waiting", runs, run -> sum(run, Result.ServiceTotals::timeouts)));
        figures.add(counted("Work that failed", runs, run -> sum(run, Result.ServiceTotals::workFailed)));
        figures.add(timed("Wait, 99 of 100", runs, run -> run.totals().waits().p99Nanos()));
        figures.add(timed("Wait, longest", runs, run -> run.totals().waits().mostNanos()));
        figures.add(counted("Calls of the table", runs, run -> run.totals().storeRequests()));
        figures.add(counted("Events simulated", runs, run -> run.totals().events()));
        return figures;
    }

    private static long sum(Result result, ToLongFunction<Result.ServiceTotals> what) {
        return result.services().stream().mapToLong(what).sum();
    }

    private static Figure counted(String name, List<Run> runs, ToLongFunction<Result> what) {
        long[] values = values(runs, what);
        List<String> texts = new ArrayList<>();
        for (long value : values) {
            texts.add(Wording.count(value));
        }
        return new Figure(name, texts, ratio(values));
    }

    private static Figure timed(String name, List<Run> runs, ToLongFunction<Result> what) {
        long[] values = values(runs, what);
        List<String> texts = new ArrayList<>();
        for (long value : values) {
            texts.add(value < 0 ? "never" : Wording.waited(value));
        }
        return new Figure(name, texts, ratio(values));
    }

    private static long[] values(List<Run> runs, ToLongFunction<Result> what) {
        return runs.stream().map(Run::result).mapToLong(what).toArray();
    }

    private static String ratio(long[] values) {
        if (values.length < 2 || values[0] <= 0 || values[1] < 0) {
            return "";
        }
        double ratio = (double) values[1] / values[0];
        return "×" + Wording.decimal(ratio, ratio >= 100 ? 0 : ratio >= 10 ? 1 : 2);
    }
}
