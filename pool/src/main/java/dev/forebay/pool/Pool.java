// SPDX-License-Identifier: Apache-2.0
package dev.forebay.pool;

import dev.forebay.event.PoolListener;
import dev.forebay.event.PoolStats;
import dev.forebay.pool.Supply.Demand;
import dev.forebay.time.Time;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A pool of anything that is scarce to open. Thread-safe.
 *
 * <h2>Two worlds</h2>
 *
 * Checkout and return take no lock: a connection's state is one reference, moved by compare-and-set ({@link Entry}), and
 * finding a ready one costs the same at any size ({@link ReadySlots}). Everything else, from expiry to refill, is decided
 * in one step under one lock ({@link #poll}), which returns when it wants to run next; what it decides is done after the
 * lock is released. The pool starts no thread and reads no clock of its own: {@link Time} runs the step, and opening,
 * checking and closing are the {@link Connector}'s business, by callback.
 *
 * <h2>Nobody is forgotten</h2>
 *
 * The gate is zero as long as nobody waits and the pool is open. A returner publishes the connection, then reads the
 * gate; one who waits raises the gate, then looks for a connection once more. Both are sequentially consistent, so
 * either the returner sees that someone waits or the waiter sees the connection. Whoever sees a raised gate goes through
 * the lock, where waiters are served in their order; so newcomers queue behind them.
 *
 * <h2>What always holds</h2>
 *
 * After every step: ready + leased + opening + closing is at most maxOpen + spare, unless the maximum was lowered under
 * connections that are in use; every connection that exists owns its grants, and what has ended has released them; a
 * connection has one holder.
 *
 * @param <T> what is pooled
 */
public final class Pool<T> implements AutoCloseable {

    private static final int CLOSED = 1 << 30;
    private static final int SUSPENDED = 1 << 29;

    /** How often to look again at connections that should go as soon as they are returned. */
    private static final long SCAN_NANOS = 1_000_000_000;

    /** The least time between two sweeps, and between two looks for idle ones while checks are under way. */
    private static final long SWEEP_NANOS = 1_000_000_000;

    private static final long IDLE_LOOK_NANOS = 10_000_000;

    private final PoolConfig config;
    private final Connector<T> connector;
    private final Time time;
    private final RandomGenerator random;
    private final PoolListener listener;
    private final boolean hearsCheckouts;
    private final boolean newestFirst;
    private final long trustNanos;
    private final ReadySlots<T> slots;
    private final Alarm alarm;
    private final AtomicLong returns = new AtomicLong();

    /** Entries that left their borrower's hands for good or for a check, for the next step to look after. */
    private final AtomicReference<@Nullable Entry<T>> outbox = new AtomicReference<>();

    /** A connection was reported broken since the last step. */
    private volatile boolean suspicious;

    /** Guards everything below, {@link Openings}, {@link Checks}, and the places of entries. */
    private final ReentrantLock lock = new ReentrantLock();

    /** How many wait, and whether the pool is suspended or closed. Written under the lock. */
    private volatile int gate;

    private final WaitQueue<T> queue = new WaitQueue<>();
    private final ExpiryOrder<T> expiry = new ExpiryOrder<>();
    private final Openings<T> openings;
    private final Checks<T> checks;
    private final long startedAtNanos;
    private Supply supply;
    private int maxOpen;
    private int spare;
    private boolean running;
    private int open;
    private int closing;
    /** How many of the open ones go as soon as they are returned, whatever their time. */
    private int condemned;

    private long nextIdleLookAt = Long.MAX_VALUE;
    private long nextHeldLookAt = Long.MAX_VALUE;
    private long sweptAt = Long.MIN_VALUE / 2;
    private long goneUses;
    private long empties;
    private long waits;
    private long waitedNanos;
    private long timeouts;
    private final Map<DiscardReason, Long> discards = new EnumMap<>(DiscardReason.class);
    private final List<Runnable> onDrained = new ArrayList<>();

    /** A pool that does nothing before {@link #start}. */
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
        this.listener = listener;
        this.hearsCheckouts = listener.hearsCheckouts();
        this.newestFirst = config.reuseOrder() == ReuseOrder.NEWEST_FIRST;
        this.trustNanos = orNever(config.trust().toNanos());
        this.supply = config.supply();
        this.maxOpen = config.maxOpen();
        this.spare = config.spare();
        this.slots = new ReadySlots<>(maxOpen + spare);
        this.openings = new Openings<>(this, List.copyOf(admissions), config);
        this.checks = new Checks<>(this, config.checkTimeout().toNanos());
        this.alarm = new Alarm(time, this::poll);
        this.startedAtNanos = time.nanos();
        admissions.forEach(admission -> admission.whenFreed(this::freed));
    }

    /** Begins to open connections. */
    public void start() {
        lock.lock();
        try {
            running = true;
            nextIdleLookAt = config.keepalive().isZero() && config.idleTimeout().isZero() ? Long.MAX_VALUE : 0;
            nextHeldLookAt = config.heldTooLong().isZero() ? Long.MAX_VALUE : 0;
        } finally {
            lock.unlock();
        }
        wake();
    }

    // ---- checkout and return: no lock, no I/O, no clock but the coarse one

    /**
     * Takes a ready connection, if there is one that nobody waits for. Without one this is counted as an empty pool.
     *
     * @param checkout a blank one, bound if this returns true
     * @param affinity equal for callers that run after each other, different for those that run at once: a thread's id
     */
    public boolean tryCheckout(Checkout<T> checkout, long affinity) {
        if (claim(checkout, affinity)) {
            return true;
        }
        boolean served = false;
        lock.lock();
        try {
            if ((gate & (CLOSED | SUSPENDED)) == 0 && queue.size() == 0) {
                // With the gate raised, nobody can slip a connection past this look, so empty means empty.
                raiseGate(1);
                served = bind(checkout, affinity);
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
        } else if (hearsCheckouts) {
            listener.checkedOut(0);
        }
        return served;
    }

    /**
     * As {@link #tryCheckout}, for one who will try again: coming away with nothing is not counted, and may happen
     * although a connection was returned at the same moment.
     */
    public boolean claim(Checkout<T> checkout, long affinity) {
        if (gate != 0 || !bind(checkout, affinity)) {
            return false;
        }
        if (hearsCheckouts) {
            listener.checkedOut(checkout.sinceNanos(time.coarseNanos()));
        }
        return true;
    }

    /**
     * Takes a ready connection or waits in line for one.
     *
     * @param checkout a blank one, bound when {@code turn} is served
     * @param affinity as for {@link #tryCheckout}
     * @param deadlineNanos when to stop waiting
     * @param turn told how it ends; may be called before this returns
     */
    public Waiter<T> checkout(Checkout<T> checkout, long affinity, long deadlineNanos, Waiter.Turn turn) {
        long now = time.nanos();
        Waiter<T> waiter = new Waiter<>(this, checkout, affinity, now, deadlineNanos, turn);
        if (claim(checkout, affinity)) {
            turn.served();
            return waiter;
        }
        List<Runnable> actions = new ArrayList<>();
        lock.lock();
        try {
            enqueue(waiter, now, actions);
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
        return waiter;
    }

    /** Binds {@code checkout} to a connection that may be handed out, putting aside those that may not. */
    private boolean bind(Checkout<T> checkout, long affinity) {
        long now = time.coarseNanos();
        checkout.since = (int) (now >>> 20);
        while (true) {
            Entry<T> entry = newestFirst ? slots.claimNewest(checkout) : slots.claim(checkout, affinity);
            if (entry == null) {
                return false;
            }
            if (now < entry.retireAtNanos && now - entry.provenAtNanos <= trustNanos) {
                entry.countUse();
                return true;
            }
            putAside(entry, checkout, now);
        }
    }

    /** Has an entry that was claimed but may not be handed out discarded, or checked if that is all it needs. */
    private void putAside(Entry<T> entry, Checkout<T> claimed, long now) {
        if (now < entry.retireAtNanos) {
            entry.tryMove(claimed, Entry.CHECKING);
            post(entry);
        } else {
            discard(entry, claimed, retireReason(entry, now, DiscardReason.EXPIRED_ON_CHECKOUT));
        }
    }

    boolean giveBack(Entry<T> entry, Checkout<T> by) {
        if (entry.holder != by) {
            return false;
        }
        long now = time.coarseNanos();
        if (now >= entry.retireAtNanos) {
            return throwAway(entry, by, retireReason(entry, now, DiscardReason.EXPIRED_ON_RETURN));
        }
        long held = hearsCheckouts ? by.sinceNanos(now) : 0;
        entry.provenAtNanos = now;
        entry.usedAtNanos = now;
        if (newestFirst) {
            entry.returnOrder = returns.incrementAndGet();
        }
        if (!slots.publish(entry, by)) {
            return false;
        }
        if (hearsCheckouts) {
            listener.returned(held);
        }
        if (gate != 0) {
            serveAfterReturn(entry);
        }
        return true;
    }

    boolean throwAway(Entry<T> entry, Checkout<T> by, DiscardReason reason) {
        long held = by.sinceNanos(time.coarseNanos());
        if (!discard(entry, by, reason)) {
            return false;
        }
        if (reason == DiscardReason.BAD_CONNECTION) {
            suspicious = true;
        }
        if (hearsCheckouts) {
            listener.returned(held);
        }
        return true;
    }

    private boolean discard(Entry<T> entry, Object holder, DiscardReason reason) {
        if (!entry.tryMove(holder, Entry.GONE)) {
            return false;
        }
        entry.discardReason = reason;
        post(entry);
        return true;
    }

    private static DiscardReason retireReason(Entry<?> entry, long now, DiscardReason expired) {
        DiscardReason decided = entry.retireReason;
        if (entry.retireAtNanos == Entry.AT_ONCE && decided != null) {
            return decided;
        }
        return now >= entry.expiresAtNanos ? expired : DiscardReason.INSUFFICIENT_REMAINING_LIFETIME;
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

    private void enqueue(Waiter<T> waiter, long now, List<Runnable> actions) {
        Refusal refusal = null;
        if ((gate & CLOSED) != 0) {
            refusal = Refusal.CLOSED;
        } else if (queue.size() >= config.maxWaiting()) {
            refusal = Refusal.TOO_MANY_WAITING;
        } else {
            queue.add(waiter);
            raiseGate(1);
            serve(now, actions);
            if (!waiter.queued) {
                return;
            }
            empties++;
            actions.add(listener::foundEmpty);
            boolean full = maxOpen - open - closing - openings.live() - openings.abandoned() <= 0;
            if (config.exhaustion() == Exhaustion.FAIL_FAST && full && openings.live() == 0 && checks.pending() == 0) {
                refusal = Refusal.EXHAUSTED;
                leave(waiter);
            }
        }
        if (refusal == null) {
            wakeAt(supply.reactsToWaiting() ? 0 : waiter.deadlineNanos);
        } else {
            refuse(waiter, refusal, now, actions);
        }
    }

    /** Hands ready connections to those who wait, in their order. */
    private void serve(long now, List<Runnable> actions) {
        Waiter<T> first = queue.first();
        while (first != null && (gate & SUSPENDED) == 0 && bind(first.checkout, first.affinity)) {
            served(first, now, actions);
            first = queue.first();
        }
    }

    private void served(Waiter<T> waiter, long now, List<Runnable> actions) {
        leave(waiter);
        long waited = Math.max(0, now - waiter.sinceNanos);
        waits++;
        waitedNanos += waited;
        actions.add(() -> {
            listener.checkedOut(waited);
            waiter.turn.served();
        });
    }

    private void leave(Waiter<T> waiter) {
        queue.remove(waiter);
        raiseGate(-1);
    }

    /** Called under the lock, which makes reading and writing it one. */
    private void raiseGate(int by) {
        int before = gate;
        gate = before + by;
    }

    private void refuse(Waiter<T> waiter, Refusal refusal, long now, List<Runnable> actions) {
        if (refusal == Refusal.TIMED_OUT) {
            timeouts++;
        }
        long waited = Math.max(0, now - waiter.sinceNanos);
        actions.add(() -> {
            listener.refused(refusal, waited);
            waiter.turn.refused(refusal);
        });
    }

    boolean cancel(Waiter<T> waiter, Refusal reason) {
        long now = time.nanos();
        lock.lock();
        try {
            if (!waiter.queued) {
                return false;
            }
            leave(waiter);
            if (reason == Refusal.TIMED_OUT) {
                timeouts++;
            }
        } finally {
            lock.unlock();
        }
        listener.refused(reason, Math.max(0, now - waiter.sinceNanos));
        return true;
    }

    private void serveAfterReturn(Entry<T> returned) {
        List<Runnable> actions = new ArrayList<>();
        lock.lock();
        try {
            if ((gate & CLOSED) != 0) {
                discard(returned, Entry.READY, DiscardReason.POOL_CLOSED);
            } else {
                serve(time.nanos(), actions);
            }
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
    }

    // ---- the step

    /** Does everything that is due at {@code now} and returns when to be called next. */
    long poll(long now) {
        List<Runnable> actions = new ArrayList<>();
        long next;
        lock.lock();
        try {
            next = decide(now, actions);
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
        return next;
    }

    private long decide(long now, List<Runnable> actions) {
        emptyOutbox(now, actions);
        long next = expire(now, actions);
        if (suspicious) {
            suspicious = false;
            sweep(now, actions);
        }
        next = Math.min(next, lookForIdle(now, actions));
        next = Math.min(next, checks.decide(now, actions));
        next = Math.min(next, timeOutWaiters(now, actions));
        next = Math.min(next, lookForHeldTooLong(now, actions));
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

    private void emptyOutbox(long now, List<Runnable> actions) {
        Entry<T> entry = outbox.getAndSet(null);
        while (entry != null) {
            Entry<T> following = entry.next;
            entry.next = null;
            if (entry.holder == Entry.CHECKING) {
                checks.add(entry);
            } else {
                expiry.remove(entry);
                letGo(entry, reasonOf(entry), now, actions);
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

    /** Discards what is ready and due. What is due but leased goes when it is returned. */
    private long expire(long now, List<Runnable> actions) {
        expiry.removeDue(now, entry -> {
            if (!entry.tryMove(Entry.READY, Entry.GONE)) {
                return false;
            }
            boolean past = now >= entry.expiresAtNanos;
            letGo(entry, past ? DiscardReason.EXPIRED_ON_SCAN : DiscardReason.EXPIRING_SOON_ON_SCAN, now, actions);
            return true;
        });
        if (condemned > 0) {
            discardReady(entry -> entry.retireAtNanos == Entry.AT_ONCE, DiscardReason.EVICTED, now, actions);
        }
        long next = expiry.nextAfter(now);
        boolean someAreDue = expiry.size() > 0 && expiry.get(0).dueAtNanos <= now;
        return someAreDue || condemned > 0 ? Math.min(next, now + SCAN_NANOS) : next;
    }

    private int discardReady(Predicate<Entry<T>> which, DiscardReason reason, long now, List<Runnable> actions) {
        List<Entry<T>> taken = new ArrayList<>();
        slots.forEach(entry -> {
            if (which.test(entry) && entry.tryMove(Entry.READY, Entry.GONE)) {
                taken.add(entry);
            }
        });
        for (Entry<T> entry : taken) {
            DiscardReason decided = entry.retireReason;
            expiry.remove(entry);
            letGo(entry, decided == null ? reason : decided, now, actions);
        }
        return taken.size();
    }

    /** Takes an entry that is GONE, and no longer in the expiry order, out of the count and has it closed. */
    private void letGo(Entry<T> entry, DiscardReason reason, long now, List<Runnable> actions) {
        slots.remove(entry);
        open--;
        goneUses += entry.uses();
        if (entry.retireAtNanos == Entry.AT_ONCE) {
            condemned--;
        }
        close(entry, reason, now, actions);
    }

    private void close(Entry<T> entry, DiscardReason reason, long now, List<Runnable> actions) {
        closing++;
        discards.merge(reason, 1L, Long::sum);
        long remaining = Math.max(0, entry.expiresAtNanos - now);
        actions.add(() -> {
            listener.discarded(reason, remaining);
            connector.close(entry.value, reason, () -> closed(entry));
        });
    }

    private void closed(Entry<T> entry) {
        lock.lock();
        try {
            closing--;
        } finally {
            lock.unlock();
        }
        entry.grants.forEach(Admission.Grant::release);
        wake();
    }

    /** Has {@code entry}, which is in use, discarded as soon as it comes back. */
    private void condemn(Entry<T> entry, DiscardReason reason) {
        if (entry.retireAtNanos != Entry.AT_ONCE) {
            entry.retireReason = reason;
            entry.retireAtNanos = Entry.AT_ONCE;
            condemned++;
            expiry.remove(entry);
        }
    }

    // ---- arrivals

    /** Takes in what was opened. Called under the lock; the caller has taken it off the opens under way. */
    void arrived(T value, List<Admission.Grant> grants, long bornAt, long now, List<Runnable> actions) {
        emptyOutbox(now, actions);
        Entry<T> entry = newEntry(value, grants, bornAt);
        actions.add(() -> listener.opened(openCount(), now - bornAt));
        if ((gate & CLOSED) != 0) {
            close(entry, DiscardReason.POOL_CLOSED, now, actions);
            return;
        }
        if (open - condemned >= maxOpen && supply.extra() == Supply.Extra.OVERFLOW) {
            overflow(entry, now, actions);
            return;
        }
        open++;
        slots.place(entry);
        if (entry.dueAtNanos != Long.MAX_VALUE) {
            expiry.add(entry);
        }
        slots.publish(entry, null);
        serve(now, actions);
        Demand demand = supply.wanted(census(), now);
        if (demand.opens() == 0 && demand.extras() > 0) {
            displace(entry, demand.extras(), now, actions);
        }
        trim(entry, now, actions);
    }

    private Entry<T> newEntry(T value, List<Admission.Grant> grants, long bornAt) {
        long lifetime = orNever(config.lifetime().toNanos());
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

    /** Gives a connection beyond the maximum to the first who waits; it is closed when it comes back. */
    private void overflow(Entry<T> entry, long now, List<Runnable> actions) {
        Waiter<T> first = queue.first();
        if (first == null || (gate & SUSPENDED) != 0) {
            close(entry, DiscardReason.RESERVOIR_FULL, now, actions);
            return;
        }
        open++;
        slots.place(entry);
        condemn(entry, DiscardReason.OVERFLOW);
        first.checkout.entry = entry;
        first.checkout.since = (int) (now >>> 20);
        entry.holder = first.checkout;
        entry.countUse();
        served(first, now, actions);
    }

    /** Lets the earliest-expiring ready connection among the first {@code due} go, because {@code arrival} replaces it. */
    private void displace(Entry<T> arrival, int due, long now, List<Runnable> actions) {
        for (int i = 0; i < Math.min(due, expiry.size()); i++) {
            Entry<T> entry = expiry.get(i);
            if (entry != arrival && entry.tryMove(Entry.READY, Entry.GONE)) {
                expiry.remove(entry);
                letGo(entry, DiscardReason.REPLACED, now, actions);
                return;
            }
        }
        Entry<T> earliest = expiry.size() == 0 ? arrival : expiry.get(0);
        if (earliest != arrival) {
            condemn(earliest, DiscardReason.REPLACED);
        }
    }

    /** Lets go of what is above the maximum: ready ones at once, the earliest to expire first, then leased ones. */
    private void trim(@Nullable Entry<T> arrival, long now, List<Runnable> actions) {
        int surplus = open - condemned - maxOpen;
        if (surplus <= 0) {
            return;
        }
        List<Entry<T>> earliestFirst = new ArrayList<>();
        slots.forEach(entry -> {
            if (entry.retireAtNanos != Entry.AT_ONCE) {
                earliestFirst.add(entry);
            }
        });
        earliestFirst.sort(Comparator.comparingLong((Entry<T> e) -> e == arrival ? Long.MAX_VALUE : e.dueAtNanos));
        for (Entry<T> entry : earliestFirst) {
            if (surplus > 0 && entry.tryMove(Entry.READY, Entry.GONE)) {
                expiry.remove(entry);
                letGo(entry, DiscardReason.RESERVOIR_FULL, now, actions);
                surplus--;
            }
        }
        for (Entry<T> entry : earliestFirst) {
            if (surplus > 0 && entry.holder != Entry.GONE) {
                condemn(entry, DiscardReason.RESERVOIR_FULL);
                surplus--;
            }
        }
    }

    // ---- the health of what is ready

    void passedCheck(Entry<T> entry, long now, List<Runnable> actions) {
        entry.provenAtNanos = now;
        if ((gate & CLOSED) != 0 || now >= entry.retireAtNanos) {
            entry.tryMove(Entry.CHECKING, Entry.GONE);
            expiry.remove(entry);
            letGo(entry, retireReason(entry, now, DiscardReason.EXPIRED_ON_SCAN), now, actions);
            return;
        }
        slots.publish(entry, Entry.CHECKING);
        serve(now, actions);
    }

    void failedCheck(Entry<T> entry, long now, List<Runnable> actions) {
        entry.tryMove(Entry.CHECKING, Entry.GONE);
        expiry.remove(entry);
        letGo(entry, DiscardReason.FAILED_VALIDATION, now, actions);
        suspicious = true;
    }

    /** Has everything that is ready checked before it is handed out again. */
    private void sweep(long now, List<Runnable> actions) {
        if (now - sweptAt < SWEEP_NANOS) {
            return;
        }
        sweptAt = now;
        int[] count = {0};
        slots.forEach(entry -> {
            if (entry.provenAtNanos < now && entry.tryMove(Entry.READY, Entry.CHECKING)) {
                checks.add(entry);
                count[0]++;
            }
        });
        if (count[0] > 0) {
            actions.add(() -> listener.sweeping(count[0]));
        }
    }

    /** Sends idle connections to their keepalive, and lets go of those nobody has used for long. */
    private long lookForIdle(long now, List<Runnable> actions) {
        if ((gate & CLOSED) != 0) {
            return Long.MAX_VALUE;
        }
        if (now < nextIdleLookAt) {
            return nextIdleLookAt;
        }
        long keepalive = orNever(config.keepalive().toNanos());
        long idleTimeout = orNever(config.idleTimeout().toNanos());
        List<Entry<T>> ready = new ArrayList<>();
        slots.forEach(entry -> {
            if (entry.isReady()) {
                ready.add(entry);
            }
        });
        ready.sort(Comparator.comparingLong(entry -> entry.usedAtNanos));
        int mayGo = ready.size() - config.minIdle();
        int mayCheck = Math.max(1, open / 10) - checks.pending();
        long next = now + Math.min(keepalive, idleTimeout);
        for (Entry<T> entry : ready) {
            if (mayGo > 0 && now - entry.usedAtNanos >= idleTimeout) {
                if (entry.tryMove(Entry.READY, Entry.GONE)) {
                    expiry.remove(entry);
                    letGo(entry, DiscardReason.IDLE_TIMEOUT, now, actions);
                    mayGo--;
                }
                continue;
            }
            if (now - entry.provenAtNanos >= keepalive) {
                if (mayCheck > 0 && entry.tryMove(Entry.READY, Entry.CHECKING)) {
                    checks.add(entry);
                    mayCheck--;
                } else {
                    next = Math.min(next, now + IDLE_LOOK_NANOS);
                }
            } else if (keepalive != Long.MAX_VALUE) {
                next = Math.min(next, entry.provenAtNanos + keepalive);
            }
            if (idleTimeout != Long.MAX_VALUE && now - entry.usedAtNanos < idleTimeout) {
                next = Math.min(next, entry.usedAtNanos + idleTimeout);
            }
        }
        nextIdleLookAt = next;
        return next;
    }

    private long lookForHeldTooLong(long now, List<Runnable> actions) {
        if ((gate & CLOSED) != 0) {
            return Long.MAX_VALUE;
        }
        if (now < nextHeldLookAt) {
            return nextHeldLookAt;
        }
        long tooLong = config.heldTooLong().toNanos();
        long[] next = {now + tooLong};
        slots.forEach(entry -> {
            Object holder = entry.holder;
            if (!(holder instanceof Checkout<?> checkout) || entry.reported == holder) {
                return;
            }
            long held = checkout.sinceNanos(now);
            if (held >= tooLong) {
                entry.reported = holder;
                actions.add(() -> listener.heldTooLong(entry.value, held));
            } else {
                next[0] = Math.min(next[0], now + tooLong - held);
            }
        });
        nextHeldLookAt = next[0];
        return next[0];
    }

    private long timeOutWaiters(long now, List<Runnable> actions) {
        long next = Long.MAX_VALUE;
        Waiter<T> waiter = queue.first();
        while (waiter != null) {
            Waiter<T> following = waiter.next;
            if (waiter.deadlineNanos <= now) {
                leave(waiter);
                refuse(waiter, Refusal.TIMED_OUT, now, actions);
            } else {
                next = Math.min(next, waiter.deadlineNanos);
            }
            waiter = following;
        }
        return next;
    }

    // ---- by hand

    /** Changes the size while running: a larger pool fills up, a smaller one lets go as connections are returned. */
    public void resize(Supply supply, int maxOpen, int spare) {
        if (maxOpen < 0 || spare < 0) {
            throw new IllegalArgumentException("sizes must not be negative: " + maxOpen + ", " + spare);
        }
        act((now, actions) -> {
            this.supply = supply;
            this.maxOpen = maxOpen;
            this.spare = spare;
            emptyOutbox(now, actions);
            trim(null, now, actions);
        });
    }

    /** Discards every connection: those that are ready now, the others when they are returned. */
    public void evictAll() {
        act((now, actions) -> {
            slots.forEach(entry -> condemn(entry, DiscardReason.EVICTED));
            discardReady(entry -> true, DiscardReason.EVICTED, now, actions);
        });
    }

    /** Discards up to {@code most} ready connections, the longest unused first, and tells how many. */
    public int evictIdle(int most) {
        int[] evicted = {0};
        act((now, actions) -> {
            List<Entry<T>> ready = new ArrayList<>();
            slots.forEach(entry -> {
                if (entry.isReady()) {
                    ready.add(entry);
                }
            });
            ready.sort(Comparator.comparingLong(entry -> entry.usedAtNanos));
            for (Entry<T> entry : ready) {
                if (evicted[0] < most && entry.tryMove(Entry.READY, Entry.GONE)) {
                    expiry.remove(entry);
                    letGo(entry, DiscardReason.EVICTED, now, actions);
                    evicted[0]++;
                }
            }
        });
        return evicted[0];
    }

    /** Has everything that is ready checked now. */
    public void checkAll() {
        act((now, actions) -> {
            sweptAt = now - SWEEP_NANOS;
            sweep(now, actions);
        });
    }

    /** Hands out nothing until {@link #resume}: checkouts wait, returns are taken, the level is kept. */
    public void suspend() {
        act((now, actions) -> gate |= SUSPENDED);
    }

    /** Goes on after {@link #suspend}. */
    public void resume() {
        act((now, actions) -> {
            gate &= ~SUSPENDED;
            serve(now, actions);
        });
    }

    /**
     * Closes the pool: those who wait are refused at once, what is ready is closed, what is leased is closed when it is
     * returned, and every grant is released with its connection. Does not wait for that; {@link #whenDrained} tells.
     */
    @Override
    public void close() {
        act((now, actions) -> {
            if ((gate & CLOSED) != 0) {
                return;
            }
            gate |= CLOSED;
            for (Waiter<T> waiter = queue.first(); waiter != null; waiter = queue.first()) {
                leave(waiter);
                refuse(waiter, Refusal.CLOSED, now, actions);
            }
            slots.forEach(entry -> condemn(entry, DiscardReason.POOL_CLOSED));
            discardReady(entry -> true, DiscardReason.POOL_CLOSED, now, actions);
            for (Entry<T> entry : checks.drain()) {
                if (entry.tryMove(Entry.CHECKING, Entry.GONE)) {
                    letGo(entry, DiscardReason.POOL_CLOSED, now, actions);
                }
            }
        });
    }

    /** Runs {@code action} once the pool is closed and nothing of it is open, opening or closing any more. */
    public void whenDrained(Runnable action) {
        act((now, actions) -> onDrained.add(action));
    }

    private void noticeDrained(List<Runnable> actions) {
        if ((gate & CLOSED) != 0
                && open == 0
                && closing == 0
                && openings.live() == 0
                && openings.abandoned() == 0
                && !onDrained.isEmpty()) {
            actions.addAll(onDrained);
            onDrained.clear();
        }
    }

    private void act(Decision decision) {
        List<Runnable> actions = new ArrayList<>();
        lock.lock();
        try {
            decision.decide(time.nanos(), actions);
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
        wake();
    }

    private interface Decision {
        void decide(long now, List<Runnable> actions);
    }

    // ---- what there is to see

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return (gate & CLOSED) != 0;
    }

    /** How many are ready or leased. */
    public int openCount() {
        lock.lock();
        try {
            return open;
        } finally {
            lock.unlock();
        }
    }

    /** The numbers of this moment. Walks all connections: for a console, not for every request. */
    public PoolStats stats() {
        long now = time.nanos();
        lock.lock();
        try {
            Census census = census();
            long[] uses = {goneUses};
            slots.forEach(entry -> uses[0] += entry.uses());
            Waiter<T> first = queue.first();
            return new PoolStats(
                    census.ready(),
                    census.leased(),
                    census.opening(),
                    census.closing(),
                    census.waiting(),
                    supply.target(),
                    maxOpen,
                    uses[0],
                    empties,
                    waits,
                    waitedNanos,
                    timeouts,
                    first == null ? 0 : Math.max(0, now - first.sinceNanos),
                    openings.opened(),
                    openings.failures(),
                    discards);
        } finally {
            lock.unlock();
        }
    }

    /** What borrowers hold now, the longest held first. */
    public List<Holding<T>> holdings() {
        long now = time.nanos();
        List<Holding<T>> held = new ArrayList<>();
        lock.lock();
        try {
            slots.forEach(entry -> {
                if (entry.holder instanceof Checkout<?> checkout) {
                    held.add(new Holding<>(entry.value, checkout, checkout.sinceNanos(now)));
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
     * @param value what is pooled
     * @param checkout the borrowing
     * @param heldNanos for how long
     */
    public record Holding<T>(T value, Checkout<?> checkout, long heldNanos) {}

    /** Counts the pool. Called under the lock. */
    private Census census() {
        int[] leased = {0};
        slots.forEach(entry -> {
            if (entry.isLeased()) {
                leased[0]++;
            }
        });
        return new Census(
                open - leased[0],
                leased[0],
                openings.live(),
                closing + openings.abandoned(),
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
            return expiry.size();
        }

        @Override
        public long retireAtNanos(int index) {
            return expiry.get(index).dueAtNanos;
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

    Time time() {
        return time;
    }

    RandomGenerator random() {
        return random;
    }

    PoolListener listener() {
        return listener;
    }

    Connector<T> connector() {
        return connector;
    }

    private static long orNever(long nanos) {
        return nanos == 0 ? Long.MAX_VALUE : nanos;
    }
}
