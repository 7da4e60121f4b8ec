// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.storm;

import dev.forebay.bench.storm.HiccupMeter.Span;
import dev.forebay.bench.storm.StormConnection.DeadConnectionException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Checkouts at a fixed rate, whatever becomes of earlier ones. Each uses its connection once and holds it for a while;
 * the holding takes no thread.
 */
final class Load implements AutoCloseable {

    /** The events up to a moment. */
    static final class Tally {
        /** The time of each checkout by itself. */
        final Histogram waits = new ConcurrentHistogram(3);
        /** The time since a checkout was due: includes the delay of the load generator. */
        final Histogram sinceDue = new ConcurrentHistogram(3);

        final Queue<Slow> slow = new ConcurrentLinkedQueue<>();
        final Map<Integer, Integer> deadById = new ConcurrentHashMap<>();
        final LongAdder failed = new LongAdder();

        long dead() {
            return deadById.values().stream().mapToInt(Integer::intValue).sum();
        }

        long deadTwice() {
            return deadById.values().stream().filter(times -> times > 1).count();
        }

        long stalls(HiccupMeter hiccups) {
            return slow.stream()
                    .filter(slow -> slow.unexplainedNanos(hiccups) > STALL_NANOS)
                    .count();
        }
    }

    /** A slow checkout, and the time in which its thread was kept from running meanwhile. */
    record Slow(Span span, long delayNanos) {
        long unexplainedNanos(HiccupMeter hiccups) {
            return Math.min(hiccups.unexplainedNanos(span), span.nanos() - delayNanos);
        }
    }

    static final long STALL_NANOS = 10_000_000;

    private final DataSource dataSource;
    private final long intervalNanos;
    private final Duration hold;
    private final ExecutorService borrowers = Executors.newCachedThreadPool(Load::daemon);
    private final ScheduledExecutorService returner = Executors.newScheduledThreadPool(1, Load::daemon);
    private final Thread dispatcher = daemon(this::dispatch);
    private volatile boolean stopped;
    private volatile Tally tally = new Tally();

    Load(DataSource dataSource, int perSecond, Duration hold) {
        this.dataSource = dataSource;
        this.intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        this.hold = hold;
        dispatcher.start();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "load");
        thread.setDaemon(true);
        return thread;
    }

    /** Starts a new tally and returns the one that ends. */
    Tally turnPage() {
        Tally ended = tally;
        tally = new Tally();
        return ended;
    }

    private void dispatch() {
        long due = System.nanoTime();
        while (!stopped) {
            due += intervalNanos;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            long intended = due;
            borrowers.execute(() -> borrow(intended));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private void borrow(long due) {
        Tally into = tally;
        long delayBefore = RunDelay.nanos();
        long asked = System.nanoTime();
        Connection connection;
        try {
            connection = dataSource.getConnection();
        } catch (SQLException e) {
            into.failed.increment();
            note(into, due, new Span(asked, System.nanoTime()), delayBefore);
            return;
        }
        note(into, due, new Span(asked, System.nanoTime()), delayBefore);
        if (use(connection, into) && !stopped) {
            returner.schedule(() -> giveBack(connection), hold.toNanos(), TimeUnit.NANOSECONDS);
        } else {
            giveBack(connection);
        }
    }

    private static void note(Tally into, long due, Span wait, long delayBefore) {
        into.waits.recordValue(wait.nanos());
        into.sinceDue.recordValue(Math.max(0, wait.endNanos() - due));
        if (wait.nanos() > STALL_NANOS) {
            into.slow.add(new Slow(wait, RunDelay.nanos() - delayBefore));
        }
    }

    /** Returns false if the connection was dead when it was handed out. */
    private static boolean use(Connection connection, Tally into) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select 1");
            return true;
        } catch (DeadConnectionException e) {
            into.deadById.merge(e.id, 1, Integer::sum);
        } catch (SQLException e) {
            into.deadById.merge(-1, 1, Integer::sum);
        }
        return false;
    }

    private static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // The pool's opinion of a connection that is returned is its own business.
        }
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        dispatcher.join();
        borrowers.shutdown();
        borrowers.awaitTermination(10, TimeUnit.SECONDS);
        returner.shutdown(); // still runs the scheduled tasks
        returner.awaitTermination(10, TimeUnit.SECONDS);
    }
}
