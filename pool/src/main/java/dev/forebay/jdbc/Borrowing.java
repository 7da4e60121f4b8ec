// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.PoolStats;
import dev.forebay.engine.Refusal;
import dev.forebay.engine.Waiter;
import dev.forebay.spi.Holder;
import dev.forebay.spi.NoConnection;
import dev.forebay.time.Time;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The blocking side of a pool of connections, behind {@code getConnection}. Thread-safe.
 *
 * <p>With a connection ready, borrowing takes no lock, does no I/O and allocates the handle only. Without one it yields a
 * few times, which is enough where connections are held for microseconds and far cheaper than to park; then it waits in
 * line.
 */
public final class Borrowing implements PoolListener {

    private static final int YIELDS = 8;

    /** With others in line nothing is to be found; but the one that was just served by this thread runs sooner. */
    private static final int YIELDS_IN_LINE = 1;

    private static final int MOST_NAMED = 3;

    /** The longest a thread stays parked before it looks whether its turn has come. */
    private static final long LOOK_NANOS = 1_000_000_000;

    /** The time for which a description is shared: walking the pool for each of a crowd would hold them all up. */
    private static final long DESCRIPTION_NANOS = 50_000_000;

    private final Pool<PhysicalConnection> pool;
    private final Time time;
    private final JdbcListener listener;
    private final boolean notesStacks;
    private volatile @Nullable Description description;

    private record Description(long atNanos, String text) {}

    /**
     * Borrows from {@code pool}.
     *
     * @param listener the listener of this pool
     * @param config the set-up of its connections
     */
    public Borrowing(Pool<PhysicalConnection> pool, Time time, JdbcListener listener, SessionConfig config) {
        this.pool = pool;
        this.time = time;
        this.listener = listener;
        this.notesStacks = config.leakDetection();
    }

    /**
     * Returns a connection, as soon as there is one.
     *
     * @throws SQLException if there is none within {@code timeoutNanos}, the pool is closed, or the thread is interrupted
     *     while it waits; {@link NoConnection} lists the SQLSTATEs
     */
    public Connection borrow(long timeoutNanos) throws SQLException {
        Thread thread = Thread.currentThread();
        ConnectionHandle handle = new ConnectionHandle();
        if (!pool.claim(handle, thread.getId())) {
            await(handle, thread, timeoutNanos);
        }
        if (notesStacks) {
            noteStack(handle, thread);
        }
        return handle;
    }

    /**
     * Makes a connection that was borrowed here be discarded when it is closed; returns false if it has been closed
     * already, or is none of ours.
     */
    public static boolean condemn(Connection connection) {
        PhysicalConnection physical = connection instanceof ConnectionHandle handle ? handle.value() : null;
        if (physical == null) {
            return false;
        }
        physical.foundBad();
        return true;
    }

    private static void noteStack(ConnectionHandle handle, Thread thread) {
        PhysicalConnection connection = handle.value();
        if (connection != null) {
            connection.borrower = new PhysicalConnection.Borrower(thread, new Throwable("borrowed here"));
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on the yields: they only make parking rarer
    private void await(ConnectionHandle handle, Thread thread, long timeoutNanos) throws SQLException {
        long began = time.nanos();
        if (timeoutNanos > 0) {
            int yields = pool.isGated() ? YIELDS_IN_LINE : YIELDS;
            for (int i = 0; i < yields; i++) {
                Thread.yield();
                if (pool.claim(handle, thread.getId(), began)) {
                    return;
                }
            }
        }
        long deadline = timeoutNanos > Long.MAX_VALUE - began ? Long.MAX_VALUE : began + Math.max(0, timeoutNanos);
        Turn turn = new Turn(thread);
        Waiter<PhysicalConnection> waiter = pool.checkout(handle, thread.getId(), began, deadline, turn);
        NoConnection why = turn.await(waiter, deadline);
        if (why != null) {
            throw exception(why, message(why, time.nanos() - began), causeOf(why));
        }
    }

    /** One thread's wait for its turn. */
    private final class Turn implements Waiter.Turn {
        private final Thread thread;

        Turn(Thread thread) {
            this.thread = thread;
        }

        @Override
        public void served() {
            LockSupport.unpark(thread);
        }

        @Override
        public void refused(Refusal refusal) {
            LockSupport.unpark(thread);
        }

        /** Waits; null once served. It relies on the waiter's state, so that a wake-up that is lost costs a look. */
        @Nullable
        NoConnection await(Waiter<PhysicalConnection> waiter, long deadline) {
            boolean interrupted = false;
            while (!waiter.hasEnded()) {
                long left = deadline - time.nanos();
                interrupted |= Thread.interrupted();
                if (interrupted) {
                    waiter.cancel(Refusal.CANCELLED);
                } else if (left <= 0) {
                    waiter.cancel(Refusal.TIMED_OUT);
                } else {
                    LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
                }
            }
            if (interrupted) {
                thread.interrupt();
            }
            return reason(waiter.refusal());
        }

        private static @Nullable NoConnection reason(@Nullable Refusal refusal) {
            if (refusal == null) {
                return null;
            }
            return switch (refusal) {
                case TIMED_OUT -> NoConnection.TIMED_OUT;
                case CLOSED -> NoConnection.CLOSED;
                case EXHAUSTED -> NoConnection.EXHAUSTED;
                case TOO_MANY_WAITING -> NoConnection.TOO_MANY_WAITING;
                case CANCELLED -> NoConnection.INTERRUPTED;
                case HOPELESS -> NoConnection.HOPELESS;
            };
        }
    }

    // ---- what it hears, where nothing else passes it on to its listener

    @Override
    public void opened(int open, long connectNanos) {
        listener.opened(open, connectNanos);
    }

    @Override
    public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
        listener.openFailed(failure, attempt, delayNanos);
    }

    @Override
    public void heldTooLong(Object value, long heldNanos) {
        listener.heldTooLong(value, heldNanos);
    }

    // ---- what the borrower is told

    private static SQLException exception(NoConnection why, String message, @Nullable Throwable cause) {
        return why == NoConnection.CLOSED
                ? new SQLNonTransientConnectionException(message, why.sqlState(), why.vendorCode(), cause)
                : new SQLTransientConnectionException(message, why.sqlState(), why.vendorCode(), cause);
    }

    private @Nullable Throwable causeOf(NoConnection why) {
        OpenFailure failure = listener.lastFailure();
        return why == NoConnection.CLOSED || failure == null ? null : failure.error();
    }

    private String message(NoConnection why, long waitedNanos) {
        String waited = seconds(Duration.ofNanos(waitedNanos));
        return switch (why) {
            case CLOSED -> "the pool is closed";
            case TIMED_OUT -> "no connection within " + waited + ": " + describe();
            case EXHAUSTED -> "all connections are in use: " + describe();
            case HOPELESS -> "no connection can be opened: " + describe();
            case TOO_MANY_WAITING -> "too many wait for a connection: " + describe();
            case INTERRUPTED -> "interrupted after waiting " + waited + " for a connection: " + describe();
        };
    }

    private String describe() {
        long now = time.nanos();
        Description known = description;
        if (known == null || now - known.atNanos > DESCRIPTION_NANOS) {
            known = new Description(now, describeNow());
            description = known;
        }
        return known.text;
    }

    private String describeNow() {
        PoolStats stats = pool.stats();
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%d of %d leased, %d ready, %d opening, %d waiting",
                stats.borrowed(),
                stats.maxOpen(),
                stats.ready(),
                stats.opening(),
                stats.waiting()));
        if (stats.closing() > 0) {
            text.append(", ").append(stats.closing()).append(" closing or hanging in the driver");
        }
        List<Holder> holders = holders(MOST_NAMED);
        for (int i = 0; i < holders.size(); i++) {
            text.append(i == 0 ? "; longest held: " : ", ").append(describe(holders.get(i)));
        }
        OpenFailure failure = listener.lastFailure();
        if (failure != null) {
            text.append("; last open failure (").append(failure.cause().label()).append("): ");
            text.append(failure.error().getMessage());
        }
        return text.toString();
    }

    private static String describe(Holder holder) {
        return seconds(holder.held()) + " by " + holder.who() + " (" + holder.connection() + ")";
    }

    /** Returns the current holders, longest first, at most {@code most}. */
    public List<Holder> holders(int most) {
        return pool.holdings().stream()
                .limit(most)
                .map(holding ->
                        new Holder(thread(holding), holding.value().toString(), Duration.ofNanos(holding.heldNanos())))
                .toList();
    }

    /** Names the thread; a virtual one, or one that has ended, is known only with leak detection. */
    private static String thread(Pool.Holding<PhysicalConnection> holding) {
        PhysicalConnection.Borrower borrower = holding.value().borrower;
        if (borrower != null) {
            return "thread '" + borrower.thread().getName() + "'";
        }
        if (holding.affinity() <= 0) {
            return "a thread"; // it has only just been checked out
        }
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(holding.affinity());
        return info == null ? "thread #" + holding.affinity() : "thread '" + info.getThreadName() + "'";
    }

    static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
    }
}
