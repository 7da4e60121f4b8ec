// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lines in which transactions of one process wait for each other. Thread-safe; a thread blocks in {@link Place#await} only.
 *
 * <h2>Two kinds</h2>
 *
 * A <i>lane</i> belongs to a key that the caller named: one transaction at a time. A <i>queue</i> belongs to a transaction's
 * name and orders those that conflict. How many of them run at once is learned: one more after each commit, two fewer after
 * each conflict, at least one. With less than one conflict in three it widens until nobody waits, and is gone; before a single
 * hot row it is one transaction wide.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>No place is admitted to a line that has as many as it is wide; a lane is one wide.
 *   <li>Places are admitted in the order in which they first came: one that met a conflict keeps its rank.
 *   <li>A place waits only while the line is full: each change of a line admits those who fit.
 *   <li>A thread in a lane enters no other line, one in a queue no other queue, so that lines cannot wait for each other.
 *   <li>A line exists while it has a place, and no longer.
 * </ol>
 *
 * A line changes only inside {@link ConcurrentHashMap#compute}, one change of a key at a time. Those admitted are woken after it.
 */
final class Lines {

    /** The width of a new queue: one that nobody notices until it has learned that it must be narrower. */
    private static final int FIRST_WIDTH = 16;

    private final Kind lanes = new Kind(1, 0);
    private final Kind queues = new Kind(FIRST_WIDTH, 1);
    private final AtomicLong ranks = new AtomicLong();

    /**
     * Returns a place at the end of the lane of {@code key}.
     *
     * @throws IllegalStateException if the thread is in a lane
     */
    Place lane(String key) {
        if (!lanes.threads.add(Thread.currentThread())) {
            throw new IllegalStateException("a thread that is in a lane asked for lane " + key
                    + ", which might wait for the first: begin one after the other, or use one lane for both");
        }
        return enter(lanes, key);
    }

    /** Returns a place at the end of the queue of {@code name}, null if the thread is in a line. */
    @Nullable
    Place queue(String name) {
        Thread thread = Thread.currentThread();
        return lanes.threads.contains(thread) || !queues.threads.add(thread) ? null : enter(queues, name);
    }

    /** Returns the same if another waits in that queue already, null otherwise. */
    @Nullable
    Place queueBehindOthers(String name) {
        Line line = queues.lines.get(name);
        return line != null && line.crowded ? queue(name) : null;
    }

    /** Returns the number of lines. */
    int size() {
        return lanes.lines.size() + queues.lines.size();
    }

    private Place enter(Kind kind, String key) {
        Place place = new Place(kind, key, ranks.getAndIncrement());
        place.change(line -> line.waiting.add(place));
        return place;
    }

    /** Lines of one kind, by key, and the threads that are in one of them. */
    private static final class Kind {
        final ConcurrentHashMap<String, Line> lines = new ConcurrentHashMap<>();
        final Set<Thread> threads = ConcurrentHashMap.newKeySet();
        final int width;
        final int widening;

        Kind(int width, int widening) {
            this.width = width;
            this.widening = widening;
        }
    }

    /** A line. Its fields are touched inside {@code compute} only, but for the one that is volatile. */
    private static final class Line {
        final TreeSet<Place> waiting = new TreeSet<>();
        int width;
        int admitted;

        /** Whether a place waits. */
        volatile boolean crowded;

        Line(int width) {
            this.width = width;
        }
    }

    /** A place in a line, of one thread. */
    static final class Place implements Comparable<Place> {
        private final Kind kind;
        private final String key;
        private final long rank;
        private final Thread thread = Thread.currentThread();

        /** Cancelled when the place is admitted: what ends any other wait ends this one. */
        private volatile Cancellation turn = new Cancellation();

        private volatile boolean admitted;

        private Place(Kind kind, String key, long rank) {
            this.kind = kind;
            this.key = key;
            this.rank = rank;
        }

        boolean isAdmitted() {
            return admitted;
        }

        /** Returns when it is admitted, at {@code untilNanos}, or as soon as {@code cancellation} is cancelled. */
        void await(Pause pause, long untilNanos, Cancellation cancellation) throws InterruptedException {
            Runnable end = turn::cancel;
            cancellation.add(end);
            try {
                pause.until(untilNanos, turn);
            } finally {
                cancellation.remove(end);
            }
        }

        /** Goes back into its queue after a conflict, at its rank; returns whether no other of the queue can have been in its way. */
        boolean conflicted() {
            boolean[] alone = {false};
            change(line -> {
                if (admitted) {
                    alone[0] = line.width == 1 && line.admitted == 1;
                    line.width = Math.max(1, line.width - 2);
                    remove(line);
                }
                turn = new Cancellation();
                line.waiting.add(this);
            });
            return alone[0];
        }

        /** Gives the place up, whether it was admitted or not. */
        void leave(boolean committed) {
            change(line -> {
                line.width += committed ? kind.widening : 0;
                remove(line);
            });
            kind.threads.remove(thread);
        }

        private void remove(Line line) {
            line.waiting.remove(this);
            line.admitted -= admitted ? 1 : 0;
            admitted = false;
        }

        private void change(Consumer<Line> step) {
            List<Cancellation> turns = new ArrayList<>(1);
            kind.lines.compute(key, (same, known) -> {
                Line line = known == null ? new Line(kind.width) : known;
                step.accept(line);
                while (line.admitted < line.width && !line.waiting.isEmpty()) {
                    Place first = line.waiting.pollFirst();
                    first.admitted = true;
                    line.admitted++;
                    turns.add(first.turn);
                }
                line.crowded = !line.waiting.isEmpty();
                return line.admitted == 0 && line.waiting.isEmpty() ? null : line;
            });
            turns.forEach(Cancellation::cancel);
        }

        @Override
        public int compareTo(Place other) {
            return Long.compare(rank, other.rank);
        }
    }
}
