// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.Optional;

/** The queries that tell what a statement would touch; see {@link Statement#matching()}. */
final class Matching {

    private final Statement statement;
    private final Tokens tokens;
    private final int verb;
    private final int last;

    private Matching(Statement statement) {
        this.statement = statement;
        this.tokens = statement.tokens();
        this.verb = statement.outline().verb();
        this.last = statement.last();
    }

    static Optional<String> of(Statement statement) {
        if (statement.outline().writesInWith()) {
            return Optional.empty();
        }
        Matching matching = new Matching(statement);
        return switch (statement.kind()) {
            case LOCKING_SELECT -> Optional.of(matching.withoutLocks(statement.first(), matching.last));
            case UPDATE -> matching.ofUpdate();
            case DELETE -> matching.ofDelete();
            case INSERT -> matching.ofInsert();
            default -> Optional.empty();
        };
    }

    private Optional<String> ofUpdate() {
        int set = Clauses.find(tokens, verb + 1, last, "SET");
        if (set == last) {
            return Optional.empty();
        }
        int returning = Clauses.find(tokens, set, last, "RETURNING");
        int where = Clauses.find(tokens, set, returning, "WHERE");
        int from = Clauses.find(tokens, set, where, "FROM");
        while (from < where && tokens.is(from - 1, "DISTINCT")) { // … IS DISTINCT FROM …
            from = Clauses.find(tokens, from + 1, where, "FROM");
        }
        return counting(verb + 1, set, from, where, returning);
    }

    private Optional<String> ofDelete() {
        if (!tokens.is(verb + 1, "FROM")) {
            return Optional.empty();
        }
        int returning = Clauses.find(tokens, verb, last, "RETURNING");
        int where = Clauses.find(tokens, verb, returning, "WHERE");
        int using = Clauses.find(tokens, verb, where, "USING");
        return counting(verb + 2, using, using, where, returning);
    }

    /** Counts rows of a target that meet a condition with any row of the other tables: each is touched once. */
    private Optional<String> counting(int target, int targetEnd, int others, int where, int end) {
        if (target >= targetEnd || (tokens.is(where + 1, "CURRENT") && tokens.is(where + 2, "OF"))) {
            return Optional.empty();
        }
        String count = with() + "SELECT count(*) FROM " + statement.between(target, targetEnd);
        String condition = where < end ? " WHERE " + withoutLocks(where + 1, end) : "";
        if (others == where) {
            return Optional.of(count + condition);
        }
        return Optional.of(count + " WHERE EXISTS (SELECT FROM " + withoutLocks(others + 1, where) + condition + "\n)");
    }

    private Optional<String> ofInsert() {
        int source = Clauses.find(tokens, verb + 1, last, "DEFAULT", "VALUES", "SELECT", "WITH", "TABLE");
        if (source == last) {
            return inParentheses();
        }
        if (tokens.is(source, "DEFAULT")) {
            return Optional.of("SELECT 1::bigint AS count");
        }
        int end = endOfQuery(source);
        return tokens.is(source, "VALUES") && isList(source + 1, end)
                ? Optional.of("SELECT " + rows(source + 1, end) + "::bigint AS count")
                : Optional.of(with() + "SELECT count(*) FROM (" + withoutLocks(source, end) + "\n) AS source");
    }

    /** The query of {@code INSERT INTO t (columns) (SELECT …)}, which is the last group. */
    private Optional<String> inParentheses() {
        int end = endOfQuery(verb + 1);
        int group = verb + 1;
        for (int token = group; token < end; token = Clauses.skip(tokens, token, end)) {
            group = token;
        }
        boolean query = tokens.isSymbol(group, '(')
                && (tokens.is(group + 1, "SELECT")
                        || tokens.is(group + 1, "VALUES")
                        || tokens.is(group + 1, "WITH")
                        || tokens.is(group + 1, "TABLE")
                        || tokens.isSymbol(group + 1, '('));
        return query
                ? Optional.of(with() + "SELECT count(*) FROM " + withoutLocks(group, end) + " AS source")
                : Optional.empty();
    }

    private int endOfQuery(int from) {
        int end = Clauses.find(tokens, from, last, "RETURNING");
        int on = Clauses.find(tokens, from, end, "ON");
        while (on < end && !tokens.is(on + 1, "CONFLICT")) {
            on = Clauses.find(tokens, on + 1, end, "ON");
        }
        return Math.min(on, end);
    }

    /** Whether it is rows in parentheses with commas in between, and nothing else. */
    private boolean isList(int from, int end) {
        for (int token = from; token < end; token = Clauses.skip(tokens, token, end)) {
            if (!tokens.isSymbol(token, '(') && !tokens.isSymbol(token, ',')) {
                return false;
            }
        }
        return from < end;
    }

    private int rows(int from, int end) {
        int rows = 0;
        for (int token = from; token < end; token = Clauses.skip(tokens, token, end)) {
            rows += tokens.isSymbol(token, '(') ? 1 : 0;
        }
        return rows;
    }

    private String with() {
        return verb == statement.first() ? "" : withoutLocks(statement.first(), verb) + " ";
    }

    private String withoutLocks(int from, int end) {
        StringBuilder kept = new StringBuilder();
        int start = from;
        int token = from;
        while (token < end) {
            int behind = Clauses.lockingEnd(tokens, token, end);
            if (behind == token) {
                token++;
            } else {
                kept.append(statement.between(start, token)).append(' ');
                start = behind;
                token = behind;
            }
        }
        return kept.append(statement.between(start, end)).toString().strip();
    }
}
