// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.time.Actions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Keeps the ready connections alive: keepalives, the sweep after one was found broken, the idle timeout, and the report
 * of those held too long.
 *
 * <p>An entry stands at {@link Entry#CHECKING} from the moment a check is asked for until it is ready again or gone, so
 * it is never handed out unproven. Keepalives take at most a tenth of the pool, and 32, out of reach at once; a sweep takes
 * everything, because everything is in doubt. Guarded by the pool's lock.
 */
final class Health<T> {

    private static final int MOST_CHECKS_AT_ONCE = 32;

    /** The least time between two sweeps: one broken connection after the other must not check the rest for ever. */
    private static final long SWEEP_NANOS = 1_000_000_000;

    /** The least time between two walks over the idle ones while some of them have to wait for others. */
    private static final long LOOK_NANOS = 10_000_000;

    /** Otherwise, the most walks in a keepalive interval or idle timeout: walking all for each one would add up. */
    private static final int LOOKS = 16;

    private final Pool<T> pool;
    private final Stock<T> stock;
    private final PoolConfig config;
    private final long checkTimeoutNanos;
    private final Deque<Entry<T>> queue = new ArrayDeque<>();
    private final Set<Check> running = new LinkedHashSet<>();
    private int minIdle;
    private long nextIdleLookAt;
    private long nextHeldLookAt;
    private long sweptAt = Long.MIN_VALUE / 2;
    private boolean suspicious;

    Health(Pool<T> pool, Stock<T> stock, PoolConfig config) {
        this.pool = pool;
        this.stock = stock;
        this.config = config;
        this.minIdle = config.minIdle();
        this.checkTimeoutNanos = config.checkTimeout().toNanos();
    }

    /**
     * Takes note of a connection that turned out to be broken. It is news, and a reason to sweep, if it was alive at
     * the last sweep or that was a while ago; otherwise that sweep was for it already.
     */
    void foundBroken(Entry<T> entry, long now) {
        suspicious |= entry.provenAtNanos > sweptAt || now - sweptAt >= SWEEP_NANOS;
    }

    /** Changes the number of ready ones the idle timeout spares. */
    void spareIdle(int least) {
        minIdle = least;
        nextIdleLookAt = 0;
    }

    /** Does everything due at {@code now} and returns when to look again. */
    long look(long now, Actions actions) {
        if (suspicious && now - sweptAt >= SWEEP_NANOS) {
            sweep(now, actions);
        }
        if (now >= nextIdleLookAt) {
            nextIdleLookAt = lookForIdle(now, actions);
        }
        if (now >= nextHeldLookAt) {
            nextHeldLookAt = lookForHeldTooLong(now, actions);
        }
        long next = Math.min(nextIdleLookAt, nextHeldLookAt);
        return suspicious ? Math.min(next, sweptAt + SWEEP_NANOS) : next;
    }

    /** Has everything that is ready checked before it is handed out again. */
    void sweep(long now, Actions actions) {
        sweptAt = now;
        suspicious = false;
        int[] count = {0};
        stock.slots().forEach(entry -> {
            if (entry.tryMove(Entry.READY, Entry.CHECKING)) {
                queue.add(entry);
                count[0]++;
            }
        });
        if (count[0] > 0) {
            actions.tell(() -> pool.listener.sweeping(count[0]));
        }
    }

    /** Sends idle connections to their keepalive, and discards those unused for the idle timeout. */
    private long lookForIdle(long now, Actions actions) {
        long keepalive = Pool.orNever(config.keepalive());
        long idleTimeout = Pool.orNever(config.idleTimeout());
        if (keepalive == Long.MAX_VALUE && idleTimeout == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        Idle idle = new Idle(now, keepalive, idleTimeout);
        stock.slots().forEach(idle::look);
        if (!idle.unused.isEmpty()) {
            discardUnused(idle.unused, now, actions);
        }
        long least = idle.next == now ? LOOK_NANOS : Math.max(LOOK_NANOS, Math.min(keepalive, idleTimeout) / LOOKS);
        return Math.max(now + least, idle.next);
    }

    private void discardUnused(List<Entry<T>> unused, long now, Actions actions) {
        int ready = stock.open() - stock.borrowed() - pendingChecks();
        for (Entry<T> entry : Stock.byUse(unused)) {
            if (ready > minIdle && stock.tryDiscard(entry, DiscardReason.IDLE_TIMEOUT, now, actions)) {
                ready--;
            }
        }
    }

    /** One walk over the ready connections. */
    private final class Idle {
        private final long now;
        private final long keepalive;
        private final long idleTimeout;
        private final List<Entry<T>> unused = new ArrayList<>();
        private int mayCheck = Math.max(1, Math.min(MOST_CHECKS_AT_ONCE, stock.open() / 10)) - pendingChecks();
        private long next;

        Idle(long now, long keepalive, long idleTimeout) {
            this.now = now;
            this.keepalive = keepalive;
            this.idleTimeout = idleTimeout;
            this.next = now + Math.min(keepalive, idleTimeout);
        }

        void look(Entry<T> entry) {
            if (!entry.isReady()) {
                return;
            }
            if (now - entry.usedAtNanos >= idleTimeout) {
                unused.add(entry);
            } else {
                next = Math.min(next, after(entry.usedAtNanos, idleTimeout));
            }
            if (now - entry.provenAtNanos < keepalive) {
                next = Math.min(next, after(entry.provenAtNanos, keepalive));
            } else if (mayCheck > 0 && entry.tryMove(Entry.READY, Entry.CHECKING)) {
                queue.add(entry);
                mayCheck--;
            } else {
                next = now;
            }
        }
    }

    private static long after(long nanos, long duration) {
        return duration == Long.MAX_VALUE ? Long.MAX_VALUE : nanos + duration;
    }

    private long lookForHeldTooLong(long now, Actions actions) {
        long tooLong = Pool.orNever(config.heldTooLong());
        if (tooLong == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        long[] next = {now + tooLong};
        stock.slots().forEach(entry -> {
            long loan = entry.state;
            if (!Entry.isLoan(loan) || entry.reported == loan) {
                return;
            }
            long held = Entry.heldNanos(loan, now);
            if (held >= tooLong) {
                entry.reported = loan;
                actions.tell(() -> pool.listener.heldTooLong(entry.value, held));
            } else {
                next[0] = Math.min(next[0], now + tooLong - held);
            }
        });
        return next[0];
    }

    /** The number of checks queued or running. */
    int pendingChecks() {
        return queue.size() + running.size();
    }

    /** Has {@code entry}, which stands at CHECKING, checked. */
    void check(Entry<T> entry) {
        queue.add(entry);
    }

    /** Removes and returns those that wait for a check. */
    List<Entry<T>> drainChecks() {
        List<Entry<T>> waiting = new ArrayList<>(queue);
        queue.clear();
        return waiting;
    }

    /** Starts the checks that may start and ends those that take too long. */
    long advanceChecks(long now, Actions actions) {
        long next = Long.MAX_VALUE;
        for (Iterator<Check> all = running.iterator(); all.hasNext(); ) {
            Check check = all.next();
            if (check.deadline <= now) {
                all.remove();
                failed(check.entry, now, actions);
            } else {
                next = Math.min(next, check.deadline);
            }
        }
        while (!queue.isEmpty() && running.size() < MOST_CHECKS_AT_ONCE) {
            Check check = new Check(queue.remove(), now + checkTimeoutNanos);
            running.add(check);
            next = Math.min(next, check.deadline);
            actions.add(check::begin);
        }
        return next;
    }

    private void passed(Entry<T> entry, long now, Actions actions) {
        entry.provenAtNanos = now;
        if (now < entry.retireAtNanos) {
            pool.backFromCheck(entry, now, actions);
        } else {
            entry.tryMove(Entry.CHECKING, Entry.GONE);
            stock.discardGone(entry, entry.reasonToGo(now, DiscardReason.EXPIRED_ON_SCAN), now, actions);
        }
    }

    private void failed(Entry<T> entry, long now, Actions actions) {
        entry.tryMove(Entry.CHECKING, Entry.GONE);
        stock.discardGone(entry, DiscardReason.FAILED_VALIDATION, now, actions);
        foundBroken(entry, now);
    }

    private final class Check implements Connector.Checking {
        private final Entry<T> entry;
        private final long deadline;

        Check(Entry<T> entry, long deadline) {
            this.entry = entry;
            this.deadline = deadline;
        }

        /** Runs outside the lock. A connection that cannot be checked is not known to be alive. */
        void begin() {
            try {
                pool.connector.check(entry.value, this);
            } catch (Throwable e) {
                Actions.threw(e);
                checked(false);
            }
        }

        /** Runs outside the lock. */
        @Override
        public void checked(boolean alive) {
            long now = pool.time.nanos();
            long[] next = {Long.MAX_VALUE};
            pool.decide(actions -> {
                if (!running.remove(this)) {
                    return; // it took too long and the connection is gone
                }
                if (alive) {
                    passed(entry, now, actions);
                } else {
                    failed(entry, now, actions);
                }
                next[0] = alive ? advanceChecks(now, actions) : 0;
            });
            pool.wakeAt(next[0]);
        }
    }
}
