// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A word, a value or a sign of a statement. Immutable.
 *
 * @param kind its kind
 * @param text a word as it stands, a quoted part without its quotes, or the sign
 * @param start its start in the statement, from 0
 * @param end its end, exclusive
 */
record SqlToken(Kind kind, String text, int start, int end) {

    enum Kind {
        WORD,
        QUOTED_NAME,
        STRING,
        NUMBER,
        SIGN,
        END
    }

    /** Returns whether it is this word, without quotes, in any case. */
    boolean is(String word) {
        return kind == Kind.WORD && text.equalsIgnoreCase(word);
    }

    boolean isSign(String sign) {
        return kind == Kind.SIGN && text.equals(sign);
    }

    boolean isName() {
        return kind == Kind.WORD || kind == Kind.QUOTED_NAME;
    }

    /** The name that it stands for: words are folded to lower case. */
    String name() {
        return kind == Kind.WORD ? text.toLowerCase(Locale.ROOT) : text;
    }

    /** Its position as in errors, from 1. */
    int position() {
        return start + 1;
    }

    /** Cuts {@code sql} into tokens, the last of them an END; blanks and comments are left out. */
    static List<SqlToken> of(String sql) throws AdminSyntaxException {
        List<SqlToken> tokens = new ArrayList<>();
        Reader reader = new Reader(sql);
        SqlToken token;
        do {
            token = reader.next();
            tokens.add(token);
        } while (token.kind != Kind.END);
        return tokens;
    }

    private static final class Reader {
        private final String sql;
        private int at;

        Reader(String sql) {
            this.sql = sql;
        }

        SqlToken next() throws AdminSyntaxException {
            skipBlanks();
            int start = at;
            if (at == sql.length()) {
                return new SqlToken(Kind.END, "", at, at);
            }
            char first = sql.charAt(at);
            if (first == '\'') {
                return new SqlToken(Kind.STRING, quoted('\''), start, at);
            }
            if (first == '"') {
                return new SqlToken(Kind.QUOTED_NAME, quoted('"'), start, at);
            }
            if (Character.isLetter(first) || first == '_') {
                while (at < sql.length() && isWordPart(sql.charAt(at))) {
                    at++;
                }
                return new SqlToken(Kind.WORD, sql.substring(start, at), start, at);
            }
            if (first >= '0' && first <= '9') {
                while (at < sql.length() && (isWordPart(sql.charAt(at)) || sql.charAt(at) == '.')) {
                    at++;
                }
                return new SqlToken(Kind.NUMBER, sql.substring(start, at), start, at);
            }
            at++;
            return new SqlToken(Kind.SIGN, sql.substring(start, at), start, at);
        }

        private static boolean isWordPart(char character) {
            return Character.isLetterOrDigit(character) || character == '_' || character == '$';
        }

        /** Reads the text between two {@code quote}s; two in a row stand for one. */
        private String quoted(char quote) throws AdminSyntaxException {
            int start = at++;
            StringBuilder text = new StringBuilder();
            while (at < sql.length()) {
                char character = sql.charAt(at++);
                if (character != quote) {
                    text.append(character);
                } else if (at < sql.length() && sql.charAt(at) == quote) {
                    text.append(quote);
                    at++;
                } else {
                    return text.toString();
                }
            }
            throw new AdminSyntaxException("a quote has no end", start + 1);
        }

        private void skipBlanks() throws AdminSyntaxException {
            while (at < sql.length()) {
                if (Character.isWhitespace(sql.charAt(at))) {
                    at++;
                } else if (sql.startsWith("--", at)) {
                    int end = sql.indexOf('\n', at);
                    at = end < 0 ? sql.length() : end;
                } else if (sql.startsWith("/*", at)) {
                    skipComment();
                } else {
                    return;
                }
            }
        }

        /** Skips a comment, and those inside it. */
        private void skipComment() throws AdminSyntaxException {
            int start = at;
            int depth = 0;
            do {
                if (sql.startsWith("/*", at)) {
                    depth++;
                    at += 2;
                } else if (sql.startsWith("*/", at)) {
                    depth--;
                    at += 2;
                } else if (at < sql.length()) {
                    at++;
                } else {
                    throw new AdminSyntaxException("a comment has no end", start + 1);
                }
            } while (depth > 0);
        }
    }
}
