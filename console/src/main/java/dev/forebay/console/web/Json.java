// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON: of records, maps, lists, arrays of numbers, texts, numbers, truth values and null. A duration is in seconds, an
 * instant in milliseconds since 1970. Stateless.
 */
final class Json {

    private Json() {}

    /** A map of names and values in turn, in their order. */
    static Map<String, @Nullable Object> object(@Nullable Object... namesAndValues) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
        }
        return object;
    }

    static String of(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(@Nullable Object value, StringBuilder out) {
        if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long) {
            out.append(value);
        } else if (value instanceof Double number) {
            write((double) number, out);
        } else if (value instanceof double[] numbers) {
            for (int i = 0; i < numbers.length; i++) {
                out.append(i == 0 ? '[' : ',');
                write(numbers[i], out);
            }
            out.append(numbers.length == 0 ? "[]" : "]");
        } else if (value instanceof Duration duration) {
            write(duration.toMillis() / 1000.0, out);
        } else if (value instanceof Instant instant) {
            out.append(instant.toEpochMilli());
        } else if (value instanceof Record record) {
            write(components(record), out);
        } else if (value instanceof Map<?, ?> object) {
            String before = "{";
            for (Map.Entry<?, ?> entry : object.entrySet()) {
                out.append(before);
                write(String.valueOf(entry.getKey()), out);
                out.append(':');
                write(entry.getValue(), out);
                before = ",";
            }
            out.append(object.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> list) {
            String before = "[";
            for (Object item : list) {
                out.append(before);
                write(item, out);
                before = ",";
            }
            out.append(before.equals("[") ? "[]" : "]");
        } else {
            write(value.toString(), out);
        }
    }

    private static Map<String, @Nullable Object> components(Record record) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        try {
            for (RecordComponent component : record.getClass().getRecordComponents()) {
                object.put(component.getName(), component.getAccessor().invoke(record));
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("bug: not to be written: " + record.getClass(), e);
        }
        return object;
    }

    /** Writes whole numbers without a point, and NaN and infinities as null. */
    private static void write(double number, StringBuilder out) {
        if (!Double.isFinite(number)) {
            out.append("null");
        } else if (number == Math.rint(number) && Math.abs(number) < 1e15) {
            out.append((long) number);
        } else {
            out.append(number);
        }
    }

    private static void write(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c) || c == '\u2028' || c == '\u2029') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
