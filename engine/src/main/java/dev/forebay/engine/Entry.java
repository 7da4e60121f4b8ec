// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pooled value with its state, its times and the grants it owns.
 *
 * <p>The state is one word: the kind of its holder, the start of the loan, and a number that is different for every
 * loan. A {@link Checkout} keeps the word of its loan and is current as long as the entry's word is the same, so a
 * stale one is recognised by one comparison, and nothing but a number is ever written to an entry that may be old: a
 * reference would cost a write barrier of the collector twice for each checkout.
 *
 * <p>The thread that moves the state away from READY owns the entry until it moves it on, so the plain fields below are
 * written by the owner only and published by the state's next change.
 */
final class Entry<T> {

    /** Free to be borrowed. */
    static final long READY = 0;
    /** In a borrower's hands. */
    static final long BORROWED = 1;
    /** The pool's: not published yet, or out for a validation. */
    static final long CHECKING = 2;
    /** Discarded; final. */
    static final long GONE = 3;

    private static final long TAG = 3;
    private static final int SINCE_SHIFT = 2;
    private static final int LOAN_SHIFT = 34;

    /** A loan's age is counted in units of 2^20 ns, about a millisecond, and right for twenty-six days. */
    private static final int UNIT_SHIFT = 20;

    /** A retirement that has been decided on other grounds than time. */
    private static final long AT_ONCE = Long.MIN_VALUE;

    private static final VarHandle STATE;
    private static final VarHandle USES;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(Entry.class, "state", long.class);
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

    /** Two bits of tag, 32 of the time a loan began, 30 of its number. */
    volatile long state = CHECKING;

    /** The time from which it is neither handed out nor taken back. Only ever moves to an earlier time. */
    volatile long retireAtNanos;

    /** The reason it was condemned for; written before {@link #retireAtNanos}. */
    @Nullable
    DiscardReason retireReason;

    /** The time it was last known to be alive: born, returned without an error, or checked. Written by the owner. */
    long provenAtNanos;

    /** The time it was last in use, or born. Written by the owner. */
    long usedAtNanos;

    /** Orders the returns where the newest is wanted first. Written by the owner. */
    volatile long returnOrder;

    /** The affinity its borrower passed at checkout. Written by the owner. */
    long affinity;

    /** The loan that has been reported as held too long. Guarded by the pool's lock. */
    long reported;

    private long uses;

    /** Its place in the slots. Guarded by the pool's lock. */
    int slot = -1;

    /** Whether its connector has reported it closed, which counts once. Guarded by the pool's lock. */
    boolean closed;

    /** The time it enters its guard window, by which the expiry order is sorted. */
    final long dueAtNanos;

    /** The reason it is {@link #GONE}, set by the thread that made it so, for the pool to read. */
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

    /** Has it discarded as soon as it is not in use, whatever its time. Called under the pool's lock. */
    void condemn(DiscardReason reason) {
        retireReason = reason;
        retireAtNanos = AT_ONCE;
    }

    boolean isCondemned() {
        return retireAtNanos == AT_ONCE;
    }

    /** Returns the reason it has to go at {@code now}; {@code expired} if its life is over. */
    DiscardReason reasonToGo(long now, DiscardReason expired) {
        DiscardReason decided = retireReason;
        if (isCondemned() && decided != null) {
            return decided;
        }
        return now >= expiresAtNanos ? expired : DiscardReason.INSUFFICIENT_REMAINING_LIFETIME;
    }

    boolean isReady() {
        return is(READY);
    }

    boolean isBorrowed() {
        return isLoan(state);
    }

    static boolean isLoan(long state) {
        return (state & TAG) == BORROWED;
    }

    boolean is(long tag) {
        return (state & TAG) == tag;
    }

    /** Lends this entry, which stands at {@code from}, to {@code checkout}. */
    boolean tryBorrow(long from, Checkout<T> checkout, long affinity, long now) {
        long before = state;
        if ((before & TAG) != from) {
            return false;
        }
        long since = (now >>> UNIT_SHIFT) & 0xFFFF_FFFFL;
        long loan = ((before >>> LOAN_SHIFT) + 1) << LOAN_SHIFT | since << SINCE_SHIFT | BORROWED;
        if (!STATE.compareAndSet(this, before, loan)) {
            return false;
        }
        checkout.entry = this;
        checkout.loan = loan;
        this.affinity = affinity;
        USES.setOpaque(this, uses + 1);
        return true;
    }

    /** Ends {@code loan}, if it is the current one, with the entry at {@code to}. */
    boolean tryEnd(long loan, long to) {
        return STATE.compareAndSet(this, loan, moved(loan, to));
    }

    /** Moves the entry from {@code from}, which is not a loan, to {@code to}. */
    boolean tryMove(long from, long to) {
        long before = state;
        while ((before & TAG) == from) {
            if (STATE.compareAndSet(this, before, moved(before, to))) {
                return true;
            }
            before = state;
        }
        return false;
    }

    /** Keeps the number of the loan, so that no two loans of an entry are alike. */
    private static long moved(long state, long to) {
        return state >>> LOAN_SHIFT << LOAN_SHIFT | to;
    }

    /** The time {@code loan} has lasted. */
    static long heldNanos(long loan, long now) {
        int units = (int) (now >>> UNIT_SHIFT) - (int) (loan >>> SINCE_SHIFT);
        return units < 0 ? 0 : (long) units << UNIT_SHIFT;
    }

    /** Undoes the count of a loan that reached no borrower; called by its owner. */
    void unuse() {
        USES.setOpaque(this, uses - 1);
    }

    long uses() {
        return (long) USES.getOpaque(this);
    }
}
