// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.testkit.Faults;
import dev.forebay.testkit.SimDatabase;
import dev.forebay.testkit.Turns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** What a seed makes: a database of either mode, a small pool before it, time, and how transactions are run in it. */
final class TxWorld {

    final Random random;
    final Turns turns;
    final SimDatabase.Mode mode;
    final SimDatabase database;
    final DataSource source;
    final Tally tally;

    /** Until when each thread paused last. */
    final Map<Thread, Long> pausedUntil = new HashMap<>();

    /** The threads whose pause was interrupted. */
    final Set<Thread> interruptedPauses = new HashSet<>();

    TxWorld(long seed, boolean idempotent) {
        random = new Random(seed * 7_919 + 1);
        turns = new Turns(seed);
        mode = SimDatabase.Mode.values()[random.nextInt(2)];
        database = new SimDatabase(turns, mode).sessionsAutoCommit(random.nextInt(4) > 0);
        source = database.dataSource(1 + random.nextInt(4));
        tally = new Tally(idempotent);
    }

    Transactions transactions(TxRetryPolicy policy, TxListener... more) {
        Transactions.Builder builder = Transactions.builder(source);
        Stream.of(more).forEach(builder::listener);
        return builder.policy(policy)
                .listener(tally)
                .time(turns.time())
                .random(new Random(turns.seed() + 3))
                .pause(this::pause)
                .build();
    }

    private void pause(long atNanos, Cancellation cancellation) throws InterruptedException {
        pausedUntil.put(Thread.currentThread(), atNanos);
        try {
            turns.await("pauses", cancellation::isCancelled, atNanos);
        } catch (InterruptedException e) {
            interruptedPauses.add(Thread.currentThread());
            throw e;
        }
    }

    /** A policy of the widest variety. */
    TxRetryPolicy anyPolicy() {
        Duration base = Duration.ofNanos(random.nextInt(200_000_000));
        return new TxRetryPolicy(
                random.nextInt(7),
                base,
                base.multipliedBy(1 + random.nextInt(20)),
                random.nextBoolean() ? TxRetryPolicy.Jitter.FULL : TxRetryPolicy.Jitter.of(random.nextInt(5) / 4.0));
    }

    Faults latency(Faults faults) {
        return faults.latency(random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(1 + random.nextInt(20)));
    }

    /** Executes {@code sql} and tells how many rows it changed. */
    static int update(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            return statement.executeUpdate();
        }
    }

    /** The first column of the first row, null if there is none. */
    static Object query(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? result.getObject(1) : null;
            }
        }
    }

    /** How a transaction ended for its caller. */
    enum Verdict {
        COMMITTED,
        CONDITION_FAILED,
        FAILED,
        UNKNOWN
    }

    /** What its caller got to know. */
    record Report(Verdict verdict, Exception error) {}

    /** A call of a transaction. */
    interface Call {
        void run() throws Exception;
    }

    static Report report(Call call) {
        try {
            call.run();
            return new Report(Verdict.COMMITTED, null);
        } catch (OutcomeUnknownException e) {
            return new Report(Verdict.UNKNOWN, e);
        } catch (Exception e) {
            boolean lost = ErrorMeaning.of(e) == ErrorMeaning.CONDITION_FAILED;
            return new Report(lost ? Verdict.CONDITION_FAILED : Verdict.FAILED, e);
        }
    }

    /** What layers above a driver make of its exceptions. */
    enum Wrapping {
        NONE,
        RUNTIME,
        NEXT,
        DEEP;

        Exception wrap(SQLException e) {
            return switch (this) {
                case NONE -> e;
                case RUNTIME -> new IllegalStateException("wrapped", e);
                case NEXT -> {
                    SQLException first = new SQLException("the first of a chain");
                    first.setNextException(e);
                    yield first;
                }
                case DEEP -> new UncheckedIOException(new IOException(new RuntimeException(e)));
            };
        }
    }

    Wrapping anyWrapping() {
        return Wrapping.values()[random.nextInt(Wrapping.values().length)];
    }

    /** A property of every run. */
    interface Property {
        void check(long seed) throws Exception;
    }

    /** Checks {@code runs} seeds, or the one that {@code -Dforebay.tx.seed} names. */
    static void forEachSeed(int runs, Property property) {
        Long only = Long.getLong("forebay.tx.seed");
        long first = only == null ? 0 : only;
        for (long seed = first; seed < (only == null ? runs : first + 1); seed++) {
            try {
                property.check(seed);
            } catch (Exception | AssertionError e) {
                throw new AssertionError("-Dforebay.tx.seed=" + seed + " shows it again: " + e, e);
            }
        }
    }
}
