// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The conflicts of the last minute, in whole seconds: the current one and the 59 before it. Knows the time only from
 * its callers, and keeps at most {@link #MOST_OPERATIONS} names for each second. Thread-safe.
 */
final class ConflictWindow {

    static final int MOST_OPERATIONS = 16;

    private static final int SECONDS = 60;
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final String OTHER = "other";

    private final ReentrantLock lock = new ReentrantLock();

    /** The conflicts of each second by operation; a second has the place of its number modulo 60. */
    @GuardedBy("lock")
    private final Map<String, Integer>[] byOperation;

    @GuardedBy("lock")
    private final int[] counts = new int[SECONDS];

    @GuardedBy("lock")
    private int total;

    @GuardedBy("lock")
    private long newest;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type cannot be made otherwise
    ConflictWindow(long nowNanos) {
        this.byOperation = new Map[SECONDS];
        Arrays.setAll(byOperation, i -> new HashMap<>());
        this.newest = Math.floorDiv(nowNanos, SECOND_NANOS);
    }

    /** Adds a conflict and returns the number in the last minute. */
    int add(String operation, long nowNanos) {
        lock.lock();
        try {
            moveTo(Math.floorDiv(nowNanos, SECOND_NANOS));
            int now = Math.floorMod(newest, SECONDS);
            Map<String, Integer> names = byOperation[now];
            boolean known = names.size() < MOST_OPERATIONS || names.containsKey(operation);
            names.merge(known ? operation : OTHER, 1, Integer::sum);
            counts[now]++;
            return ++total;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the operation with the most conflicts in the minute up to the last one; of equals the first by name. */
    Busiest busiest() {
        lock.lock();
        try {
            Map<String, Integer> sums = new HashMap<>();
            for (Map<String, Integer> names : byOperation) {
                names.forEach((name, count) -> sums.merge(name, count, Integer::sum));
            }
            Busiest busiest = new Busiest("none", 0);
            for (Map.Entry<String, Integer> sum : sums.entrySet()) {
                busiest = busiest.or(sum.getKey(), sum.getValue());
            }
            return busiest;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets the seconds that are no longer in the last minute; a time before the newest counts as the newest. */
    @GuardedBy("lock")
    private void moveTo(long second) {
        long forget = Math.min(second - newest, SECONDS);
        for (long i = 1; i <= forget; i++) {
            int place = Math.floorMod(newest + i, SECONDS);
            total -= counts[place];
            counts[place] = 0;
            byOperation[place].clear();
        }
        newest = Math.max(newest, second);
    }

    /**
     * An operation and the conflicts it met.
     *
     * @param operation its name
     * @param conflicts their number
     */
    record Busiest(String operation, int conflicts) {
        Busiest or(String name, int count) {
            boolean more = count > conflicts || (count == conflicts && name.compareTo(operation) < 0);
            return more ? new Busiest(name, count) : this;
        }
    }
}
