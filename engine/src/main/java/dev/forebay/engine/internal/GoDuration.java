// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine.internal;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Map;

/**
 * Durations the way Go writes them, such as {@code 1h30m}, as settings are given and log lines print them. Stateless.
 */
public final class GoDuration {

    private static final Map<String, Long> NANOS = Map.of(
            "ns", 1L,
            "us", 1_000L,
            "µs", 1_000L, // the micro sign
            "μs", 1_000L, // the Greek letter
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L);

    private static final BigDecimal LONGEST = BigDecimal.valueOf(Long.MAX_VALUE);

    private GoDuration() {}

    /**
     * Reads a sign and one or more numbers with a unit, such as {@code 11m}, {@code 1.5h} or {@code -250us}; or {@code 0}.
     *
     * @throws IllegalArgumentException saying what is wrong with {@code text}
     */
    public static Duration parse(String text) {
        boolean negative = text.startsWith("-");
        String rest = negative || text.startsWith("+") ? text.substring(1) : text;
        if (rest.equals("0")) {
            return Duration.ZERO;
        }
        if (rest.isEmpty()) {
            throw new IllegalArgumentException("not a duration");
        }
        BigDecimal nanos = BigDecimal.ZERO;
        int at = 0;
        while (at < rest.length()) {
            int unitAt = endOf(rest, at, true);
            int next = endOf(rest, unitAt, false);
            nanos = nanos.add(number(rest.substring(at, unitAt)).multiply(unit(rest.substring(unitAt, next))));
            at = next;
        }
        nanos = nanos.setScale(0, RoundingMode.DOWN);
        if (nanos.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("too long");
        }
        return Duration.ofNanos(negative ? -nanos.longValue() : nanos.longValue());
    }

    private static int endOf(String text, int from, boolean number) {
        int end = from;
        while (end < text.length() && isOfNumber(text.charAt(end)) == number) {
            end++;
        }
        return end;
    }

    private static boolean isOfNumber(char c) {
        return c == '.' || (c >= '0' && c <= '9');
    }

    private static BigDecimal number(String digits) {
        if (digits.length() > 40 || !digits.matches("[0-9]+\\.?[0-9]*|\\.[0-9]+")) {
            throw new IllegalArgumentException("not a duration");
        }
        return new BigDecimal(digits);
    }

    private static BigDecimal unit(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a unit is missing");
        }
        Long nanos = NANOS.get(name);
        if (nanos == null) {
            throw new IllegalArgumentException("\"" + name + "\" is not a unit");
        }
        return BigDecimal.valueOf(nanos);
    }

    /** Writes {@code duration} as Go prints it: {@code 11m0s}, {@code 100ms}, {@code 12.3s}, {@code 1h30m0s}. */
    public static String format(Duration duration) {
        return format(duration.toNanos());
    }

    /** As {@link #format(Duration)}, of nanoseconds. */
    public static String format(long nanos) {
        if (nanos == 0) {
            return "0s";
        }
        // The magnitude of Long.MIN_VALUE does not fit a long; BigDecimal keeps it whole.
        BigDecimal magnitude = BigDecimal.valueOf(nanos).abs();
        String sign = nanos < 0 ? "-" : "";
        if (magnitude.compareTo(BigDecimal.valueOf(1_000)) < 0) {
            return sign + plain(magnitude) + "ns";
        }
        if (magnitude.compareTo(BigDecimal.valueOf(1_000_000)) < 0) {
            return sign + plain(magnitude.movePointLeft(3)) + "µs";
        }
        if (magnitude.compareTo(BigDecimal.valueOf(1_000_000_000)) < 0) {
            return sign + plain(magnitude.movePointLeft(6)) + "ms";
        }
        BigDecimal seconds = magnitude.movePointLeft(9);
        long minutes = seconds.longValue() / 60;
        String text = plain(seconds.subtract(BigDecimal.valueOf(minutes * 60))) + "s";
        if (minutes > 0) {
            text = minutes % 60 + "m" + text;
        }
        if (minutes >= 60) {
            text = minutes / 60 + "h" + text;
        }
        return sign + text;
    }

    /** Writes {@code duration} without the zeros that Go puts after it: 20m rather than 20m0s. */
    public static String brief(Duration duration) {
        return format(duration).replaceFirst("(?<=[hm])0s$", "").replaceFirst("(?<=h)0m$", "");
    }

    private static String plain(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }
}
