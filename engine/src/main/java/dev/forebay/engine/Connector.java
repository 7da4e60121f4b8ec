// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

/**
 * Opens, checks and closes the things a pool holds. Asynchronous by contract: no method blocks, and each call is
 * answered exactly once, at once or later, on any thread.
 *
 * @param <T> the type of the pooled values
 */
public interface Connector<T> {

    /** Opens one. */
    void open(Opening<T> opening);

    /** Checks whether {@code value} is alive; it is not used otherwise meanwhile. */
    void check(T value, Checking checking);

    /** Closes {@code value}, however broken it is, and calls {@code closed} when the other side no longer counts it. */
    void close(T value, DiscardReason reason, Runnable closed);

    /** The receiver of an open's outcome. Thread-safe. */
    interface Opening<T> {

        /** It is open. */
        void opened(T value);

        /** It could not be opened, and nothing was left open. */
        void failed(OpenFailure failure);

        /** True once the pool stopped waiting: the call is still counted, but hurry up and end it. */
        boolean isAbandoned();

        /** Runs {@code action} when the pool stops waiting for this open, at once if it has already. */
        void onAbandon(Runnable action);
    }

    /** The receiver of a check's outcome. Thread-safe. */
    interface Checking {

        /** The check has ended. */
        void checked(boolean alive);
    }
}
