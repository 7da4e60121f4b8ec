// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import org.jspecify.annotations.Nullable;

/**
 * One setting, declared once. Immutable; two knobs are equal only if they are the same.
 *
 * @param <T> what it is set to
 */
final class Knob<T> {

    private final String group;
    private final String property;
    private final String variable;
    private final Kind<T> kind;
    private final String defaultText;
    private final @Nullable T defaultValue;
    private final String reason;

    private Knob(
            String group,
            String property,
            String variable,
            Kind<T> kind,
            String defaultText,
            @Nullable T defaultValue,
            String reason) {
        this.group = group;
        this.property = property;
        this.variable = variable;
        this.kind = kind;
        this.defaultText = defaultText;
        this.defaultValue = defaultValue;
        this.reason = reason;
    }

    /** A knob whose default is a value. */
    static <T> Knob<T> of(
            String group, String property, String variable, Kind<T> kind, String defaultText, String reason) {
        T value = kind.parser().apply(defaultText);
        return new Knob<>(group, property, variable, kind, defaultText, value, reason);
    }

    /** A knob whose default follows from others, in the words of {@code defaultText}, or is nothing. */
    static <T> Knob<T> open(
            String group, String property, String variable, Kind<T> kind, String defaultText, String reason) {
        return new Knob<>(group, property, variable, kind, defaultText, null, reason);
    }

    /** The heading under which the reference page lists it. */
    String group() {
        return group;
    }

    /** Its name in a properties file. */
    String property() {
        return property;
    }

    /** Its environment variable. */
    String variable() {
        return variable;
    }

    Kind<T> kind() {
        return kind;
    }

    /** Its default in words. */
    String defaultText() {
        return defaultText;
    }

    /** Its default if that is a value of its own. */
    @Nullable
    T defaultValue() {
        return defaultValue;
    }

    /** Its purpose, in one sentence. */
    String reason() {
        return reason;
    }

    @Override
    public String toString() {
        return property;
    }
}
