// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.engine.Observer.Observation;
import java.util.List;
import java.util.function.Supplier;

/**
 * Receives the events of a pool. Every method does nothing unless overridden.
 *
 * <p>Methods are called outside the pool's lock, on the thread that caused the event, so they must be quick,
 * thread-safe and must not throw; what they throw is logged. Events of different threads may arrive out of order.
 */
public interface PoolListener {

    /** A listener that does nothing. */
    PoolListener NONE = new PoolListener() {};

    /** Whether {@link #checkedOut} is wanted for checkouts that did not wait; asked once. */
    default boolean hearsCheckouts() {
        return false;
    }

    /** Whether the pool is to time checkouts and uses for {@link PoolStats#times}; asked once. */
    default boolean wantsTimes() {
        return false;
    }

    /** A checkout succeeded after {@code waitedNanos}, read off the coarse clock unless it had to queue. */
    default void checkedOut(long waitedNanos) {}

    /** A connection was returned or discarded by its borrower after {@code heldNanos}, read off the coarse clock. */
    default void returned(long heldNanos) {}

    /** A checkout found nothing ready. */
    default void foundEmpty() {}

    /** A checkout that waited got nothing. */
    default void refused(Refusal refusal, long waitedNanos) {}

    /** A connection was opened in {@code connectNanos}; {@code open} exist now. */
    default void opened(int open, long connectNanos) {}

    /** An open failed, the {@code attempt}-th in a row for this cause; the next retry comes in {@code delayNanos}. */
    default void openFailed(OpenFailure failure, int attempt, long delayNanos) {}

    /** An open that hung for {@code hungNanos} is no longer counted; should it end with a connection, that is closed. */
    default void openForgotten(long hungNanos) {}

    /** A connection that had {@code remainingNanos} to live was discarded. */
    default void discarded(DiscardReason reason, long remainingNanos) {}

    /** A borrower has had {@code value} for {@code heldNanos}, longer than it should; once for each checkout. */
    default void heldTooLong(Object value, long heldNanos) {}

    /** All the connections at hand are being checked, because one was found broken. */
    default void sweeping(int connections) {}

    /** Passes every event to all of {@code listeners}, in their order, and keeps their exceptions from the pool. */
    static PoolListener all(List<? extends PoolListener> listeners) {
        return listeners.isEmpty() ? NONE : new Listeners(listeners);
    }

    /**
     * Shows a pool to an {@link Observer}. It is made before the pool, given to it as a listener, and learns afterwards
     * where the pool's numbers are. Thread-safe.
     */
    final class Observed implements PoolListener, AutoCloseable {
        private final Observer observer;
        private volatile Observation shown = Observation.NONE;

        public Observed(Observer observer) {
            this.observer = observer;
        }

        /** Begins to show the pool of {@code service}; to be called once, before the pool starts. */
        public void show(String service, Supplier<PoolStats> stats) {
            shown = observer.observe(service, PoolMetrics.CATALOGUE, stats);
        }

        @Override
        public boolean wantsTimes() {
            return true;
        }

        @Override
        public void opened(int open, long connectNanos) {
            shown.record(PoolMetrics.Event.CREATED, connectNanos);
        }

        /** Stops showing it. */
        @Override
        public void close() {
            shown.close();
        }
    }
}
