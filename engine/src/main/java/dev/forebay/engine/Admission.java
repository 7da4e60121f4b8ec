// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

/**
 * One condition on opening a connection: a rate limit, a lease, a shared cap.
 *
 * <p>Every open passes a chain of them, in order, and the connection owns what they granted until it is closed: there
 * is no way out of the pool that forgets to give a grant back. Implementations are thread-safe, may be shared by many
 * pools, and never block; one that needs I/O answers later.
 */
public interface Admission {

    /** Asks for one open. The answer comes exactly once, on this stack or later. */
    void ask(long nowNanos, Answer answer);

    /**
     * Registers {@code wake} to be called whenever a grant that was refused before may be available. Returns the action
     * that undoes this: a pool calls it when it has ended.
     */
    default Runnable whenFreed(Runnable wake) {
        return () -> {};
    }

    /**
     * Notes that the asker behind {@code answer}, which got {@link Answer#notBefore}, will not ask again: its open is
     * no longer wanted. So an admission that keeps an order among those it refused waits for none that has left.
     */
    default void withdrawn(Answer answer) {}

    /** The grants a second this condition can keep up, as far as it knows; asked under the pool's lock. */
    default double sustainedPerSecond() {
        return Double.POSITIVE_INFINITY;
    }

    /** The receiver of an answer. */
    interface Answer {

        /** The number of further opens the asker will ask for as soon as it may, so that grants may be fetched in one go. */
        default int behind() {
            return 0;
        }

        /** Granted. */
        void granted(Grant grant);

        /**
         * Not now: ask again at {@code nanos}, or when {@link #whenFreed} calls if it is {@link Long#MAX_VALUE}.
         * Waiting for a turn is no failure and is not counted as one.
         */
        void notBefore(long nanos);

        /** Could not be decided or is refused for a reason worth an operator's attention: back off, then ask again. */
        void failed(OpenFailure failure);
    }

    /** A permission to open, held from the answer to the end of the connection. Each method is called once at most. */
    interface Grant {

        /** The open that was admitted takes longer than it may; it is no longer waited for, but has not ended. */
        default void openHangs() {}

        /** The open that was admitted has ended in {@code outcome}. */
        default void openEnded(Outcome outcome) {}

        /**
         * Whether others count what was granted, as those of a fleet do: then it is held until the connection is known to
         * be gone, however long an open hangs.
         */
        default boolean isShared() {
            return false;
        }

        /** The connection is gone, or never came to be; always called, after {@link #openEnded}. */
        void release();
    }

    /** The end of an admitted open. */
    enum Outcome {
        /** There is a connection. */
        OPENED,
        /** It was tried and failed. */
        FAILED,
        /** The server refused it as too fast. */
        THROTTLED,
        /** The server refused it because it has as many connections as it takes. */
        FULL,
        /** It was not tried after all: the grant has not been used. */
        NOT_TRIED
    }
}
