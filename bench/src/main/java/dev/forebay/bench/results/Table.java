// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.results;

import dev.forebay.bench.Report;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table of figures from several runs. Not thread-safe.
 *
 * <p>A cell has the median. After a figure of ours follow the least and the greatest; after one of the others' follows its
 * ratio to the first column, which is taken within each run, as median, least and greatest. A figure of ours is bold if one of
 * the others' is better in every run.
 */
final class Table {

    /**
     * A column.
     *
     * @param run the word with which its lines begin
     * @param subject the name of its figures
     */
    record Column(String title, String run, String subject, boolean ours) {}

    private static final Pattern UNIT = Pattern.compile("# (ns|us|ms|s|B)\\b");

    private final List<Results> runs;
    private final List<Column> columns;
    private final StringBuilder text = new StringBuilder();

    Table(List<Results> runs, String title, List<Column> columns) {
        this.runs = runs;
        this.columns = columns;
        text.append(title.isEmpty() ? "| |" : "| " + title + " |");
        columns.forEach(column -> text.append(' ').append(column.title()).append(" |"));
        long count = text.chars().filter(each -> each == '|').count();
        text.append('\n').append("|---".repeat((int) count - 1)).append("|\n");
    }

    /** Adds a row of which less is better. */
    Table less(String label, String line, String figure) {
        return row(label, line, figure, 1);
    }

    /** Adds a row of which more is better. */
    Table more(String label, String line, String figure) {
        return row(label, line, figure, -1);
    }

    /**
     * Adds a row.
     *
     * @param line the beginning of the line: {@code RUN} stands for the column's run, {@code POOL} for its subject, if the
     *     line has no figures of others
     * @param figure the text around the figure, with {@code #} in its place; a unit that follows goes to the
     *     label
     * @throws IllegalArgumentException if a run does not have the figure of the first column
     */
    private Table row(String label, String line, String figure, int sign) {
        List<Cell> cells =
                columns.stream().map(column -> cell(column, line, figure)).toList();
        if (!cells.get(0).isKnown()) {
            throw new IllegalArgumentException(
                    "not every run has '" + start(line, columns.get(0)) + "' with '" + figure + "'");
        }
        Matcher unit = UNIT.matcher(figure);
        text.append("| ")
                .append(label)
                .append(unit.find() ? ", " + unit.group(1) : "")
                .append(" |");
        for (int i = 0; i < cells.size(); i++) {
            Cell cell = cells.get(i);
            boolean ours = columns.get(i).ours();
            boolean behind = ours && isBehind(cell, cells, sign);
            text.append(behind ? " **" + cell.median() + "**" : " " + cell.median())
                    .append(ours ? cell.spread() : cell.ratio(cells.get(0)))
                    .append(" |");
        }
        text.append('\n');
        return this;
    }

    private static String start(String line, Column column) {
        return line.replace("RUN", column.run()).replace("POOL", column.subject());
    }

    private Cell cell(Column column, String line, String figure) {
        String subject = line.contains("POOL") ? null : column.subject();
        return new Cell(runs.stream()
                .map(run -> run.figure(start(line, column), subject, figure))
                .toArray(String[]::new));
    }

    private boolean isBehind(Cell cell, List<Cell> all, int sign) {
        for (int i = 0; i < all.size(); i++) {
            if (!columns.get(i).ours() && cell.isBehind(all.get(i), sign)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return text.toString().stripTrailing();
    }

    /** The figure of each run, as printed; null where there is none. */
    record Cell(@Nullable String[] printed) {

        boolean isKnown() {
            return Arrays.stream(printed).noneMatch(figure -> figure == null);
        }

        private double[] values() {
            return Arrays.stream(printed)
                    .mapToDouble(
                            figure -> figure == null ? Double.NaN : Double.parseDouble(figure.replaceAll("[>,]", "")))
                    .toArray();
        }

        /** Returns the figure in the middle, with the digits with which it was printed. */
        String median() {
            return isKnown() ? shown(sorted().get(printed.length / 2)) : "–";
        }

        /** Returns the least and the greatest in brackets, nothing if all are the same. */
        String spread() {
            return isKnown() ? spread(shown(sorted().get(0)), shown(sorted().get(printed.length - 1))) : "";
        }

        /** Returns the ratio to {@code base}, nothing if there is none. */
        String ratio(Cell base) {
            double[] ours = base.values();
            double[] theirs = values();
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < ours.length; i++) {
                ratios.add(theirs[i] / ours[i]);
            }
            if (ratios.stream().anyMatch(ratio -> ratio.isNaN() || ratio.isInfinite() || ratio == 0)) {
                return "";
            }
            List<Double> sorted = ratios.stream().sorted().toList();
            String median = times(Report.median(ratios.stream().mapToDouble(ratio -> ratio)));
            return ", " + median + "×" + spread(times(sorted.get(0)), times(sorted.get(sorted.size() - 1)));
        }

        private static String spread(String least, String greatest) {
            return least.equals(greatest) ? "" : " (" + least + "–" + greatest + ")";
        }

        /** Returns whether {@code other} is better in every run: less for a sign of 1, more for -1. */
        boolean isBehind(Cell other, int sign) {
            double[] ours = values();
            double[] theirs = other.values();
            boolean behind = true;
            for (int i = 0; i < ours.length; i++) {
                behind &= sign * ours[i] > sign * theirs[i];
            }
            return behind;
        }

        private List<String> sorted() {
            List<Double> values = Arrays.stream(values()).boxed().toList();
            return values.stream()
                    .sorted()
                    .map(value -> String.valueOf(printed[values.indexOf(value)]))
                    .collect(Collectors.toList());
        }

        private static String shown(String printed) {
            double value = Double.parseDouble(printed.replaceAll("[>,]", ""));
            String sign = printed.startsWith(">") ? ">" : "";
            return value < 1_000 ? printed : sign + String.format(Locale.ROOT, "%,.0f", value);
        }

        private static String times(double ratio) {
            return String.format(Locale.ROOT, ratio < 10 ? "%.2f" : ratio < 100 ? "%.1f" : "%,.0f", ratio);
        }
    }
}
