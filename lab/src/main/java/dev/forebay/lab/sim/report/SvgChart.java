// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.sim.report;

import static dev.forebay.lab.sim.report.Wording.escape;

import java.math.BigDecimal;
import java.util.List;
import java.util.Set;

/**
 * A chart as SVG. Stateless.
 *
 * <p>Whatever the width, text and strokes keep their size: everything beside the lines is placed by shares of the width,
 * and the lines are in a picture of their own that is stretched. In there a value is drawn at its own height, so a line
 * says its numbers to whoever reads its path.
 */
public final class SvgChart {

    /** How wide the stretched picture is, in its own units. */
    static final int WIDTH = 10_000;

    private static final int MOST_COLUMNS = 600;
    private static final double LABEL_SHARE = 0.045;

    private static final Set<String> IN_PICTURE = Set.of("level", "waits");
    private static final int PICTURE_WIDTH = 880;
    private static final int PICTURE_LEFT = 64;
    private static final int PICTURE_HEIGHT = 190;
    private static final int INSIDE = PICTURE_WIDTH - PICTURE_LEFT - 32;

    private SvgChart() {}

    /** The level and the waits of a run, or of two over each other, as one picture that stands alone. */
    public static String picture(List<Run> runs) {
        List<Plot> plots = Plot.of(runs).stream()
                .filter(plot -> IN_PICTURE.contains(plot.id()))
                .toList();
        StringBuilder inside = new StringBuilder();
        int top = 56;
        for (Plot plot : plots) {
            top = panel(inside, plot, top);
        }
        String title = String.join(" and ", runs.stream().map(Run::label).toList());
        StringBuilder svg = new StringBuilder();
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + PICTURE_WIDTH + " ")
                .append(top)
                .append("\" width=\"" + PICTURE_WIDTH + "\" height=\"")
                .append(top)
                .append(
                        "\" role=\"img\" aria-labelledby=\"title\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n")
                .append("<title id=\"title\">")
                .append(escape(title))
                .append("</title>\n<style>\n")
                .append(Resources.read("chart.css"))
                .append("</style>\n<rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"" + (PICTURE_WIDTH - 1)
                        + "\" height=\"")
                .append(top - 1)
                .append(
                        "\" rx=\"8\"/>\n<text class=\"heading\" x=\"20\" y=\"34\" font-size=\"17\" font-weight=\"600\">")
                .append(escape(title))
                .append("</text>\n")
                .append(inside)
                .append("</svg>\n");
        return svg.toString();
    }

    /** Draws a chart with its title and legend; returns where the next one may begin. */
    private static int panel(StringBuilder svg, Plot plot, int top) {
        int y = top + 16;
        svg.append("<text class=\"heading\" x=\"20\" y=\"")
                .append(y)
                .append("\" font-size=\"14\" font-weight=\"600\">");
        svg.append(escape(plot.title() + unit(plot))).append("</text>\n");
        y += 22;
        int x = PICTURE_LEFT;
        for (Plot.Line line : plot.lines()) {
            int width = 44 + line.name().length() * 7;
            if (x > PICTURE_LEFT && x + width > PICTURE_WIDTH - 20) {
                x = PICTURE_LEFT;
                y += 18;
            }
            svg.append("<g transform=\"translate(" + x + " " + (y - 9) + ")\">");
            key(svg, line, plot.stacked());
            svg.append("</g><text class=\"label\" x=\"" + (x + 32) + "\" y=\"" + y + "\">");
            svg.append(escape(line.name())).append("</text>\n");
            x += width;
        }
        y += 24;
        svg.append("<svg x=\"" + PICTURE_LEFT + "\" y=\"" + y + "\" width=\"" + INSIDE + "\" height=\"")
                .append(PICTURE_HEIGHT)
                .append("\" overflow=\"visible\">\n");
        body(svg, plot, PICTURE_HEIGHT);
        svg.append("</svg>\n");
        return y + PICTURE_HEIGHT + 44;
    }

    /** The unit as it follows a title. */
    static String unit(Plot plot) {
        return plot.unit().isEmpty() ? "" : " (" + plot.unit() + ")";
    }

    /** A piece of the line, 26 wide and 10 high. */
    static void key(StringBuilder svg, Plot.Line line, boolean stacked) {
        if (stacked) {
            svg.append("<rect class=\"area ").append(line.style()).append("\" width=\"26\" height=\"10\" rx=\"2\"/>");
        } else {
            svg.append("<path class=\"line ").append(line.style()).append("\" d=\"M1 5H25\"/>");
        }
    }

    /** What is inside an {@code svg} element as wide as the plot and {@code height} high; labels lie around it. */
    static void body(StringBuilder svg, Plot plot, int height) {
        for (Axis.Tick tick : plot.values().ticks()) {
            String y = px((1 - tick.share()) * height);
            svg.append("<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"" + y + "\" y2=\"" + y + "\"/>");
            svg.append("<text class=\"label\" x=\"-8\" y=\"" + y + "\" dy=\"4\" text-anchor=\"end\">");
            svg.append(tick.text()).append("</text>\n");
        }
        for (Axis.Tick tick : plot.time().ticks()) {
            String x = percent(tick.share());
            svg.append("<line class=\"tick\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + height + "\" y2=\""
                    + (height + 5));
            svg.append("\"/><text class=\"label\" x=\"" + x + "\" y=\"" + (height + 19) + "\" text-anchor=\"middle\">");
            svg.append(tick.text()).append("</text>\n");
        }
        marks(svg, plot.marks(), height);
        String end = decimal(plot.values().end(), decimals(plot.values().end()));
        svg.append("<svg class=\"data\" width=\"100%\" height=\"" + height + "\" viewBox=\"0 0 " + WIDTH + " " + end)
                .append("\" preserveAspectRatio=\"none\" overflow=\"visible\"><g transform=\"matrix(1 0 0 -1 0 ")
                .append(end)
                .append(")\">\n");
        if (plot.stacked()) {
            areas(svg, plot);
        } else {
            lines(svg, plot);
        }
        svg.append("</g></svg>\n");
        guides(svg, plot, height);
    }

    /** Numbers that would run into each other are left out; their lines are not. */
    private static void marks(StringBuilder svg, List<Plot.Mark> marks, int height) {
        double numbered = -1;
        for (Plot.Mark mark : marks) {
            String x = percent(mark.share());
            svg.append(
                    "<line class=\"mark\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"-4\" y2=\"" + height + "\"><title>");
            svg.append(escape(Wording.moment(mark.note().atNanos()) + " " + Wording.note(mark.note())));
            svg.append("</title></line>");
            if (mark.share() - numbered >= LABEL_SHARE) {
                svg.append("<text class=\"label\" x=\"" + x + "\" y=\"-8\" text-anchor=\"middle\">");
                svg.append(mark.number()).append("</text>");
                numbered = mark.share();
            }
            svg.append('\n');
        }
    }

    private static void guides(StringBuilder svg, Plot plot, int height) {
        for (Plot.Guide guide : plot.guides()) {
            if (!guide.drawn()) {
                continue;
            }
            double at = (1 - guide.value() / plot.values().end()) * height;
            String y = px(at);
            svg.append("<line class=\"guide\" x1=\"0\" x2=\"100%\" y1=\"" + y + "\" y2=\"" + y + "\"/>");
            svg.append("<text class=\"label guide-name\" x=\"100%\" y=\"" + px(at - 5) + "\" text-anchor=\"end\">");
            svg.append(escape(guide.name() + " " + Wording.value(guide.value())))
                    .append("</text>\n");
        }
    }

    private static void lines(StringBuilder svg, Plot plot) {
        // The first is what the chart is about: it is drawn last, over the others.
        for (int i = plot.lines().size() - 1; i >= 0; i--) {
            Plot.Line line = plot.lines().get(i);
            svg.append("<path class=\"line ").append(line.style()).append("\" data-line=\"" + i + "\" d=\"");
            path(svg, line, plot);
            svg.append("\"/>\n");
        }
    }

    /** The least and the most of each column, in their order, so that no peak is lost; gaps stay gaps. */
    private static void path(StringBuilder svg, Plot.Line line, Plot plot) {
        double[] values = line.values();
        int width = columnWidth(values.length);
        int decimals = decimals(plot.values().end());
        Pen pen = new Pen(svg);
        for (int from = 0; from < values.length; from += width) {
            int least = -1;
            int most = -1;
            for (int i = from; i < Math.min(values.length, from + width); i++) {
                if (Double.isFinite(values[i])) {
                    least = least < 0 || values[i] < values[least] ? i : least;
                    most = most < 0 || values[i] > values[most] ? i : most;
                }
            }
            if (least < 0) {
                pen.lift();
                continue;
            }
            for (int i : least == most ? new int[] {least} : new int[] {Math.min(least, most), Math.max(least, most)}) {
                pen.to(x(i, line.bucketNanos(), plot), decimal(values[i], decimals));
            }
        }
        pen.lift();
    }

    /** Of each column the fullest bucket; a layer goes along its upper edge and back along its lower one. */
    private static void areas(StringBuilder svg, Plot plot) {
        int length = plot.lines().stream()
                .mapToInt(line -> line.values().length)
                .max()
                .orElse(0);
        int width = columnWidth(length);
        int columns = (length + width - 1) / width;
        int[] picked = new int[columns];
        for (int column = 0; column < columns; column++) {
            double most = -1;
            for (int i = column * width; i < Math.min(length, (column + 1) * width); i++) {
                double sum = 0;
                for (Plot.Line line : plot.lines()) {
                    sum += valueAt(line, i);
                }
                if (sum > most) {
                    most = sum;
                    picked[column] = i;
                }
            }
        }
        double[] lower = new double[columns];
        int decimals = decimals(plot.values().end());
        for (int number = 0; number < plot.lines().size(); number++) {
            Plot.Line line = plot.lines().get(number);
            if (line.isZero()) {
                continue;
            }
            double[] upper = new double[columns];
            for (int column = 0; column < columns; column++) {
                upper[column] = lower[column] + valueAt(line, picked[column]);
            }
            svg.append("<path class=\"area ").append(line.style()).append("\" data-line=\"" + number + "\" d=\"");
            for (int i = 0; i < 2 * columns; i++) {
                int column = i < columns ? i : 2 * columns - 1 - i;
                svg.append(i == 0 ? 'M' : ' ').append(x(picked[column], line.bucketNanos(), plot));
                svg.append(' ').append(decimal(i < columns ? upper[column] : lower[column], decimals));
            }
            svg.append("Z\"/>\n");
            lower = upper;
        }
    }

    private static double valueAt(Plot.Line line, int index) {
        double value = index < line.values().length ? line.values()[index] : 0;
        return Double.isFinite(value) ? value : 0;
    }

    private static int columnWidth(int values) {
        return Math.max(1, (values + MOST_COLUMNS - 1) / MOST_COLUMNS);
    }

    /** The middle of a bucket. */
    private static long x(int index, long bucketNanos, Plot plot) {
        double share = (index + 0.5) * bucketNanos / (plot.time().end() * 1e6);
        return Math.round(Math.min(1, share) * WIDTH);
    }

    /** So many that there are ten thousand steps to the end of the axis. */
    private static int decimals(double end) {
        int decimals = 0;
        for (double steps = end; steps < 10_000 && decimals < 9; steps *= 10) {
            decimals++;
        }
        return decimals;
    }

    private static String decimal(double value, int decimals) {
        if (value == (int) value) {
            return Integer.toString((int) value);
        }
        return Wording.decimal(value, decimals);
    }

    private static String percent(double share) {
        return BigDecimal.valueOf(Math.round(share * 100_000), 3)
                        .stripTrailingZeros()
                        .toPlainString() + "%";
    }

    private static String px(double value) {
        return Wording.decimal(value, 1);
    }

    /** Draws through points, and leaves out those in the middle of a level stretch. */
    private static final class Pen {
        private final StringBuilder path;
        private int written;
        private String lastY = "";
        private long lastX;
        private boolean owed;

        Pen(StringBuilder path) {
            this.path = path;
        }

        void to(long x, String y) {
            if (written == 0) {
                path.append('M').append(x).append(' ').append(y);
                written = 1;
            } else if (y.equals(lastY)) {
                owed = true;
            } else {
                settle();
                path.append(' ').append(x).append(' ').append(y);
                written++;
            }
            lastX = x;
            lastY = y;
        }

        /** A single point is drawn as a line without length, which is a dot. */
        void lift() {
            owed |= written == 1;
            settle();
            written = 0;
        }

        private void settle() {
            if (owed) {
                path.append(' ').append(lastX).append(' ').append(lastY);
                written++;
            }
            owed = false;
        }
    }
}
