// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.Arrays;
import java.util.Locale;

/**
 * The tokens of a string of PostgreSQL's SQL, without its blanks and comments.
 *
 * <p>Lexing takes time in proportion to the length, whatever the string holds, and uses no recursion. What is not valid SQL
 * (a quote without its end, a stray character) still becomes tokens: PostgreSQL is the one to complain. Strings are read as
 * with {@code standard_conforming_strings} on, the only setting that Aurora DSQL has.
 */
final class Tokens {

    static final byte WORD = 1;
    static final byte QUOTED = 2;
    static final byte STRING = 3;
    static final byte NUMBER = 4;
    static final byte PARAMETER = 5;
    static final byte SYMBOL = 6;

    private final String sql;
    private byte[] kinds = new byte[32];
    private int[] starts = new int[32];
    private int[] ends = new int[32];
    private int size;

    private Tokens(String sql) {
        this.sql = sql;
    }

    static Tokens of(String sql) {
        Tokens tokens = new Tokens(sql);
        int at = 0;
        while (at < sql.length()) {
            at = tokens.lexAt(at);
        }
        return tokens;
    }

    int size() {
        return size;
    }

    byte kind(int token) {
        return kinds[token];
    }

    int start(int token) {
        return starts[token];
    }

    int end(int token) {
        return ends[token];
    }

    String text(int token) {
        return sql.substring(starts[token], ends[token]);
    }

    /** Whether a token is this word, unquoted, in any case; never so for a token out of range. */
    boolean is(int token, String word) {
        return token >= 0
                && token < size
                && kinds[token] == WORD
                && ends[token] - starts[token] == word.length()
                && sql.regionMatches(true, starts[token], word, 0, word.length());
    }

    /** Whether a token is this symbol. */
    boolean isSymbol(int token, String symbol) {
        return token >= 0
                && token < size
                && kinds[token] == SYMBOL
                && ends[token] - starts[token] == symbol.length()
                && sql.startsWith(symbol, starts[token]);
    }

    boolean isSymbol(int token, char symbol) {
        return token >= 0
                && token < size
                && kinds[token] == SYMBOL
                && ends[token] - starts[token] == 1
                && sql.charAt(starts[token]) == symbol;
    }

    boolean isNumber(int token, String digits) {
        return token >= 0
                && token < size
                && kinds[token] == NUMBER
                && text(token).equals(digits);
    }

    boolean isName(int token) {
        return token >= 0 && token < size && (kinds[token] == WORD || kinds[token] == QUOTED);
    }

    /** The name a token stands for: folded to lower case, or what its quotes hold. */
    String name(int token) {
        if (kinds[token] == WORD) {
            return text(token).toLowerCase(Locale.ROOT);
        }
        String quoted = text(token);
        int open = quoted.indexOf('"');
        int close = quoted.endsWith("\"") && quoted.length() > open + 1 ? quoted.length() - 1 : quoted.length();
        return open < 0 ? quoted : quoted.substring(open + 1, close).replace("\"\"", "\"");
    }

    private void add(byte kind, int start, int end) {
        if (size == kinds.length) {
            int larger = size + (size >> 1);
            kinds = Arrays.copyOf(kinds, larger);
            starts = Arrays.copyOf(starts, larger);
            ends = Arrays.copyOf(ends, larger);
        }
        kinds[size] = kind;
        starts[size] = start;
        ends[size] = end;
        size++;
    }

    /** Lexes the token that begins at {@code at}, and returns its end. */
    private int lexAt(int at) {
        char c = sql.charAt(at);
        if (isBlank(c)) {
            return at + 1;
        }
        if (c == '-' && next(at, '-')) {
            return endOfLine(at);
        }
        if (c == '/' && next(at, '*')) {
            return endOfComment(at);
        }
        byte kind;
        int end;
        if (c == '\'') {
            kind = STRING;
            end = endOfString(at, false);
        } else if (c == '"') {
            kind = QUOTED;
            end = endOfQuotes(at, '"', false);
        } else if (startsName(c)) {
            return lexName(at, c);
        } else if (isDigit(c) || (c == '.' && at + 1 < sql.length() && isDigit(sql.charAt(at + 1)))) {
            kind = NUMBER;
            end = endOfNumber(at);
        } else if (c == '$') {
            return lexDollar(at);
        } else {
            kind = SYMBOL;
            end = endOfSymbol(at, c);
        }
        add(kind, at, end);
        return end;
    }

    /** A name, or a string or quoted name with a prefix: {@code E'…'}, {@code U&'…'}, {@code U&"…"}, {@code B'…'}. */
    private int lexName(int at, char c) {
        char folded = Character.toLowerCase(c);
        byte kind = WORD;
        int end;
        if (next(at, '\'') && "ebxn".indexOf(folded) >= 0) {
            kind = STRING;
            end = endOfString(at + 1, folded == 'e');
        } else if (folded == 'u' && next(at, '&') && next(at + 1, '\'')) {
            kind = STRING;
            end = endOfString(at + 2, false);
        } else if (folded == 'u' && next(at, '&') && next(at + 1, '"')) {
            kind = QUOTED;
            end = endOfQuotes(at + 2, '"', false);
        } else {
            end = endOfName(at);
        }
        add(kind, at, end);
        return end;
    }

    /** A parameter, a string in dollar quotes, or a dollar that means nothing. */
    private int lexDollar(int at) {
        int end = at + 1;
        while (end < sql.length() && isDigit(sql.charAt(end))) {
            end++;
        }
        byte kind = PARAMETER;
        if (end == at + 1) {
            while (end < sql.length() && sql.charAt(end) != '$' && continuesName(sql.charAt(end))) {
                end++;
            }
            if (end < sql.length() && sql.charAt(end) == '$') {
                kind = STRING;
                String tag = sql.substring(at, end + 1); // no dollar within, so that looking for it stays linear
                int close = sql.indexOf(tag, end + 1);
                end = close < 0 ? sql.length() : close + tag.length();
            } else {
                kind = SYMBOL;
                end = at + 1;
            }
        }
        add(kind, at, end);
        return end;
    }

    /** A string and what continues it on further lines, which is still read as its first part is. */
    private int endOfString(int quote, boolean escapes) {
        int end = endOfQuotes(quote, '\'', escapes);
        while (true) {
            int at = end;
            boolean newline = false;
            while (at < sql.length()) {
                if (isBlank(sql.charAt(at))) {
                    newline |= sql.charAt(at) == '\n' || sql.charAt(at) == '\r';
                    at++;
                } else if (sql.charAt(at) == '-' && next(at, '-')) {
                    at = endOfLine(at);
                } else {
                    break;
                }
            }
            if (!newline || at == sql.length() || sql.charAt(at) != '\'') {
                return end;
            }
            end = endOfQuotes(at, '\'', escapes);
        }
    }

    private int endOfQuotes(int open, char quote, boolean escapes) {
        int at = open + 1;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (escapes && c == '\\') {
                at += 2;
            } else if (c != quote) {
                at++;
            } else if (next(at, quote)) {
                at += 2;
            } else {
                return at + 1;
            }
        }
        return sql.length();
    }

    private int endOfLine(int at) {
        int end = at;
        while (end < sql.length() && sql.charAt(end) != '\n' && sql.charAt(end) != '\r') {
            end++;
        }
        return end;
    }

    private int endOfComment(int at) {
        int depth = 1;
        int end = at + 2;
        while (end < sql.length() && depth > 0) {
            char c = sql.charAt(end);
            if (c == '*' && next(end, '/')) {
                depth--;
                end += 2;
            } else if (c == '/' && next(end, '*')) {
                depth++;
                end += 2;
            } else {
                end++;
            }
        }
        return end;
    }

    private int endOfName(int at) {
        int end = at + 1;
        while (end < sql.length() && continuesName(sql.charAt(end))) {
            end++;
        }
        return end;
    }

    private int endOfNumber(int at) {
        boolean decimal = !next(at, 'x') && !next(at, 'X');
        int end = at;
        while (end < sql.length()) {
            char c = sql.charAt(end);
            boolean exponent = decimal
                    && (c == 'e' || c == 'E')
                    && end + 1 < sql.length()
                    && (sql.charAt(end + 1) == '+' || sql.charAt(end + 1) == '-');
            if (exponent) {
                end += 2;
            } else if (isDigit(c) || (c < 128 && startsName(c)) || (c == '.' && !next(end, '.'))) {
                end++;
            } else {
                break;
            }
        }
        return Math.max(end, at + 1);
    }

    private int endOfSymbol(int at, char c) {
        if (c == ':' && (next(at, ':') || next(at, '='))) {
            return at + 2;
        }
        int end = at + 1;
        if (isOperator(c)) {
            while (end < sql.length() && isOperator(sql.charAt(end)) && !startsComment(end)) {
                end++;
            }
        }
        return end;
    }

    private boolean startsComment(int at) {
        return (sql.charAt(at) == '-' && next(at, '-')) || (sql.charAt(at) == '/' && next(at, '*'));
    }

    private boolean next(int at, char c) {
        return at + 1 < sql.length() && sql.charAt(at + 1) == c;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean startsName(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 128;
    }

    private static boolean continuesName(char c) {
        return startsName(c) || isDigit(c) || c == '$';
    }

    private static boolean isOperator(char c) {
        return "~!@#^&|`?+-*/%<>=".indexOf(c) >= 0;
    }
}
