// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a page ended. Its text can be kept and given back, in another process too; what is in it is nobody's business.
 * Immutable.
 */
public final class PageToken {

    /** Not among the characters of Base64, so that a key can hold any. */
    private static final String SEPARATOR = ".";

    private final List<String> key;

    private PageToken(List<String> key) {
        this.key = key;
    }

    /** After the row with this key. */
    static PageToken after(Object... key) {
        return new PageToken(Arrays.stream(key).map(Object::toString).toList());
    }

    /** The token that was written as {@code text}. */
    public static PageToken of(String text) {
        try {
            return new PageToken(Arrays.stream(text.split(Pattern.quote(SEPARATOR), -1))
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
