// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.Optional;

/**
 * The rules of Aurora DSQL for the transactions of one session: a state machine that is told what happens. Not thread-safe.
 *
 * <p>The session calls {@link #begin} after BEGIN, {@link #beginImplicit} ahead of a statement outside a transaction (once for
 * all statements of one string), {@link #before} ahead of each statement, {@link #after} once it has run, {@link #fail} after
 * any error, {@link #atCommit} ahead of COMMIT or of the end of an implicit transaction, and {@link #end} when the transaction
 * is over, whichever way. In a failed transaction it asks here before it asks a {@link Profile}, else after: what is not
 * supported at all is told apart from what is not supported just now. It does not refuse COMMIT in a failed transaction: PostgreSQL answers that with ROLLBACK.
 *
 * <p>The size of what a transaction writes is estimated: the bytes of its writing statements and their parameters. Aurora DSQL
 * counts stored rows and index entries.
 */
public final class TransactionRules {

    /** The states of a session. */
    public enum State {
        /** No transaction. */
        IDLE,
        /** The transaction of a statement, or of a string of statements, without BEGIN. */
        IMPLICIT,
        /** After BEGIN. */
        OPEN,
        /** After BEGIN and an error. */
        FAILED
    }

    private static final SqlRefusal ABORTED =
            SqlRefusal.of("25P02", "current transaction is aborted, commands ignored until end of transaction block");
    private static final SqlRefusal TWO_DDL =
            SqlRefusal.unsupported("multiple ddl statements not supported in a transaction");
    private static final SqlRefusal DDL_AND_DML =
            SqlRefusal.unsupported("ddl and dml are not supported in the same transaction");
    private static final SqlRefusal ROWS = SqlRefusal.of("54000", "transaction row limit exceeded");

    private final Limits limits;
    private State state = State.IDLE;
    private long beganNanos;
    private boolean ddl;
    private boolean dml;
    private long rows;
    private long bytes;

    public TransactionRules(Limits limits) {
        this.limits = limits;
    }

    public State state() {
        return state;
    }

    /** A transaction begins, or an implicit one becomes explicit and keeps what it holds; nothing if one is open. */
    public void begin(long nowNanos) {
        if (state == State.IDLE) {
            beganNanos = nowNanos;
            state = State.OPEN;
        } else if (state == State.IMPLICIT) {
            state = State.OPEN;
        }
    }

    /** Begins a transaction that the client did not ask for, unless one is in progress. */
    public void beginImplicit(long nowNanos) {
        if (state == State.IDLE) {
            beganNanos = nowNanos;
            state = State.IMPLICIT;
        }
    }

    /** Returns why a statement must not run now, the state of the transaction first. */
    public Optional<SqlRefusal> before(Statement statement, long nowNanos) {
        boolean ends = statement.kind() == Kind.COMMIT || statement.kind() == Kind.ROLLBACK;
        if (state == State.FAILED) {
            return ends ? Optional.empty() : Optional.of(ABORTED);
        }
        if (statement.kind() == Kind.ROLLBACK || statement.kind() == Kind.EMPTY) {
            return Optional.empty();
        }
        if (isTooOld(nowNanos)) {
            return Optional.of(age());
        }
        if (statement.isDdl() && ddl) {
            return Optional.of(TWO_DDL);
        }
        if ((statement.isDdl() && dml) || (ddl && statement.writes())) {
            return Optional.of(DDL_AND_DML);
        }
        return Optional.empty();
    }

    /**
     * Returns why the statement's effects must be rolled back, if they must.
     *
     * @param modified the number of rows it modified
     * @param written the bytes of its text and its parameters
     */
    public Optional<SqlRefusal> after(Statement statement, long modified, long written) {
        if (state == State.IDLE) {
            return statement.writes() && modified > limits.rows() ? Optional.of(ROWS) : Optional.empty();
        }
        ddl |= statement.isDdl();
        if (statement.writes()) {
            dml = true;
            rows += modified;
            bytes += written;
        }
        return rows > limits.rows() ? Optional.of(ROWS) : Optional.empty();
    }

    /** Returns why the transaction must not commit. */
    public Optional<SqlRefusal> atCommit(long nowNanos) {
        if (state == State.FAILED || state == State.IDLE) {
            return Optional.empty();
        }
        if (isTooOld(nowNanos)) {
            return Optional.of(age());
        }
        return bytes > limits.bytes() ? Optional.of(size()) : Optional.empty();
    }

    /** An error was given: an explicit transaction waits for its end, an implicit one is over. */
    public void fail() {
        if (state == State.OPEN) {
            state = State.FAILED;
        } else if (state == State.IMPLICIT) {
            end();
        }
    }

    /** The transaction is over. */
    public void end() {
        state = State.IDLE;
        ddl = false;
        dml = false;
        rows = 0;
        bytes = 0;
    }

    private boolean isTooOld(long nowNanos) {
        return (state == State.OPEN || state == State.IMPLICIT)
                && nowNanos - beganNanos > limits.age().toNanos();
    }

    private SqlRefusal age() {
        return SqlRefusal.of("54000", "transaction age limit of " + limits.age().toSeconds() + "s exceeded");
    }

    private SqlRefusal size() {
        return SqlRefusal.of("54000", "transaction size limit " + (limits.bytes() >> 20) + "mb exceeded");
    }
}
