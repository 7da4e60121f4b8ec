// SPDX-License-Identifier: Apache-2.0
package dev.forebay.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pooled value with its state, its times and the grants it owns.
 *
 * <p>The state is the holder: {@link #READY}, {@link #CHECKING}, {@link #GONE}, or the {@link Checkout} that has it.
 * Whoever moves the holder away from READY owns the entry until he moves it on, so the plain fields below it are written
 * by the owner only and published by the holder's next change.
 */
final class Entry<T> {

    /** In nobody's hands. */
    static final Object READY = new Object();
    /** Out for a validation. */
    static final Object CHECKING = new Object();
    /** Discarded; final. */
    static final Object GONE = new Object();

    /** A retirement that has been decided on other grounds than time. */
    private static final long AT_ONCE = Long.MIN_VALUE;

    private static final VarHandle HOLDER;
    private static final VarHandle USES;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HOLDER = lookup.findVarHandle(Entry.class, "holder", Object.class);
            USES = lookup.findVarHandle(Entry.class, "uses", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Pool<T> pool;
    final T value;
    final List<Admission.Grant> grants;
    final long bornAtNanos;
    final long expiresAtNanos;

    /** Null until the entry is first published. */
    volatile @Nullable Object holder;

    /** From then on it is not handed out and not taken back. Only ever moves to an earlier time. */
    volatile long retireAtNanos;

    /** Why it was condemned; written before {@link #retireAtNanos}. */
    @Nullable
    DiscardReason retireReason;

    /** When it was last known to be alive: born, returned without an error, or checked. Written by the owner. */
    long provenAtNanos;

    /** When it was last in use, or born. Written by the owner. */
    long usedAtNanos;

    /** Orders the returns where the newest is wanted first. Written by the owner. */
    volatile long returnOrder;

    /** The checkout that has been reported as held too long. Guarded by the pool's lock. */
    @Nullable
    Object reported;

    private long uses;

    /** Where it stands in the slots. Guarded by the pool's lock. */
    int slot = -1;

    /** When it enters its guard window; what the expiry order is sorted by. */
    final long dueAtNanos;

    /** Set by whoever made it {@link #GONE}, for the pool to read. */
    @Nullable
    DiscardReason discardReason;

    /** The next one in the pool's stack of entries to look after. */
    @Nullable
    Entry<T> next;

    Entry(Pool<T> pool, T value, List<Admission.Grant> grants, long bornAtNanos, long expiresAtNanos, long dueAtNanos) {
        this.pool = pool;
        this.value = value;
        this.grants = grants;
        this.bornAtNanos = bornAtNanos;
        this.expiresAtNanos = expiresAtNanos;
        this.dueAtNanos = dueAtNanos;
        this.retireAtNanos = dueAtNanos;
        this.provenAtNanos = bornAtNanos;
        this.usedAtNanos = bornAtNanos;
    }

    /** Has it discarded as soon as it is in nobody's hands, whatever its time. Called under the pool's lock. */
    void condemn(DiscardReason reason) {
        retireReason = reason;
        retireAtNanos = AT_ONCE;
    }

    boolean isCondemned() {
        return retireAtNanos == AT_ONCE;
    }

    /** Why it has to go at {@code now}, if it has; {@code expired} if its life is over. */
    DiscardReason reasonToGo(long now, DiscardReason expired) {
        DiscardReason decided = retireReason;
        if (isCondemned() && decided != null) {
            return decided;
        }
        return now >= expiresAtNanos ? expired : DiscardReason.INSUFFICIENT_REMAINING_LIFETIME;
    }

    boolean isReady() {
        return holder == READY;
    }

    boolean isLeased() {
        return holder instanceof Checkout;
    }

    /** Binds {@code checkout} to this entry if it is ready. */
    boolean tryClaim(Checkout<T> checkout) {
        if (holder != READY) {
            return false;
        }
        checkout.entry = this;
        return HOLDER.compareAndSet(this, READY, checkout);
    }

    boolean tryMove(@Nullable Object from, Object to) {
        return HOLDER.compareAndSet(this, from, to);
    }

    /** Counts one use; called by the holder only. */
    void countUse() {
        USES.setOpaque(this, uses + 1);
    }

    long uses() {
        return (long) USES.getOpaque(this);
    }
}
