// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.OpenFailure;
import dev.forebay.fleet.FleetStats.LeaseStats;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

/**
 * A lease for each connection, as Go services have it: a {@link Ledger} of one slot, closed with its connection.
 * Thread-safe.
 *
 * <p>Each connection costs two writes and its renewals, and the item that lists all leases grows with every one of
 * them; a fleet normally wants {@link Ledger} on its own. This is for operators that need to see every connection in
 * the table.
 */
final class LeasePerConnection implements Leases {

    private final LedgerConfig config;
    private final GuardedStore store;
    private final Time time;
    private final InstantSource wall;
    private final RandomGenerator random;
    private final FleetListener listener;

    /** The ledger that holds nothing and calls the roll for all of them. */
    private final Ledger head;

    private final Set<Ledger> ledgers = ConcurrentHashMap.newKeySet();

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<Runnable> releases = new ArrayList<>();

    /** The numbers of the ledgers that have ended. */
    @GuardedBy("lock")
    private LeaseStats ended = LeaseStats.NONE;

    /** Registered under the lock, so that each of them reaches each ledger once; run outside it. */
    @GuardedBy("lock")
    private final List<Runnable> drains = new ArrayList<>();

    private volatile boolean closed;

    /** Makes leases, none of which exists yet. */
    public LeasePerConnection(
            LedgerConfig config,
            GuardedStore store,
            Time time,
            InstantSource wall,
            RandomGenerator random,
            FleetListener listener) {
        this.config = config;
        this.store = store;
        this.time = time;
        this.wall = wall;
        this.random = random;
        this.listener = listener;
        this.head = new Ledger(config, store, time, wall, random, listener);
        head.whenReleased(this::noticeReleased);
    }

    @Override
    public void ask(long nowNanos, Answer answer) {
        Ledger ledger = new Ledger(config, store, time, wall, random, listener, false);
        lock.lock();
        try {
            drains.forEach(ledger::whenDraining);
            ledgers.add(ledger);
        } finally {
            lock.unlock();
        }
        ledger.whenReleased(this::noticeReleased);
        if (closed) {
            ledger.close(); // its answer says so
        }
        ledger.ask(nowNanos, new Answer() {
            @Override
            public void granted(Grant grant) {
                answer.granted(new Grant() {
                    @Override
                    public boolean isShared() {
                        return grant.isShared();
                    }

                    @Override
                    public void release() {
                        ledger.close();
                        grant.release();
                    }
                });
            }

            @Override
            public void notBefore(long nanos) {
                ledger.close();
                answer.notBefore(nanos);
            }

            @Override
            public void failed(OpenFailure failure) {
                ledger.close();
                answer.failed(failure);
            }
        });
    }

    private void noticeReleased() {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                List<Ledger> released =
                        ledgers.stream().filter(Ledger::isReleased).toList();
                for (Ledger ledger : released) {
                    ended = ended.plus(ledger.stats());
                    ledgers.remove(ledger);
                }
                if (head.isReleased() && ledgers.isEmpty()) {
                    actions.addAll(releases);
                    releases.clear();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public void whenReleased(Runnable action) {
        lock.lock();
        try {
            releases.add(action);
        } finally {
            lock.unlock();
        }
        noticeReleased();
    }

    @Override
    public void whenDraining(Runnable drain) {
        lock.lock();
        try {
            drains.add(drain);
            ledgers.forEach(ledger -> ledger.whenDraining(drain));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public LeaseStats stats() {
        lock.lock();
        try {
            LeaseStats sum = head.stats().plus(ended);
            for (Ledger ledger : ledgers) {
                sum = sum.plus(ledger.stats());
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        closed = true;
        head.close();
        ledgers.forEach(Ledger::close);
    }

    @Override
    public boolean isReleased() {
        noticeReleased();
        return head.isReleased() && ledgers.isEmpty();
    }
}
