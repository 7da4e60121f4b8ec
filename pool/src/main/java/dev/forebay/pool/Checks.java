// SPDX-License-Identifier: Apache-2.0
package dev.forebay.pool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The checks of connections that are in nobody's hands: keepalives, validations before a checkout, and the sweep after
 * one was found broken. An entry stands at {@link Entry#CHECKING} from the moment it is handed in here until it is ready
 * again or gone. Guarded by the pool's lock.
 */
final class Checks<T> {

    private static final int MOST_AT_ONCE = 32;

    private final Pool<T> pool;
    private final long timeoutNanos;
    private final Deque<Entry<T>> queue = new ArrayDeque<>();
    private final Set<Check> running = new LinkedHashSet<>();

    Checks(Pool<T> pool, long timeoutNanos) {
        this.pool = pool;
        this.timeoutNanos = timeoutNanos;
    }

    /** Queued or running. */
    int pending() {
        return queue.size() + running.size();
    }

    void add(Entry<T> entry) {
        queue.add(entry);
    }

    /** Forgets those that wait for a check, handing them to the caller. */
    List<Entry<T>> drain() {
        List<Entry<T>> waiting = new ArrayList<>(queue);
        queue.clear();
        return waiting;
    }

    /** Starts what may start and ends what takes too long. */
    long decide(long now, List<Runnable> actions) {
        long next = Long.MAX_VALUE;
        for (Iterator<Check> all = running.iterator(); all.hasNext(); ) {
            Check check = all.next();
            if (check.deadline <= now) {
                all.remove();
                pool.failedCheck(check.entry, now, actions);
            } else {
                next = Math.min(next, check.deadline);
            }
        }
        while (!queue.isEmpty() && running.size() < MOST_AT_ONCE) {
            Check check = new Check(queue.remove(), now + timeoutNanos);
            running.add(check);
            next = Math.min(next, check.deadline);
            actions.add(() -> pool.connector().check(check.entry.value, check));
        }
        return next;
    }

    private final class Check implements Connector.Checking {
        private final Entry<T> entry;
        private final long deadline;

        Check(Entry<T> entry, long deadline) {
            this.entry = entry;
            this.deadline = deadline;
        }

        @Override
        public void checked(boolean alive) {
            long now = pool.time().nanos();
            List<Runnable> actions = new ArrayList<>();
            pool.lock();
            try {
                if (!running.remove(this)) {
                    return; // it took too long and the connection is gone
                }
                if (alive) {
                    pool.passedCheck(entry, now, actions);
                } else {
                    pool.failedCheck(entry, now, actions);
                }
            } finally {
                pool.unlock();
            }
            actions.forEach(Runnable::run);
            pool.wake();
        }
    }
}
