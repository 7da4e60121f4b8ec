// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The latest events, the newest first; one that repeats is one entry with a count. Thread-safe. */
public final class Happenings {

    private static final int MOST = 100;
    private static final Duration AGAIN = Duration.ofSeconds(10);
    private static final int LONGEST = 300;

    private final InstantSource wall;

    @GuardedBy("this")
    private final Deque<Happening> newest = new ArrayDeque<>();

    @GuardedBy("this")
    private long version;

    public Happenings(InstantSource wall) {
        this.wall = wall;
    }

    /**
     * An event.
     *
     * @param where its pool or server
     * @param detail more about it; empty if there is none
     * @param times its count, from {@code first} to {@code last}
     */
    record Happening(Instant first, Instant last, String where, Event event, String detail, long times) {
        private boolean isLike(String otherWhere, Event otherEvent, String otherDetail) {
            return event == otherEvent && where.equals(otherWhere) && detail.equals(otherDetail);
        }
    }

    /** Adds an event; {@code detail} must hold no secret. */
    public void add(String where, Event event, String detail) {
        String shortened = detail.length() <= LONGEST ? detail : detail.substring(0, LONGEST) + " …";
        Instant now = wall.instant();
        synchronized (this) {
            version++;
            Happening known = take(where, event, shortened, now.minus(AGAIN));
            newest.addFirst(
                    known == null
                            ? new Happening(now, now, where, event, shortened, 1)
                            : new Happening(known.first, now, where, event, shortened, known.times + 1));
            if (newest.size() > MOST) {
                newest.removeLast();
            }
        }
    }

    private synchronized @Nullable Happening take(String where, Event event, String detail, Instant after) {
        for (Iterator<Happening> all = newest.iterator(); all.hasNext(); ) {
            Happening one = all.next();
            if (one.last.isBefore(after)) {
                return null;
            }
            if (one.isLike(where, event, detail)) {
                all.remove();
                return one;
            }
        }
        return null;
    }

    /** A number that changes with each event. */
    synchronized long version() {
        return version;
    }

    /** The events, the newest first. */
    synchronized List<Happening> newest() {
        return new ArrayList<>(newest);
    }
}
