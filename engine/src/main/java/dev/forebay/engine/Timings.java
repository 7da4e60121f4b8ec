// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.engine.Metric.Distribution;
import dev.forebay.engine.Metric.Recorder;
import dev.forebay.engine.PoolStats.Times;
import dev.forebay.engine.internal.Peak;
import dev.forebay.time.Time;

/**
 * How long a pool's checkouts took and its connections were held, at next to no cost for either. Thread-safe but for
 * {@link #read}, which is called under the pool's lock.
 *
 * <h2>Checkouts</h2>
 *
 * One that found nothing ready is timed exactly, from the moment it was asked for. Of the others, each thread times its first few
 * and then one in {@value #PERIOD}: reading the clock twice costs more than all the rest of a checkout. The connections count
 * themselves how often they were taken, so the number of checkouts is exact; when it is read, those that are new and were not
 * timed are spread over the buckets like those that were. So the buckets add up to the checkouts, and none ever falls.
 *
 * <h2>Uses</h2>
 *
 * Each connection adds up its own ({@link Entry}): here the short ones are chosen that are timed, together with their checkouts, and the
 * longest is kept.
 */
final class Timings {

    /** A prime, so that a caller's own rhythm does not decide which of its checkouts are timed. */
    private static final int PERIOD = 251;

    /** The checkouts of a thread that are all timed, so that a pool that is hardly used shows times of its own, too. */
    private static final int FIRST = 16;

    /** The counters in a line of the processor's cache, which no two stripes share. */
    private static final int SPREAD = 16;

    /** The number of stripes: so many for each processor that two threads which run at once seldom share one. */
    private static final int STRIPES =
            Math.min(128, Integer.highestOneBit(Runtime.getRuntime().availableProcessors() * 32 - 1));

    private final Recorder sampled;
    private final Recorder exact;
    private final Peak longestUse;

    /**
     * Of each stripe of threads, the number of checkouts before the next one that is timed, and of the first ones that were. An
     * update that is lost moves the next one.
     */
    private final int[] countdowns = new int[STRIPES * SPREAD];

    // ---- what was shown last; guarded by the pool's lock

    private Distribution sampledBefore;
    private Distribution exactBefore;
    private final long[] counts;
    private long sum;
    private long total;
    private long returns;
    private long heldNanos;

    Timings(Time time) {
        long[] bounds = Distribution.times();
        this.sampled = new Recorder(time, bounds);
        this.exact = new Recorder(time, bounds);
        this.longestUse = new Peak(time);
        this.sampledBefore = sampled.read();
        this.exactBefore = exact.read();
        this.counts = new long[bounds.length + 1];
    }

    /** Returns the number of checkouts that the next one of a caller with this affinity is timed for, 0 if it is not to be timed. */
    int next(long affinity) {
        int stripe = (int) ((affinity * 0x9E3779B97F4A7C15L) >>> 32) & (STRIPES - 1);
        int at = stripe * SPREAD;
        if (--countdowns[at] >= 0) {
            return 0;
        }
        if (countdowns[at + 1] < FIRST) {
            countdowns[at + 1]++;
            countdowns[at] = 0;
            return 1;
        }
        countdowns[at] = PERIOD - 1;
        return PERIOD;
    }

    /** Notes one of the checkouts that were served at once. */
    void sampled(long nanos) {
        sampled.record(nanos);
    }

    /** Notes a checkout that was not served at once. */
    void waited(long nanos) {
        exact.record(nanos);
    }

    /** Notes a use that may be the longest. */
    void used(long nanos) {
        longestUse.offer(nanos);
    }

    /**
     * Returns the times so far, or what was shown last while a checkout is counted but not noted yet.
     *
     * @param checkouts the number of checkouts, read before
     * @param returned the number of uses that have ended
     * @param held the total of their times
     */
    Times read(long checkouts, long returned, long held) {
        returns = Math.max(returns, returned);
        heldNanos = Math.max(heldNanos, held);
        Distribution waits = exact.read();
        Distribution timed = sampled.read();
        Distribution newWaits = waits.minus(exactBefore);
        long untimed = checkouts - total - newWaits.count();
        if (untimed == 0 || (untimed > 0 && timed.count() > 0)) {
            add(newWaits, newWaits.count());
            exactBefore = waits;
            if (untimed > 0) {
                boolean isNew = timed.count() > sampledBefore.count();
                add(isNew ? timed.minus(sampledBefore) : timed, untimed);
                sampledBefore = timed;
            }
            total = checkouts;
        }
        Distribution all =
                new Distribution(Distribution.times(), counts.clone(), sum, Math.max(waits.max(), timed.max()));
        return new Times(all, returns, heldNanos, longestUse.get());
    }

    /** Adds {@code number} checkouts, distributed like those in {@code known}. */
    private void add(Distribution known, long number) {
        if (number == 0) {
            return;
        }
        double share = (double) number / known.count();
        long left = number;
        int fullest = 0;
        for (int i = 0; i < counts.length; i++) {
            long part = (long) (known.count(i) * share);
            counts[i] += part;
            left -= part;
            fullest = known.count(i) > known.count(fullest) ? i : fullest;
        }
        counts[fullest] += left; // what rounding has left over
        sum += (long) (known.sum() * share);
    }
}
