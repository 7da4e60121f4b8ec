// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import dev.forebay.engine.internal.GoDuration;
import java.time.Duration;

/**
 * Reads the words of a command or of a file; what cannot be read is an {@link IllegalArgumentException} that says why.
 * Stateless.
 */
public final class ValueText {

    private ValueText() {}

    /** A duration as Go writes it. */
    public static Duration duration(String text) {
        try {
            return GoDuration.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a duration such as 500ms or 1m30s: " + e.getMessage(), e);
        }
    }

    /** A fraction, written as such or in percent; not negative. */
    public static double fraction(String text) {
        boolean percent = text.endsWith("%");
        String digits = percent ? text.substring(0, text.length() - 1) : text;
        if (!digits.matches("[0-9]{1,9}(\\.[0-9]{1,100})?")) {
            throw new IllegalArgumentException("\"" + text + "\" is not a fraction such as 0.3 or 30%");
        }
        return percent ? Double.parseDouble(digits) / 100 : Double.parseDouble(digits);
    }

    /** A number that is not negative. */
    public static double number(String text) {
        if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
            throw new IllegalArgumentException("\"" + text + "\" is not a number such as 100 or 0.5");
        }
        return Double.parseDouble(text);
    }

    /** True or false. */
    public static boolean flag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("\"" + text + "\" is neither true nor false");
        };
    }

    /** A whole number of up to nine digits. */
    public static int count(String text) {
        if (!text.matches("[0-9]{1,9}")) {
            throw new IllegalArgumentException("\"" + text + "\" is not a count");
        }
        return Integer.parseInt(text);
    }
}
