// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine.internal;

import org.jspecify.annotations.Nullable;

/**
 * A setting for users, declared once. Immutable; two options are equal only if they are the same.
 *
 * <p>An error about one reads {@code name=text: problem; valid is …}, with the name by which it was set. In front of it stands
 * the place, if it was set in a file that has places.
 *
 * @param <T> the type of its value
 * @param heading the heading under which the reference page lists it
 * @param name its name in a file
 * @param variable its environment variable; empty if it has none
 * @param kind the kind of its values
 * @param defaultValue its default, null if that is not a value of its own
 * @param defaultText the same in words
 * @param purpose its purpose, in one sentence
 */
public record Option<T>(
        String heading,
        String name,
        String variable,
        OptionKind<T> kind,
        @Nullable T defaultValue,
        String defaultText,
        String purpose) {

    private static final int LONGEST_SHOWN = 80;

    /** An option whose default is a value. */
    public static <T> Option<T> of(
            String heading, String name, String variable, OptionKind<T> kind, String defaultText, String purpose) {
        return new Option<>(heading, name, variable, kind, kind.parser().apply(defaultText), defaultText, purpose);
    }

    /** An option whose default follows from others, in the words of {@code defaultText}, or is nothing. */
    public static <T> Option<T> open(
            String heading, String name, String variable, OptionKind<T> kind, String defaultText, String purpose) {
        return new Option<>(heading, name, variable, kind, null, defaultText, purpose);
    }

    /**
     * Reads and checks {@code text}.
     *
     * @throws IllegalArgumentException naming the option, its text and the valid values
     */
    public T read(String text) {
        T value = parse(name, text);
        check(written(name, text), value);
        return value;
    }

    /** Reads {@code text}, which was set by {@code writtenName}; whether it is valid is left to {@link #check}. */
    T parse(String writtenName, String text) {
        try {
            return kind.parser().apply(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    refusal(written(writtenName, text), String.valueOf(e.getMessage()), kind.valid())
                            + NearestName.hint(text, kind.words()),
                    e);
        }
    }

    void check(String written, T value) {
        String problem = kind.problem().apply(value);
        if (problem != null) {
            throw new IllegalArgumentException(refusal(written, problem, kind.valid()));
        }
    }

    /** The message about settings that are {@code written} and cannot be used. */
    public static String refusal(String written, String problem, String valid) {
        return written + ": " + problem + "; valid is " + valid;
    }

    /** A setting as messages show it. */
    public static String written(String name, String text) {
        return name + "=" + printable(text);
    }

    /** A user's text without characters that could move a cursor, cut if it is long. */
    public static String printable(String text) {
        String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
        return line.length() > LONGEST_SHOWN ? line.substring(0, LONGEST_SHOWN) + "…" : line;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public String toString() {
        return name;
    }
}
