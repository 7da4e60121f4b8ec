// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.occ;

import dev.forebay.ForebayDataSource;
import dev.forebay.bench.Report;
import dev.forebay.tx.GivenUpException;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxRetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Eight threads that add 1 to counters, each to one drawn at random in each transaction. */
final class Contention {

    static final int THREADS = 8;

    /** The ways to retry a transaction. */
    enum Way {
        FAIR,
        BRIEF,
        PATIENT,
        LOOP,
        LANE;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final String database;
    private final ForebayDataSource dataSource;
    private final String storage;
    private final int rounds;
    private final long millis;

    Contention(String database, ForebayDataSource dataSource, String storage, int rounds, long millis) {
        this.database = database;
        this.dataSource = dataSource;
        this.storage = storage;
        this.rounds = rounds;
        this.millis = millis;
    }

    /** Returns the beginning of the line of {@code rows} counters. */
    String setting(int rows) {
        return database + " rows=" + rows;
    }

    /** Returns one line: the medians of each way on {@code rows} counters. They take turns, reversed every other round. */
    String measure(int rows) throws Exception {
        Map<Way, List<Outcome>> all = new EnumMap<>(Way.class);
        List<Way> order = new ArrayList<>(List.of(Way.values()));
        for (int round = 0; round < rounds; round++) {
            for (Way way : order) {
                all.computeIfAbsent(way, unused -> new ArrayList<>()).add(measureOnce(way, rows));
            }
            Collections.reverse(order);
        }
        StringBuilder text = new StringBuilder("occ " + setting(rows) + ":");
        all.forEach((way, outcomes) -> text.append(' ')
                .append(way.label())
                .append(' ')
                .append(Outcome.median(outcomes))
                .append(','));
        text.setLength(text.length() - 1);
        return text.toString();
    }

    private Outcome measureOnce(Way way, int rows) throws Exception {
        Counters.create(dataSource, rows, storage);
        List<Adder> adders = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            adders.add(new Adder(way, rows, i));
        }
        adders.forEach(Thread::start);
        TimeUnit.MILLISECONDS.sleep(millis / 4);
        long start = System.nanoTime();
        adders.forEach(adder -> adder.phase = Phase.MEASURE);
        TimeUnit.MILLISECONDS.sleep(millis);
        double elapsed = (System.nanoTime() - start) / 1e9;
        adders.forEach(adder -> adder.phase = Phase.STOP);
        long committed = 0;
        for (Adder adder : adders) {
            adder.join();
            if (adder.failure != null) {
                throw adder.failure;
            }
            committed += adder.committed;
        }
        if (Counters.sum(dataSource) != committed) {
            throw new IllegalStateException(
                    "wrong: " + Counters.sum(dataSource) + " counted, " + committed + " committed");
        }
        return outcome(adders, elapsed);
    }

    private static Outcome outcome(List<Adder> adders, double elapsed) {
        Histogram times = new Histogram(3);
        long attempts = 0;
        long givenUp = 0;
        for (Adder adder : adders) {
            times.add(adder.times);
            attempts += adder.attempts;
            givenUp += adder.givenUp;
        }
        long commits = times.getTotalCount();
        return new Outcome(
                commits / elapsed,
                (double) (attempts - commits) / Math.max(1, commits),
                times.getValueAtPercentile(99.9) / 1e6,
                givenUp / elapsed);
    }

    private static TxRetryPolicy policy(Way way) {
        return switch (way) {
            case BRIEF -> TxRetryPolicy.BRIEF;
            case FAIR, LANE -> TxRetryPolicy.FAIR;
            default -> TxRetryPolicy.PATIENT;
        };
    }

    private enum Phase {
        WARM_UP,
        MEASURE,
        STOP
    }

    private record Outcome(double perSecond, double wasted, double p999Millis, double givenUpPerSecond) {

        static Outcome median(List<Outcome> all) {
            return new Outcome(
                    of(all, Outcome::perSecond),
                    of(all, Outcome::wasted),
                    of(all, Outcome::p999Millis),
                    of(all, Outcome::givenUpPerSecond));
        }

        private static double of(List<Outcome> all, ToDoubleFunction<Outcome> figure) {
            return Report.median(all.stream().mapToDouble(figure));
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%.0f/s wasted %.2f p99.9 %.0f ms given up %.1f/s",
                    perSecond,
                    wasted,
                    p999Millis,
                    givenUpPerSecond);
        }
    }

    private final class Adder extends Thread {
        private final Way way;
        private final int rows;
        private final SplittableRandom random;
        private final Transactions transactions;
        private final Histogram times = new Histogram(3);
        volatile Phase phase = Phase.WARM_UP;
        volatile @Nullable SQLException failure;

        /** Attempts of transactions that began while it was measured. */
        long attempts;

        long givenUp;

        /** All committed transactions. */
        long committed;

        Adder(Way way, int rows, long seed) {
            super("adder");
            this.way = way;
            this.rows = rows;
            this.random = new SplittableRandom(seed);
            this.transactions = dataSource.transactions().policy(policy(way));
        }

        @Override
        public void run() {
            try {
                while (phase != Phase.STOP) {
                    add(phase == Phase.MEASURE);
                }
            } catch (SQLException e) {
                failure = e;
            }
        }

        private void add(boolean measured) throws SQLException {
            int id = random.nextInt(rows);
            long attemptsBefore = attempts;
            long start = System.nanoTime();
            try {
                if (way == Way.LOOP) {
                    loop(id);
                } else {
                    Transactions chosen = way == Way.LANE ? transactions.lane("counter " + id) : transactions;
                    chosen.run("add", transaction -> {
                        attempts++;
                        Counters.readAndAdd(transaction, id);
                    });
                }
                committed++;
                if (measured) {
                    times.recordValue(System.nanoTime() - start);
                }
            } catch (GivenUpException e) {
                givenUp += measured ? 1 : 0;
            }
            if (!measured) {
                attempts = attemptsBefore;
            }
        }

        /** Retries in the loop that applications write. */
        private void loop(int id) throws SQLException {
            while (true) {
                attempts++;
                try (Connection connection = dataSource.getConnection()) {
                    connection.setAutoCommit(false);
                    try {
                        Counters.readAndAdd(connection, id);
                        connection.commit();
                        return;
                    } catch (SQLException e) {
                        connection.rollback();
                        if (!"40001".equals(e.getSQLState())) {
                            throw e;
                        }
                    } finally {
                        connection.setAutoCommit(true);
                    }
                }
            }
        }
    }
}
