// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine.internal;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The kind of value an option takes: its reading, writing and checking, and the words for valid values. Immutable.
 *
 * @param type the word for it in the reference pages
 * @param valid the valid values in words, for an error message
 * @param words the words that it knows; none if it is not a choice
 * @param parser reads a text or throws an {@link IllegalArgumentException} that says what is wrong with it
 * @param problem returns the problem of a value that was read, null if it is valid
 * @param format writes a value
 */
public record OptionKind<T>(
        String type,
        String valid,
        List<String> words,
        Function<String, T> parser,
        Function<T, @Nullable String> problem,
        Function<T, String> format) {

    private static final int MOST = 1_000_000;
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Set<String> TRUE = Set.of("true", "t", "1");
    private static final Set<String> FALSE = Set.of("false", "f", "0");

    /** A kind of which every value that can be read is valid. */
    public static <T> OptionKind<T> of(
            String type, String valid, Function<String, T> parser, Function<T, String> format) {
        return new OptionKind<>(type, valid, List.of(), parser, value -> null, format);
    }

    /** A number of things, at least {@code least}. */
    public static OptionKind<Integer> count(int least) {
        return count(least, MOST);
    }

    /** A number of things, from {@code least} to {@code most}. */
    public static OptionKind<Integer> count(int least, int most) {
        return ranged(
                "integer",
                "a whole number from " + least + " to " + most,
                least,
                most,
                text -> (int) parseWhole(text, Integer.MIN_VALUE, Integer.MAX_VALUE),
                number -> Integer.toString(number));
    }

    /** A whole number from {@code least} to {@code most}. */
    public static OptionKind<Long> whole(long least, long most) {
        return ranged(
                "integer",
                "a whole number from " + least + " to " + most,
                least,
                most,
                text -> parseWhole(text, Long.MIN_VALUE, Long.MAX_VALUE),
                number -> Long.toString(number));
    }

    /** A share of something, from 0 to 1. */
    public static OptionKind<Double> factor() {
        return ranged(
                "factor",
                "a number from 0 to 1 such as 0.25",
                0.0,
                1.0,
                OptionKind::parseNumber,
                number -> Double.toString(number));
    }

    /** A kind that has an order, from {@code least} to {@code most}. */
    public static <T extends Comparable<T>> OptionKind<T> ranged(
            String type, String valid, T least, T most, Function<String, T> parser, Function<T, String> format) {
        return new OptionKind<>(
                type,
                valid,
                List.of(),
                parser,
                value -> value.equals(Double.NaN)
                        ? "not a number"
                        : value.compareTo(least) < 0 ? "too small" : value.compareTo(most) > 0 ? "too large" : null,
                format);
    }

    /** A duration that may be 0. */
    public static OptionKind<Duration> duration() {
        return duration("0 or a duration", d -> d.isNegative() ? "negative" : null);
    }

    /** A duration above 0. */
    public static OptionKind<Duration> positiveDuration() {
        return duration("a duration above 0", d -> d.isNegative() || d.isZero() ? "not above 0" : null);
    }

    /** A duration that may be 0 and is no longer than {@code most}. */
    public static OptionKind<Duration> durationUpTo(Duration most) {
        return duration(
                "0 or a duration up to " + GoDuration.brief(most),
                d -> d.isNegative() ? "negative" : d.compareTo(most) > 0 ? "too long" : null);
    }

    /** A duration from {@code least} to {@code most}. */
    public static OptionKind<Duration> durationBetween(Duration least, Duration most) {
        return duration(
                "a duration from " + GoDuration.brief(least) + " to " + GoDuration.brief(most),
                d -> d.compareTo(least) < 0 ? "too short" : d.compareTo(most) > 0 ? "too long" : null);
    }

    private static OptionKind<Duration> duration(String valid, Function<Duration, @Nullable String> problem) {
        return new OptionKind<>(
                "duration",
                valid + " such as 11m, 45s, 100ms or 1h30m",
                List.of(),
                GoDuration::parse,
                d -> d.compareTo(LONGEST) > 0 ? "longer than ten years" : problem.apply(d),
                d -> d.abs().compareTo(LONGEST) > 0 ? d.toString() : GoDuration.format(d));
    }

    public static OptionKind<Boolean> bool() {
        return of("boolean", "true or false", OptionKind::parseBoolean, value -> Boolean.toString(value));
    }

    /** A boolean of which anything unknown is false. */
    public static OptionKind<Boolean> flag() {
        return of("flag", "true or false", OptionKind::isTrue, value -> Boolean.toString(value));
    }

    /** Whether this is a {@link #flag}. */
    boolean isFlag() {
        return type.equals("flag");
    }

    public static OptionKind<String> text() {
        return of("text", "any text", text -> text, text -> text);
    }

    /** A text of which only some are {@code allowed}. */
    public static OptionKind<String> text(String type, String valid, Predicate<String> allowed) {
        return new OptionKind<>(
                type, valid, List.of(), text -> text, text -> allowed.test(text) ? null : "not allowed", text -> text);
    }

    /** A short name that can be a label. */
    public static OptionKind<String> label() {
        return text(
                "name",
                "1 to 100 characters, none of them a control character",
                text -> !text.isBlank() && text.length() <= 100 && text.chars().noneMatch(Character::isISOControl));
    }

    /** One of the constants of {@code type}, in small letters with dashes. */
    public static <E extends Enum<E>> OptionKind<E> choice(Class<E> type) {
        return choice(Arrays.asList(type.getEnumConstants()), value -> normal(value.name()));
    }

    /** One of {@code values}, each of them known by its {@code word}. */
    public static <T> OptionKind<T> choice(List<T> values, Function<T, String> word) {
        List<String> words = values.stream().map(word).toList();
        return new OptionKind<>(
                "choice",
                "one of " + String.join(", ", words),
                words,
                text -> values.stream()
                        .filter(value -> normal(word.apply(value)).equals(normal(text)))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("unknown")),
                value -> null,
                word);
    }

    /** Normalizes a word; takes names from JDBC and from other pools, too: TRANSACTION_READ_COMMITTED, FAIL_FAST. */
    private static String normal(String text) {
        String word = text.strip().toLowerCase(Locale.ROOT).replace('_', '-').replace(' ', '-');
        return word.startsWith("transaction-") ? word.substring("transaction-".length()) : word;
    }

    /** Whether {@code text} is a word for true or false. */
    static boolean isBoolean(String text) {
        String word = text.strip().toLowerCase(Locale.ROOT);
        return TRUE.contains(word) || FALSE.contains(word);
    }

    private static boolean isTrue(String text) {
        return TRUE.contains(text.strip().toLowerCase(Locale.ROOT));
    }

    private static boolean parseBoolean(String text) {
        if (!isBoolean(text)) {
            throw new IllegalArgumentException("neither true nor false");
        }
        return isTrue(text);
    }

    /** Reads a decimal number without an exponent. */
    public static double parseNumber(String text) {
        if (!text.matches("[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)")) {
            throw new IllegalArgumentException("not a number");
        }
        return Double.parseDouble(text);
    }

    private static long parseWhole(String text, long least, long most) {
        String digits = text.strip();
        if (!digits.matches("[+-]?[0-9]+")) {
            throw new IllegalArgumentException("not a whole number");
        }
        try {
            long number = Long.parseLong(digits);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Longer than 64 bits, as the message says, too.
        }
        throw new IllegalArgumentException(digits.startsWith("-") ? "too small" : "too large");
    }
}
