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
 *
 * <h2>The time of uses</h2>
 *
 * If it is wanted, each entry adds up its own. The clock is read at both ends of a use if those before it were long enough to make
 * that cheap, or if {@link Timings} has chosen it to count for many. Which uses are timed is thus known before they begin, so the
 * sum is right however short and long ones mix. A long use that was not timed is read off the coarse clock and counts once.
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

    /** The use from which on it is cheap to read the clock twice. */
    private static final long CHEAP_NANOS = 4_000;

    /** The number of short uses in a row from which on the next one is likely to be short. */
    private static final int NOT_CHEAP = 4;

    /** The use from which on the coarse clock is exact enough: sixteen of its ticks. */
    private static final long LONG_NANOS = 160_000_000;

    private static final VarHandle STATE;
    private static final VarHandle USES;
    private static final VarHandle USED_NANOS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(Entry.class, "state", long.class);
            USES = lookup.findVarHandle(Entry.class, "uses", long.class);
            USED_NANOS = lookup.findVarHandle(Entry.class, "usedNanos", long.class);
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

    /** The time its uses have taken; may be read by any thread. Written by the owner, like those below. */
    private long usedNanos;

    private long usedNanosBefore;
    private long useBeganNanos;

    /** The number of uses that the current one counts for; 0 if it is not timed. */
    private int weight;

    /** The number of short uses in a row, of those that were timed; {@link #NOT_CHEAP} stands for more as well. */
    private int shortUses;

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

    /** Whether the next use is likely to be so long that reading the clock is cheap beside it. */
    boolean isCheapToTime() {
        return shortUses < NOT_CHEAP;
    }

    /** Begins to time a use, which counts for {@code many} unless all are timed. Called by the borrower. */
    void beginUse(int many) {
        weight = isCheapToTime() ? 1 : many;
        usedNanosBefore = usedNanos;
        useBeganNanos = pool.time.nanos();
    }

    /** Adds up the use that {@code loan} was for. */
    void endUse(long loan, long coarseNow, Timings timings) {
        if (weight == 0) {
            endUntimed(heldNanos(loan, coarseNow), timings);
            return;
        }
        long nanos = Math.max(0, pool.time.nanos() - useBeganNanos);
        USED_NANOS.setOpaque(this, usedNanosBefore + (nanos < LONG_NANOS ? nanos * weight : nanos));
        shortUses = nanos >= CHEAP_NANOS ? 0 : Math.min(NOT_CHEAP, shortUses + 1);
        weight = 0;
        timings.used(nanos);
    }

    private void endUntimed(long coarseNanos, Timings timings) {
        if (coarseNanos > 0) {
            shortUses = 0;
        }
        if (coarseNanos >= LONG_NANOS) {
            USED_NANOS.setOpaque(this, usedNanos + coarseNanos);
            timings.used(coarseNanos);
        }
    }

    /** The time its uses have taken that have ended. */
    long usedNanos() {
        return (long) USED_NANOS.getOpaque(this);
    }

    /** Undoes the count of a loan that reached no borrower; called by its owner. */
    void unuse() {
        USES.setOpaque(this, uses - 1);
    }

    long uses() {
        return (long) USES.getOpaque(this);
    }
}
