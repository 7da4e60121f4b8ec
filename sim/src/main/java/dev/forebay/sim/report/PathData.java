// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import java.util.ArrayList;
import java.util.List;

/**
 * The lines of a plot as the data of SVG paths: as wide as {@link #WIDTH}, and as high as the values are. Of more values
 * than can be seen, those are kept that stand out. Stateless.
 */
final class PathData {

    /** The width of a plot, in its own units. */
    static final int WIDTH = 10_000;

    private static final int MOST_COLUMNS = 600;

    private PathData() {}

    /** The height of a plot. */
    static String end(Plot plot) {
        return decimal(plot.values().end(), decimals(plot));
    }

    /** A line: the least and the most of each column, in their order, so that no peak is lost; gaps stay gaps. */
    static String ofLine(Plot.Line line, Plot plot) {
        double[] values = line.values();
        int width = columnWidth(values.length);
        int decimals = decimals(plot);
        Pen pen = new Pen();
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
            int first = Math.min(least, most);
            int second = Math.max(least, most);
            pen.to(x(first, line, plot), decimal(values[first], decimals));
            if (second != first) {
                pen.to(x(second, line, plot), decimal(values[second], decimals));
            }
        }
        pen.lift();
        return pen.data();
    }

    /** The area that each line adds to those before it; of each column the fullest bucket. */
    static List<String> ofLayers(Plot plot) {
        int[] picked = fullest(plot);
        double[] lower = new double[picked.length];
        List<String> layers = new ArrayList<>();
        for (Plot.Line line : plot.lines()) {
            double[] upper = new double[picked.length];
            for (int column = 0; column < picked.length; column++) {
                upper[column] = lower[column] + valueAt(line, picked[column]);
            }
            layers.add(layer(line, plot, picked, lower, upper));
            lower = upper;
        }
        return layers;
    }

    private static int[] fullest(Plot plot) {
        int length = plot.lines().stream()
                .mapToInt(line -> line.values().length)
                .max()
                .orElse(0);
        int width = columnWidth(length);
        int[] picked = new int[(length + width - 1) / width];
        for (int column = 0; column < picked.length; column++) {
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
        return picked;
    }

    /** Nothing where the line adds nothing; else along the upper edge and back along the lower one. */
    private static String layer(Plot.Line line, Plot plot, int[] picked, double[] lower, double[] upper) {
        StringBuilder data = new StringBuilder();
        int decimals = decimals(plot);
        int columns = picked.length;
        for (int from = 0; from < columns; from++) {
            int to = from;
            while (to < columns && upper[to] > lower[to]) {
                to++;
            }
            if (to == from) {
                continue;
            }
            int begin = Math.max(0, from - 1);
            int end = Math.min(columns, to + 1);
            for (int i = begin; i < 2 * end - begin; i++) {
                int column = i < end ? i : 2 * end - 1 - i;
                data.append(i == begin ? 'M' : ' ').append(x(picked[column], line, plot));
                data.append(' ').append(decimal(i < end ? upper[column] : lower[column], decimals));
            }
            data.append('Z');
            from = to;
        }
        return data.toString();
    }

    private static double valueAt(Plot.Line line, int index) {
        double value = index < line.values().length ? line.values()[index] : 0;
        return Double.isFinite(value) ? value : 0;
    }

    private static int columnWidth(int values) {
        return Math.max(1, (values + MOST_COLUMNS - 1) / MOST_COLUMNS);
    }

    /** The middle of a bucket. */
    private static long x(int index, Plot.Line line, Plot plot) {
        double share = (index + 0.5) * line.bucketNanos() / (plot.time().end() * 1e6);
        return Math.round(Math.min(1, share) * WIDTH);
    }

    /** Decimals that give ten thousand steps to the end of the axis. */
    private static int decimals(Plot plot) {
        int decimals = 0;
        for (double steps = plot.values().end(); steps < 10_000 && decimals < 9; steps *= 10) {
            decimals++;
        }
        return decimals;
    }

    private static String decimal(double value, int decimals) {
        return value == (int) value ? Integer.toString((int) value) : Wording.decimal(value, decimals);
    }

    /** Draws through points, and leaves out those in the middle of a level stretch. */
    private static final class Pen {
        private final StringBuilder path = new StringBuilder();
        private int written;
        private String lastY = "";
        private long lastX;
        private boolean owed;

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

        String data() {
            return path.toString();
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
