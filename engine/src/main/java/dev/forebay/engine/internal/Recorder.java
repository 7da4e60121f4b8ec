// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine.internal;

import dev.forebay.engine.Metric.Distribution;
import dev.forebay.time.Time;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts values in buckets, for a {@link Distribution} to be read from now and then. Thread-safe.
 */
public final class Recorder {

    private final long[] bounds;

    /** The number of values in each bucket, and at the end the sum of all. */
    private final AtomicLongArray counts;

    private final Peak peak;

    /**
     * Counts nothing yet.
     *
     * @param bounds the greatest value of each bucket, ascending; there is one more for what is above
     */
    public Recorder(Time time, long... bounds) {
        this.bounds = bounds;
        this.counts = new AtomicLongArray(bounds.length + 2);
        this.peak = new Peak(time);
    }

    /** Counts {@code value}. */
    public void record(long value) {
        int found = Arrays.binarySearch(bounds, value);
        counts.getAndIncrement(found < 0 ? -found - 1 : found);
        counts.getAndAdd(counts.length() - 1, value);
        peak.offer(value);
    }

    /** Returns all that was counted. */
    public Distribution read() {
        long[] read = new long[bounds.length + 1];
        Arrays.setAll(read, counts::get);
        return new Distribution(bounds, read, counts.get(counts.length() - 1), peak.get());
    }
}
