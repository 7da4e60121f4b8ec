// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

/** A place in the tokens of a statement that moves on as a rule reads them. */
final class TokenCursor {

    private final Statement statement;
    private final Tokens tokens;
    private final int last;
    private int at;

    private TokenCursor(Statement statement, int from, int last) {
        this.statement = statement;
        this.tokens = statement.tokens();
        this.at = from;
        this.last = last;
    }

    static TokenCursor of(Statement statement) {
        int verb = statement.outline().verb();
        return new TokenCursor(statement, verb < 0 ? statement.last() : verb, statement.last());
    }

    /** The tokens from here up to {@code end}. */
    TokenCursor upTo(int end) {
        return new TokenCursor(statement, at, end);
    }

    /** The same place, to read ahead from. */
    TokenCursor copy() {
        return upTo(last);
    }

    /** The inside of the group that opens here; nothing if none does. */
    TokenCursor inside() {
        int end = Clauses.skip(tokens, at, last);
        boolean closed = isSymbol('(') && tokens.isSymbol(end - 1, ')') && end - 1 > at;
        return new TokenCursor(statement, at + 1, !isSymbol('(') ? at + 1 : closed ? end - 1 : end);
    }

    int place() {
        return at;
    }

    boolean done() {
        return at >= last;
    }

    /** Whether these words come next. */
    boolean is(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (at + i >= last || !tokens.is(at + i, words[i])) {
                return false;
            }
        }
        return true;
    }

    boolean isAny(String... words) {
        for (String word : words) {
            if (is(word)) {
                return true;
            }
        }
        return false;
    }

    boolean isSymbol(char symbol) {
        return at < last && tokens.isSymbol(at, symbol);
    }

    boolean isName() {
        return at < last && tokens.isName(at);
    }

    boolean isString() {
        return at < last && tokens.kind(at) == Tokens.STRING;
    }

    /** Moves behind these words if they come next. */
    boolean accept(String... words) {
        boolean accepted = is(words);
        at += accepted ? words.length : 0;
        return accepted;
    }

    boolean acceptSymbol(char symbol) {
        boolean accepted = isSymbol(symbol);
        at += accepted ? 1 : 0;
        return accepted;
    }

    /** Moves behind this token, or behind the group that it opens. */
    void skip() {
        at = Clauses.skip(tokens, at, last);
    }

    /** Moves to the first of these words outside of groups, or to the end. */
    boolean find(String... words) {
        at = Clauses.find(tokens, at, last, words);
        return !done();
    }

    /** Whether one of these words comes, now or later, outside of groups. */
    boolean has(String... words) {
        return Clauses.find(tokens, at, last, words) < last;
    }

    /** The name that comes next, folded; it moves behind it. Nothing if there is none. */
    String name() {
        return isName() ? tokens.name(at++) : "";
    }

    /** The name with its schema that comes next, as it was written; it moves behind it. */
    String qualified() {
        int start = at;
        while (isName()) {
            at++;
            if (!isSymbol('.')) {
                break;
            }
            at++;
        }
        return statement.between(start, at);
    }

    /** The next token as it was written; it moves behind it. */
    String text() {
        return done() ? "" : tokens.text(at++);
    }

    /** The content of the next string, if it has no escapes; does not move. */
    String string() {
        String text = isString() ? tokens.text(at) : "";
        boolean plain = text.length() > 1 && text.startsWith("'") && text.endsWith("'");
        return plain ? text.substring(1, text.length() - 1).replace("''", "'") : "";
    }

    /** The place behind what comes next up to a comma outside of groups. */
    int endOfItem() {
        int end = at;
        while (end < last && !tokens.isSymbol(end, ',')) {
            end = Clauses.skip(tokens, end, last);
        }
        return end;
    }

    void moveTo(int place) {
        at = place;
    }
}
