// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.sql.Connection;

/**
 * The connection that the body of a transaction works with, for one attempt.
 *
 * <p>It is committed when the body returns and rolled back when it throws, so {@code commit}, {@code rollback} and
 * {@code setAutoCommit(true)} are refused; {@code close} does nothing, for the sake of code that closes its connection;
 * savepoints are allowed. After the attempt it is closed. For the thread of its body only.
 */
public interface Transaction extends Connection {

    /** Returns the name under which the transaction was begun. */
    String name();

    /** Returns the number of this attempt, counted from 1. */
    int attempt();

    /**
     * Runs {@code action} once this transaction is committed and its connection given back; never if it is rolled back
     * or its outcome is not known. Effects that must not happen twice belong here. Actions run in their order on the
     * thread of the transaction. One that throws keeps no other from running, and is reported by {@link
     * AfterCommitException}.
     */
    void afterCommit(Runnable action);
}
