// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Calls the roll of all leases, and ends those whose owners have shown no sign of life. Thread-safe.
 *
 * <p>A lease may be ended once the same version has been seen for a whole time-to-live, that of the lease or this
 * instance's if it is longer, on this instance's own clock and counted from the <em>answer</em> that showed it first. The write requires that very version, deletes the lease and takes
 * its slots off the counter at once, so of several instances that do it at the same time one succeeds, and a slow one
 * does nothing.
 */
final class Roll {

    private final LeaseKeys keys;
    private final FleetStore store;
    private final Time time;
    private final long ttlNanos;
    private final InstantSource wall;
    private final FleetListener listener;
    private final ReentrantLock lock = new ReentrantLock();

    private final AtomicLong reaped = new AtomicLong();

    @GuardedBy("lock")
    private final Map<String, Sight> sights = new HashMap<>();

    Roll(LeaseKeys keys, FleetStore store, Time time, long ttlNanos, InstantSource wall, FleetListener listener) {
        this.keys = keys;
        this.store = store;
        this.time = time;
        this.ttlNanos = ttlNanos;
        this.wall = wall;
        this.listener = listener;
    }

    /** A lease's version, and the time since which it has been seen unchanged. */
    private record Sight(long version, long since) {}

    /** A lease as it was read. */
    record Entry(String id, long slots, long wanted) {

        boolean lacks(long share) {
            return slots < Math.min(wanted, share);
        }
    }

    /**
     * The leases as read.
     *
     * @param active the value of the counter
     */
    record Called(long active, List<Entry> leases) {

        /** The slots that {@code id} may have: any number, unless another has less than its fair share. */
        int allowance(String id, int limit) {
            long ours = leases.stream().mapToLong(Entry::slots).sum();
            long pot = limit - Math.max(0, active - ours);
            Map<String, Long> shares = shares(pot);
            boolean lacking = leases.stream()
                    .anyMatch(entry -> !entry.id().equals(id) && entry.lacks(shares.getOrDefault(entry.id(), 0L)));
            return lacking ? shares.getOrDefault(id, 0L).intValue() : Integer.MAX_VALUE;
        }

        /** Divides {@code pot} so that no lease could have more except from one that has less. */
        private Map<String, Long> shares(long pot) {
            List<Entry> modestFirst = new ArrayList<>(leases);
            modestFirst.sort(Comparator.comparingLong(Entry::wanted).thenComparing(Entry::id));
            Map<String, Long> shares = new LinkedHashMap<>();
            long left = pot;
            for (int i = 0; i < modestFirst.size(); i++) {
                long share = Math.max(0, Math.min(modestFirst.get(i).wanted(), left / (modestFirst.size() - i)));
                shares.put(modestFirst.get(i).id(), share);
                left -= share;
            }
            return shares;
        }
    }

    /** The number of slots of the dead it gave back. */
    long reaped() {
        return reaped.get();
    }

    /** Reads all leases, reports them and ends those that are dead; reports nothing if the store does not answer. */
    void call(Consumer<Called> report) {
        store.read(List.of(keys.index(), keys.counter()), new Quietly<>(first -> {
            Item index = first.getOrDefault(keys.index(), Item.NONE);
            long active = first.getOrDefault(keys.counter(), Item.NONE).number("active", 0);
            Set<String> ids = new TreeSet<>(index.attributes().keySet()); // in the same order in every run
            if (ids.isEmpty()) {
                report.accept(new Called(active, List.of()));
                return;
            }
            List<String> names = ids.stream().map(keys::lease).toList();
            store.read(names, new Quietly<>(items -> take(ids, items, active, report)));
        }));
    }

    private void take(Set<String> ids, Map<String, Item> items, long active, Consumer<Called> report) {
        long now = time.nanos();
        List<Entry> entries = new ArrayList<>();
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                actions.add(() -> report.accept(new Called(active, entries)));
                sights.keySet().retainAll(ids);
                for (String id : ids) {
                    Item item = items.getOrDefault(keys.lease(id), Item.NONE);
                    long version = item.number("version", 0);
                    long slots = item.number("slots", 0);
                    Sight sight = sights.get(id);
                    if (sight == null || sight.version() != version) {
                        sights.put(id, new Sight(version, now));
                    } else if (now - sight.since() >= patienceNanos(item)) {
                        actions.add(() -> end(id, version, slots, Long.MAX_VALUE));
                    }
                    if (item.exists()) {
                        entries.add(new Entry(id, slots, item.number("wanted", slots)));
                    }
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** The longer of two times-to-live: that of the lease, which its owner relies on, and that of this instance. */
    private long patienceNanos(Item lease) {
        return Math.max(ttlNanos, TimeUnit.MILLISECONDS.toNanos(lease.number("ttl_ms", 0)));
    }

    private void end(String id, long version, long slots, long counted) {
        List<Write> writes = new ArrayList<>();
        Write lease = Write.deleting(keys.lease(id));
        writes.add(version == 0 ? lease.ifAbsent("version") : lease.ifEqual("version", version));
        writes.add(Write.to(keys.index()).remove(id));
        if (slots > 0) {
            writes.add(keys.counting((int) -slots, 0, counted, wall.millis()));
        }
        store.write(writes, new Quietly<>(written -> {
            if (written.result() == Written.Result.DONE) {
                reaped.addAndGet(slots);
                Actions.run(() -> listener.reaped(id, slots));
            } else if (written.found().keySet().equals(Set.of(keys.counter()))) {
                // The counter was reset by hand: take off all that is left.
                Item counter = written.found().getOrDefault(keys.counter(), Item.NONE);
                end(id, version, slots, counter.number("active", 0));
            }
        }));
    }
}
