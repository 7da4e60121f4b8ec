// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import java.util.Arrays;

/** Counts lengths of time and returns quantiles, exact to about three in a hundred. Not thread-safe. */
final class Histogram {

    private static final int BITS = 5;
    private static final int PARTS = 1 << BITS;

    private final long[] counts = new long[(Long.SIZE - BITS) << BITS];
    private long total;
    private long most;

    void add(long nanos) {
        counts[index(nanos)]++;
        total++;
        most = Math.max(most, nanos);
    }

    void addAll(Histogram other) {
        for (int at = 0; at < counts.length; at++) {
            counts[at] += other.counts[at];
        }
        total += other.total;
        most = Math.max(most, other.most);
    }

    void clear() {
        if (total > 0) {
            Arrays.fill(counts, 0);
            total = 0;
            most = 0;
        }
    }

    long total() {
        return total;
    }

    long most() {
        return most;
    }

    /** The least length that {@code share} of all did not exceed, rounded up to the end of its bucket. */
    long quantile(double share) {
        long rank = Math.max(1, (long) StrictMath.ceil(share * total));
        long seen = 0;
        for (int at = 0; at < counts.length; at++) {
            seen += counts[at];
            if (seen >= rank) {
                return Math.min(most, end(at));
            }
        }
        return 0;
    }

    Result.Waits waits() {
        return new Result.Waits(total, quantile(0.5), quantile(0.99), most);
    }

    /** Small lengths each have a bucket; beyond, each doubling has as many. */
    private static int index(long nanos) {
        int shift = Math.max(0, Long.SIZE - BITS - 1 - Long.numberOfLeadingZeros(nanos));
        return (shift << BITS) + (int) (nanos >>> shift);
    }

    private static long end(int index) {
        if (index < 2 * PARTS) {
            return index;
        }
        int shift = (index >> BITS) - 1;
        long part = PARTS + (long) (index & (PARTS - 1));
        return ((part + 1) << shift) - 1;
    }
}
