// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import org.jspecify.annotations.Nullable;

/**
 * One borrowing of a pooled value: blank when made, bound by the pool, current until it is returned or discarded.
 *
 * <p>The caller makes it and the pool binds it, so it is the only thing a checkout allocates, and an adapter can make
 * it a subclass that is its own handle. Every loan of a connection has a word of its own, and a checkout is current as
 * long as its word is the connection's: one that has been returned can never reach the connection again, nor return it
 * twice.
 *
 * <p>Any thread may use it. It serves one borrowing only; after that it is spent.
 *
 * @param <T> the type of the pooled values
 */
public class Checkout<T> {

    /** The borrowed entry. Written by the lender. */
    @Nullable
    Entry<T> entry;

    /** The word of the loan; a number and not a reference back, see {@link Entry}. Written by the lender. */
    long loan;

    /** The value while this checkout is current, otherwise null. */
    public final @Nullable T value() {
        Entry<T> held = entry;
        return held != null && held.state == loan ? held.value : null;
    }

    /** Whether this checkout holds a connection now. */
    public final boolean isCurrent() {
        Entry<T> held = entry;
        return held != null && held.state == loan;
    }

    /**
     * Gives the connection back; false if this checkout was not current. A connection inside its guard window, evicted
     * or displaced is discarded instead.
     */
    public final boolean returnToPool() {
        Entry<T> held = entry;
        return held != null && held.pool.acceptReturn(held, loan);
    }

    /** Takes the connection out of the pool for good; false if this checkout was not current. */
    public final boolean discard(DiscardReason reason) {
        Entry<T> held = entry;
        return held != null && held.pool.discardBorrowed(held, loan, reason);
    }

    /** The time this checkout has held its connection at {@code nowNanos}; 0 if it is not current. */
    public final long heldNanos(long nowNanos) {
        Entry<T> held = entry;
        return held != null && held.state == loan ? Entry.heldNanos(loan, nowNanos) : 0;
    }

    /** The rest of the connection's lifetime at {@code nowNanos}; 0 if it is past, or this is not current. */
    public final long remainingNanos(long nowNanos) {
        Entry<T> held = entry;
        return held != null && held.state == loan ? Math.max(0, held.expiresAtNanos - nowNanos) : 0;
    }
}
