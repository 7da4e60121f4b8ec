// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.cold;

import dev.forebay.bench.Report;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The figures of a run, or their medians; NaN where there is none.
 *
 * @param cpuMillis the CPU time of the process from the callers' start until the last call had ended
 * @param cpu the same as percent of one processor
 * @param fullSeconds the time until all connections were open that can be
 * @param open the connections that were open at the end
 * @param stuck the callers whose call had not ended long after its time-out
 * @param failure the first failure's message, empty if there was none
 */
record Outcome(
        double cpuMillis,
        double cpu,
        double firstMillis,
        double lastMillis,
        double p99Millis,
        double fullSeconds,
        double open,
        double failed,
        double stuck,
        String failure) {

    private static final String SEPARATOR = "\t";

    static Outcome median(List<Outcome> all) {
        return new Outcome(
                of(all, Outcome::cpuMillis),
                of(all, Outcome::cpu),
                of(all, Outcome::firstMillis),
                of(all, Outcome::lastMillis),
                of(all, Outcome::p99Millis),
                of(all, Outcome::fullSeconds),
                of(all, Outcome::open),
                of(all, Outcome::failed),
                of(all, Outcome::stuck),
                all.get(0).failure());
    }

    private static double of(List<Outcome> all, ToDoubleFunction<Outcome> figure) {
        return Report.median(all.stream().mapToDouble(figure));
    }

    /** Returns what {@link #parse} reads. */
    String line() {
        return String.join(
                SEPARATOR,
                List.of(
                        String.valueOf(cpuMillis),
                        String.valueOf(cpu),
                        String.valueOf(firstMillis),
                        String.valueOf(lastMillis),
                        String.valueOf(p99Millis),
                        String.valueOf(fullSeconds),
                        String.valueOf(open),
                        String.valueOf(failed),
                        String.valueOf(stuck),
                        failure.replaceAll("\\s+", " ")));
    }

    static Outcome parse(String line) {
        String[] parts = line.split(SEPARATOR, -1);
        double[] figures = new double[parts.length - 1];
        for (int i = 0; i < figures.length; i++) {
            figures[i] = Double.parseDouble(parts[i]);
        }
        return new Outcome(
                figures[0],
                figures[1],
                figures[2],
                figures[3],
                figures[4],
                figures[5],
                figures[6],
                figures[7],
                figures[8],
                parts[figures.length]);
    }

    /** Returns the part of a pool in the line of all. */
    String brief() {
        return String.format(Locale.ROOT, "cpu %.0f ms %.0f %% ", cpuMillis, cpu)
                + unlessNone("first %.0f ms ", firstMillis)
                + unlessNone("last %.0f ms ", lastMillis)
                + String.format(Locale.ROOT, "open %.0f%s failed %.0f", open, full(), failed + stuck);
    }

    String detail() {
        return String.format(Locale.ROOT, "cpu %.0f ms, %.0f %%, ", cpuMillis, cpu)
                + unlessNone("first %.0f ms, ", firstMillis)
                + unlessNone("last %.0f ms, ", lastMillis)
                + unlessNone("p99 %.0f ms, ", p99Millis)
                + String.format(Locale.ROOT, "%.0f of %d open%s, ", open, OneRun.SIZE, full())
                + String.format(Locale.ROOT, "of %d callers %.0f failed", OneRun.CALLERS, failed)
                + (stuck > 0 ? String.format(Locale.ROOT, " and %.0f are stuck", stuck) : "")
                + (failure.isEmpty() ? "" : "; the first: " + failure);
    }

    private String full() {
        return unlessNone(" after %.2f s", fullSeconds);
    }

    private static String unlessNone(String format, double figure) {
        return Double.isNaN(figure) ? "" : String.format(Locale.ROOT, format, figure);
    }
}
