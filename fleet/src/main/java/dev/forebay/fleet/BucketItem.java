// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.TokenBucket;
import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket in one item of the store.
 *
 * <h2>Time</h2>
 *
 * The item carries its own time, {@code at}, which only moves forward: to the writer's wall clock, or to the time the
 * writer once saw in it plus what its monotonic clock has counted since, whichever is later. The first keeps it going
 * while clocks agree; the second when a clock that ran ahead has pushed the item into the future. Neither can add up to
 * more than the time that has passed plus the difference between the clocks, and a jump can at most fill the bucket
 * once.
 *
 * <h2>Reservations</h2>
 *
 * Permits that the bucket does not hold yet are reserved from those that will flow in: one write gives a place in the
 * queue, so that many instances that wait need not ask again and again.
 */
final class BucketItem implements PermitItem {

    /** The time a permit may be used after it has become valid. */
    static final long GOOD_FOR_NANOS = 1_000_000_000;

    /** The places in the queue that are taken at once: enough to ask seldom, few enough to leave room for others. */
    private static final int PLACES = 16;

    /** The places once half the longest wait is taken: now more writes are a lesser evil than instances that get nothing. */
    private static final int PLACES_IN_A_LONG_QUEUE = 4;

    /** The time after which a sight is read again before it is relied on: others will have been there. */
    private static final long FRESH_NANOS = 250_000_000;

    private final String key;
    private final FleetStore store;
    private final TokenBucket bucket;
    private final Time time;
    private final InstantSource wall;
    private final long maxWaitNanos;

    /** The item as last seen; null if nothing is known. One call at a time writes it, the answers of that call read it. */
    private volatile @Nullable Sight sight;

    /** The least lead of the item's time over our monotonic clock. Written and read like {@code sight}. */
    private volatile long offset = Long.MIN_VALUE / 2;

    /**
     * The item as it was seen.
     *
     * @param state of the bucket, in the item's time
     * @param seenAt the time it was seen, on our clock
     */
    private record Sight(long version, long at, long state, long seenAt) {}

    BucketItem(String endpoint, FleetStore store, TokenBucket bucket, Time time, InstantSource wall, Duration maxWait) {
        this.key = "dsqlbucket#" + endpoint;
        this.store = store;
        this.bucket = bucket;
        this.time = time;
        this.wall = wall;
        this.maxWaitNanos = maxWait.toNanos();
    }

    @Override
    public void take(int most, boolean emptied, Taking taking) {
        Sight known = sight;
        if (known != null && time.nanos() - known.seenAt() < FRESH_NANOS) {
            write(known, most, emptied, taking);
            return;
        }
        store.read(List.of(key), new FleetStore.Reply<>() {
            @Override
            public void answered(Map<String, Item> items) {
                write(see(items.getOrDefault(key, Item.NONE)), most, emptied, taking);
            }

            @Override
            public void failed(StoreException why) {
                taking.failed(why);
            }
        });
    }

    private Sight see(Item item) {
        long fresh = wallNanos();
        Sight seen = new Sight(
                item.number("version", 0),
                item.number("at", fresh),
                item.number("full_at", bucket.full(fresh)),
                time.nanos());
        saw(seen);
        return seen;
    }

    private void saw(Sight seen) {
        sight = seen;
        offset = Math.max(offset, seen.at() - seen.seenAt());
    }

    private void write(Sight known, int most, boolean emptied, Taking taking) {
        long now = time.nanos();
        long at = Math.max(Math.max(known.at(), offset + now), wallNanos());
        long state = emptied ? Math.max(known.state(), bucket.empty(at)) : known.state();
        long first = Math.max(at, bucket.availableAt(state, 1));
        long wait = first - at;
        if (wait > maxWaitNanos) {
            taking.notBefore(now + wait);
            return;
        }
        // The permits that are there now, or a place in the queue.
        int there = (int) Math.min(most, bucket.available(state, at));
        int places = wait > maxWaitNanos / 2 ? PLACES_IN_A_LONG_QUEUE : PLACES;
        int count = there > 0 ? there : Math.min(most, places);
        long after = bucket.take(state, at, count);
        Write write = Write.to(key)
                .set("version", known.version() + 1)
                .set("at", at)
                .set("full_at", after)
                .set("updated_at_ms", wall.millis());
        write = known.version() == 0 ? write.ifAbsent("version") : write.ifEqual("version", known.version());
        store.write(List.of(write), new FleetStore.Reply<>() {
            @Override
            public void answered(Written written) {
                switch (written.result()) {
                    case DONE -> {
                        saw(new Sight(known.version() + 1, at, after, time.nanos()));
                        taking.taken(count, now + wait, there > 0 ? 0 : bucket.intervalNanos(), GOOD_FOR_NANOS);
                    }
                    case CONDITION_FAILED -> {
                        see(written.found().getOrDefault(key, Item.NONE));
                        taking.contended();
                    }
                    case CONFLICT -> taking.contended();
                }
            }

            @Override
            public void failed(StoreException why) {
                sight = null; // it may have taken effect: the permits it took are lost, and the rest is read again
                taking.failed(why);
            }
        });
    }

    private long wallNanos() {
        Instant instant = wall.instant();
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }
}
