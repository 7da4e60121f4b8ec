// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.time.SystemTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ids for tables that have no sequence: positive, unique among up to 1,024 nodes, and growing. Thread-safe, without locks.
 *
 * <p>An id is 41 bits of milliseconds since {@link #EPOCH}, 10 bits of node and 12 bits of sequence, from the highest bit
 * down. Each id of a process is greater than the one before. The 4,097th of a millisecond takes the next millisecond, and
 * when the clock steps back the ids go on from the last one: nothing waits and nothing is made twice.
 *
 * <h2>Which node</h2>
 *
 * Two processes with one node make the same ids. A hash of the host's name is no remedy: among 44 hosts two share a
 * node more often than not. The node is configured ({@link #forNode}) or leased ({@link #forLease}). Within a process
 * all generators of a node share the last id made for it, so a second generator makes no duplicates either.
 *
 * <h2>After a restart</h2>
 *
 * Ids may run ahead of the clock: as far as it stepped back, and a second for every second at twice 4,096 ids per
 * millisecond. A restart forgets that. With a configured node, ids repeat if the clock, when the process is back, has
 * not yet reached the {@link #timeOf time} of the last id. A lease remembers it: the next holder begins where the last
 * one's stretch ended.
 */
public final class SnowflakeIds {

    /** The moment from which ids count their milliseconds, 2020-01-01T00:00:00Z; they last until September 2089. */
    public static final Instant EPOCH = Instant.parse("2020-01-01T00:00:00Z");

    /** The greatest node. */
    public static final int MOST_NODE = 1_023;

    private static final int SEQUENCE_BITS = 12;
    private static final int NODE_BITS = 10;
    private static final long MOST_SEQUENCE = (1L << SEQUENCE_BITS) - 1;
    private static final long END_MILLIS = 1L << 41;
    private static final long EPOCH_MILLIS = EPOCH.toEpochMilli();
    private static final Instant END = EPOCH.plusMillis(END_MILLIS);
    private static final ConcurrentMap<Integer, SnowflakeIds> OF_THIS_PROCESS = new ConcurrentHashMap<>();

    /** The state of a generator before its first id. */
    static final long NOTHING = -1;

    private final NodeLease lease;
    private final int node;
    private final long fromMillis;
    private final InstantSource clock;

    /** The last id without its node: milliseconds and sequence, so that the next one is greater by one. */
    private final AtomicLong last;

    SnowflakeIds(NodeLease lease, InstantSource clock, AtomicLong last) {
        this.lease = lease;
        this.node = checked(lease.node());
        this.fromMillis = Math.max(0, sinceEpoch(lease.from().plusNanos(999_999)));
        this.clock = clock;
        this.last = last;
    }

    /** Returns the generator of this process for a configured {@code node}, 0 to {@value #MOST_NODE}: always the same one. */
    public static SnowflakeIds forNode(int node) {
        return OF_THIS_PROCESS.computeIfAbsent(
                checked(node),
                key -> new SnowflakeIds(new Configured(key), SystemTime.wallClock(), new AtomicLong(NOTHING)));
    }

    /** Returns a generator for a node that is leased; it makes ids of the leased stretch of time only. */
    public static SnowflakeIds forLease(NodeLease lease) {
        return new SnowflakeIds(lease, SystemTime.wallClock(), forNode(lease.node()).last);
    }

    /**
     * Returns the next id.
     *
     * @throws IllegalStateException if the lease has come to its end, the clock is before the {@link #EPOCH}, or the 41
     *     bits are used up
     */
    public long next() {
        long now = clock.millis() - EPOCH_MILLIS;
        if (now < 0) {
            throw new IllegalStateException(
                    "the clock is before the epoch of ids, " + EPOCH + ": " + EPOCH.plusMillis(now));
        }
        long least = Math.min(Math.max(now, fromMillis), END_MILLIS) << SEQUENCE_BITS;
        long end = Math.min(sinceEpoch(lease.until()), END_MILLIS) << SEQUENCE_BITS;
        long previous;
        long made;
        do {
            previous = last.get();
            made = Math.max(previous + 1, least);
            if (made >= end) {
                throw ended(made);
            }
        } while (!last.compareAndSet(previous, made));
        long time = (made >>> SEQUENCE_BITS) << (NODE_BITS + SEQUENCE_BITS);
        return time | ((long) node << SEQUENCE_BITS) | (made & MOST_SEQUENCE);
    }

    /** Returns the time in {@code id}, to the millisecond. */
    public static Instant timeOf(long id) {
        return EPOCH.plusMillis(checked(id) >>> (NODE_BITS + SEQUENCE_BITS));
    }

    /** Returns the node that made {@code id}. */
    public static int nodeOf(long id) {
        return (int) (checked(id) >>> SEQUENCE_BITS) & MOST_NODE;
    }

    /** Returns the place of {@code id} among those of its node and millisecond, from 0. */
    public static int sequenceOf(long id) {
        return (int) (checked(id) & MOST_SEQUENCE);
    }

    private IllegalStateException ended(long wanted) {
        long millis = wanted >>> SEQUENCE_BITS;
        String what = millis >= END_MILLIS
                ? "the 41 bits of milliseconds end at " + END
                : "node " + node + " is leased until " + lease.until() + ", and the next id would be of "
                        + EPOCH.plusMillis(millis);
        return new IllegalStateException("no more ids: " + what);
    }

    private static long sinceEpoch(Instant time) {
        return time.toEpochMilli() - EPOCH_MILLIS;
    }

    private static int checked(int node) {
        if (node < 0 || node > MOST_NODE) {
            throw new IllegalArgumentException("the node of ids must be 0 to " + MOST_NODE + ": " + node);
        }
        return node;
    }

    private static long checked(long id) {
        if (id < 0) {
            throw new IllegalArgumentException("ids are positive: " + id);
        }
        return id;
    }

    /** A configured node, whose stretch has no end. */
    record Configured(int node) implements NodeLease {
        @Override
        public Instant from() {
            return EPOCH;
        }

        @Override
        public Instant until() {
            return END;
        }
    }
}
