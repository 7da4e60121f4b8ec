// SPDX-License-Identifier: Apache-2.0
package dev.forebay.time;

import java.time.Duration;
import java.util.PriorityQueue;

/**
 * Time that stands still until it is moved; scheduled tasks run on the thread that moves it.
 *
 * <p>Events run in the order of their time and, at the same time, in the order in which they were scheduled, so a run is
 * reproducible to the last step. Not thread-safe: a simulation is one thread.
 */
public final class VirtualTime implements Time {

    private static final int MOST_EVENTS_AT_ONE_MOMENT = 1_000_000;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long sequence;
    private int eventsAtThisMoment;
    private long eventsRun;

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public long coarseNanos() {
        return now;
    }

    @Override
    public Scheduled schedule(long atNanos, Runnable task) {
        Event event = new Event(Math.max(atNanos, now), sequence++, task);
        events.add(event);
        return event;
    }

    /** Moves on by {@code duration}, running everything that falls due on the way. */
    public void advance(Duration duration) {
        advanceTo(now + duration.toNanos());
    }

    /** Moves on to {@code nanos}, running everything that falls due on the way. */
    public void advanceTo(long nanos) {
        if (nanos < now) {
            throw new IllegalArgumentException("time does not run backwards: " + nanos + " < " + now);
        }
        while (nextNanos() <= nanos) {
            step();
        }
        now = nanos;
    }

    /** Jumps to {@code nanos} without running anything that falls due on the way, as if the process had been stopped. */
    public void jumpTo(long nanos) {
        if (nanos < now) {
            throw new IllegalArgumentException("time does not run backwards: " + nanos + " < " + now);
        }
        now = nanos;
    }

    /** Runs everything due at this very moment. */
    public void runDue() {
        advanceTo(now);
    }

    /** Moves to the next event and runs it; false if there is none. */
    public boolean step() {
        Event event = events.poll();
        while (event != null && event.cancelled) {
            event = events.poll();
        }
        if (event == null) {
            return false;
        }
        eventsAtThisMoment = event.atNanos <= now ? eventsAtThisMoment + 1 : 0;
        if (eventsAtThisMoment > MOST_EVENTS_AT_ONE_MOMENT) {
            throw new IllegalStateException("bug: events cause each other without end at " + now + " ns");
        }
        now = Math.max(now, event.atNanos);
        eventsRun++;
        event.task.run();
        return true;
    }

    /** The time the next event is due, {@link Long#MAX_VALUE} if there is none. */
    public long nextNanos() {
        Event event = events.peek();
        while (event != null && event.cancelled) {
            events.poll();
            event = events.peek();
        }
        return event == null ? Long.MAX_VALUE : event.atNanos;
    }

    /** The number of events that have been run. */
    public long eventsRun() {
        return eventsRun;
    }

    private static final class Event implements Scheduled, Comparable<Event> {
        private final long atNanos;
        private final long sequence;
        private final Runnable task;
        private boolean cancelled;

        Event(long atNanos, long sequence, Runnable task) {
            this.atNanos = atNanos;
            this.sequence = sequence;
            this.task = task;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }
}
