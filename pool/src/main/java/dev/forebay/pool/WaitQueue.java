// SPDX-License-Identifier: Apache-2.0
package dev.forebay.pool;

import org.jspecify.annotations.Nullable;

/** Those who wait, in the order in which they came; anyone can leave at any time. Guarded by the pool's lock. */
final class WaitQueue<T> {

    private @Nullable Waiter<T> first;
    private @Nullable Waiter<T> last;
    private int size;

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
    }

    /** False if it is not here any more. */
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
        return true;
    }
}
