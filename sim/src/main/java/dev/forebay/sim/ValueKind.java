// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.internal.GoDuration;
import dev.forebay.model.Fault;
import dev.forebay.model.Latency;
import dev.forebay.model.Words;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * The kind of value that a key of a scenario takes. Immutable.
 *
 * @param word what the reference page calls it
 * @param valid what to write, for an error message
 * @param words the words that it knows; none if it is not a choice
 * @param standIn a value to go on with after an error
 * @param parser reads a text or throws an {@link IllegalArgumentException} that says what is wrong with it
 * @param format writes a value
 */
record ValueKind<T>(
        String word,
        String valid,
        List<String> words,
        T standIn,
        Function<String, T> parser,
        Function<T, String> format) {

    private ValueKind(String word, String valid, T standIn, Function<String, T> parser, Function<T, String> format) {
        this(word, valid, List.of(), standIn, parser, format);
    }

    /** Longer than any question, and short enough for a long of nanoseconds with room to spare. */
    static final Duration LONGEST = Duration.ofDays(31);

    private static final String OFF = "off";

    /** Other keys below this one. */
    static final ValueKind<String> MAPPING = none("mapping", "keys with values");

    /** Items, each with keys of its own. */
    static final ValueKind<String> LIST = none("list", "items that each begin with a dash");

    static final ValueKind<Boolean> FLAG =
            new ValueKind<>("flag", "true or false", false, Words::flag, value -> Boolean.toString(value));

    static final ValueKind<Long> SEED = new ValueKind<>(
            "whole number",
            "a whole number such as 42",
            0L,
            text -> {
                try {
                    return Long.parseLong(text);
                } catch (NumberFormatException e) {
                    throw new IllegalArgumentException(quoted(text) + " is not a whole number of 64 bits", e);
                }
            },
            value -> Long.toString(value));

    static final ValueKind<Latency> LATENCY = new ValueKind<>(
            "latency",
            "20ms, 20ms..50ms for any between, exp 20ms for a long tail, or off",
            Latency.NONE,
            Latency::parse,
            Latency::text);

    static final ValueKind<Fault> FAULT = new ValueKind<>(
            "fault",
            "a fault such as drop 30%, freeze 5s, refuse connects 5s or waking up 10s",
            new Fault.Clear(),
            ValueKind::fault,
            Fault::text);

    private static ValueKind<String> none(String word, String valid) {
        return new ValueKind<>(word, valid, "", text -> text, text -> text);
    }

    /** A whole number. */
    static ValueKind<Integer> count(int least, int most) {
        return new ValueKind<>(
                "whole number",
                "a whole number from " + least + " to " + most,
                Math.max(1, least),
                text -> {
                    int value = Words.count(text);
                    return within(text, value < least, value > most, "small", "large", value);
                },
                value -> Integer.toString(value));
    }

    /** A number. */
    static ValueKind<Double> number(double least, double most) {
        return numeric("number", "a number from " + plain(least) + " to " + plain(most), least, most, Words::number);
    }

    /** A part of a whole. */
    static final ValueKind<Double> FRACTION =
            numeric("fraction", "a fraction from 0 to 1, or from 0% to 100%", 0, 1, Words::fraction);

    private static ValueKind<Double> numeric(
            String word, String valid, double least, double most, Function<String, Double> parser) {
        return new ValueKind<>(
                word,
                valid,
                1.0,
                text -> {
                    double value = parser.apply(text);
                    return within(text, value < least, value > most, "small", "large", value);
                },
                ValueKind::plain);
    }

    /** A duration of at least {@code least}. */
    static ValueKind<Duration> duration(Duration least) {
        return duration(least, LONGEST);
    }

    static ValueKind<Duration> duration(Duration least, Duration most) {
        return new ValueKind<>(
                "duration",
                "a duration from " + text(least) + " to " + text(most),
                Duration.ofSeconds(1),
                text -> {
                    Duration value = Words.duration(text);
                    return within(text, value.compareTo(least) < 0, value.compareTo(most) > 0, "short", "long", value);
                },
                ValueKind::text);
    }

    /** A word that stands for a constant. */
    static <E extends Enum<E>> ValueKind<E> choice(Class<E> type) {
        List<E> values = Arrays.asList(type.getEnumConstants());
        List<String> words = values.stream().map(ValueKind::word).toList();
        String valid = "one of " + String.join(", ", words);
        return new ValueKind<>(
                valid,
                valid,
                words,
                values.get(0),
                text -> {
                    int at = words.indexOf(text);
                    if (at < 0) {
                        throw new IllegalArgumentException(quoted(text) + " is not known");
                    }
                    return values.get(at);
                },
                ValueKind::word);
    }

    /** A text of one line that matches {@code pattern}. */
    static ValueKind<String> text(String word, String valid, String pattern) {
        return new ValueKind<>(
                word,
                valid,
                "?",
                text -> {
                    String line = text.strip().replaceAll("\\s+", " ");
                    if (!line.matches(pattern)) {
                        throw new IllegalArgumentException(quoted(line) + " is not allowed");
                    }
                    return line;
                },
                text -> text);
    }

    /** The same, or off for none. */
    ValueKind<Optional<T>> orOff() {
        return new ValueKind<>(
                word + " or off",
                valid + ", or off",
                Optional.empty(),
                text -> text.equals(OFF) ? Optional.empty() : Optional.of(parser.apply(text)),
                value -> value.map(format).orElse(OFF));
    }

    /** A text as messages quote it, cut if it is long. */
    static String quoted(String text) {
        String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
        return "\"" + (line.length() > 80 ? line.substring(0, 80) + "…" : line) + "\"";
    }

    /** A duration without the zeros that Go puts behind it: 20m rather than 20m0s. */
    static String text(Duration duration) {
        return GoDuration.format(duration).replaceFirst("(?<=[hm])0s$", "").replaceFirst("(?<=h)0m$", "");
    }

    private static Fault fault(String text) {
        Fault fault = Fault.parse(text);
        if (fault instanceof Fault.FailCommits || fault instanceof Fault.ExpireTokens) {
            throw new IllegalArgumentException(
                    quoted(text) + " has no effect here: in a simulation there are no commits and no tokens");
        }
        return fault;
    }

    private static <T> T within(String text, boolean below, boolean above, String small, String large, T value) {
        if (below || above) {
            throw new IllegalArgumentException(quoted(text) + " is too " + (below ? small : large));
        }
        return value;
    }

    /** The word for {@code value}. */
    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** A number without more digits than it needs. */
    static String plain(double value) {
        BigDecimal number = BigDecimal.valueOf(value);
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }
}
