// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import dev.forebay.sim.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The content of one chart: the lines of one run, or of two over each other. Immutable, but for the arrays.
 *
 * @param id of the chart
 * @param title its title
 * @param unit of the values
 * @param stacked whether the lines lie on top of each other
 * @param time the axis along the bottom
 * @param values the axis at the side
 * @param lines its lines
 * @param guides constant values to compare them with
 * @param marks the incidents
 */
record Plot(
        String id,
        String title,
        String unit,
        boolean stacked,
        Axis time,
        Axis values,
        List<Line> lines,
        List<Guide> guides,
        List<Mark> marks) {

    /** A constant this many times what is drawn would press everything else to the floor; it is only named. */
    private static final double FAR = 4;

    private static final int COLOURS = 8;
    private static final int SHADES = 4;

    /** The most lines of one chart that are told apart by their colours. */
    private static final int MOST_TOLD_APART = 4;

    /**
     * A line.
     *
     * @param name its name
     * @param style the classes that give it colour and dash
     * @param values one for each bucket; not finite for none
     * @param bucketNanos the time that a value stands for
     */
    @SuppressWarnings("ArrayRecordComponent") // written once
    record Line(String name, String style, double[] values, long bucketNanos) {

        boolean isZero() {
            return Arrays.stream(values).allMatch(value -> value == 0 || !Double.isFinite(value));
        }

        double most() {
            return Arrays.stream(values).filter(Double::isFinite).max().orElse(0);
        }
    }

    /**
     * A constant value.
     *
     * @param name its name
     * @param value it
     * @param drawn whether there is room for it
     */
    record Guide(String name, double value, boolean drawn) {}

    /**
     * An incident.
     *
     * @param number its number in the chart
     * @param share its place, from 0 to 1
     * @param note its note
     */
    record Mark(int number, double share, Result.Note note) {}

    /** The charts of {@code runs}, one or two of them, in the order of the first. */
    static List<Plot> of(List<Run> runs) {
        Duration span = span(runs);
        List<Mark> marks = marks(runs, span);
        Map<String, Result.Chart> charts = new LinkedHashMap<>();
        for (Run run : runs) {
            run.result().charts().forEach(chart -> charts.putIfAbsent(chart.id(), chart));
        }
        List<Plot> plots = new ArrayList<>();
        for (Result.Chart chart : charts.values()) {
            plots.add(of(chart, runs, span, marks));
        }
        return plots;
    }

    /** The charts of {@code runs}, with one of its own for each line where they would be too many to tell apart. */
    static List<Plot> multiples(List<Run> runs) {
        int most = runs.size() == 1 ? MOST_TOLD_APART : runs.size();
        List<Plot> plots = new ArrayList<>();
        for (Plot plot : of(runs)) {
            if (plot.stacked() || plot.lines().size() <= most) {
                plots.add(plot);
            } else {
                plots.addAll(plot.split(runs));
            }
        }
        return plots;
    }

    /** A chart for each name of a line, all with the same axes, so that they can be compared. */
    private List<Plot> split(List<Run> runs) {
        Set<String> names = new LinkedHashSet<>();
        for (Run run : runs) {
            same(id, run).forEach(chart -> chart.lines().forEach(line -> names.add(line.name())));
        }
        List<Plot> plots = new ArrayList<>();
        for (String name : names) {
            List<Line> its = new ArrayList<>();
            for (int i = 0; i < runs.size(); i++) {
                Run run = runs.get(i);
                String label = runs.size() == 1 ? name : run.label();
                String style = i == 0 ? "a0" : "b0 dashed";
                same(id, run)
                        .forEach(chart -> chart.lines().stream()
                                .filter(line -> line.name().equals(name))
                                .forEach(line -> its.add(line(line, style, label, run))));
            }
            plots.add(new Plot(
                    id + "-" + (plots.size() + 1),
                    title + ": " + name,
                    unit,
                    stacked,
                    time,
                    values,
                    List.copyOf(its),
                    guides,
                    marks));
        }
        return plots;
    }

    private static Plot of(Result.Chart chart, List<Run> runs, Duration span, List<Mark> marks) {
        boolean stacked = chart.stacked() && runs.size() == 1;
        List<Line> lines = runs.size() == 1 ? own(chart, runs.get(0)) : compared(chart.id(), runs);
        double most = stacked ? total(lines).most() : 0;
        for (Line line : lines) {
            most = Math.max(most, line.most());
        }
        Set<Result.Rule> rules = new LinkedHashSet<>();
        for (Run run : runs) {
            same(chart.id(), run).forEach(other -> rules.addAll(other.rules()));
        }
        double drawn = most;
        List<Guide> guides = new ArrayList<>();
        for (Result.Rule rule : rules) {
            boolean near = Double.isFinite(rule.value()) && (most <= 0 || rule.value() <= most * FAR);
            guides.add(new Guide(rule.name(), rule.value(), near));
            drawn = near ? Math.max(drawn, rule.value()) : drawn;
        }
        return new Plot(
                chart.id(),
                chart.title(),
                chart.unit(),
                stacked,
                Axis.ofTime(span),
                Axis.ofValues(drawn),
                List.copyOf(lines),
                List.copyOf(guides),
                marks);
    }

    private static List<Line> own(Result.Chart chart, Run run) {
        List<Line> lines = new ArrayList<>();
        for (Result.Line line : chart.lines()) {
            int number = lines.size();
            String dash = chart.stacked() || number < COLOURS ? "" : " dashed";
            lines.add(line(line, "c" + number % COLOURS + dash, line.name(), run));
        }
        return lines;
    }

    /** A colour and a dash for each run, shades of the colour for its lines; what is stacked is drawn as its sum. */
    private static List<Line> compared(String id, List<Run> runs) {
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            Run run = runs.get(i);
            String colour = i == 0 ? "a" : "b";
            String dash = i == 0 ? "" : " dashed";
            for (Result.Chart chart : same(id, run)) {
                if (chart.stacked()) {
                    Line total = total(own(chart, run));
                    lines.add(new Line(run.label(), colour + "0" + dash, total.values(), total.bucketNanos()));
                    continue;
                }
                int number = 0;
                for (Result.Line line : chart.lines()) {
                    lines.add(line(line, colour + number++ % SHADES + dash, run.label() + ": " + line.name(), run));
                }
            }
        }
        return lines;
    }

    private static Line line(Result.Line line, String style, String name, Run run) {
        return new Line(name, style, line.values(), run.result().bucket().toNanos());
    }

    private static List<Result.Chart> same(String id, Run run) {
        return run.result().charts().stream()
                .filter(chart -> chart.id().equals(id))
                .toList();
    }

    private static Line total(List<Line> lines) {
        int length = lines.stream().mapToInt(line -> line.values().length).max().orElse(0);
        double[] sums = new double[length];
        for (Line line : lines) {
            for (int i = 0; i < line.values().length; i++) {
                sums[i] += Double.isFinite(line.values()[i]) ? line.values()[i] : 0;
            }
        }
        return new Line("", "", sums, lines.isEmpty() ? 1 : lines.get(0).bucketNanos());
    }

    private static Duration span(List<Run> runs) {
        Duration span = Duration.ofMillis(1);
        for (Run run : runs) {
            Duration other = run.result().scenario().duration();
            span = other.compareTo(span) > 0 ? other : span;
        }
        return span;
    }

    /** An incident of both runs is marked once. */
    private static List<Mark> marks(List<Run> runs, Duration span) {
        List<Result.Note> incidents = incidents(runs);
        List<Mark> marks = new ArrayList<>();
        for (Result.Note note : incidents) {
            double share = Math.min(1, Math.max(0, (double) note.atNanos() / span.toNanos()));
            marks.add(new Mark(marks.size() + 1, share, note));
        }
        return List.copyOf(marks);
    }

    /** The incidents of all runs in the order of time, each once. */
    static List<Result.Note> incidents(List<Run> runs) {
        Set<Result.Note> incidents = new LinkedHashSet<>();
        for (Run run : runs) {
            run.result().notes().stream().filter(Result.Note::incident).forEach(incidents::add);
        }
        return incidents.stream()
                .sorted((one, other) -> Long.compare(one.atNanos(), other.atNanos()))
                .toList();
    }
}
