// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.engine.Observer;
import dev.forebay.time.Time;
import java.util.List;

/**
 * A listener to transactions. Called on the thread that runs the transaction, so it has to be quick; its
 * exceptions are logged and otherwise ignored. Implementations are thread-safe.
 */
public interface TxListener {

    /** The listener that does nothing. */
    TxListener NONE = new TxListener() {};

    /** A transaction was asked for; it may take several attempts until it has {@link #ended}. */
    default void began(String operation) {}

    /**
     * An attempt failed and was rolled back, unless its outcome is unknown.
     *
     * @param sqlState the SQLSTATE that decided, empty if there is none
     */
    default void attemptFailed(String operation, ErrorMeaning meaning, String sqlState, Throwable error) {}

    /** The transaction will be retried in {@code delayNanos}; {@code attempt} is the one that failed, from 1. */
    default void retrying(String operation, String sqlState, int attempt, long delayNanos) {}

    /** A transaction that {@link #began} has ended, after {@code attempts} attempts and {@code nanos} in all, waits included. */
    default void ended(String operation, Outcome outcome, int attempts, long nanos) {}

    /** Returns a listener that calls all of {@code listeners} in their order; their exceptions are logged. */
    static TxListener all(List<? extends TxListener> listeners) {
        return listeners.isEmpty() ? NONE : new TxListeners(listeners);
    }

    /**
     * Returns a listener that logs transactions to SLF4J.
     *
     * @param conflictsPerMinute the conflicts in a minute that are worth a warning; 0 never warns
     */
    static TxListener logging(int conflictsPerMinute, Time time) {
        return new TxLog(conflictsPerMinute, time);
    }

    /**
     * Returns a listener that shows transactions to {@code observer}. One of them serves all the pools of a process, since
     * the names of these metrics have no label for the pool; they are shown until the observer is closed.
     */
    static TxListener observed(Observer observer) {
        return new TxMetrics(observer);
    }

    /** The end of a transaction. */
    enum Outcome {
        COMMITTED,
        /** It failed in a way that is not retried. */
        FAILED,
        /** It met a conflict in every attempt that the policy allows. */
        EXHAUSTED,
        /** Its deadline passed, or it was cancelled or interrupted. */
        STOPPED
    }
}
