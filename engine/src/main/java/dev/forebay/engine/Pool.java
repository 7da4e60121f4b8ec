// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.PoolConfig.ReuseOrder;
import dev.forebay.engine.Supply.Census;
import dev.forebay.engine.Supply.Demand;
import dev.forebay.engine.internal.Alarm;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A pool of anything that is scarce to open. Thread-safe.
 *
 * <h2>Two worlds</h2>
 *
 * Checkout and return take no lock: a connection's state is one word, moved by compare-and-set ({@link Entry}), and
 * finding a ready one costs the same at any size ({@link ReadySlots}). Everything else, from expiry to refill, is decided
 * in one step under one lock ({@link #poll}), which returns when it wants to run next; what it decides is done after the
 * lock is released. The pool starts no thread and reads no clock of its own: {@link Time} runs the step, and opening,
 * checking and closing are the {@link Connector}'s business, by callback.
 *
 * <h2>No waiter is forgotten</h2>
 *
 * The gate is zero as long as there is no waiter and the pool is open. A returner publishes the connection, then reads
 * the gate; a waiter raises the gate, then looks for a connection once more. Both are sequentially consistent, so
 * either the returner sees the waiter or the waiter sees the connection. A thread that sees a raised gate goes through
 * the lock, where waiters are served in their order; so newcomers queue behind them.
 *
 * <h2>What always holds</h2>
 *
 * After every step: ready + borrowed + opening + closing is at most maxOpen + spare, unless the maximum was lowered under
 * connections that are in use; every connection that exists owns its grants, and what has ended has released them; a
 * connection has one holder.
 *
 * @param <T> the type of the pooled values
 */
public final class Pool<T> implements AutoCloseable {

    private static final int CLOSED = 1 << 30;
    private static final int SUSPENDED = 1 << 29;

    private final PoolConfig config;
    final Connector<T> connector;
    final Time time;
    final RandomGenerator random;
    final PoolListener listener;
    private final boolean hearsCheckouts;
    final @Nullable Timings timings;
    private final boolean newestFirst;
    private final long trustNanos;
    private final ReadySlots<T> slots;
    private final Alarm alarm;
    private final AtomicLong returns = new AtomicLong();

    /** Entries that left their borrower's hands for good or for a check, for the next step to look after. */
    private final AtomicReference<@Nullable Entry<T>> outbox = new AtomicReference<>();

    /** Guards everything below, {@link Openings}, {@link Health}, {@link Stock}, and the places of entries. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The number of waiters, and whether the pool is suspended or closed. Written under the lock. */
    private volatile int gate;

    private final WaitQueue<T> queue = new WaitQueue<>(this);
    private final Stock<T> stock;
    private final Openings<T> openings;
    private final Health<T> health;
    private final long startedAtNanos;
    private Supply supply;
    private int maxOpen;
    private int spare;
    private boolean running;
    private long empties;

    /** Whether a waiter may yet be served by a connection that is being checked. Guarded by lock. */
    private boolean someAwaitProof;

    private final List<Runnable> onDrained = new ArrayList<>();

    /** Makes a pool that does nothing before {@link #start}. */
    public Pool(
            PoolConfig config,
            Connector<T> connector,
            List<? extends Admission> admissions,
            Time time,
            RandomGenerator random,
            PoolListener listener) {
        this.config = config;
        this.connector = connector;
        this.time = time;
        this.random = random;
        this.listener = listener == PoolListener.NONE ? listener : PoolListener.all(List.of(listener));
        this.hearsCheckouts = listener.hearsCheckouts();
        this.timings = listener.wantsTimes() ? new Timings(time) : null;
        this.newestFirst = config.reuseOrder() == ReuseOrder.NEWEST_FIRST;
        this.trustNanos = orNever(config.trust());
        this.supply = config.supply();
        this.maxOpen = config.maxOpen();
        this.spare = config.spare();
        this.stock = new Stock<>(this, maxOpen + spare);
        this.slots = stock.slots();
        this.openings = new Openings<>(this, List.copyOf(admissions), config);
        this.health = new Health<>(this, stock, config);
        this.alarm = new Alarm(time, this::poll);
        this.startedAtNanos = time.nanos();
        Runnable freed = this::freed;
        admissions.forEach(admission -> onDrained.add(admission.whenFreed(freed)));
    }

    /** Begins to open connections. */
    public void start() {
        lock.lock();
        try {
            running = true;
        } finally {
            lock.unlock();
        }
        wake();
    }

    // ---- checkout and return: no lock, no I/O, no clock but the coarse one

    /**
     * Takes a ready connection, if there is one and no caller waits. Without one this is counted as an empty pool.
     *
     * @param checkout a blank one, bound if this returns true
     * @param affinity equal for callers that run after each other, different for those that run at once: a thread's id
     */
    public boolean tryCheckout(Checkout<T> checkout, long affinity) {
        if (claim(checkout, affinity)) {
            return true;
        }
        long began = timings == null ? 0 : time.nanos();
        boolean served = false;
        lock.lock();
        try {
            if ((gate & (CLOSED | SUSPENDED)) == 0 && queue.size() == 0) {
                // With the gate raised, no return can slip a connection past this look, so empty means empty.
                raiseGate(1);
                served = bindThoroughly(checkout, affinity);
                raiseGate(-1);
            }
            if (!served) {
                empties++;
            }
        } finally {
            lock.unlock();
        }
        if (!served) {
            listener.foundEmpty();
        } else {
            noteWait(began);
            if (hearsCheckouts) {
                listener.checkedOut(0);
            }
        }
        return served;
    }

    /**
     * As {@link #tryCheckout}, for a caller that will retry: finding nothing is not counted, and may happen although a
     * connection was returned at the same moment.
     */
    public boolean claim(Checkout<T> checkout, long affinity) {
        if (gate != 0) {
            return false;
        }
        int many = timings == null ? 0 : timings.next(affinity);
        boolean claimed = many == 0 ? bind(checkout, affinity, 0) : claimTimed(checkout, affinity, many);
        if (claimed && hearsCheckouts) {
            listener.checkedOut(checkout.heldNanos(time.coarseNanos()));
        }
        return claimed;
    }

    private boolean claimTimed(Checkout<T> checkout, long affinity, int many) {
        long began = time.nanos();
        if (!bind(checkout, affinity, many)) {
            return false;
        }
        if (timings != null) {
            timings.sampled(time.nanos() - began);
        }
        return true;
    }

    /** Whether callers wait in line, or nobody is to be served: then {@link #claim} finds nothing. */
    public boolean isGated() {
        return gate != 0;
    }

    /** As {@link #claim}, for a caller that has found nothing ready since {@code sinceNanos}. */
    public boolean claim(Checkout<T> checkout, long affinity, long sinceNanos) {
        if (gate != 0 || !bind(checkout, affinity, 1)) {
            return false;
        }
        noteWait(sinceNanos);
        if (hearsCheckouts) {
            listener.checkedOut(checkout.heldNanos(time.coarseNanos()));
        }
        return true;
    }

    private void noteWait(long sinceNanos) {
        if (timings != null) {
            timings.waited(Math.max(0, time.nanos() - sinceNanos));
        }
    }

    /**
     * Takes a ready connection or waits in line for one.
     *
     * @param checkout a blank one, bound when {@code turn} is served
     * @param affinity as for {@link #tryCheckout}
     * @param deadlineNanos the time to stop waiting
     * @param turn called when the wait ends, maybe before this returns
     */
    public Waiter<T> checkout(Checkout<T> checkout, long affinity, long deadlineNanos, Waiter.Turn turn) {
        return checkout(checkout, affinity, time.nanos(), deadlineNanos, turn);
    }

    /** As the other, for a caller that has found nothing ready since {@code sinceNanos}: its wait has begun then. */
    public Waiter<T> checkout(
            Checkout<T> checkout, long affinity, long sinceNanos, long deadlineNanos, Waiter.Turn turn) {
        Waiter<T> waiter = new Waiter<>(this, checkout, affinity, sinceNanos, deadlineNanos, turn);
        if (claim(checkout, affinity, sinceNanos)) {
            waiter.ended(null);
            turn.served();
            return waiter;
        }
        Actions.decide(lock, actions -> enqueue(waiter, time.nanos(), actions));
        return waiter;
    }

    /**
     * Binds {@code checkout} to a connection that may be handed out, putting aside those that may not.
     *
     * @param many the number of uses that this one is timed for; 0 if it need not be timed
     */
    private boolean bind(Checkout<T> checkout, long affinity, int many) {
        long now = time.coarseNanos();
        while (true) {
            Entry<T> entry =
                    newestFirst ? slots.claimNewest(checkout, affinity, now) : slots.claim(checkout, affinity, now);
            if (entry == null) {
                return false;
            }
            if (isGood(entry, now)) {
                if (timings != null && (many != 0 || entry.isCheapToTime())) {
                    entry.beginUse(many);
                }
                return true;
            }
            putAside(entry, checkout.loan, now);
        }
    }

    /** As {@link #bind}, for a caller that would have to wait: finding nothing means that nothing is ready. Called under the lock. */
    private boolean bindThoroughly(Checkout<T> checkout, long affinity) {
        long now = time.coarseNanos();
        while (true) {
            Entry<T> entry = newestFirst
                    ? slots.claimNewestAnywhere(checkout, affinity, now)
                    : slots.claimAnywhere(checkout, affinity, now);
            if (entry == null) {
                return false;
            }
            if (isGood(entry, now)) {
                if (timings != null) {
                    entry.beginUse(1);
                }
                return true;
            }
            putAside(entry, checkout.loan, now);
        }
    }

    /** Whether an entry that was claimed may be handed out. */
    private boolean isGood(Entry<T> entry, long now) {
        return now < entry.retireAtNanos && now - entry.provenAtNanos <= trustNanos;
    }

    /** Has an entry that was claimed but may not be handed out discarded, or checked if that is all it needs. */
    private void putAside(Entry<T> entry, long loan, long now) {
        entry.unuse();
        if (now < entry.retireAtNanos) {
            entry.tryEnd(loan, Entry.CHECKING);
            post(entry);
        } else {
            discard(entry, loan, entry.reasonToGo(now, DiscardReason.EXPIRED_ON_CHECKOUT));
        }
    }

    boolean acceptReturn(Entry<T> entry, long loan) {
        if (entry.state != loan) {
            return false;
        }
        long now = time.coarseNanos();
        if (now >= entry.retireAtNanos) {
            return discardBorrowed(entry, loan, entry.reasonToGo(now, DiscardReason.EXPIRED_ON_RETURN));
        }
        endUse(entry, loan, now);
        entry.provenAtNanos = now;
        entry.usedAtNanos = now;
        if (newestFirst) {
            entry.returnOrder = returns.incrementAndGet();
        }
        if (!slots.publish(entry, loan)) {
            return false;
        }
        if (hearsCheckouts) {
            listener.returned(Entry.heldNanos(loan, now));
        }
        if (gate != 0) {
            serveAfterReturn(entry);
        }
        return true;
    }

    private void endUse(Entry<T> entry, long loan, long now) {
        if (timings != null) {
            entry.endUse(loan, now, timings);
        }
    }

    boolean discardBorrowed(Entry<T> entry, long loan, DiscardReason reason) {
        if (entry.state != loan) {
            return false;
        }
        endUse(entry, loan, time.coarseNanos());
        if (!discard(entry, loan, reason)) {
            return false;
        }
        if (hearsCheckouts) {
            listener.returned(Entry.heldNanos(loan, time.coarseNanos()));
        }
        return true;
    }

    private boolean discard(Entry<T> entry, long loan, DiscardReason reason) {
        if (!entry.tryEnd(loan, Entry.GONE)) {
            return false;
        }
        entry.discardReason = reason;
        post(entry);
        return true;
    }

    private void post(Entry<T> entry) {
        Entry<T> head;
        do {
            head = outbox.get();
            entry.next = head;
        } while (!outbox.compareAndSet(head, entry));
        wake();
    }

    // ---- waiting

    private void enqueue(Waiter<T> waiter, long now, Actions actions) {
        Refusal refusal = null;
        if ((gate & CLOSED) != 0) {
            refusal = Refusal.CLOSED;
        } else if (queue.size() >= config.maxWaiting()) {
            refusal = Refusal.TOO_MANY_WAITING;
        } else {
            queue.add(waiter);
            serve(now, actions);
            if (!waiter.queued) {
                return;
            }
            emptyOutbox(now, actions); // the one it waits for may have been put aside to be checked
            if (health.pendingChecks() > 0) {
                someAwaitProof = true;
            } else {
                foundEmpty(waiter, actions);
            }
            boolean full = maxOpen - stock.open() - stock.closing() - openings.live() - openings.abandoned() <= 0;
            if (config.exhaustion() == Exhaustion.FAIL_FAST
                    && full
                    && openings.live() == 0
                    && health.pendingChecks() == 0) {
                refusal = Refusal.EXHAUSTED;
            }
        }
        if (refusal == null) {
            wakeAt(supply.reactsToWaiting() ? 0 : waiter.deadlineNanos);
        } else {
            queue.refuse(waiter, refusal, now, actions);
        }
    }

    /** Counts the waiters as having found nothing once the connections that were being checked turned out to be dead. */
    private void disappoint(Actions actions) {
        if (!someAwaitProof || health.pendingChecks() > 0) {
            return;
        }
        someAwaitProof = false;
        for (Waiter<T> waiter = queue.first(); waiter != null; waiter = waiter.next) {
            foundEmpty(waiter, actions);
        }
    }

    /** Counts a waiter that found nothing once, however long it waits. */
    void foundEmpty(Waiter<T> waiter, Actions actions) {
        if (!waiter.foundEmpty) {
            waiter.foundEmpty = true;
            empties++;
            actions.tell(listener::foundEmpty);
        }
    }

    /** Hands ready connections to the waiters, in their order. */
    private void serve(long now, Actions actions) {
        Waiter<T> first = queue.first();
        while (first != null && (gate & SUSPENDED) == 0 && bindThoroughly(first.checkout, first.affinity)) {
            queue.serve(first, now, actions);
            first = queue.first();
        }
    }

    boolean cancel(Waiter<T> waiter, Refusal reason) {
        long now = time.nanos();
        boolean[] cancelled = {false};
        Actions.decide(lock, actions -> {
            cancelled[0] = queue.remove(waiter);
            if (cancelled[0]) {
                waiter.ended(reason);
                foundEmpty(waiter, actions);
                queue.count(reason);
                actions.tell(() -> listener.refused(reason, waiter.waitedNanos(now)));
            }
        });
        return cancelled[0];
    }

    private void serveAfterReturn(Entry<T> returned) {
        Actions.decide(lock, actions -> {
            if ((gate & CLOSED) != 0) {
                stock.tryDiscard(returned, DiscardReason.POOL_CLOSED, time.nanos(), actions);
            } else {
                serve(time.nanos(), actions);
            }
        });
    }

    // ---- the step

    /** Does everything that is due at {@code now} and returns when to be called next. */
    long poll(long now) {
        long[] next = {Long.MAX_VALUE};
        Actions.decide(lock, actions -> next[0] = decide(now, actions));
        return next[0];
    }

    private long decide(long now, Actions actions) {
        emptyOutbox(now, actions);
        long next = stock.expire(now, actions);
        if (!isClosed()) {
            next = Math.min(next, health.look(now, actions));
        }
        next = Math.min(next, health.advanceChecks(now, actions));
        serve(now, actions);
        disappoint(actions);
        next = Math.min(next, queue.timeOut(now, actions));
        next = Math.min(next, openings.abandonOverdue(now, actions));
        int wanted = 0;
        if (running && (gate & CLOSED) == 0) {
            Census census = census();
            Demand demand = supply.wanted(census, now);
            int cap = Math.max(0, census.room() + Math.min(spare, demand.extras()));
            wanted = Math.min(demand.opens() + demand.extras(), cap);
            next = Math.min(next, demand.recheckAtNanos());
        }
        next = Math.min(next, openings.bringTo(wanted, now, actions));
        noticeDrained(actions);
        return next;
    }

    private void emptyOutbox(long now, Actions actions) {
        Entry<T> entry = outbox.getAndSet(null);
        while (entry != null) {
            Entry<T> following = entry.next;
            entry.next = null;
            if (entry.is(Entry.CHECKING)) {
                health.check(entry);
            } else {
                DiscardReason reason = reasonOf(entry);
                if (reason == DiscardReason.BAD_CONNECTION) {
                    health.foundBroken(entry, now);
                }
                stock.discardGone(entry, reason, now, actions);
            }
            entry = following;
        }
    }

    private static DiscardReason reasonOf(Entry<?> entry) {
        DiscardReason reason = entry.discardReason;
        if (reason == null) {
            throw new IllegalStateException("bug: discarded without a reason");
        }
        return reason;
    }

    /** Makes an entry that was being checked ready again. Called under the lock. */
    void backFromCheck(Entry<T> entry, long now, Actions actions) {
        slots.publish(entry);
        serve(now, actions);
    }

    // ---- arrivals

    /** Takes in a connection that was opened. Called under the lock; the caller has taken it off the opens in progress. */
    void arrived(T value, List<Admission.Grant> grants, long bornAt, long now, Actions actions) {
        emptyOutbox(now, actions);
        Entry<T> entry = newEntry(value, grants, bornAt);
        actions.tell(() -> listener.opened(openCount(), now - bornAt));
        if ((gate & CLOSED) != 0) {
            stock.close(entry, DiscardReason.POOL_CLOSED, now, actions);
            return;
        }
        if (stock.staying() >= maxOpen && supply.extra() == Supply.Extra.OVERFLOW) {
            overflow(entry, now, actions);
            return;
        }
        stock.add(entry);
        slots.publish(entry);
        serve(now, actions);
        Demand demand = supply.wanted(census(), now);
        if (supply.extra() == Supply.Extra.REPLACEMENT && demand.opens() == 0 && demand.extras() > 0) {
            stock.displace(entry, demand.extras(), now, actions);
        }
        stock.trim(maxOpen, entry, now, actions);
    }

    private Entry<T> newEntry(T value, List<Admission.Grant> grants, long bornAt) {
        long lifetime = orNever(config.lifetime());
        if (lifetime == Long.MAX_VALUE) {
            return new Entry<>(this, value, grants, bornAt, Long.MAX_VALUE, Long.MAX_VALUE);
        }
        long jitter = config.lifetimeJitter().toNanos();
        long expiresAt = bornAt + lifetime + (long) (jitter * (random.nextDouble() - 0.5));
        return new Entry<>(
                this,
                value,
                grants,
                bornAt,
                expiresAt,
                expiresAt - config.guardWindow().toNanos());
    }

    /** Gives a connection beyond the maximum to the first waiter; it is closed when it comes back. */
    private void overflow(Entry<T> entry, long now, Actions actions) {
        Waiter<T> first = queue.first();
        if (first == null || (gate & SUSPENDED) != 0) {
            stock.close(entry, DiscardReason.RESERVOIR_FULL, now, actions);
            return;
        }
        stock.add(entry);
        stock.condemn(entry, DiscardReason.OVERFLOW);
        entry.tryBorrow(Entry.CHECKING, first.checkout, first.affinity, now);
        queue.serve(first, now, actions);
    }

    // ---- by hand

    /**
     * Changes the size while running. A larger pool fills up; a smaller one closes ready connections at once, borrowed
     * ones when they are returned.
     */
    public void resize(Supply supply, int maxOpen, int spare) {
        if (maxOpen < 0 || spare < 0) {
            throw new IllegalArgumentException("sizes must not be negative: " + maxOpen + ", " + spare);
        }
        act((now, actions) -> {
            this.supply = supply;
            this.maxOpen = maxOpen;
            this.spare = spare;
            emptyOutbox(now, actions);
            stock.trim(maxOpen, null, now, actions);
        });
    }

    /** As {@link #resize(Supply, int, int)}, with another number of ready ones that the idle timeout spares. */
    public void resize(Supply supply, int maxOpen, int spare, int minIdle) {
        lock.lock();
        try {
            health.spareIdle(minIdle);
        } finally {
            lock.unlock();
        }
        resize(supply, maxOpen, spare);
    }

    /** Discards every connection: those that are ready now, the others when they are returned. */
    public void evictAll() {
        act((now, actions) -> stock.discardAll(DiscardReason.EVICTED, now, actions));
    }

    /** Discards up to {@code most} ready connections, the longest unused first, and returns their number. */
    public int evictIdle(int most) {
        int[] evicted = {0};
        act((now, actions) -> {
            for (Entry<T> entry : stock.readyByUse()) {
                if (evicted[0] < most && stock.tryDiscard(entry, DiscardReason.EVICTED, now, actions)) {
                    evicted[0]++;
                }
            }
        });
        return evicted[0];
    }

    /** Has the connection that has been out longest discarded when it is returned; false if none is out that stays. */
    public boolean evictBorrowed() {
        boolean[] condemned = {false};
        act((now, actions) -> condemned[0] = stock.condemnLongestHeld(DiscardReason.EVICTED, now));
        return condemned[0];
    }

    /** Refuses all waiters with {@code why}, because the pool's owner knows that waiting is of no use; returns their number. */
    public int refuseWaiting(Refusal why) {
        int[] refused = {0};
        act((now, actions) -> {
            refused[0] = queue.size();
            queue.refuseAll(why, now, actions);
        });
        return refused[0];
    }

    /** Has everything that is ready checked now. */
    public void checkAll() {
        act(health::sweep);
    }

    /** Hands out nothing until {@link #resume}: checkouts wait, returns are taken, the level is kept. */
    public void suspend() {
        act((now, actions) -> gate |= SUSPENDED);
    }

    /** Whether it hands out nothing because of {@link #suspend}. */
    public boolean isSuspended() {
        return (gate & SUSPENDED) != 0;
    }

    /** Goes on after {@link #suspend}. */
    public void resume() {
        act((now, actions) -> {
            gate &= ~SUSPENDED;
            serve(now, actions);
        });
    }

    /**
     * Closes the pool: waiters are refused at once, ready connections closed, borrowed ones closed when they are
     * returned, and every grant is released with its connection. Does not wait for that; see {@link #whenDrained}.
     */
    @Override
    public void close() {
        act((now, actions) -> {
            if ((gate & CLOSED) != 0) {
                return;
            }
            gate |= CLOSED;
            queue.refuseAll(Refusal.CLOSED, now, actions);
            stock.discardAll(DiscardReason.POOL_CLOSED, now, actions);
            for (Entry<T> entry : health.drainChecks()) {
                if (entry.tryMove(Entry.CHECKING, Entry.GONE)) {
                    stock.discardGone(entry, DiscardReason.POOL_CLOSED, now, actions);
                }
            }
        });
    }

    /** Runs {@code action} once the pool is closed and nothing of it is open, opening or closing any more. */
    public void whenDrained(Runnable action) {
        act((now, actions) -> onDrained.add(action));
    }

    private void noticeDrained(Actions actions) {
        if ((gate & CLOSED) != 0
                && stock.open() == 0
                && stock.closing() == 0
                && openings.live() == 0
                && openings.abandoned() == 0
                && !onDrained.isEmpty()) {
            actions.addAll(onDrained);
            onDrained.clear();
        }
    }

    private void act(Actions.Decision decision) {
        Actions.decide(lock, actions -> decision.decide(time.nanos(), actions));
        wake();
    }

    // ---- observing

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return (gate & CLOSED) != 0;
    }

    /** The number of connections that are ready or borrowed. */
    public int openCount() {
        lock.lock();
        try {
            return stock.open();
        } finally {
            lock.unlock();
        }
    }

    /** The number of waiters. Takes no lock. */
    public int waitingCount() {
        return gate & ~(CLOSED | SUSPENDED);
    }

    /** The time since which the longest unused ready connection has been unused, {@link Long#MAX_VALUE} if none is ready. */
    public long idleSinceNanos() {
        long[] since = {Long.MAX_VALUE};
        lock.lock();
        try {
            slots.forEach(entry -> {
                if (entry.isReady()) {
                    since[0] = Math.min(since[0], entry.usedAtNanos);
                }
            });
        } finally {
            lock.unlock();
        }
        return since[0];
    }

    /** Returns the open connections, each with its history. */
    public List<Pooled<T>> inventory() {
        long now = time.nanos();
        List<Pooled<T>> open = new ArrayList<>();
        lock.lock();
        try {
            slots.forEach(entry -> {
                long loan = entry.state;
                open.add(new Pooled<>(
                        entry.value,
                        Entry.isLoan(loan),
                        entry.isCondemned(),
                        Entry.isLoan(loan) ? Entry.heldNanos(loan, now) : 0,
                        entry.bornAtNanos,
                        entry.usedAtNanos,
                        entry.provenAtNanos,
                        entry.uses()));
            });
        } finally {
            lock.unlock();
        }
        return open;
    }

    /**
     * One open connection as it is now.
     *
     * @param value the pooled value
     * @param borrowed whether a borrower has it
     * @param leaving whether it is discarded as soon as no borrower has it
     * @param heldNanos the time a borrower has had it; 0 if none has
     * @param bornAtNanos the time its open began
     * @param usedAtNanos the time it was last returned, or born
     * @param provenAtNanos the time it was last known to be alive
     * @param uses the number of times it was taken
     */
    public record Pooled<T>(
            T value,
            boolean borrowed,
            boolean leaving,
            long heldNanos,
            long bornAtNanos,
            long usedAtNanos,
            long provenAtNanos,
            long uses) {

        /** The coarse clock, off which a return is read, may lag behind the birth. */
        public Pooled {
            usedAtNanos = Math.max(bornAtNanos, usedAtNanos);
            provenAtNanos = Math.max(bornAtNanos, provenAtNanos);
        }
    }

    /** The current numbers. Walks all connections: for a console, not for every request. */
    public PoolStats stats() {
        long now = time.nanos();
        lock.lock();
        try {
            Census census = census();
            int borrowed = census.borrowed();
            long checkouts = stock.uses();
            return new PoolStats(
                    census.open() - borrowed,
                    borrowed,
                    census.opening(),
                    census.closing(),
                    census.waiting(),
                    supply.target(),
                    maxOpen,
                    checkouts,
                    empties,
                    queue.served(),
                    queue.servedAfterNanos(),
                    queue.timeouts(),
                    queue.oldestNanos(now),
                    openings.opened(),
                    openings.failures(),
                    stock.discards(),
                    timings == null
                            ? PoolStats.Times.NONE
                            : timings.read(checkouts, checkouts - borrowed, stock.usedNanos()));
        } finally {
            lock.unlock();
        }
    }

    /** Returns the borrowed connections, the longest held first. */
    public List<Holding<T>> holdings() {
        long now = time.nanos();
        List<Holding<T>> held = new ArrayList<>();
        lock.lock();
        try {
            slots.forEach(entry -> {
                long loan = entry.state;
                if (Entry.isLoan(loan)) {
                    held.add(new Holding<>(entry.value, entry.affinity, Entry.heldNanos(loan, now)));
                }
            });
        } finally {
            lock.unlock();
        }
        held.sort(Comparator.comparingLong(holding -> -holding.heldNanos()));
        return held;
    }

    /**
     * One connection in a borrower's hands.
     *
     * @param value the pooled value
     * @param affinity the affinity the borrower passed at checkout
     * @param heldNanos the time it has been held
     */
    public record Holding<T>(T value, long affinity, long heldNanos) {}

    /** Passes every open connection to {@code action}. Called under the lock. */
    void forEach(Consumer<Entry<T>> action) {
        slots.forEach(action);
    }

    /** Counts the pool. Called under the lock. */
    private Census census() {
        return new Census(
                stock.open(),
                stock::borrowed,
                openings.live(),
                stock.closing() + openings.abandoned(),
                queue.size(),
                maxOpen,
                spare,
                openings.opened(),
                openings.givenUp(),
                new View());
    }

    private final class View implements Census.Horizon {
        @Override
        public int size() {
            return stock.expiry().size();
        }

        @Override
        public long dueAtNanos(int index) {
            return stock.expiry().get(index).dueAtNanos;
        }

        @Override
        public int startedSince(long nanos) {
            return openings.startedSince(nanos);
        }

        @Override
        public double grantsPerSecond() {
            return openings.pace().grantsPerSecond();
        }

        @Override
        public long connectNanos() {
            return openings.pace().connectNanos();
        }

        @Override
        public long startedAtNanos() {
            return startedAtNanos;
        }
    }

    // ---- for the parts of the engine

    /** Decides under the lock, then does what was decided. */
    void decide(Consumer<Actions> decision) {
        Actions.decide(lock, decision);
    }

    /** Changes the number of waiters. Called under the lock, which makes reading and writing it one. */
    void raiseGate(int by) {
        int before = gate;
        gate = before + by;
    }

    private void freed() {
        lock.lock();
        try {
            openings.askAgain();
        } finally {
            lock.unlock();
        }
        wake();
    }

    void wake() {
        alarm.setNow();
    }

    void wakeAt(long nanos) {
        alarm.set(nanos);
    }

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    /** The nanoseconds of {@code duration}; zero means never. */
    static long orNever(Duration duration) {
        return duration.isZero() ? Long.MAX_VALUE : duration.toNanos();
    }
}
