// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Admission;
import dev.forebay.engine.internal.Alarm;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The most connections that all users of a server have between them. Thread-safe.
 *
 * <h2>What always holds</h2>
 *
 * The slots held are never more than the limit, unless the limit was lowered under connections in use, and then none is
 * granted until they are. A slot is held from before the connect until the server no longer counts the connection, in
 * whichever generation of whichever user pool it lives; but an open that has hung for ten connect timeouts is forgotten.
 *
 * <h2>The line for a free slot</h2>
 *
 * Each user pool asks through a {@link Share} of its own. A refused ask stays in line until it is asked again or
 * {@linkplain Admission#withdrawn withdrawn}, so the line holds only asks that still stand. First come those with a
 * waiter, the user with the fewest slots before the others, then the one that has stood in line longest; last those
 * that only keep a minimum.
 *
 * <h2>A server that takes fewer</h2>
 *
 * A server that refuses a connect because it is full is taken at its word: the slots held then are the limit, so that
 * the users take turns at the server's own limit as they do at ours; that holds before the slot of the refused connect
 * is free, so no other ask tries the same with it. From time to time one more is tried, for any ask in line, with a
 * waiter or not; the pauses grow while that fails, and are short again after a success. Where no slot at all is held,
 * no user can take turns, and the pauses stay shorter.
 *
 * <h2>No user is forgotten</h2>
 *
 * While there is a waiter and no slot is free, the longest idle connection of another user is closed, whatever that
 * user's minimum. If none is idle, and the line has stood still for a turn, the user that has more than its share gives
 * up the connection it has had out longest, when it comes back: so a user whose connections are never idle cannot keep
 * the others out. One slot is given up for each place in line, no more. Nothing here depends on a wake-up being seen:
 * while the line is not empty, it is looked at again and again. Waiters that fail fast are refused when there is
 * nothing for them, also if there was when they began to wait.
 *
 * <p>Lock order: this lock is taken before a pool's, never the other way round.
 */
final class ServerCap {

    /** The time in line after which connections in use are asked back for a place, and between two looks at the line. */
    static final long TURN_NANOS = 20_000_000;

    /** Pauses between two tries whether a full server takes one more. */
    private static final long SHORTEST_PATIENCE_NANOS = 1_000_000_000;

    private static final long LONGEST_PATIENCE_NANOS = 30_000_000_000L;

    /** The longest of these pauses where no slot is held. */
    private static final long LONGEST_EMPTY_PATIENCE_NANOS = 5_000_000_000L;

    private final Time time;
    private final Alarm alarm;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Set<Share> shares = new LinkedHashSet<>();

    @GuardedBy("lock")
    private int limit;

    /** The source of the limit. */
    @GuardedBy("lock")
    private IntSupplier limits;

    /** The most that the server itself takes, as far as it is known. */
    @GuardedBy("lock")
    private int taken = Integer.MAX_VALUE;

    /** The time to leave it at that; grows while the server stays full. */
    @GuardedBy("lock")
    private long patienceNanos = SHORTEST_PATIENCE_NANOS;

    /** Whether one more than the server took is being tried. */
    @GuardedBy("lock")
    private boolean tryingMore;

    /** The time to try one more than the server took. */
    @GuardedBy("lock")
    private long tryMoreAtNanos;

    @GuardedBy("lock")
    private int held;

    /** The slots held that are about to be released, because the server refused their connects as too many. */
    @GuardedBy("lock")
    private int refused;

    /** Idle connections that were evicted and have not ended. */
    @GuardedBy("lock")
    private int leaving;

    @GuardedBy("lock")
    private long sequence;

    /** Whether the line is not empty, which a return has to read. Written under lock. */
    private volatile boolean inLine;

    ServerCap(int limit, Time time) {
        this.limit = limit;
        this.limits = () -> limit;
        this.time = time;
        this.alarm = new Alarm(time, this::step);
    }

    /** The pool behind a share, as far as the cap has to know it. Methods may take the pool's lock, not this one. */
    interface Holder {

        /** The number of waiters, as far as a connection would help them now. */
        int waiting();

        /** The time since which its longest idle connection has been idle, {@link Long#MAX_VALUE} if none is. */
        long idleSinceNanos();

        /** Closes its longest idle connection; false if none is idle. */
        boolean evictIdle();

        /** Has a connection in use closed when it comes back; false if there is none. */
        boolean evictBorrowed();

        /** Whether waiters are refused as soon as there is nothing for them. */
        default boolean failsFast() {
            return false;
        }

        /** Whether it has a connection that is not in use, if only one that is being checked. */
        default boolean hasReady() {
            return false;
        }

        /** Whether it asks for no slot now, because the server was full a moment ago. */
        default boolean asksNothingNow() {
            return false;
        }

        /** Refuses the waiters. */
        default void refuseWaiting() {}

        /** Whether it has connections that would stay; one that is closed gives up everything as it is. */
        default boolean mayGive() {
            return true;
        }
    }

    /** Makes a user's place at the cap; {@code holder} is not called before the share asks. */
    Share share(Holder holder) {
        return new Share(holder);
    }

    /** Takes its limit from {@code source} from now on; {@link #refresh} puts it in force. */
    void follow(IntSupplier source) {
        lock.lock();
        try {
            limits = source;
        } finally {
            lock.unlock();
        }
    }

    /** Puts the current limit in force; the last change is the one that stays. */
    void refresh() {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                limit = limits.getAsInt();
                actions.addAll(wakes());
            } finally {
                lock.unlock();
            }
        }
        alarm.setNow();
    }

    int limit() {
        lock.lock();
        try {
            return limit;
        } finally {
            lock.unlock();
        }
    }

    /** The number of slots held. */
    int held() {
        lock.lock();
        try {
            return held;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the server has refused the connect of a slot as full; that slot is among the refused. */
    @GuardedBy("lock")
    private void foundFull(long now) {
        int kept = held - refused;
        if (tryingMore) {
            patienceNanos *= 2;
            tryingMore = false;
        }
        patienceNanos = Math.min(patienceNanos, kept == 0 ? LONGEST_EMPTY_PATIENCE_NANOS : LONGEST_PATIENCE_NANOS);
        taken = Math.min(taken, kept);
        tryMoreAtNanos = now + patienceNanos;
    }

    /** The most slots that may be held now. */
    @GuardedBy("lock")
    private int room() {
        return Math.min(limit, taken);
    }

    /** Whether only a try can show if the server takes more. */
    @GuardedBy("lock")
    private boolean isFull() {
        return taken < limit && held >= taken;
    }

    /** Tries one more at a server that was full, if it is time and the line is not empty. */
    @GuardedBy("lock")
    private void tryMore(long now) {
        if (isFull() && inLine && now >= tryMoreAtNanos) {
            taken++;
            tryingMore = true;
            tryMoreAtNanos = now + patienceNanos;
        }
    }

    /** Notes that a connect succeeded with as many held as the server was known to take: it takes as many. */
    @GuardedBy("lock")
    private void tookOne(long now) {
        if (tryingMore && held >= taken) {
            patienceNanos = SHORTEST_PATIENCE_NANOS;
            tryMoreAtNanos = now + patienceNanos;
            tryingMore = false;
        }
        if (taken >= limit) {
            taken = Integer.MAX_VALUE;
        }
    }

    /**
     * Whether there is nothing for {@code share} now: it has no connection at hand and none on the way, and could get no
     * slot, not even by making an idle connection of another go.
     */
    boolean isExhaustedFor(Share share) {
        if (share.holder.hasReady()) {
            return false;
        }
        boolean asksNothing = share.holder.asksNothingNow();
        List<Share> others = new ArrayList<>();
        lock.lock();
        try {
            if (share.connecting > 0 || asksNothing) {
                return share.connecting == 0;
            }
            boolean isTryDue = isFull() && time.nanos() >= tryMoreAtNanos;
            if (held < room() || leaving > 0 || isTryDue) {
                return false;
            }
            shares.stream().filter(other -> other != share && other.slots > 0).forEach(others::add);
        } finally {
            lock.unlock();
        }
        return others.stream().allMatch(other -> other.holder.idleSinceNanos() == Long.MAX_VALUE);
    }

    /** Looks at the line soon: a wait began or ended, or a connection became idle. Cheap if the line is empty. */
    void stirred() {
        if (inLine) {
            alarm.setNow();
        }
    }

    // ---- the order of the line

    /** The number of a user's places in line that have a waiter. */
    private record Claim(Share share, int demand) {}

    /** The claims of users with a waiter, the first to be served first. */
    @GuardedBy("lock")
    private List<Claim> claims() {
        List<Claim> claims = new ArrayList<>();
        for (Share share : shares) {
            int demand = share.parked.isEmpty() ? 0 : Math.min(share.parked.size(), share.holder.waiting());
            if (demand > 0) {
                claims.add(new Claim(share, demand));
            }
        }
        claims.sort(Comparator.<Claim>comparingInt(claim -> claim.share.slots)
                .thenComparingLong(claim -> claim.share.since()));
        return claims;
    }

    @GuardedBy("lock")
    private boolean mayHave(Share asking, long since) {
        int free = room() - held;
        if (free <= 0 || !inLine) {
            return free > 0;
        }
        boolean wantsMinimumOnly = asking.holder.waiting() == 0;
        for (Claim claim : claims()) {
            Share share = claim.share;
            boolean before = share != asking
                    && (wantsMinimumOnly
                            || share.slots < asking.slots
                            || (share.slots == asking.slots && share.since() < since));
            free -= before ? claim.demand : 0;
        }
        return free > 0;
    }

    /** The wakes of those that should ask again, because a slot is free for them. */
    @GuardedBy("lock")
    private List<Runnable> wakes() {
        int free = room() - held;
        List<Runnable> wakes = new ArrayList<>();
        if (free <= 0 || !inLine) {
            return wakes;
        }
        Set<Share> unclaimed = new LinkedHashSet<>(shares);
        for (Claim claim : claims()) {
            unclaimed.remove(claim.share);
            if (free > 0) {
                wakes.addAll(claim.share.wakes);
                free -= claim.demand;
            }
        }
        if (free > 0) {
            unclaimed.stream().filter(share -> !share.parked.isEmpty()).forEach(share -> wakes.addAll(share.wakes));
        }
        return wakes;
    }

    @GuardedBy("lock")
    private void noteLine() {
        inLine = shares.stream().anyMatch(share -> !share.parked.isEmpty());
    }

    // ---- making room

    /** Looks at the line, has a user give way if need be, and returns when to look again. Runs on the clock's thread. */
    private long step(long now) {
        List<Runnable> wakes;
        List<Claim> claims;
        List<Share> holders = new ArrayList<>();
        List<Share> impatient = new ArrayList<>();
        int free;
        long nextTry;
        lock.lock();
        try {
            tryMore(now);
            nextTry = isFull() && inLine ? tryMoreAtNanos : Long.MAX_VALUE;
            wakes = wakes();
            claims = claims();
            free = room() - (held - refused) + leaving;
            shares.stream().filter(share -> share.slots > 0).forEach(holders::add);
            shares.stream().filter(share -> share.holder.failsFast()).forEach(impatient::add);
        } finally {
            lock.unlock();
        }
        wakes.forEach(Actions::run);
        impatient.stream()
                .filter(share -> share.holder.waiting() > 0 && isExhaustedFor(share))
                .forEach(share -> share.holder.refuseWaiting());
        for (; free < 0; free++) {
            if (!evictIdle(null, holders) && !evictFromTheRichest(holders)) {
                break;
            }
        }
        for (Claim claim : claims) {
            int covered = Math.min(Math.max(0, free), claim.demand);
            free -= covered;
            makeRoom(claim.share, claim.demand - covered, holders, now);
        }
        return claims.isEmpty() && free >= 0 ? nextTry : now + TURN_NANOS;
    }

    private void makeRoom(Share claimant, int needed, List<Share> holders, long now) {
        for (int i = 0; i < needed; i++) {
            if (!evictIdle(claimant, holders)) {
                askBack(claimant, holders, now);
            }
        }
    }

    private boolean evictIdle(@Nullable Share claimant, List<Share> holders) {
        Share longest = null;
        long since = Long.MAX_VALUE;
        for (Share share : holders) {
            long idle = share == claimant ? Long.MAX_VALUE : share.holder.idleSinceNanos();
            if (idle < since) {
                longest = share;
                since = idle;
            }
        }
        if (longest == null) {
            return false;
        }
        addLeaving(1);
        if (longest.holder.evictIdle()) {
            return true;
        }
        addLeaving(-1);
        return false;
    }

    private void addLeaving(int by) {
        lock.lock();
        try {
            leaving = Math.max(0, leaving + by);
        } finally {
            lock.unlock();
        }
    }

    /** Has a user with more than its share give one up for {@code claimant}, once for each place in the line. */
    private void askBack(Share claimant, List<Share> holders, long now) {
        Parked place;
        List<Share> richest;
        lock.lock();
        try {
            place = claimant.firstNotPreempting(now - TURN_NANOS);
            if (place == null) {
                return;
            }
            int has = claimant.slots + claimant.preempting();
            int fair = has == 0 ? 1 : has + 2;
            richest = richestFirst(holders);
            richest.removeIf(share -> share == claimant || share.keeps() < fair);
            place.preempting = true;
        } finally {
            lock.unlock();
        }
        if (!evictBorrowed(richest)) {
            lock.lock();
            try {
                place.preempting = false;
            } finally {
                lock.unlock();
            }
        }
    }

    private boolean evictFromTheRichest(List<Share> holders) {
        List<Share> richest;
        lock.lock();
        try {
            richest = richestFirst(holders);
            richest.removeIf(share -> share.keeps() < 1);
        } finally {
            lock.unlock();
        }
        return evictBorrowed(richest);
    }

    @GuardedBy("lock")
    private List<Share> richestFirst(List<Share> holders) {
        List<Share> richest = new ArrayList<>(holders);
        richest.removeIf(share -> !share.holder.mayGive());
        richest.sort(Comparator.comparingInt(share -> -share.keeps()));
        return richest;
    }

    private boolean evictBorrowed(List<Share> inThisOrder) {
        for (Share share : inThisOrder) {
            if (share.holder.evictBorrowed()) {
                lock.lock();
                try {
                    share.giving++;
                } finally {
                    lock.unlock();
                }
                return true;
            }
        }
        return false;
    }

    /** A refused ask in line. Its mutable fields are guarded by the cap's lock. */
    private static final class Parked {
        final long number;
        final long sinceNanos;

        /** Whether a connection in use was asked back for it. */
        boolean preempting;

        Parked(long number, long sinceNanos) {
            this.number = number;
            this.sinceNanos = sinceNanos;
        }
    }

    /** One user's place at the cap. Its mutable fields are guarded by the cap's lock. */
    final class Share implements Admission {
        private final Holder holder;
        private final List<Runnable> wakes = new CopyOnWriteArrayList<>();

        private final Map<Answer, Parked> parked = new LinkedHashMap<>();

        private int slots;

        /** Connections in use that were asked back and have not come. */
        private int giving;

        /** Slots whose connects have not ended and do not hang. */
        private int connecting;

        private Share(Holder holder) {
            this.holder = holder;
        }

        @Override
        public void ask(long nowNanos, Answer answer) {
            boolean granted;
            lock.lock();
            try {
                shares.add(this);
                Parked place = parked.get(answer);
                granted = mayHave(this, place == null ? Long.MAX_VALUE : place.number);
                if (granted) {
                    parked.remove(answer);
                    held++;
                    slots++;
                    connecting++;
                } else if (place == null) {
                    parked.put(answer, new Parked(sequence++, nowNanos));
                }
                noteLine();
            } finally {
                lock.unlock();
            }
            if (granted) {
                answer.granted(new Slot());
            } else {
                answer.notBefore(Long.MAX_VALUE);
                alarm.setNow();
            }
        }

        @Override
        public void withdrawn(Answer answer) {
            try (Actions actions = new Actions()) {
                lock.lock();
                try {
                    parked.remove(answer);
                    noteLine();
                    actions.addAll(wakes());
                } finally {
                    lock.unlock();
                }
            }
        }

        @Override
        public Runnable whenFreed(Runnable wake) {
            wakes.add(wake);
            return () -> {
                wakes.remove(wake);
                lock.lock();
                try {
                    if (slots == 0 && parked.isEmpty()) {
                        shares.remove(this);
                    }
                } finally {
                    lock.unlock();
                }
            };
        }

        /** As {@link ServerCap#stirred}. */
        void stirred() {
            ServerCap.this.stirred();
        }

        /** The number of slots it holds. */
        int slots() {
            lock.lock();
            try {
                return slots;
            } finally {
                lock.unlock();
            }
        }

        /** The slots it has and was not asked to give up. */
        private int keeps() {
            return slots - giving;
        }

        private long since() {
            for (Parked place : parked.values()) {
                return place.number;
            }
            return Long.MAX_VALUE;
        }

        private int preempting() {
            int count = 0;
            for (Parked place : parked.values()) {
                count += place.preempting ? 1 : 0;
            }
            return count;
        }

        private @Nullable Parked firstNotPreempting(long before) {
            for (Parked place : parked.values()) {
                if (!place.preempting) {
                    return place.sinceNanos <= before ? place : null;
                }
            }
            return null;
        }

        /** A slot. Not shared, although others count it: one kept by a call that never ends is lost to all users. */
        private final class Slot implements Grant {
            private final AtomicBoolean released = new AtomicBoolean();

            /** Whether the server refused its connect as one too many. */
            private boolean isRefused;

            /** Whether its connect takes longer than it may. */
            private boolean hangs;

            @Override
            public void openHangs() {
                lock.lock();
                try {
                    hangs = true;
                    connecting--;
                } finally {
                    lock.unlock();
                }
                ServerCap.this.stirred();
            }

            @Override
            public void openEnded(Outcome outcome) {
                long now = time.nanos();
                lock.lock();
                try {
                    connecting -= hangs ? 0 : 1;
                    if (outcome == Outcome.OPENED) {
                        tookOne(now);
                    } else if (outcome == Outcome.FULL) {
                        isRefused = true;
                        refused++;
                        foundFull(now);
                    }
                } finally {
                    lock.unlock();
                }
                if (outcome == Outcome.FULL) {
                    alarm.setNow();
                } else {
                    ServerCap.this.stirred();
                }
            }

            @Override
            public void release() {
                if (!released.compareAndSet(false, true)) {
                    throw new IllegalStateException("bug: a slot was released twice");
                }
                try (Actions actions = new Actions()) {
                    lock.lock();
                    try {
                        held--;
                        slots--;
                        refused -= isRefused ? 1 : 0;
                        leaving = Math.max(0, leaving - 1);
                        giving = Math.max(0, giving - 1);
                        actions.addAll(wakes());
                    } finally {
                        lock.unlock();
                    }
                }
                ServerCap.this.stirred();
            }
        }
    }

    @Override
    public String toString() {
        lock.lock();
        try {
            return held + " of " + limit;
        } finally {
            lock.unlock();
        }
    }
}
