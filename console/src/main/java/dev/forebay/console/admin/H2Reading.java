// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The quoted parts of a text as H2 reads it, to be compared with those that were meant. Stateless.
 *
 * <p>If H2 finds the same quoted parts, the words and signs between them are those that were checked: a comment, or an
 * unintended quote, would swallow or split one of them.
 */
final class H2Reading {

    /** The beginnings of comments, dollar-quoted texts and quoted names in H2, never written on purpose. */
    private static final List<String> FOREIGN = List.of("--", "//", "/*", "*/", "$$", "`", "\\");

    private H2Reading() {}

    /** The quoted parts, each with its quote in front; null if anything else would hide a part of the text. */
    static @Nullable List<String> quoted(String sql) {
        List<String> parts = new ArrayList<>();
        int at = 0;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == '\'' || c == '"') {
                StringBuilder part = new StringBuilder().append(c);
                at = end(sql, at, part);
                if (at < 0) {
                    return null;
                }
                parts.add(part.toString());
            } else {
                int here = at;
                if (FOREIGN.stream().anyMatch(sign -> sql.startsWith(sign, here))) {
                    return null;
                }
                at++;
            }
        }
        return parts;
    }

    /** Returns the end of the quoted part that begins at {@code start}, -1 if it has none; two quotes stand for one. */
    private static int end(String sql, int start, StringBuilder part) {
        char quote = sql.charAt(start);
        for (int at = start + 1; at < sql.length(); at++) {
            if (sql.charAt(at) != quote) {
                part.append(sql.charAt(at));
            } else if (at + 1 < sql.length() && sql.charAt(at + 1) == quote) {
                part.append(quote);
                at++;
            } else {
                return at + 1;
            }
        }
        return -1;
    }
}
