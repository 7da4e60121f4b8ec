// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import java.util.concurrent.atomic.AtomicLongArray;

/** The times of checkouts since the last question, in buckets that are an eighth apart. Thread-safe. */
public final class CheckoutTimes {

    private static final int PER_DOUBLING = 8;
    private static final int BUCKETS = 48 * PER_DOUBLING;

    private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);

    /** Adds a checkout that took {@code nanos}. */
    public void add(long nanos) {
        double doublings = Math.log((double) Math.max(1, nanos)) / Math.log(2);
        counts.incrementAndGet((int) Math.min(BUCKETS - 1L, (long) (doublings * PER_DOUBLING)));
    }

    /** Returns the time that 99 of 100 kept to, in milliseconds, and starts over; 0 if there were none. */
    public double takeP99Millis() {
        long[] taken = new long[BUCKETS];
        long all = 0;
        for (int i = 0; i < BUCKETS; i++) {
            taken[i] = counts.getAndSet(i, 0);
            all += taken[i];
        }
        long above = all / 100; // those that may have taken longer
        for (int i = BUCKETS - 1; i >= 0; i--) {
            above -= taken[i];
            if (above < 0) {
                return Math.pow(2, (i + 1.0) / PER_DOUBLING) / 1e6;
            }
        }
        return 0;
    }
}
