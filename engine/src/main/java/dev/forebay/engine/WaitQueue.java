// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.time.Actions;
import org.jspecify.annotations.Nullable;

/**
 * The waiters, in the order in which they came; each can leave at any time. The pool's gate is raised by one for each.
 * Guarded by the pool's lock.
 */
final class WaitQueue<T> {

    private final Pool<T> pool;
    private long served;
    private long servedAfterNanos;
    private long timeouts;

    private @Nullable Waiter<T> first;
    private @Nullable Waiter<T> last;
    private int size;

    WaitQueue(Pool<T> pool) {
        this.pool = pool;
    }

    int size() {
        return size;
    }

    @Nullable
    Waiter<T> first() {
        return first;
    }

    void add(Waiter<T> waiter) {
        Waiter<T> before = last;
        waiter.previous = before;
        waiter.queued = true;
        last = waiter;
        if (before == null) {
            first = waiter;
        } else {
            before.next = waiter;
        }
        size++;
        pool.raiseGate(1);
    }

    /** Removes {@code waiter}; false if it is not here any more. */
    boolean remove(Waiter<T> waiter) {
        if (!waiter.queued) {
            return false;
        }
        Waiter<T> before = waiter.previous;
        Waiter<T> after = waiter.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        waiter.previous = null;
        waiter.next = null;
        waiter.queued = false;
        size--;
        pool.raiseGate(-1);
        return true;
    }

    /** Ends a wait well: the waiter's checkout holds a connection. */
    void serve(Waiter<T> waiter, long now, Actions actions) {
        remove(waiter);
        waiter.ended(null);
        long waited = waiter.waitedNanos(now);
        served++;
        servedAfterNanos += waited;
        if (pool.timings != null) {
            pool.timings.waited(waited);
        }
        actions.add(waiter.turn::served);
        actions.tell(() -> pool.listener.checkedOut(waited));
    }

    /** Ends a wait, whether or not it has begun, with nothing. */
    void refuse(Waiter<T> waiter, Refusal refusal, long now, Actions actions) {
        if (remove(waiter)) {
            pool.foundEmpty(waiter, actions);
        }
        waiter.ended(refusal);
        count(refusal);
        long waited = waiter.waitedNanos(now);
        actions.add(() -> waiter.turn.refused(refusal));
        actions.tell(() -> pool.listener.refused(refusal, waited));
    }

    void refuseAll(Refusal refusal, long now, Actions actions) {
        while (first != null) {
            refuse(first, refusal, now, actions);
        }
    }

    /** Refuses those whose deadline has passed and returns the next deadline. */
    long timeOut(long now, Actions actions) {
        long next = Long.MAX_VALUE;
        Waiter<T> waiter = first;
        while (waiter != null) {
            Waiter<T> following = waiter.next;
            if (waiter.deadlineNanos <= now) {
                refuse(waiter, Refusal.TIMED_OUT, now, actions);
            } else {
                next = Math.min(next, waiter.deadlineNanos);
            }
            waiter = following;
        }
        return next;
    }

    void count(Refusal refusal) {
        if (refusal == Refusal.TIMED_OUT) {
            timeouts++;
        }
    }

    /** The number of checkouts that waited and were served. */
    long served() {
        return served;
    }

    /** The total of their waits. */
    long servedAfterNanos() {
        return servedAfterNanos;
    }

    long timeouts() {
        return timeouts;
    }

    /** The wait of the first one so far, 0 without a waiter. */
    long oldestNanos(long now) {
        return first == null ? 0 : first.waitedNanos(now);
    }
}
