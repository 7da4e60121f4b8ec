// SPDX-License-Identifier: Apache-2.0
package dev.forebay.pool;

import org.jspecify.annotations.Nullable;

/**
 * One borrowing of a pooled value: blank when made, bound by the pool, current until it is returned or discarded.
 *
 * <p>The caller makes it and the pool binds it, so it is the only thing a checkout allocates, and an adapter can make
 * it a subclass that is its own handle. A connection knows its current checkout: a checkout that has been returned is
 * told apart by identity and can never reach the connection again, nor return it twice.
 *
 * <p>Any thread may use it. It serves one borrowing only; after that it is spent.
 *
 * @param <T> what is pooled
 */
public class Checkout<T> {

    /** Set by the pool before it publishes this checkout as the holder. */
    @Nullable
    Entry<T> entry;

    /** When it was bound, in units of 2^20 ns, about a millisecond; an int keeps the handle at 24 bytes. */
    int since;

    /** The value while this checkout is current, otherwise null. */
    public final @Nullable T value() {
        Entry<T> held = entry;
        return held != null && held.holder == this ? held.value : null;
    }

    /** Whether this checkout holds a connection now. */
    public final boolean isCurrent() {
        Entry<T> held = entry;
        return held != null && held.holder == this;
    }

    /**
     * Gives the connection back; false if this checkout was not current. A connection inside its guard window, evicted
     * or displaced is discarded instead.
     */
    public final boolean returnToPool() {
        Entry<T> held = entry;
        return held != null && held.pool.giveBack(held, this);
    }

    /** Takes the connection out of the pool for good; false if this checkout was not current. */
    public final boolean discard(DiscardReason reason) {
        Entry<T> held = entry;
        return held != null && held.pool.throwAway(held, this, reason);
    }

    /** How long this checkout has held its connection at {@code nowNanos}; 0 if it is not current. */
    public final long heldNanos(long nowNanos) {
        Entry<T> held = entry;
        return held != null && held.holder == this ? sinceNanos(nowNanos) : 0;
    }

    /** How much of the connection's lifetime is left at {@code nowNanos}; 0 if it is past, or this is not current. */
    public final long remainingNanos(long nowNanos) {
        Entry<T> held = entry;
        return held != null && held.holder == this ? Math.max(0, held.expiresAtNanos - nowNanos) : 0;
    }

    /** How often the connection has been checked out, this time included; 0 if this is not current. */
    public final long uses() {
        Entry<T> held = entry;
        return held != null && held.holder == this ? held.uses() : 0;
    }

    /** How long ago this checkout was bound, whether or not it is still current; right for up to fifty days. */
    final long sinceNanos(long nowNanos) {
        int units = (int) (nowNanos >>> 20) - since;
        return units < 0 ? 0 : (long) units << 20;
    }
}
