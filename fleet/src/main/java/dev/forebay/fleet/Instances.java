// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.internal.Alarm;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Counts the instances of a fleet: each has a number in one item, adds one to it every minute, and reads those of the
 * others. Thread-safe.
 *
 * <p>An instance counts as gone when its number has stayed the same for three minutes on the reader's own clock, in
 * which the reader has not missed a look. After an outage of the store, or of the reader, the three minutes start
 * again: no instance could write in the one, and the reader could not see it in the other. An instance that was killed
 * is counted longer than it lives, never shorter: so the shares that are made from the count add up to less than the
 * whole for a while, not to more. Each write removes the numbers of those that are gone.
 */
final class Instances {

    private static final long BEAT_NANOS = 60_000_000_000L;
    private static final long SILENT_NANOS = 3 * BEAT_NANOS;

    /** The longest time between two answered looks with no look missed; a beat is late by two timeouts at the most. */
    private static final long GAP_NANOS = BEAT_NANOS + BEAT_NANOS / 2;

    /** The time from the first beat to the second; each one after it takes twice as long, up to a minute. */
    private static final long FIRST_NANOS = 5_000_000_000L;

    private final String key;
    private final String id;
    private final FleetStore store;
    private final Time time;
    private final Alarm alarm;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, Sight> sights = new HashMap<>();

    @GuardedBy("lock")
    private long nextNanos = FIRST_NANOS;

    @GuardedBy("lock")
    private long answeredAt;

    @GuardedBy("lock")
    private boolean closed;

    /** The last count; null until the store has answered once. Written under lock. */
    private volatile @Nullable Seen seen;

    /** An instance's number, and the time since which it has been seen unchanged. */
    private record Sight(long number, long since) {}

    /**
     * The instances that were seen.
     *
     * @param count their number, this one among them
     * @param at the time they were counted
     */
    record Seen(int count, long at) {}

    Instances(String endpoint, FleetStore store, Time time, RandomGenerator random) {
        this.key = "dsqlinstances#" + endpoint;
        this.id = HexFormat.of().toHexDigits(random.nextInt());
        this.store = store;
        this.time = time;
        this.alarm = new Alarm(time, this::beat);
        alarm.setNow();
    }

    /** The last count; null if there never was one. */
    @Nullable
    Seen seen() {
        return seen;
    }

    /** Takes this instance out of the count. */
    void close() {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                if (!closed) {
                    closed = true;
                    actions.add(() -> store.write(List.of(Write.to(key).remove(id)), new Quietly<>(written -> {})));
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private long beat(long now) {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                if (closed) {
                    return Long.MAX_VALUE;
                }
                Write write = Write.to(key).add(id, 1);
                for (String gone : gone(now)) {
                    write = write.remove(gone);
                }
                List<Write> writes = List.of(write);
                actions.add(() -> store.write(writes, new Quietly<>(written -> look())));
                long next = now + nextNanos;
                nextNanos = Math.min(BEAT_NANOS, 2 * nextNanos);
                return next;
            } finally {
                lock.unlock();
            }
        }
    }

    private void look() {
        store.read(List.of(key), new Quietly<>(items -> take(items.getOrDefault(key, Item.NONE))));
    }

    /** The instances that are gone; none before the first answer after a gap. */
    @GuardedBy("lock")
    private List<String> gone(long now) {
        if (now - answeredAt > GAP_NANOS) {
            return List.of();
        }
        return sights.entrySet().stream()
                .filter(one -> now - one.getValue().since() >= SILENT_NANOS)
                .map(Map.Entry::getKey)
                .filter(other -> !other.equals(id))
                .sorted()
                .toList();
    }

    private void take(Item item) {
        lock.lock();
        try {
            long now = time.nanos();
            boolean missed = now - answeredAt > GAP_NANOS;
            answeredAt = now;
            sights.keySet().retainAll(item.attributes().keySet());
            for (String other : item.attributes().keySet()) {
                long number = item.number(other, 0);
                Sight before = sights.get(other);
                if (missed || before == null || before.number() != number) {
                    sights.put(other, new Sight(number, now));
                }
            }
            sights.putIfAbsent(id, new Sight(0, now)); // another may have removed it just now
            seen = new Seen(sights.size() - gone(now).size(), now);
        } finally {
            lock.unlock();
        }
    }
}
