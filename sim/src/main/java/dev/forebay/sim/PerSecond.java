// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

/** Counts what happens each second: those of the clock, and any second whatever. Not thread-safe. */
final class PerSecond {

    private static final long SECOND = 1_000_000_000;

    private long second = -1;
    private int inSecond;
    private int most;
    private int mostSinceTaken;

    /** The times of the last second, as a ring. */
    private long[] times = new long[256];

    private int first;
    private int size;
    private int mostSliding;

    /** Counts one and returns how many there were in this second of the clock so far. */
    int count(long now) {
        if (now / SECOND != second) {
            second = now / SECOND;
            inSecond = 0;
        }
        inSecond++;
        most = Math.max(most, inSecond);
        mostSinceTaken = Math.max(mostSinceTaken, inSecond);
        slide(now);
        return inSecond;
    }

    private void slide(long now) {
        while (size > 0 && times[first] <= now - SECOND) {
            first = (first + 1) % times.length;
            size--;
        }
        if (size == times.length) {
            long[] larger = new long[2 * size];
            System.arraycopy(times, first, larger, 0, size - first);
            System.arraycopy(times, 0, larger, size - first, first);
            times = larger;
            first = 0;
        }
        times[(first + size) % times.length] = now;
        size++;
        mostSliding = Math.max(mostSliding, size);
    }

    /** The count of the second that ends with the last one counted. */
    int inSlidingSecond() {
        return size;
    }

    int most() {
        return most;
    }

    int mostSliding() {
        return mostSliding;
    }

    /** The most in a second of the clock since this was asked last. */
    int takeMost() {
        int taken = mostSinceTaken;
        mostSinceTaken = 0;
        return taken;
    }
}
