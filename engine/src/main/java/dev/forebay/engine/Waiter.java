// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import org.jspecify.annotations.Nullable;

/**
 * A checkout that waits for its turn, first come, first served. Thread-safe.
 *
 * @param <T> the type of the pooled values
 */
public final class Waiter<T> {

    private final Pool<T> pool;
    final Checkout<T> checkout;
    final long affinity;
    final long sinceNanos;
    final long deadlineNanos;
    final Turn turn;

    /** Neighbours in the queue. Guarded by the pool's lock. */
    @Nullable
    Waiter<T> previous;

    /** Guarded by the pool's lock. */
    @Nullable
    Waiter<T> next;

    /** Guarded by the pool's lock. */
    boolean queued;

    /** The reason it ended without a connection, if it did; to be read once {@link #hasEnded}. */
    private @Nullable Refusal refusal;

    private volatile boolean ended;

    /** Whether it has been counted as one that found nothing. Guarded by the pool's lock. */
    boolean foundEmpty;

    Waiter(Pool<T> pool, Checkout<T> checkout, long affinity, long sinceNanos, long deadlineNanos, Turn turn) {
        this.pool = pool;
        this.checkout = checkout;
        this.affinity = affinity;
        this.sinceNanos = sinceNanos;
        this.deadlineNanos = deadlineNanos;
        this.turn = turn;
    }

    /**
     * Stops waiting, for {@code reason}. True if it was still waiting: then its {@link Turn} is not called. False if
     * its turn has come or is coming: then the checkout may hold a connection, to be used or returned.
     */
    public boolean cancel(Refusal reason) {
        return pool.cancel(this, reason);
    }

    /** Notes the end: null for a checkout that holds a connection. Called before its {@link Turn}. */
    void ended(@Nullable Refusal why) {
        refusal = why;
        ended = true;
    }

    /** Whether the wait is over: decided, though {@link Turn} may not have been called yet. */
    public boolean hasEnded() {
        return ended;
    }

    /** The reason a wait that is over ended without a connection, null if the checkout holds one. */
    public @Nullable Refusal refusal() {
        return refusal;
    }

    long waitedNanos(long now) {
        return Math.max(0, now - sinceNanos);
    }

    /** The end of a wait. Exactly one of the methods is called, outside the pool's lock, on any thread; neither may block. */
    public interface Turn {

        /** The checkout holds a connection. */
        void served();

        /** There is no connection for it. */
        void refused(Refusal refusal);
    }
}
