// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * An instance's knowledge of its own lease item, and the writes that change it. Holds no lock, clock or store of its own.
 *
 * <h2>Doubt</h2>
 *
 * Every write requires the version that is known and makes it one higher, so of all the writes sent for one version at
 * most one takes effect, however late it arrives. A write without an answer leaves two possibilities, with the slots
 * before and after; only the fewer are counted on until the version is seen to have moved, and then all the others sent
 * for the old version are dead.
 *
 * <p>A version never comes twice: each attempt to make a lease draws a new first one. Otherwise a lease made by a late
 * write, after all was over, could be taken for the old one by other late writes, or by a reaper that counts how long
 * it has seen the same version.
 *
 * <h2>Deadline</h2>
 *
 * The lease is good until a time-to-live, less a margin, after the write that is known to have succeeded was <em>sent</em>.
 * A reaper has seen its version for a whole time-to-live, and can have seen it only after that; the
 * time-to-live stands in the item, since other instances may be set to a shorter one. If it is not known which of several
 * writes succeeded, the first counts.
 */
final class Lease {

    private static final long FIRST_VERSIONS = 1L << 53;
    private static final int UNBOUNDED = Integer.MAX_VALUE;

    private final LeaseKeys keys;
    private final String serviceName;
    private final long goodForNanos;
    private final long ttlMillis;
    private final RandomGenerator random;

    private String id;
    private long version;
    private int slots;
    private int shownWanted;
    private long deadline = Long.MIN_VALUE;

    /** The writes sent for this version that may have taken effect or may yet. */
    private int fewest = UNBOUNDED;

    private long firstSent = Long.MAX_VALUE;
    private boolean doubtful;

    /** The write in progress. */
    private int target;

    private long targetVersion;
    private int targetWanted;
    private long sentAt;
    private boolean deleting;

    Lease(LeaseKeys keys, String serviceName, long goodForNanos, long ttlMillis, RandomGenerator random, String id) {
        this.ttlMillis = ttlMillis;
        this.random = random;
        this.keys = keys;
        this.serviceName = serviceName;
        this.goodForNanos = goodForNanos;
        this.id = id;
    }

    String id() {
        return id;
    }

    boolean exists() {
        return version > 0;
    }

    /** The slots it covers, as far as is known. */
    int slots() {
        return slots;
    }

    /** The slots we want, as others see it. */
    int shownWanted() {
        return shownWanted;
    }

    /** The slots that may be used now whatever becomes of the writes in progress. */
    int assured(long now) {
        return now < deadline ? Math.min(slots, fewest) : 0;
    }

    /** Whether the knowledge of it is reliable: there is none, or it is alive and without doubt. */
    boolean isCertain(long now) {
        return !doubtful && (!exists() || now < deadline);
    }

    /** Whether there is none, and none may come of a write in progress. */
    boolean isReleased() {
        return !exists() && !doubtful;
    }

    long deadline() {
        return deadline;
    }

    /**
     * Returns the writes that bring it to {@code target} slots; to none, with none wanted, deletes it.
     *
     * @param limit the most slots all instances may have
     * @param counted the most the counter is known to hold; it may have been reset by hand
     */
    List<Write> begin(int target, int wanted, long limit, long counted, long now, long wallMillis) {
        this.target = target;
        this.targetWanted = wanted;
        this.sentAt = now;
        this.targetVersion = exists() ? version + 1 : 1 + random.nextLong(FIRST_VERSIONS);
        this.deleting = target == 0 && wanted == 0;
        this.fewest = Math.min(fewest, target);
        this.firstSent = Math.min(firstSent, now);
        List<Write> writes = new ArrayList<>();
        if (deleting) {
            writes.add(Write.deleting(keys.lease(id)).ifEqual("version", version));
            writes.add(Write.to(keys.index()).remove(id));
        } else {
            Write lease = Write.to(keys.lease(id));
            if (exists()) {
                lease = lease.ifEqual("version", version);
            } else {
                lease = lease.ifAbsent("version")
                        .set("service_name", serviceName)
                        .set("ttl_ms", ttlMillis)
                        .set("created_ms", wallMillis);
                writes.add(Write.to(keys.index()).set(id, wallMillis));
            }
            writes.add(lease.set("version", targetVersion)
                    .set("slots", target)
                    .set("wanted", wanted)
                    .set("updated_ms", wallMillis));
        }
        int more = target - slots;
        if (more != 0) {
            writes.add(keys.counting(more, limit, counted, wallMillis));
        }
        return writes;
    }

    boolean isGrowing() {
        return target > slots;
    }

    /** Notes that the write in progress took effect. */
    void done() {
        settle(deleting ? 0 : targetVersion, target, targetWanted, sentAt);
    }

    /** Notes that the write in progress had no effect. The deadline still counts from it, in case a copy of it arrives. */
    void hadNoEffect() {
        if (!doubtful) {
            fewest = UNBOUNDED;
        }
    }

    /** Notes that the outcome of the write in progress is unknown. */
    void uncertain() {
        doubtful = true;
    }

    /** Takes over the item found when a write met another version; false if it is no longer ours. */
    boolean adopt(Item found) {
        if (!found.exists()) {
            boolean ours = !exists() || fewest == 0; // one of our own may have deleted it
            settle(0, 0, 0, Long.MIN_VALUE);
            return ours;
        }
        long foundVersion = found.number("version", 0);
        if (exists() && foundVersion != version + 1) {
            return false;
        }
        settle(foundVersion, (int) found.number("slots", 0), (int) found.number("wanted", 0), firstSent);
        return true;
    }

    /** Starts over under another name: writes still on their way to the old one can do no harm. */
    void renamed(String newId) {
        id = newId;
        settle(0, 0, 0, Long.MIN_VALUE);
    }

    private void settle(long newVersion, int newSlots, int newWanted, long sent) {
        version = newVersion;
        slots = newSlots;
        shownWanted = newWanted;
        deadline = newVersion == 0 ? Long.MIN_VALUE : sent + goodForNanos;
        fewest = UNBOUNDED;
        firstSent = Long.MAX_VALUE;
        doubtful = false;
    }
}
