// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt at a transaction, on a connection that it gives back.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>It ends committed, or rolled back, or as one whose outcome is unknown; nothing is between.
 *   <li>A body whose statement met a conflict is not committed, even if it swallowed the error.
 *   <li>The connection goes back with the settings it came with. One that could not be rolled back keeps autocommit off,
 *       since setting it on would commit.
 * </ol>
 */
final class Attempt {

    private static final Logger log = LoggerFactory.getLogger(Attempt.class);

    private final Connection connection;
    private final TransactionHandle handle;
    private final Stop stop;
    private boolean autoCommit;
    private boolean begun;

    Attempt(String name, int number, Connection connection, Stop stop) {
        this.connection = connection;
        this.handle = new TransactionHandle(name, number, connection, stop);
        this.stop = stop;
    }

    /** Runs {@code body} and commits; while the body runs, its thread is in {@code bodies}. */
    <T extends @Nullable Object, X extends Exception> Committed<T> run(
            Transactions.ValueBody<T, X> body, Map<Thread, TransactionHandle> bodies) throws SQLException, X {
        T value;
        try {
            begin();
            value = runBody(body, bodies);
            refuseSwallowed();
            stop.check();
            commit();
        } catch (Throwable e) {
            giveBack(e);
            throw e;
        }
        giveBack(null);
        return new Committed<>(value, handle.afterCommit());
    }

    private void begin() throws SQLException {
        autoCommit = connection.getAutoCommit();
        if (autoCommit) {
            connection.setAutoCommit(false);
        }
        begun = true;
        handle.limitNetwork();
    }

    private <T extends @Nullable Object, X extends Exception> T runBody(
            Transactions.ValueBody<T, X> body, Map<Thread, TransactionHandle> bodies) throws X {
        Runnable cancel = handle::cancelStatement;
        bodies.put(Thread.currentThread(), handle);
        stop.cancellation().add(cancel);
        try {
            return body.run(handle.proxy());
        } finally {
            stop.cancellation().remove(cancel);
            bodies.remove(Thread.currentThread());
            handle.end();
        }
    }

    private void refuseSwallowed() throws SQLException {
        Throwable swallowed = handle.swallowed();
        if (swallowed != null) {
            throw new SQLException(
                    "transaction " + handle.name() + " cannot be committed, although its body returned, after: "
                            + swallowed,
                    swallowed);
        }
    }

    private void commit() throws SQLException {
        try {
            connection.commit();
        } catch (Throwable e) {
            if (ErrorMeaning.ofCommit(e) == ErrorMeaning.OUTCOME_UNKNOWN) {
                throw new OutcomeUnknownException(handle.name(), e);
            }
            throw e;
        }
    }

    /** Rolls back a failed attempt, restores the settings and closes; an error on the way does not hide how the attempt ended. */
    private void giveBack(@Nullable Throwable failure) {
        boolean clean = failure == null || !begun || tried("rolled back", connection::rollback, failure);
        if (clean && begun) {
            tried("restored", this::restore, failure);
        }
        tried("closed", connection::close, failure);
    }

    /** Restores the settings. That may take a statement, which must not leave a transaction open. */
    private void restore() throws SQLException {
        if (autoCommit) {
            connection.setAutoCommit(true);
        }
        try {
            if (handle.restore() && !autoCommit) {
                connection.commit();
            }
        } catch (SQLException e) {
            if (!autoCommit) {
                connection.rollback();
            }
            throw e;
        }
    }

    private boolean tried(String deed, Deed step, @Nullable Throwable failure) {
        try {
            step.run();
            return true;
        } catch (SQLException | RuntimeException e) {
            if (failure == null) {
                log.warn("transaction {} is committed, but its connection could not be {}", handle.name(), deed, e);
            } else if (failure != e) {
                failure.addSuppressed(e);
            }
            return false;
        }
    }

    /**
     * The result of an attempt that was committed.
     *
     * @param value the body's result
     * @param actions the actions to run now
     */
    record Committed<T extends @Nullable Object>(T value, List<Runnable> actions) {}

    private interface Deed {
        void run() throws SQLException;
    }
}
