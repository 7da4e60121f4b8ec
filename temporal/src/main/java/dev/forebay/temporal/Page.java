// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Some of the rows there are, and how to go on. Immutable.
 *
 * @param rows in the order of the key
 * @param next to be given back for the page after this one; empty after the last
 */
public record Page<T>(List<T> rows, Optional<Token> next) {

    public Page {
        rows = List.copyOf(rows);
    }

    /** The page of what was found when {@code pageSize} rows were asked for; {@code token} tells where one ends with a row. */
    static <T> Page<T> of(List<T> found, int pageSize, Function<T, Token> token) {
        return new Page<>(
                found,
                found.size() < pageSize ? Optional.empty() : Optional.of(token.apply(found.get(found.size() - 1))));
    }

    /**
     * The end of a page. Its text, whose content is no promise, can be kept and given back, in another process too.
     * Immutable.
     */
    public static final class Token {

        /** Not among the characters of Base64, so that a key can hold any. */
        private static final String SEPARATOR = ".";

        private final List<String> key;

        private Token(List<String> key) {
            this.key = key;
        }

        /** After the row with this key. */
        static Token after(Object... key) {
            return new Token(Arrays.stream(key).map(Object::toString).toList());
        }

        /** The token that was written as {@code text}. */
        public static Token of(String text) {
            try {
                return new Token(Arrays.stream(text.split(Pattern.quote(SEPARATOR), -1))
                        .map(part -> new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8))
                        .toList());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("not a page token: " + text, e);
            }
        }

        /** The key, which must have {@code parts} parts. */
        List<String> key(int parts) {
            if (key.size() != parts) {
                throw new IllegalArgumentException(
                        "a page token of another store: it has " + key.size() + " parts, not " + parts);
            }
            return key;
        }

        /** The text from which {@link #of} makes it again. */
        @Override
        public String toString() {
            Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
            return key.stream()
                    .map(part -> encoder.encodeToString(part.getBytes(StandardCharsets.UTF_8)))
                    .collect(Collectors.joining(SEPARATOR));
        }
    }
}
