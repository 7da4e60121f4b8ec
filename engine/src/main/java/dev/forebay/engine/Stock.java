// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.time.Actions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The connections that exist: their places, the order in which they have to go, and the only ways out.
 *
 * <p>A ready connection leaves by being moved to {@link Entry#GONE} and let go at once. One that is in use cannot be
 * taken from its borrower: it is condemned, and goes when it is returned. Either way it stays counted, as closing, and
 * keeps its grants until the connector reports it closed. Guarded by the pool's lock, except the slots' own claim and
 * publish.
 */
final class Stock<T> {

    /** The time between two looks at connections that should go as soon as they are returned. */
    private static final long SCAN_NANOS = 1_000_000_000;

    private final Pool<T> pool;
    private final ReadySlots<T> slots;
    private final ExpiryOrder<T> expiry = new ExpiryOrder<>();
    private final Map<DiscardReason, Long> discards = new EnumMap<>(DiscardReason.class);
    private int open;
    private int closing;
    private int condemned;
    private long goneUses;
    private long goneUsedNanos;

    Stock(Pool<T> pool, int capacity) {
        this.pool = pool;
        this.slots = new ReadySlots<>(capacity);
    }

    ReadySlots<T> slots() {
        return slots;
    }

    ExpiryOrder<T> expiry() {
        return expiry;
    }

    /** The number of connections ready or borrowed. */
    int open() {
        return open;
    }

    int closing() {
        return closing;
    }

    /** The number of connections that are open and not condemned. */
    int staying() {
        return open - condemned;
    }

    int borrowed() {
        int[] borrowed = {0};
        slots.forEach(entry -> {
            if (entry.isBorrowed()) {
                borrowed[0]++;
            }
        });
        return borrowed[0];
    }

    long uses() {
        long[] uses = {goneUses};
        slots.forEach(entry -> uses[0] += entry.uses());
        return uses[0];
    }

    /** The time that uses have taken, if they are timed. */
    long usedNanos() {
        long[] nanos = {goneUsedNanos};
        slots.forEach(entry -> nanos[0] += entry.usedNanos());
        return nanos[0];
    }

    Map<DiscardReason, Long> discards() {
        return discards;
    }

    /** The ready ones, the longest unused first. */
    List<Entry<T>> readyByUse() {
        List<Entry<T>> ready = new ArrayList<>();
        slots.forEach(entry -> {
            if (entry.isReady()) {
                ready.add(entry);
            }
        });
        return byUse(ready);
    }

    /** Sorts the longest unused first; by a copy of the times, since borrowers go on writing them and a sort must not see that. */
    static <T> List<Entry<T>> byUse(List<Entry<T>> entries) {
        record Used<T>(Entry<T> entry, long atNanos) {}
        return entries.stream()
                .map(entry -> new Used<>(entry, entry.usedAtNanos))
                .sorted(Comparator.comparingLong(Used::atNanos))
                .map(Used::entry)
                .toList();
    }

    /** Takes in {@code entry}, which is not published yet. */
    void add(Entry<T> entry) {
        open++;
        slots.place(entry);
        if (entry.dueAtNanos != Long.MAX_VALUE) {
            expiry.add(entry);
        }
    }

    /** Discards a ready entry; false if it is not ready. */
    boolean tryDiscard(Entry<T> entry, DiscardReason reason, long now, Actions actions) {
        if (!entry.tryMove(Entry.READY, Entry.GONE)) {
            return false;
        }
        discardGone(entry, reason, now, actions);
        return true;
    }

    /** Takes an entry that is GONE out of the count of the open ones and has it closed. */
    void discardGone(Entry<T> entry, DiscardReason reason, long now, Actions actions) {
        expiry.remove(entry);
        remove(entry, reason, now, actions);
    }

    private void remove(Entry<T> entry, DiscardReason reason, long now, Actions actions) {
        slots.remove(entry);
        open--;
        goneUses += entry.uses();
        goneUsedNanos += entry.usedNanos();
        if (entry.isCondemned()) {
            condemned--;
        }
        close(entry, reason, now, actions);
    }

    /** Closes an entry that never was or no longer is among the open ones. */
    void close(Entry<T> entry, DiscardReason reason, long now, Actions actions) {
        closing++;
        discards.merge(reason, 1L, Long::sum);
        long remaining = Math.max(0, entry.expiresAtNanos - now);
        actions.add(() -> closeOutside(entry, reason));
        actions.tell(() -> pool.listener.discarded(reason, remaining));
    }

    /** Runs outside the lock. A connector that throws has ended the connection, as far as it ever will. */
    private void closeOutside(Entry<T> entry, DiscardReason reason) {
        try {
            pool.connector.close(entry.value, reason, () -> closed(entry));
        } catch (Throwable e) {
            Actions.threw(e);
            closed(entry);
        }
    }

    /** Runs outside the lock. */
    private void closed(Entry<T> entry) {
        pool.lock();
        try {
            if (entry.closed) {
                return;
            }
            entry.closed = true;
        } finally {
            pool.unlock();
        }
        entry.grants.forEach(grant -> Actions.run(grant::release)); // first: a drained pool holds nothing
        pool.lock();
        try {
            closing--;
        } finally {
            pool.unlock();
        }
        pool.wake();
    }

    /** Has {@code entry}, which is in use or being checked, discarded as soon as it comes back. */
    void condemn(Entry<T> entry, DiscardReason reason) {
        if (!entry.isCondemned()) {
            entry.condemn(reason);
            condemned++;
            expiry.remove(entry);
        }
    }

    /** Condemns the one that has been in use longest, if any is in use that is not condemned yet. */
    boolean condemnLongestHeld(DiscardReason reason, long now) {
        Entry<T> longest = null;
        long most = -1;
        List<Entry<T>> all = new ArrayList<>();
        slots.forEach(all::add);
        for (Entry<T> entry : all) {
            long loan = entry.state;
            if (Entry.isLoan(loan) && !entry.isCondemned() && Entry.heldNanos(loan, now) > most) {
                longest = entry;
                most = Entry.heldNanos(loan, now);
            }
        }
        if (longest != null) {
            condemn(longest, reason);
        }
        return longest != null;
    }

    /** Discards all connections: ready ones now, the rest when they come back. */
    void discardAll(DiscardReason reason, long now, Actions actions) {
        slots.forEach(entry -> {
            if (!entry.isCondemned()) {
                entry.condemn(reason);
                condemned++;
            }
        });
        expiry.clear();
        discardReady(Entry::isCondemned, now, actions);
    }

    private void discardReady(Predicate<Entry<T>> which, long now, Actions actions) {
        List<Entry<T>> taken = new ArrayList<>();
        slots.forEach(entry -> {
            if (which.test(entry) && entry.tryMove(Entry.READY, Entry.GONE)) {
                taken.add(entry);
            }
        });
        for (Entry<T> entry : taken) {
            discardGone(entry, entry.reasonToGo(now, DiscardReason.EXPIRED_ON_SCAN), now, actions);
        }
    }

    /** Discards ready connections that are due, and returns when to look again. Borrowed ones go when they are returned. */
    long expire(long now, Actions actions) {
        expiry.removeDue(now, entry -> {
            if (!entry.tryMove(Entry.READY, Entry.GONE)) {
                return false;
            }
            boolean past = now >= entry.expiresAtNanos;
            remove(entry, past ? DiscardReason.EXPIRED_ON_SCAN : DiscardReason.EXPIRING_SOON_ON_SCAN, now, actions);
            return true;
        });
        if (condemned > 0) {
            discardReady(Entry::isCondemned, now, actions);
        }
        long next = expiry.nextAfter(now);
        boolean someAreDue = expiry.size() > 0 && expiry.get(0).dueAtNanos <= now;
        return someAreDue || condemned > 0 ? Math.min(next, now + SCAN_NANOS) : next;
    }

    /**
     * Discards the earliest-expiring ready connection among the first {@code due}, because {@code arrival} replaces it;
     * if all of those are in use, the earliest of them goes when it is returned.
     */
    void displace(Entry<T> arrival, int due, long now, Actions actions) {
        for (int i = 0; i < Math.min(due, expiry.size()); i++) {
            Entry<T> entry = expiry.get(i);
            if (entry != arrival && tryDiscard(entry, DiscardReason.REPLACED, now, actions)) {
                return;
            }
        }
        if (expiry.size() > 0 && expiry.get(0) != arrival) {
            condemn(expiry.get(0), DiscardReason.REPLACED);
        }
    }

    /**
     * Discards the connections above {@code maxOpen}: ready ones at once, the earliest to expire first, then those in
     * use when they come back. {@code arrival}, if any, is the last to go.
     */
    void trim(int maxOpen, @Nullable Entry<T> arrival, long now, Actions actions) {
        int surplus = staying() - maxOpen;
        if (surplus <= 0) {
            return;
        }
        List<Entry<T>> earliestFirst = new ArrayList<>();
        slots.forEach(entry -> {
            if (!entry.isCondemned()) {
                earliestFirst.add(entry);
            }
        });
        earliestFirst.sort(Comparator.comparingLong(entry -> entry == arrival ? Long.MAX_VALUE : entry.dueAtNanos));
        for (Entry<T> entry : earliestFirst) {
            if (surplus > 0 && tryDiscard(entry, DiscardReason.RESERVOIR_FULL, now, actions)) {
                surplus--;
            }
        }
        for (Entry<T> entry : earliestFirst) {
            if (surplus > 0 && !entry.is(Entry.GONE)) {
                condemn(entry, DiscardReason.RESERVOIR_FULL);
                surplus--;
            }
        }
    }
}
