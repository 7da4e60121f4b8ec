// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.internal.GoDuration;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The kind of value a knob takes: how it is read, written and checked, and the words for what is valid. Immutable.
 *
 * @param type the word for it in the reference page
 * @param valid what to write, for an error message
 * @param parser reads a text or throws an {@link IllegalArgumentException} that says what is wrong with it
 * @param problem what is wrong with a value that was read, null if nothing is
 * @param format writes a value
 */
record Kind<T>(
        String type,
        String valid,
        Function<String, T> parser,
        Function<T, @Nullable String> problem,
        Function<T, String> format) {

    private static final int MOST = 1_000_000;
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Set<String> TRUE = Set.of("true", "t", "1");
    private static final Set<String> FALSE = Set.of("false", "f", "0");

    /** A number of things, at least {@code least}. */
    static Kind<Integer> count(int least) {
        return count(least, MOST);
    }

    /** A number of things, from {@code least} to {@code most}. */
    static Kind<Integer> count(int least, int most) {
        return new Kind<>(
                "integer",
                "a whole number from " + least + " to " + most,
                Kind::parseInt,
                n -> n < least ? "too small" : n > most ? "too large" : null,
                n -> Integer.toString(n));
    }

    /** A share of something, from 0 to 1. */
    static Kind<Double> factor() {
        return new Kind<>(
                "factor",
                "a number from 0 to 1 such as 0.25",
                Kind::parseDouble,
                n -> n < 0 ? "too small" : n <= 1 ? null : n > 1 ? "too large" : "not a number",
                n -> Double.toString(n));
    }

    /** A duration that may be 0. */
    static Kind<Duration> duration() {
        return duration("0 or a duration", d -> d.isNegative() ? "negative" : null);
    }

    /** A duration above 0. */
    static Kind<Duration> positiveDuration() {
        return duration("a duration above 0", d -> d.isNegative() || d.isZero() ? "not above 0" : null);
    }

    /** A duration that may be 0 and is no longer than {@code most}. */
    static Kind<Duration> durationUpTo(Duration most) {
        return duration(
                "0 or a duration up to " + GoDuration.format(most),
                d -> d.isNegative() ? "negative" : d.compareTo(most) > 0 ? "too long" : null);
    }

    /** A duration from {@code least} to {@code most}. */
    static Kind<Duration> durationBetween(Duration least, Duration most) {
        return duration(
                "a duration from " + GoDuration.format(least) + " to " + GoDuration.format(most),
                d -> d.compareTo(least) < 0 ? "too short" : d.compareTo(most) > 0 ? "too long" : null);
    }

    private static Kind<Duration> duration(String valid, Function<Duration, @Nullable String> problem) {
        return new Kind<>(
                "duration",
                valid + " such as 11m, 45s, 100ms or 1h30m",
                GoDuration::parse,
                d -> d.compareTo(LONGEST) > 0 ? "longer than ten years" : problem.apply(d),
                d -> d.abs().compareTo(LONGEST) > 0 ? d.toString() : GoDuration.format(d));
    }

    static Kind<Boolean> bool() {
        return new Kind<>("boolean", "true or false", Kind::parseBoolean, b -> null, b -> Boolean.toString(b));
    }

    /** A boolean of which anything unknown is false. */
    static Kind<Boolean> flag() {
        return new Kind<>("flag", "true or false", Kind::isTrue, b -> null, b -> Boolean.toString(b));
    }

    /** Whether this is a {@link #flag}. */
    boolean isFlag() {
        return type.equals("flag");
    }

    static Kind<String> text() {
        return new Kind<>("text", "any text", text -> text, text -> null, text -> text);
    }

    /** A short name that can be a label. */
    static Kind<String> label() {
        return new Kind<>(
                "name",
                "1 to 100 characters, none of them a control character",
                text -> text,
                text -> text.isBlank() || text.length() > 100 || text.chars().anyMatch(Character::isISOControl)
                        ? "not a name"
                        : null,
                text -> text);
    }

    static <E extends Enum<E>> Kind<E> choice(Class<E> type) {
        String words = Arrays.stream(type.getEnumConstants()).map(Kind::word).collect(Collectors.joining(", "));
        return new Kind<>(
                "choice",
                "one of " + words,
                text -> Arrays.stream(type.getEnumConstants())
                        .filter(value -> word(value).equals(normal(text)))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("unknown")),
                value -> null,
                Kind::word);
    }

    private static String word(Enum<?> value) {
        return normal(value.name());
    }

    /** Names from JDBC and from other pools are understood, too: TRANSACTION_READ_COMMITTED, FAIL_FAST. */
    private static String normal(String text) {
        String word = text.toLowerCase(Locale.ROOT).replace('_', '-').replace(' ', '-');
        return word.startsWith("transaction-") ? word.substring("transaction-".length()) : word;
    }

    /** Whether {@code text} says true or false at all. */
    static boolean isBoolean(String text) {
        String word = text.toLowerCase(Locale.ROOT);
        return TRUE.contains(word) || FALSE.contains(word);
    }

    private static boolean isTrue(String text) {
        return TRUE.contains(text.toLowerCase(Locale.ROOT));
    }

    private static boolean parseBoolean(String text) {
        if (!isBoolean(text)) {
            throw new IllegalArgumentException("neither true nor false");
        }
        return isTrue(text);
    }

    private static double parseDouble(String text) {
        if (!text.matches("[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)")) {
            throw new IllegalArgumentException("not a number");
        }
        return Double.parseDouble(text);
    }

    private static int parseInt(String text) {
        if (!text.matches("[+-]?[0-9]+")) {
            throw new IllegalArgumentException("not a whole number");
        }
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(text.startsWith("-") ? "too small" : "too large", e);
        }
    }
}
