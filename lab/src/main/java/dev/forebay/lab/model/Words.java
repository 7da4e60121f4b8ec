// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.model;

import dev.forebay.event.GoDuration;
import java.time.Duration;

/** Reads the words of a command. Stateless. */
final class Words {

    private Words() {}

    static Duration duration(String text) {
        try {
            return GoDuration.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a duration such as 500ms or 1m30s: " + e.getMessage(), e);
        }
    }

    static double fraction(String text) {
        boolean percent = text.endsWith("%");
        String digits = percent ? text.substring(0, text.length() - 1) : text;
        if (!digits.matches("[0-9]{1,9}(\\.[0-9]{1,100})?")) {
            throw new IllegalArgumentException("\"" + text + "\" is not a fraction such as 0.3 or 30%");
        }
        return percent ? Double.parseDouble(digits) / 100 : Double.parseDouble(digits);
    }

    static double number(String text) {
        if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
            throw new IllegalArgumentException("\"" + text + "\" is not a number such as 100 or 0.5");
        }
        return Double.parseDouble(text);
    }

    static boolean flag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("\"" + text + "\" is neither true nor false");
        };
    }

    static int count(String text) {
        if (!text.matches("[0-9]{1,9}")) {
            throw new IllegalArgumentException("\"" + text + "\" is not a count");
        }
        return Integer.parseInt(text);
    }
}
