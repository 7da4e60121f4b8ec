// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import static dev.forebay.sim.report.Wording.escape;

import java.math.BigDecimal;
import java.util.List;
import java.util.Set;

/**
 * A chart as SVG. Stateless.
 *
 * <p>Whatever the width, text and strokes keep their size: everything beside the lines is placed by shares of the width,
 * and the lines are in a picture of their own that is stretched. In there a value is drawn at its own height, so a line
 * shows its numbers to a reader of its path.
 */
public final class SvgChart {

    private static final double LABEL_SHARE = 0.06;

    private static final Set<String> IN_PICTURE = Set.of("level", "waits");
    private static final int MOST_NAMED = 3;
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
        top = plots.isEmpty() ? top : legend(inside, plots.get(0).marks(), top);
        String title = Wording.title(runs);
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

    /** The legend of the first incidents' numbers. */
    private static int legend(StringBuilder svg, List<Plot.Mark> marks, int top) {
        int y = top;
        for (Plot.Mark mark : marks.subList(0, Math.min(marks.size(), MOST_NAMED))) {
            svg.append("<text class=\"label\" x=\"20\" y=\"" + y + "\">" + mark.number() + "  ");
            svg.append(escape("at " + Wording.moment(mark.note().atNanos()) + ", " + Wording.note(mark.note())));
            svg.append("</text>\n");
            y += 18;
        }
        return y == top ? top : y + 4;
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

    /** Returns the content of an {@code svg} element as wide as the plot and {@code height} high; labels lie around it. */
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
        String end = PathData.end(plot);
        svg.append("<svg class=\"data\" width=\"100%\" height=\"" + height + "\" viewBox=\"0 0 " + PathData.WIDTH + " "
                        + end)
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
            path(svg, "line", line, i, PathData.ofLine(line, plot));
        }
    }

    private static void areas(StringBuilder svg, Plot plot) {
        List<String> layers = PathData.ofLayers(plot);
        for (int i = 0; i < layers.size(); i++) {
            path(svg, "area", plot.lines().get(i), i, layers.get(i));
        }
    }

    private static void path(StringBuilder svg, String kind, Plot.Line line, int number, String data) {
        svg.append("<path class=\"" + kind + " " + line.style() + "\" data-line=\"" + number + "\" d=\"" + data);
        svg.append("\"/>\n");
    }

    private static String percent(double share) {
        return BigDecimal.valueOf(Math.round(share * 100_000), 3)
                        .stripTrailingZeros()
                        .toPlainString() + "%";
    }

    private static String px(double value) {
        return Wording.decimal(value, 1);
    }
}
