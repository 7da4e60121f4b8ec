// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.internal.Steps;
import dev.forebay.fleet.FleetConfig.Outage;
import dev.forebay.fleet.FleetStats.LeaseStats;
import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

/**
 * Counts connections against the limit that a fleet shares. Thread-safe.
 *
 * <h2>One lease</h2>
 *
 * One lease for all pools that ask it, which covers a number of slots: as many as are needed, fetched in one go. A slot
 * that a connection gives back serves the next one; those not needed from one renewal to the next are returned to the
 * fleet. {@code docs/fleet.md} states what is promised and argues why it holds.
 *
 * <h2>One write</h2>
 *
 * One write is in progress at a time, and every write is of the same kind: it brings the lease to a number of slots and
 * shows that its owner is alive. {@code next} decides on it, from the slots asked for, held and assured, and the
 * renewal due.
 */
final class Ledger implements Leases {

    private static final long CONFLICT_NANOS = 25_000_000;

    /** The longest wait after a conflict once it is closed, since the closing caller waits, and writes little. */
    private static final long LAST_CONFLICT_NANOS = 200_000_000;

    private static final long FAILURE_NANOS = 250_000_000;
    private static final long LONGEST_NANOS = 5_000_000_000L;
    private static final long LOOK_AGAIN_NANOS = 5_000_000_000L;
    private static final long UNKNOWN = Long.MAX_VALUE;

    /** The times in a row that giving back may fail once it is closed: for about a minute. */
    private static final int LAST_TRIES = 20;

    private final LedgerConfig config;
    private final LeaseKeys keys;
    private final GuardedStore store;
    private final Roll roll;
    private final Time time;
    private final InstantSource wall;
    private final RandomGenerator random;
    private final FleetListener listener;
    private final Steps steps;
    private final boolean callsTheRoll;
    private final List<Runnable> wakes = new CopyOnWriteArrayList<>();
    private final List<Runnable> drains = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Everything below is guarded by lock.
    private final Lease lease;
    private final Deque<Answer> asks = new ArrayDeque<>();
    private final List<Runnable> releases = new ArrayList<>();

    /** The number of opens behind the last ask, and the time of that ask. */
    private int behind;

    private long askedAt = Long.MIN_VALUE / 2;
    private int held;
    private int idle;
    private boolean writing;
    private boolean closed;
    private long retryAt = Long.MIN_VALUE;

    /** Whether {@code retryAt} stems from a conflict, not from a store that did not answer. */
    private boolean conflicted;

    private long renewAt = Long.MAX_VALUE;
    private long lookAt;
    private long lookedAt = Long.MIN_VALUE / 2;
    private int failuresInRow;
    private int conflictsInRow;

    /** The most slots to ask for, after the limit was met; until those that asked are answered, or the lease has changed. */
    private int ceiling = Integer.MAX_VALUE;

    /** The slots that are fair while others have fewer than is fair. */
    private int allowance = Integer.MAX_VALUE;

    /** The counter as last seen when it was too low to give everything back. */
    private long counted = UNKNOWN;

    private long active;
    private int unmet;
    private long unmetAt = Long.MIN_VALUE / 2;
    private long drainedFor = Long.MIN_VALUE;

    /** Whether there are connections whose slots went to others, and none were found for them since. */
    private boolean displaced;

    private long requests;
    private long conflicts;
    private long lost;

    /** Makes a ledger that holds nothing yet. */
    public Ledger(
            LedgerConfig config,
            GuardedStore store,
            Time time,
            InstantSource wall,
            RandomGenerator random,
            FleetListener listener) {
        this(config, store, time, wall, random, listener, true);
    }

    /** Makes a ledger that may leave the dead instances to another one. */
    Ledger(
            LedgerConfig config,
            GuardedStore store,
            Time time,
            InstantSource wall,
            RandomGenerator random,
            FleetListener listener,
            boolean callsTheRoll) {
        this.config = config;
        this.keys = new LeaseKeys(config.endpoint());
        this.store = store;
        this.time = time;
        this.wall = wall;
        this.random = random;
        this.listener = listener;
        this.lease = new Lease(
                keys, config.serviceName(), config.goodForNanos(), config.ttl().toMillis(), random, newId());
        this.roll = new Roll(keys, store, time, config.ttl().toNanos(), wall, listener);
        this.steps = new Steps(time, lock, FAILURE_NANOS, this::advance);
        this.callsTheRoll = callsTheRoll;
        this.lookAt = callsTheRoll ? time.nanos() : Long.MAX_VALUE;
        steps.takeAt(lookAt);
    }

    @Override
    public void ask(long nowNanos, Answer answer) {
        int more = answer.behind();
        steps.take((now, actions) -> {
            if (closed) {
                actions.add(() -> answer.failed(failure(isClosed())));
            } else {
                asks.add(answer);
                behind = more;
                askedAt = now;
            }
        });
    }

    @Override
    public Runnable whenFreed(Runnable wake) {
        wakes.add(wake);
        return () -> wakes.remove(wake);
    }

    @Override
    public void whenDraining(Runnable drain) {
        drains.add(drain);
    }

    @Override
    public LeaseStats stats() {
        lock.lock();
        try {
            int covered = lease.assured(time.nanos());
            return new LeaseStats(
                    active,
                    config.limit(),
                    lease.slots(),
                    held,
                    Math.max(0, held - covered),
                    requests,
                    conflicts,
                    lost,
                    roll.reaped());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        steps.take((now, actions) -> {
            closed = true;
            if (conflicted) {
                retryAt = Math.min(retryAt, now + jittered(LAST_CONFLICT_NANOS));
            }
            refuse(isClosed(), actions);
        });
    }

    private static Exception isClosed() {
        return new IllegalStateException("the ledger is closed");
    }

    @Override
    public boolean isReleased() {
        lock.lock();
        try {
            return released();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void whenReleased(Runnable action) {
        steps.take((now, actions) -> releases.add(action));
    }

    /** As {@link #isReleased}. Called under the lock. */
    private boolean released() {
        return closed && held == 0 && isOver() && !writing;
    }

    /** Whether no lease is left, or giving it back failed too often: then the others end it. Called under the lock. */
    private boolean isOver() {
        return lease.isReleased() || failuresInRow >= LAST_TRIES;
    }

    // ---- deciding, under the lock

    /** Does everything possible now and returns when to look again. */
    private long advance(long now, Actions actions) {
        answer(now, actions);
        drain(now, actions);
        if (!writing && now >= retryAt) {
            int target = next(now);
            if (target >= 0) {
                write(target, now, actions);
            }
        }
        if (released()) {
            actions.addAll(releases);
            releases.clear();
        }
        idle = Math.min(idle, Math.max(0, lease.slots() - held));
        if (!closed && now >= lookAt) {
            lookAt = now + jittered(config.renewal().toNanos());
            lookedAt = now;
            actions.add(() -> roll.call(this::seen));
        }
        long next = closed ? Long.MAX_VALUE : lookAt;
        if (!writing) {
            if (next(now) >= 0) {
                next = Math.min(next, retryAt);
            } else if (renewAt > now) {
                next = Math.min(next, Math.max(retryAt, renewAt));
            }
        }
        return Math.min(next, drainAt() > now ? drainAt() : Long.MAX_VALUE);
    }

    /** Grants the assured slots; if no more are available, refuses the other asks. */
    private void answer(long now, Actions actions) {
        StoreException lost = store.lost();
        int most = lost != null && config.outage() == Outage.LOCAL ? Integer.MAX_VALUE : lease.assured(now);
        while (!asks.isEmpty() && held < most) {
            Answer answer = asks.remove();
            held++;
            renewAt = held > lease.slots() ? Math.min(renewAt, now) : renewAt; // to be counted as soon as may be
            ceiling = asks.isEmpty() ? Integer.MAX_VALUE : ceiling;
            actions.add(() -> answer.granted(new Slot()));
        }
        if (asks.isEmpty()) {
            return;
        }
        if (lost != null) {
            refuse(lost, actions);
        } else if (!writing && lease.isCertain(now) && held >= lease.slots() && most() <= lease.slots()) {
            tellLimit(now, actions);
        }
    }

    private void tellLimit(long now, Actions actions) {
        long seen = active;
        int missing = wanted() - lease.slots();
        unmet = missing;
        unmetAt = now;
        if (lease.shownWanted() <= lease.slots()) {
            renewAt = now; // so that the others see the slots wanted
        }
        if (callsTheRoll) {
            lookAt = Math.min(lookAt, Math.max(now, lookedAt + LOOK_AGAIN_NANOS));
        }
        actions.tell(() -> listener.limitReached(seen, config.limit(), missing));
        refuse(
                new IllegalStateException("the connection limit is reached: " + seen + " of " + config.limit()
                        + " are leased, " + lease.slots() + " of them here"),
                actions);
    }

    private void refuse(Exception why, Actions actions) {
        ceiling = Integer.MAX_VALUE;
        for (Answer answer : asks) {
            actions.add(() -> answer.failed(failure(why)));
        }
        asks.clear();
    }

    private static OpenFailure failure(Exception why) {
        return new OpenFailure(OpenFailure.Cause.LEASE_ACQUIRE, why);
    }

    /** The slots wanted: held, asked for, and behind the last ask; the earlier asks knew less. */
    private int wanted() {
        return held + asks.size() + (asks.isEmpty() ? 0 : behind);
    }

    /** The most slots that may be asked for now. */
    private int most() {
        return Math.min(config.limit(), Math.min(ceiling, allowance));
    }

    /** The number of slots to bring the lease to now; -1 to leave it as it is. */
    private int next(long now) {
        int slots = lease.slots();
        boolean due = now >= renewAt || !lease.isCertain(now);
        if (closed && held == 0) {
            return isOver() ? -1 : 0;
        }
        if (closed && held < slots) {
            return held;
        }
        int wanted = Math.min(Math.max(held, Math.min(wanted(), allowance)), config.limit());
        if (wanted > slots && (due || !asks.isEmpty())) {
            int reachable = Math.max(slots, Math.min(wanted, ceiling));
            return reachable > slots || due ? reachable : -1;
        }
        if (slots > Math.max(wanted, allowance)) {
            return Math.max(wanted, allowance);
        }
        boolean filling = now - askedAt < config.renewal().toNanos();
        return due ? Math.max(wanted, slots - Math.max(0, idle - (filling ? behind : 0))) : -1;
    }

    private void write(int target, long now, Actions actions) {
        long remembered = !closed && now - unmetAt < config.renewal().toNanos() ? unmet : 0;
        int show = (int) Math.min(config.limit(), Math.max(wanted(), target + remembered));
        writing = true;
        requests++;
        List<Write> writes = lease.begin(target, show, config.limit(), counted, now, wall.millis());
        actions.add(() -> store.write(writes, new Outcome(now)));
    }

    private long drainAt() {
        return config.outage() == Outage.BLOCK && lease.exists() && held > 0 && drainedFor != lease.deadline()
                ? lease.deadline() - config.ttl().toNanos() / 3
                : Long.MAX_VALUE;
    }

    private void drain(long now, Actions actions) {
        if (now >= drainAt() && store.lost() != null) {
            drainedFor = lease.deadline();
            letGo(Math.max(0, lease.deadline() - now), actions);
        }
    }

    private void letGo(long leftNanos, Actions actions) {
        int all = held;
        actions.tell(() -> listener.draining(all, leftNanos));
        actions.addAll(drains);
    }

    // ---- answers of the store

    private final class Outcome implements FleetStore.Reply<Written> {
        private final long sentAt;

        Outcome(long sentAt) {
            this.sentAt = sentAt;
        }

        @Override
        public void answered(Written written) {
            steps.take((now, actions) -> {
                writing = false;
                switch (written.result()) {
                    case DONE -> done(sentAt);
                    case CONFLICT -> {
                        conflicts++;
                        conflicted = true;
                        lease.hadNoEffect();
                        long backoff = backoff(CONFLICT_NANOS, ++conflictsInRow);
                        retryAt = now + (closed ? Math.min(backoff, LAST_CONFLICT_NANOS) : backoff);
                    }
                    case CONDITION_FAILED -> conditionFailed(written.found(), now, actions);
                }
            });
        }

        @Override
        public void failed(StoreException why) {
            steps.take((now, actions) -> {
                writing = false;
                lease.uncertain();
                conflicted = false;
                retryAt = now + backoff(FAILURE_NANOS, ++failuresInRow);
            });
        }
    }

    private void done(long sentAt) {
        int before = lease.slots();
        lease.done();
        // The last sight may be old; but had there been more than the limit, none would have been granted.
        active = Math.min(config.limit(), active + lease.slots() - before);
        failuresInRow = 0;
        conflictsInRow = 0;
        counted = UNKNOWN;
        displaced &= held > lease.slots();
        if (lease.slots() < ceiling || asks.isEmpty()) {
            ceiling = Integer.MAX_VALUE;
        }
        if (lease.exists()) {
            renewAt = sentAt + jittered(config.renewal().toNanos());
            idle = Math.max(0, lease.slots() - held);
        } else {
            lease.renamed(newId());
            renewAt = Long.MAX_VALUE;
        }
    }

    private void conditionFailed(Map<String, Item> found, long now, Actions actions) {
        Item mine = found.get(keys.lease(lease.id()));
        if (mine != null) {
            boolean ours = lease.adopt(mine);
            ceiling = Integer.MAX_VALUE;
            renewAt = now; // the age of what was found is unknown
            if (!ours || !lease.exists()) {
                lease.renamed(newId());
                renewAt = held > 0 ? now : Long.MAX_VALUE;
            }
            if (!ours) {
                lost++;
                displaced = held > 0;
                int before = held;
                actions.tell(() -> listener.leaseLost(before));
            }
            return;
        }
        lease.hadNoEffect();
        long seen = found.getOrDefault(keys.counter(), Item.NONE).number("active", 0);
        active = seen;
        if (lease.isGrowing()) {
            ceiling = lease.slots() + (int) Math.max(0, config.limit() - seen);
            renewAt = asks.isEmpty() ? now : renewAt; // no ask is left: a write without more slots ends it
            if (displaced) {
                displaced = false;
                letGo(0, actions);
            }
        } else {
            counted = seen;
        }
    }

    private void seen(Roll.Called called) {
        steps.take((now, actions) -> {
            active = called.active();
            allowance = called.allowance(lease.id(), config.limit());
        });
    }

    private String newId() {
        return HexFormat.of().toHexDigits(random.nextLong()) + HexFormat.of().toHexDigits(random.nextLong());
    }

    private long jittered(long nanos) {
        return (long) (nanos * (0.9 + random.nextDouble() / 10));
    }

    private long backoff(long baseNanos, int failures) {
        long nominal = Math.min(LONGEST_NANOS, baseNanos << Math.min(20, failures - 1));
        return (long) (nominal * (0.5 + random.nextDouble()));
    }

    private final class Slot implements Grant {
        private final AtomicBoolean released = new AtomicBoolean();

        @Override
        public boolean isShared() {
            return true;
        }

        @Override
        public void release() {
            if (!released.compareAndSet(false, true)) {
                throw new IllegalStateException("bug: a slot was released twice");
            }
            steps.take((now, actions) -> {
                held--;
                actions.addAll(wakes);
            });
        }
    }
}
