// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import dev.forebay.tx.internal.TimedDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs transactions on any {@link DataSource} and retries the whole of one that has lost against another: SQLSTATE
 * 40001, at a statement or at COMMIT. Immutable and thread-safe.
 *
 * <pre>{@code
 * Transactions tx = Transactions.of(dataSource);
 * tx.run("transfer", c -> {
 *     withdraw(c, from, amount);
 *     deposit(c, to, amount);
 *     c.afterCommit(() -> notify(to));
 * });
 * }</pre>
 *
 * <p>A body may run several times, so it has no effects but those on its connection; {@link Transaction#afterCommit} is for the
 * others. Each attempt takes a connection and gives it back before the wait, as it was.
 *
 * <p>A call from within a body on the same thread is refused, because it would be another transaction, committed whatever
 * becomes of the first; after {@link #joining()} it is a part of the first.
 */
public final class Transactions {

    private static final int LONGEST_NAME = 100;

    private final DataSource dataSource;
    private final TxListener listener;
    private final Time time;
    private final Pause pause;
    private final RandomGenerator random;

    /** The threads that are in a body, with its handle. A thread-local would leave a value on every thread that it meets. */
    private final Map<Thread, TransactionHandle> bodies;

    /** The lines of all that were made from one builder. */
    private final Lines lines;

    private final TxOptions options;

    private Transactions(Builder builder) {
        this.dataSource = builder.dataSource;
        this.listener = TxListener.all(builder.listeners);
        this.time = builder.time;
        this.pause = builder.pause != null ? builder.pause : Pause.of(builder.time);
        this.random = builder.random;
        this.bodies = new ConcurrentHashMap<>();
        this.lines = builder.lines;
        this.options = new TxOptions(builder.policy, null, Cancellation.NEVER, false, false, null);
    }

    private Transactions(Transactions other, TxOptions options) {
        this.dataSource = other.dataSource;
        this.listener = other.listener;
        this.time = other.time;
        this.pause = other.pause;
        this.random = other.random;
        this.bodies = other.bodies;
        this.lines = other.lines;
        this.options = options;
    }

    /** Returns transactions on {@code dataSource} under the {@linkplain TxRetryPolicy#FAIR default policy}. */
    public static Transactions of(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /** Returns a builder of transactions on {@code dataSource}. */
    public static Builder builder(DataSource dataSource) {
        return new Builder(dataSource);
    }

    // ---- running

    /**
     * Runs {@code body} in a transaction.
     *
     * @param name its name in messages and metrics; there should be few
     * @throws ConditionFailedException if a fence in it had moved on
     * @throws GivenUpException if it met conflicts too often, or was stopped
     * @throws OutcomeUnknownException if it is unknown whether it is committed
     * @throws X what the body throws, after a rollback
     */
    public <X extends Exception> void run(String name, Body<X> body) throws SQLException, X {
        call(name, transaction -> {
            body.run(transaction);
            return name;
        });
    }

    /** Runs {@code body} in a transaction as {@link #run} does, and returns its result in the attempt that was committed. */
    public <T extends @Nullable Object, X extends Exception> T call(String name, ValueBody<T, X> body)
            throws SQLException, X {
        checkName(name);
        TransactionHandle outer = bodies.get(Thread.currentThread());
        if (outer != null) {
            return join(name, outer, body);
        }
        Attempt.Committed<T> committed = attempts(name).run((number, stop) -> {
            Connection connection = connection(name, stop);
            return new Attempt(name, number, connection, stop).run(body, bodies);
        });
        act(name, committed.actions());
        return committed.value();
    }

    /**
     * Runs {@code work}, which begins and commits a transaction of its own, and retries it after a conflict: for code
     * that gets its connection from a framework. Whether an error came from COMMIT is unknown here, so a lost
     * connection is thrown as it is, and a deadline does not reach its statements.
     */
    public <T extends @Nullable Object, X extends Exception> T retry(String name, Work<T, X> work)
            throws SQLException, X {
        checkName(name);
        TransactionHandle outer = bodies.get(Thread.currentThread());
        if (outer != null) {
            throw nested(name, outer); // nor can it join: its transaction is not ours to put it into
        }
        return attempts(name).run((number, stop) -> work.run());
    }

    /** Returns a connection for an attempt. If it had to stop before one came, that is the error. */
    private Connection connection(String name, Stop stop) throws SQLException {
        Connection connection;
        try {
            connection = stop.hasDeadline() && dataSource instanceof TimedDataSource timed
                    ? timed.getConnection(stop.nanosLeft())
                    : dataSource.getConnection();
        } catch (SQLException e) {
            GivenUpException.Reason reason = stop.reason();
            throw reason == null ? e : new Stop.Stopped(reason, e);
        }
        try {
            TransactionHandle same = TransactionHandle.of(connection);
            if (same != null) {
                throw nested(name, same);
            }
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private Attempts attempts(String name) {
        return new Attempts(name, options, listener, time, pause, random, lines);
    }

    private <T extends @Nullable Object, X extends Exception> T join(
            String name, TransactionHandle outer, ValueBody<T, X> body) throws X {
        if (!options.joining()) {
            throw nested(name, outer);
        }
        try {
            return body.run(outer.proxy());
        } catch (Throwable e) {
            outer.doom(e);
            throw e;
        }
    }

    private static IllegalStateException nested(String name, TransactionHandle outer) {
        return new IllegalStateException("transaction " + name + " was begun inside transaction " + outer.name()
                + ", but would be committed apart from it: pass the connection on, or begin it with joining()");
    }

    private static void act(String name, List<Runnable> actions) {
        AfterCommitException failure = null;
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException | Error e) {
                if (failure == null) {
                    failure = new AfterCommitException(name, e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static void checkName(String name) {
        if (name.isBlank() || name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException(
                    "a transaction needs a name of 1 to " + LONGEST_NAME + " characters: '" + name + "'");
        }
    }

    // ---- the same, with other options

    /**
     * Returns the same, given up when {@code time} has passed since the call. A statement in progress ends within a
     * second after that; a server that has stopped answering is given up some seconds later, and the connection with
     * it. A COMMIT that was sent is waited for as long. The wait for a connection is limited by
     * the data source only, unless it is Forebay's.
     */
    public Transactions within(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("the time for a transaction must be above 0: " + time);
        }
        return with(options.within(time));
    }

    /** Returns the same, stopped by {@code cancellation}. */
    public Transactions cancelledBy(Cancellation cancellation) {
        return with(options.cancelledBy(cancellation));
    }

    /**
     * Returns the same for bodies that may be applied twice: also retried after a COMMIT whose outcome is unknown. A
     * body is idempotent if its second application changes nothing, say because it inserts a key of the caller's first.
     */
    public Transactions idempotent() {
        return with(options.asIdempotent());
    }

    /**
     * Returns the same, but a {@link #run} or {@link #call} from within a body takes part in the transaction of that
     * body, under its deadline and policy; elsewhere it begins its own.
     */
    public Transactions joining() {
        return with(options.asJoining());
    }

    /**
     * Returns the same, run one after the other with all others in the lane of an equal {@code key}, first come, first served. So
     * transactions of one process that touch the same thing do not conflict with each other, only with those of other processes.
     *
     * <p>The lanes are those of all transactions made from one {@link Builder}. A transaction has its lane until it has ended, its
     * retries included, and has left it when its {@linkplain Transaction#afterCommit actions} run. A wait for the lane holds no
     * connection, counts against the {@linkplain #within time}, and ends as any other wait here when the transaction is cancelled
     * or its thread interrupted. One that joins another takes no lane. A thread that has a lane is refused a second one, so
     * that lanes cannot wait for each other; but a body that waits for another thread may, and one that runs other {@link Transactions}.
     */
    public Transactions lane(String key) {
        return with(options.inLane(Objects.requireNonNull(key)));
    }

    /** Returns the policy of retries. */
    public TxRetryPolicy policy() {
        return options.policy();
    }

    /** Returns the same under another policy. */
    public Transactions policy(TxRetryPolicy policy) {
        return with(options.withPolicy(policy));
    }

    private Transactions with(TxOptions changed) {
        return new Transactions(this, changed);
    }

    /** The body of a transaction. */
    @FunctionalInterface
    public interface Body<X extends Exception> {

        /** Does its work on {@code transaction}, and on nothing else. */
        void run(Transaction transaction) throws X;
    }

    /** The body of a transaction with a result. */
    @FunctionalInterface
    public interface ValueBody<T extends @Nullable Object, X extends Exception> {

        /** Does its work on {@code transaction}, and on nothing else. */
        T run(Transaction transaction) throws X;
    }

    /** Work that begins and commits a transaction by itself. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object, X extends Exception> {

        /** Does the work. */
        T run() throws X;
    }

    /** Makes {@link Transactions}. Not thread-safe. */
    public static final class Builder {

        private final DataSource dataSource;
        private final List<TxListener> listeners = new ArrayList<>();
        private TxRetryPolicy policy = TxRetryPolicy.FAIR;
        private Time time = SystemTime.shared();
        private RandomGenerator random = new Random(); // the one that threads may share
        private @Nullable Pause pause;
        private Lines lines = new Lines();

        private Builder(DataSource dataSource) {
            this.dataSource = Objects.requireNonNull(dataSource);
        }

        /** Sets the policy of retries; without this, {@link TxRetryPolicy#FAIR}. */
        public Builder policy(TxRetryPolicy policy) {
            this.policy = policy;
            return this;
        }

        /** Adds a listener. */
        public Builder listener(TxListener listener) {
            listeners.add(listener);
            return this;
        }

        Builder time(Time time) {
            this.time = time;
            return this;
        }

        Builder random(RandomGenerator random) {
            this.random = random;
            return this;
        }

        Builder pause(Pause pause) {
            this.pause = pause;
            return this;
        }

        Builder lines(Lines lines) {
            this.lines = lines;
            return this;
        }

        /** Builds the transactions. */
        public Transactions build() {
            return new Transactions(this);
        }
    }
}
