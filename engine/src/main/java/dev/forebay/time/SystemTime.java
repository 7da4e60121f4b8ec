// SPDX-License-Identifier: Apache-2.0
package dev.forebay.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.InstantSource;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Real time: the machine's monotonic clock and one daemon thread that runs what is scheduled. Thread-safe.
 *
 * <p>While anything is scheduled the thread also refreshes {@link #coarseNanos()} every ten milliseconds: a volatile
 * read costs a thirtieth of {@link System#nanoTime()}, which would otherwise be the dearest part of a checkout. With
 * nothing scheduled the thread ends, so an application that closes its pools keeps no thread of ours.
 */
public final class SystemTime implements Time {

    private static final long TICK_NANOS = 10_000_000;
    private static final long LINGER_NANOS = 1_000_000_000;
    private static final int FEW = 64;
    private static final long NOT_TICKING = Long.MIN_VALUE;
    private static final SystemTime SHARED = new SystemTime();

    private final long origin = System.nanoTime();
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();

    /** The number of cancelled tasks, about. */
    @GuardedBy("lock")
    private int cancelled;

    @GuardedBy("lock")
    private @Nullable Thread thread;

    private volatile long tick = NOT_TICKING;

    private final ThreadFactory threads;

    SystemTime() {
        this(task -> {
            Thread thread = new Thread(task, "forebay-time");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Makes a clock with a thread from {@code threads}; all but tests share one. */
    SystemTime(ThreadFactory threads) {
        this.threads = threads;
    }

    /** The time of this process. */
    public static SystemTime shared() {
        return SHARED;
    }

    /** The machine's wall clock, which may step back or jump. */
    public static InstantSource wallClock() {
        return InstantSource.system();
    }

    @Override
    public long nanos() {
        return System.nanoTime() - origin;
    }

    @Override
    public long coarseNanos() {
        long last = tick;
        return last == NOT_TICKING ? nanos() : last;
    }

    @Override
    public Scheduled schedule(long atNanos, Runnable task) {
        Task scheduled = new Task(atNanos, task);
        Thread toWake = null;
        lock.lock();
        try {
            tasks.add(scheduled);
            if (thread == null || !thread.isAlive()) { // the latter: it has died of an Error
                Thread started = threads.newThread(this::run);
                started.start();
                tick = nanos();
                thread = started;
            } else if (tasks.peek() == scheduled) {
                toWake = thread;
            }
        } finally {
            lock.unlock();
        }
        if (toWake != null) {
            LockSupport.unpark(toWake);
        }
        return scheduled;
    }

    private void run() {
        long idleSince = nanos();
        while (true) {
            long now = nanos();
            tick = now;
            Task first;
            lock.lock();
            try {
                first = firstNotCancelled();
                if (first != null) {
                    idleSince = now;
                } else if (now - idleSince > LINGER_NANOS) {
                    thread = null;
                    tick = NOT_TICKING;
                    return;
                }
                if (first != null && first.atNanos <= now) {
                    tasks.poll();
                }
            } finally {
                lock.unlock();
            }
            long wait = first == null ? TICK_NANOS : first.atNanos - now;
            if (first == null || wait > 0) {
                LockSupport.parkNanos(this, Math.min(TICK_NANOS, wait));
                Thread.interrupted(); // an interrupt does not stop the clock, and must not make park spin
            } else if (!first.cancelled) {
                Actions.run(first.task);
            }
        }
    }

    /** Returns the next task, null if there is none. */
    @GuardedBy("lock")
    private @Nullable Task firstNotCancelled() {
        Task first = tasks.peek();
        while (first != null && first.cancelled) {
            tasks.poll();
            cancelled--;
            first = tasks.peek();
        }
        return first;
    }

    /** Removes the cancelled tasks once they are most of all, so that moving an alarm leaves no trail. */
    private void forgetCancelled() {
        lock.lock();
        try {
            if (++cancelled > FEW && cancelled > tasks.size() / 2) {
                tasks.removeIf(task -> task.cancelled);
                cancelled = 0;
            }
        } finally {
            lock.unlock();
        }
    }

    /** The number of tasks it keeps, cancelled ones included. */
    int remembered() {
        lock.lock();
        try {
            return tasks.size();
        } finally {
            lock.unlock();
        }
    }

    private final class Task implements Scheduled, Comparable<Task> {
        private final long atNanos;
        private final Runnable task;
        private volatile boolean cancelled;

        Task(long atNanos, Runnable task) {
            this.atNanos = atNanos;
            this.task = task;
        }

        @Override
        public void cancel() {
            if (!cancelled) {
                cancelled = true;
                forgetCancelled();
            }
        }

        @Override
        public int compareTo(Task other) {
            return Long.compare(atNanos, other.atNanos);
        }
    }
}
