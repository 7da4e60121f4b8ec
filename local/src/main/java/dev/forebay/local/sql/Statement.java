// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.Locale;
import java.util.Optional;

/**
 * One statement: what it is, what it does, and what PostgreSQL is to be sent in its stead. Immutable.
 *
 * <p>It is told from its words, not from a parse: of what is not valid SQL it may tell anything, and never throws.
 */
public final class Statement {

    private static final String OWN_SETTING = "disable_sync_create_index";

    private final String sql;
    private final int textStart;
    private final int textEnd;
    private final Tokens tokens;
    private final int first;
    private final int last;
    private final Outline outline;

    /** The statement between two places of {@code sql}, which is {@code tokens} from {@code first} up to {@code last}. */
    Statement(String sql, int textStart, int textEnd, Tokens tokens, int first, int last) {
        this.sql = sql;
        this.textStart = textStart;
        this.textEnd = textEnd;
        this.tokens = tokens;
        this.first = first;
        this.last = last;
        this.outline = Outline.of(tokens, first, last);
    }

    public Kind kind() {
        return outline.kind();
    }

    /** The statement as it was written, blanks and comments around it included. */
    public String text() {
        return sql.substring(textStart, textEnd);
    }

    /** Whether it modifies rows, also where only a part of it does: in WITH, under EXPLAIN ANALYZE. */
    public boolean writes() {
        return outline.writes();
    }

    /** Whether it locks rows, at any level of it. */
    public boolean locks() {
        return outline.locks();
    }

    /** Whether it changes the catalog; GRANT and REVOKE do. */
    public boolean isDdl() {
        return outline.kind() == Kind.DDL;
    }

    /** Whether it begins or ends a transaction. */
    public boolean isTransactionControl() {
        return kind() == Kind.BEGIN || kind() == Kind.COMMIT || kind() == Kind.ROLLBACK;
    }

    /** Whether Aurora DSQL leaves it to a job, with whose id it answers: CREATE INDEX ASYNC, VALIDATE CONSTRAINT. */
    public boolean isAsync() {
        return outline.async() >= 0;
    }

    /** {@code AWS IAM GRANT} or {@code AWS IAM REVOKE} if it is one of these, which PostgreSQL does not know. */
    public Optional<String> iamGrant() {
        return isDdl() ? IamGrant.of(this).map(IamGrant::tag) : Optional.empty();
    }

    /** Its first word in capitals, such as {@code INSERT}; nothing for an empty one. */
    public String command() {
        return first < last ? tokens.text(first).toUpperCase(Locale.ROOT) : "";
    }

    /** The text for PostgreSQL: the same, but for the words that only Aurora DSQL knows. */
    public String rewritten() {
        int async = outline.async();
        if (async >= 0) {
            return sql.substring(textStart, tokens.start(async)) + sql.substring(tokens.end(async), textEnd);
        }
        if (isDdl()) {
            return IamGrant.of(this).map(IamGrant::call).orElseGet(this::text);
        }
        if (kind() == Kind.SET) {
            for (int token = first; token < Math.min(last, first + 3); token++) {
                if (tokens.is(token, OWN_SETTING)) { // with a dot in its name PostgreSQL takes any
                    return sql.substring(textStart, tokens.start(token)) + "dsql."
                            + sql.substring(tokens.start(token), textEnd);
                }
            }
        }
        return text();
    }

    /** As {@link #rewritten}, with FOR SHARE in place of FOR UPDATE, so that two of them do not conflict. */
    public String sharing() {
        StringBuilder shared = new StringBuilder();
        int from = textStart;
        for (int token = first; token < last; token++) {
            if (Clauses.lockStrength(tokens, token, last).equals("UPDATE")) {
                shared.append(sql, from, tokens.start(token + 1)).append("SHARE");
                from = tokens.end(token + 1);
            }
        }
        return from == textStart
                ? rewritten()
                : shared.append(sql, from, textEnd).toString();
    }

    /**
     * A query without locks that tells, in the same snapshot, how many rows this would touch; of a SELECT with locking clauses
     * the same without them, which gives the rows themselves. Nothing where that cannot be told.
     *
     * <p>Parameters keep their numbers, though not all of them may be left: declare their types.
     */
    public Optional<String> matching() {
        return Matching.of(this);
    }

    @Override
    public String toString() {
        return text();
    }

    Outline outline() {
        return outline;
    }

    Tokens tokens() {
        return tokens;
    }

    int first() {
        return first;
    }

    int last() {
        return last;
    }

    /** The text from one token up to another, as it was written. */
    String between(int from, int to) {
        return from < to ? sql.substring(tokens.start(from), tokens.end(to - 1)) : "";
    }
}
