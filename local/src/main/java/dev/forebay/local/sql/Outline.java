// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.Locale;

/**
 * The kind of a statement, by its words.
 *
 * @param kind its kind
 * @param verb the token of its main verb, behind WITH and EXPLAIN; below 0 if it has none
 * @param verbKind what the main verb makes of it: not EXPLAIN, if that is in front
 * @param writes whether it modifies rows
 * @param writesInWith whether a part of its WITH does
 * @param locks whether it has a locking clause anywhere
 * @param async the token ASYNC that PostgreSQL does not know; below 0 if there is none
 */
record Outline(Kind kind, int verb, Kind verbKind, boolean writes, boolean writesInWith, boolean locks, int async) {

    private static final Outline EMPTY = new Outline(Kind.EMPTY, -1, Kind.EMPTY, false, false, false, -1);

    static Outline of(Tokens tokens, int first, int last) {
        return first >= last ? EMPTY : new Reader(tokens, first, last).read();
    }

    /** Reads an outline from the front to the back. */
    private static final class Reader {

        private final Tokens tokens;
        private final int first;
        private final int last;
        private boolean analyzes;
        private boolean writesInWith;

        Reader(Tokens tokens, int first, int last) {
            this.tokens = tokens;
            this.first = first;
            this.last = last;
        }

        Outline read() {
            boolean explain = is(first, "EXPLAIN");
            int verb = skipWith(explain ? skipExplain(first + 1) : first);
            Kind verbKind = kindAt(verb);
            boolean writes = writesInWith || isWrite(verbKind);
            boolean query = verbKind != Kind.DDL && verbKind != Kind.OTHER && verbKind != Kind.SET;
            boolean locks = query && locks();
            if (verbKind == Kind.SELECT && locks) {
                verbKind = Kind.LOCKING_SELECT;
            }
            if (explain) {
                boolean runs = analyzes;
                return new Outline(Kind.EXPLAIN, verb, verbKind, writes && runs, writesInWith, locks && runs, -1);
            }
            return new Outline(verbKind, verb, verbKind, writes, writesInWith, locks, async());
        }

        private static boolean isWrite(Kind kind) {
            return kind == Kind.INSERT
                    || kind == Kind.UPDATE
                    || kind == Kind.DELETE
                    || kind == Kind.MERGE
                    || kind == Kind.COPY_IN;
        }

        private Kind kindAt(int verb) {
            if (verb >= last) {
                return Kind.OTHER;
            }
            if (tokens.kind(verb) != Tokens.WORD) {
                return tokens.isSymbol(verb, '(') ? Kind.SELECT : Kind.OTHER;
            }
            return switch (upper(verb)) {
                case "BEGIN" -> Kind.BEGIN;
                case "START" -> is(verb + 1, "TRANSACTION") ? Kind.BEGIN : Kind.OTHER;
                case "COMMIT", "END" -> is(verb + 1, "PREPARED") ? Kind.OTHER : Kind.COMMIT;
                case "ROLLBACK", "ABORT" -> rollback(verb);
                case "CREATE",
                        "ALTER",
                        "DROP",
                        "GRANT",
                        "REVOKE",
                        "COMMENT",
                        "TRUNCATE",
                        "SECURITY",
                        "IMPORT",
                        "REINDEX",
                        "REFRESH",
                        "REASSIGN",
                        "CLUSTER",
                        "AWS" -> Kind.DDL;
                case "INSERT" -> Kind.INSERT;
                case "UPDATE" -> Kind.UPDATE;
                case "DELETE" -> Kind.DELETE;
                case "MERGE" -> Kind.MERGE;
                case "SELECT", "VALUES", "TABLE" -> Kind.SELECT;
                case "COPY" -> copy(verb);
                case "SET", "RESET", "DISCARD" -> Kind.SET;
                case "SHOW" -> Kind.SHOW;
                case "CALL" -> Kind.CALL;
                default -> Kind.OTHER;
            };
        }

        private Kind rollback(int verb) {
            int next = is(verb + 1, "WORK") || is(verb + 1, "TRANSACTION") ? verb + 2 : verb + 1;
            return is(next, "TO") || is(next, "PREPARED") ? Kind.OTHER : Kind.ROLLBACK;
        }

        private Kind copy(int verb) {
            for (int token = verb + 1; token < last; token = skipGroup(token)) {
                if (is(token, "FROM")) {
                    return Kind.COPY_IN;
                }
                if (is(token, "TO")) {
                    break;
                }
            }
            writesInWith |= tokens.isSymbol(verb + 1, '(') && isWriteVerb(verb + 2);
            return Kind.COPY_OUT;
        }

        /** The token behind EXPLAIN and its options. */
        private int skipExplain(int from) {
            int token = from;
            if (tokens.isSymbol(token, '(') && !isQuery(token + 1)) {
                int end = skipGroup(token);
                for (int option = token + 1; option < end; option++) {
                    if (is(option, "ANALYZE") || is(option, "ANALYSE")) {
                        analyzes =
                                !is(option + 1, "FALSE") && !is(option + 1, "OFF") && !tokens.isNumber(option + 1, "0");
                    }
                }
                return end;
            }
            while (is(token, "ANALYZE") || is(token, "ANALYSE") || is(token, "VERBOSE")) {
                analyzes |= !is(token, "VERBOSE");
                token++;
            }
            return token;
        }

        private boolean isQuery(int token) {
            return is(token, "SELECT")
                    || is(token, "WITH")
                    || is(token, "VALUES")
                    || is(token, "TABLE")
                    || tokens.isSymbol(token, '(');
        }

        /** The token behind WITH and its parts, of which it notes those that write. */
        private int skipWith(int from) {
            if (!is(from, "WITH")) {
                return from;
            }
            int token = is(from + 1, "RECURSIVE") ? from + 2 : from + 1;
            while (token < last) {
                token++; // its name
                if (tokens.isSymbol(token, '(')) {
                    token = skipGroup(token);
                }
                while (token < last && !tokens.isSymbol(token, '(')) {
                    token++; // AS, MATERIALIZED
                }
                writesInWith |= isWriteVerb(token + 1) || (is(token + 1, "WITH") && writesWithin(token));
                token = skipGroup(token);
                while (token < last && !tokens.isSymbol(token, ',') && !isVerb(token)) {
                    token = skipGroup(token); // SEARCH, CYCLE
                }
                if (!tokens.isSymbol(token, ',')) {
                    return token;
                }
                token++;
            }
            return last;
        }

        /** Whether the main verb of a WITH in parentheses writes, or a part of that WITH does. */
        private boolean writesWithin(int parenthesis) {
            int end = skipGroup(parenthesis);
            for (int token = parenthesis + 1; token < end; token++) {
                if (isWriteVerb(token) && (tokens.isSymbol(token - 1, ')') || tokens.isSymbol(token - 1, '('))) {
                    return true;
                }
            }
            return false;
        }

        private boolean isVerb(int token) {
            return isQuery(token) || isWriteVerb(token);
        }

        private boolean isWriteVerb(int token) {
            return is(token, "INSERT") || is(token, "UPDATE") || is(token, "DELETE") || is(token, "MERGE");
        }

        private boolean locks() {
            for (int token = first; token < last; token++) {
                if (Clauses.lockingEnd(tokens, token, last) > token) {
                    return true;
                }
            }
            return false;
        }

        private int async() {
            if (is(first, "CREATE")) {
                int index = is(first + 1, "UNIQUE") ? first + 2 : first + 1;
                return is(index, "INDEX") && is(index + 1, "ASYNC") ? index + 1 : -1;
            }
            boolean validates = last - 3 > first + 3 && is(last - 3, "VALIDATE") && is(last - 2, "CONSTRAINT");
            return validates && is(first, "ALTER") && is(first + 1, "TABLE") && is(first + 2, "ASYNC") ? first + 2 : -1;
        }

        private int skipGroup(int token) {
            return Clauses.skip(tokens, token, last);
        }

        private boolean is(int token, String word) {
            return token < last && tokens.is(token, word);
        }

        private String upper(int token) {
            int length = tokens.end(token) - tokens.start(token);
            return length > 12 ? "" : tokens.text(token).toUpperCase(Locale.ROOT);
        }
    }
}
