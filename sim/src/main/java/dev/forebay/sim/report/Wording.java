// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import dev.forebay.ForebayConfig;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.sim.Result;
import dev.forebay.sim.Scenario;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The text of numbers, times and names: the same on every machine, and with nothing in a name taken for markup. */
final class Wording {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private Wording() {}

    /** {@code 12,345}. */
    static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** At most {@code decimals} of them, and none that are zero at the end. */
    static String decimal(double value, int decimals) {
        BigDecimal rounded = BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP);
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }

    /** A value with about three digits that count, and thousands set off. */
    static String value(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return "–";
        }
        double size = Math.abs(value);
        if (size >= 1_000) {
            return count(Math.round(value));
        }
        return decimal(value, size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4);
    }

    /** A moment from the start, to the millisecond: {@code 5m0.25s}. */
    static String moment(long nanos) {
        return GoDuration.format(Math.floorDiv(nanos, MILLI) * MILLI);
    }

    /** A length of time: {@code 0}, {@code 12.3 ms}, {@code 4.56 s}. */
    static String waited(long nanos) {
        if (nanos >= 60 * SECOND) {
            return moment(nanos);
        }
        if (nanos >= SECOND) {
            return decimal((double) nanos / SECOND, 2) + " s";
        }
        if (nanos == 0) {
            return "0";
        }
        double millis = (double) nanos / MILLI;
        return millis < 0.001 ? "< 0.001 ms" : decimal(millis, millis >= 10 ? 1 : millis >= 1 ? 2 : 3) + " ms";
    }

    /** A length of time without the parts that are zero: {@code 5m}, {@code 1h30m}. */
    static String length(Duration length) {
        String text = GoDuration.format(length);
        if (text.endsWith("m0s")) {
            text = text.substring(0, text.length() - "0s".length());
        }
        return text.endsWith("h0m") ? text.substring(0, text.length() - "0m".length()) : text;
    }

    /** {@code on_demand}, as scenarios have it. */
    static String mode(ForebayConfig.Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    /** Every mode there is, in the order of the services. */
    static String modes(Scenario scenario) {
        return scenario.services().stream()
                .map(service -> mode(service.mode()))
                .distinct()
                .collect(Collectors.joining(" and "));
    }

    /** The title of a page about {@code runs}. */
    static String title(List<Run> runs) {
        String first = runs.get(0).result().scenario().name();
        if (runs.size() == 1) {
            return first;
        }
        String labels = runs.get(0).label() + " and " + runs.get(1).label();
        boolean same = first.equals(runs.get(1).result().scenario().name());
        return same ? first + ": " + labels : labels;
    }

    /** The scenario in a line. */
    static String outline(Scenario scenario) {
        int services = scenario.services().size();
        int processes = scenario.instances();
        return "seed " + scenario.seed() + ", " + length(scenario.duration()) + ", " + services
                + (services == 1 ? " service, " : " services, ") + processes
                + (processes == 1 ? " process" : " processes") + (services == 0 ? "" : ", " + modes(scenario));
    }

    /** The number of assertions that held, in a line. */
    static String outcome(Result result) {
        int all = result.verdicts().size();
        long failed =
                result.verdicts().stream().filter(verdict -> !verdict.passed()).count();
        if (all == 0) {
            return "Nothing was asserted";
        }
        return failed == 0 ? "All " + all + " assertions held" : failed + " of " + all + " assertions failed";
    }

    /** A note without its time. */
    static String note(Result.Note note) {
        return note.where() + ": " + note.text();
    }

    /** Text for a terminal: nothing in it moves the cursor or begins a line. */
    static String plain(String text) {
        StringBuilder plain = new StringBuilder(text.length());
        text.codePoints().forEach(c -> plain.appendCodePoint(isControl(c) ? '?' : c));
        return plain.toString();
    }

    /** Text for HTML and SVG, inside an element or a quoted attribute. */
    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '&' -> escaped.append("&amp;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                case '\n', '\t' -> escaped.append(' ');
                default -> escaped.appendCodePoint(isControl(c) ? '\ufffd' : c);
            }
        });
        return escaped.toString();
    }

    /** Controls, what turns the direction of text, halves of characters, and what XML does not allow. */
    private static boolean isControl(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.SURROGATE, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                true;
            case Character.FORMAT -> c != 0x200d; // which joins the parts of an emoji
            default -> c == 0xfffe || c == 0xffff;
        };
    }
}
