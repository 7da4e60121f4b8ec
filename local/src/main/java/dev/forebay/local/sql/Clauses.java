// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

/** The beginnings and ends of a statement's clauses. */
final class Clauses {

    private Clauses() {}

    /** The token behind this one, or behind the whole group in parentheses or brackets that it opens. */
    static int skip(Tokens tokens, int token, int last) {
        int depth = 0;
        int at = token;
        while (at < last) {
            if (tokens.isSymbol(at, '(') || tokens.isSymbol(at, '[')) {
                depth++;
            } else if (tokens.isSymbol(at, ')') || tokens.isSymbol(at, ']')) {
                depth--;
            }
            at++;
            if (depth <= 0) {
                return at;
            }
        }
        return last;
    }

    /** The first token from {@code from} on that is one of these words and stands in no group; {@code last} if none is. */
    static int find(Tokens tokens, int from, int last, String... words) {
        for (int token = from; token < last; token = skip(tokens, token, last)) {
            for (String word : words) {
                if (tokens.is(token, word)) {
                    return token;
                }
            }
        }
        return last;
    }

    /** The strength of the locking clause that begins here, such as {@code KEY SHARE}; nothing if none does. */
    static String lockStrength(Tokens tokens, int token, int last) {
        if (!tokens.is(token, "FOR") || token + 1 >= last) {
            return "";
        }
        if (tokens.is(token + 1, "UPDATE") || tokens.is(token + 1, "SHARE")) {
            return tokens.is(token + 1, "UPDATE") ? "UPDATE" : "SHARE";
        }
        if (token + 2 < last && tokens.is(token + 1, "KEY") && tokens.is(token + 2, "SHARE")) {
            return "KEY SHARE";
        }
        boolean noKeyUpdate = token + 3 < last
                && tokens.is(token + 1, "NO")
                && tokens.is(token + 2, "KEY")
                && tokens.is(token + 3, "UPDATE");
        return noKeyUpdate ? "NO KEY UPDATE" : "";
    }

    /** The token behind the locking clause that begins here; the same token if none does. */
    static int lockingEnd(Tokens tokens, int token, int last) {
        int end = switch (lockStrength(tokens, token, last)) {
            case "UPDATE", "SHARE" -> token + 2;
            case "KEY SHARE" -> token + 3;
            case "NO KEY UPDATE" -> token + 4;
            default -> token;
        };
        if (end == token) {
            return token;
        }
        if (end < last && tokens.is(end, "OF")) {
            end++;
            while (end < last && isOfList(tokens, end)) {
                end++;
            }
        }
        if (end < last && tokens.is(end, "NOWAIT")) {
            return end + 1;
        }
        return end + 1 < last && tokens.is(end, "SKIP") && tokens.is(end + 1, "LOCKED") ? end + 2 : end;
    }

    /** Whether this may stand behind OF: names, dots and commas, up to a word that cannot be a name there. */
    private static boolean isOfList(Tokens tokens, int token) {
        if (!tokens.isName(token)) {
            return tokens.isSymbol(token, ',') || tokens.isSymbol(token, '.');
        }
        return !tokens.is(token, "NOWAIT")
                && !tokens.is(token, "SKIP")
                && !tokens.is(token, "FOR")
                && !tokens.is(token, "LIMIT")
                && !tokens.is(token, "OFFSET");
    }
}
