// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A reader of JSON for the recordings: maps, lists, strings, numbers, booleans and null. */
public final class Json {

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    public static @Nullable Object read(String text) {
        return new Json(text).value();
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> map(@Nullable Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    public static List<Object> list(@Nullable Object value) {
        return (List<Object>) value;
    }

    private @Nullable Object value() {
        blanks();
        char c = text.charAt(at);
        return switch (c) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            default -> word();
        };
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        at++;
        blanks();
        while (text.charAt(at) != '}') {
            blanks();
            String key = string();
            blanks();
            expect(':');
            object.put(key, value());
            comma();
        }
        at++;
        return object;
    }

    private List<@Nullable Object> array() {
        List<@Nullable Object> array = new ArrayList<>();
        at++;
        blanks();
        while (text.charAt(at) != ']') {
            array.add(value());
            comma();
        }
        at++;
        return array;
    }

    private void comma() {
        blanks();
        if (text.charAt(at) == ',') {
            at++;
            blanks();
        }
    }

    private String string() {
        expect('"');
        StringBuilder string = new StringBuilder();
        while (text.charAt(at) != '"') {
            char c = text.charAt(at++);
            string.append(c == '\\' ? escaped() : c);
        }
        at++;
        return string.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> {
                at += 4;
                yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            default -> c;
        };
    }

    private @Nullable Object word() {
        int start = at;
        while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        return switch (word) {
            case "null" -> null;
            case "true", "false" -> Boolean.valueOf(word);
            default -> Double.valueOf(word);
        };
    }

    private void expect(char c) {
        if (text.charAt(at) != c) {
            throw new IllegalArgumentException("not JSON at " + at + ": " + text.charAt(at));
        }
        at++;
    }

    private void blanks() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }
}
