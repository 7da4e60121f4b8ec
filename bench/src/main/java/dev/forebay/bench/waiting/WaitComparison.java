// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.waiting;

import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.bench.Options.Option;
import dev.forebay.bench.Report;
import dev.forebay.bench.driver.StubConnection;
import dev.forebay.bench.pools.Contestant;
import dev.forebay.bench.pools.PoolUnderTest;
import dev.forebay.bench.pools.Terms;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import javax.sql.DataSource;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Waits and throughput of 32 threads that share 8 connections and hold each for a while. */
public final class WaitComparison implements Comparison {

    private static final int THREADS = 32;
    private static final int CONNECTIONS = 8;

    @Override
    public String name() {
        return "wait";
    }

    @Override
    public String purpose() {
        return "32 threads on 8 connections held 1 ms and 0.1 ms: throughput, waits, fairness";
    }

    @Override
    public List<Option> options() {
        return List.of();
    }

    @Override
    public void run(Options options) throws Exception {
        int rounds = options.quick() ? 3 : 5;
        long seconds = options.quick() ? 5 : 10;
        List<String> lines = new ArrayList<>();
        for (double holdMillis : new double[] {0.1, 1}) {
            String hold = "wait hold=" + (holdMillis < 1 ? "0.1" : "1") + "ms";
            Map<Contestant, Outcome> medians = measure(options.pools(), holdMillis, rounds, seconds);
            medians.forEach((pool, outcome) -> System.out.println(hold + " " + pool.label() + ": " + outcome.detail()));
            lines.add(summary(hold, medians));
        }
        lines.forEach(System.out::println);
    }

    /** Measures the pools in turns, in the opposite order every other round. */
    private static Map<Contestant, Outcome> measure(List<Contestant> pools, double holdMillis, int rounds, long seconds)
            throws Exception {
        Map<Contestant, List<Outcome>> all = new EnumMap<>(Contestant.class);
        List<Contestant> order = new ArrayList<>(pools);
        for (int round = 0; round < rounds; round++) {
            for (Contestant pool : order) {
                all.computeIfAbsent(pool, unused -> new ArrayList<>())
                        .add(measureOnce(pool, (long) (holdMillis * 1e6), seconds));
            }
            Collections.reverse(order);
        }
        Map<Contestant, Outcome> medians = new EnumMap<>(Contestant.class);
        all.forEach((pool, outcomes) -> medians.put(pool, Outcome.median(outcomes)));
        return medians;
    }

    private static Outcome measureOnce(Contestant contestant, long holdNanos, long seconds) throws Exception {
        try (PoolUnderTest pool = contestant.open(Terms.steady(StubConnection::new, CONNECTIONS, false))) {
            List<Borrower> borrowers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                borrowers.add(new Borrower(pool.dataSource(), holdNanos));
            }
            borrowers.forEach(Thread::start);
            TimeUnit.SECONDS.sleep(1);
            pool.filled();
            long start = System.nanoTime();
            borrowers.forEach(borrower -> borrower.phase = Phase.MEASURE);
            TimeUnit.SECONDS.sleep(seconds);
            borrowers.forEach(borrower -> borrower.phase = Phase.STOP);
            double elapsed = (System.nanoTime() - start) / 1e9;
            for (Borrower borrower : borrowers) {
                borrower.join();
                if (borrower.failure != null) {
                    throw borrower.failure;
                }
            }
            return outcome(borrowers, elapsed);
        }
    }

    private static Outcome outcome(List<Borrower> borrowers, double elapsed) {
        Histogram waits = new Histogram(3);
        long most = 0;
        long least = Long.MAX_VALUE;
        for (Borrower borrower : borrowers) {
            waits.add(borrower.waits);
            most = Math.max(most, borrower.waits.getTotalCount());
            least = Math.min(least, borrower.waits.getTotalCount());
        }
        double fair = (double) waits.getTotalCount() / THREADS;
        return new Outcome(
                waits.getTotalCount() / elapsed,
                waits.getValueAtPercentile(50) / 1e6,
                waits.getValueAtPercentile(99) / 1e6,
                waits.getValueAtPercentile(99.9) / 1e6,
                least / fair,
                most / fair);
    }

    private static String summary(String hold, Map<Contestant, Outcome> outcomes) {
        StringBuilder text = new StringBuilder(hold).append(':');
        outcomes.forEach((pool, outcome) -> text.append(String.format(
                Locale.ROOT, " %s %.0f/s p99 %.2g ms,", pool.label(), outcome.perSecond(), outcome.p99())));
        text.setLength(text.length() - 1);
        Map<Contestant, Outcome> shown = new EnumMap<>(outcomes);
        shown.remove(Contestant.AGROAL);
        return text + Report.ratios(shown, Outcome::p99, " p99");
    }

    private enum Phase {
        WARM_UP,
        MEASURE,
        STOP
    }

    private record Outcome(double perSecond, double p50, double p99, double p999, double least, double most) {

        static Outcome median(List<Outcome> all) {
            return new Outcome(
                    of(all, Outcome::perSecond),
                    of(all, Outcome::p50),
                    of(all, Outcome::p99),
                    of(all, Outcome::p999),
                    of(all, Outcome::least),
                    of(all, Outcome::most));
        }

        private static double of(List<Outcome> all, ToDoubleFunction<Outcome> figure) {
            return Report.median(all.stream().mapToDouble(figure));
        }

        String detail() {
            return String.format(
                    Locale.ROOT,
                    "%.0f/s, wait p50 %.2f ms p99 %.2f ms p99.9 %.2f ms, share of a thread %.2f to %.2f",
                    perSecond,
                    p50,
                    p99,
                    p999,
                    least,
                    most);
        }
    }

    private static final class Borrower extends Thread {
        private final DataSource dataSource;
        private final long holdNanos;
        private final Histogram waits = new Histogram(3);
        volatile Phase phase = Phase.WARM_UP;
        volatile @Nullable SQLException failure;

        Borrower(DataSource dataSource, long holdNanos) {
            super("borrower");
            this.dataSource = dataSource;
            this.holdNanos = holdNanos;
        }

        @Override
        public void run() {
            try {
                while (phase != Phase.STOP) {
                    borrow();
                }
            } catch (SQLException e) {
                failure = e;
            }
        }

        /** Parks again if it wakes early: a pool may have left behind a wake-up that was meant for its wait. */
        private void hold(Connection connection) {
            long until = System.nanoTime() + holdNanos;
            for (long left = holdNanos; left > 0; left = until - System.nanoTime()) {
                LockSupport.parkNanos(connection, left);
            }
        }

        private void borrow() throws SQLException {
            long asked = System.nanoTime();
            try (Connection connection = dataSource.getConnection()) {
                if (phase == Phase.MEASURE) {
                    waits.recordValue(System.nanoTime() - asked);
                }
                hold(connection);
            }
        }
    }
}
