// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.waiting;

import com.sun.management.OperatingSystemMXBean;
import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.bench.Options.Option;
import dev.forebay.bench.Report;
import dev.forebay.bench.Threads;
import dev.forebay.bench.driver.StubConnection;
import dev.forebay.bench.pools.Contestant;
import dev.forebay.bench.pools.PoolUnderTest;
import dev.forebay.bench.pools.Terms;
import java.lang.management.ManagementFactory;
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

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    @Override
    public String name() {
        return "wait";
    }

    @Override
    public String purpose() {
        return "32 threads on 8 connections held 1 ms and 0.1 ms: throughput, waits, idle connections, CPU, fairness";
    }

    @Override
    public List<Option> options() {
        return List.of(Options.THREADS);
    }

    @Override
    public void run(Options options) throws Exception {
        int rounds = options.quick() ? 3 : 5;
        long seconds = options.quick() ? 5 : 6;
        List<String> lines = new ArrayList<>();
        for (double holdMillis : new double[] {0.1, 1}) {
            String hold = "wait hold=" + (holdMillis < 1 ? "0.1" : "1") + "ms threads=" + options.threads();
            Map<Contestant, Outcome> medians = measure(options, holdMillis, rounds, seconds);
            medians.forEach((pool, outcome) -> System.out.println(hold + " " + pool.label() + ": " + outcome.detail()));
            lines.add(summary(hold, medians));
        }
        lines.forEach(System.out::println);
    }

    /** Measures the pools in turns, in the opposite order every other round. */
    private static Map<Contestant, Outcome> measure(Options options, double holdMillis, int rounds, long seconds)
            throws Exception {
        Map<Contestant, List<Outcome>> all = new EnumMap<>(Contestant.class);
        List<Contestant> order = new ArrayList<>(options.pools());
        for (int round = 0; round < rounds; round++) {
            for (Contestant pool : order) {
                all.computeIfAbsent(pool, unused -> new ArrayList<>())
                        .add(measureOnce(pool, options.threads(), (long) (holdMillis * 1e6), seconds));
            }
            Collections.reverse(order);
        }
        Map<Contestant, Outcome> medians = new EnumMap<>(Contestant.class);
        all.forEach((pool, outcomes) -> medians.put(pool, Outcome.median(outcomes)));
        return medians;
    }

    private static Outcome measureOnce(Contestant contestant, Threads threads, long holdNanos, long seconds)
            throws Exception {
        try (PoolUnderTest pool = contestant.open(Terms.steady(HeldConnection::new, CONNECTIONS, false))) {
            List<Borrower> borrowers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                borrowers.add(new Borrower(pool.dataSource(), holdNanos));
            }
            List<Thread> running = borrowers.stream().map(threads::start).toList();
            TimeUnit.SECONDS.sleep(1);
            pool.filled();
            long start = System.nanoTime();
            long cpu = SYSTEM.getProcessCpuTime();
            borrowers.forEach(borrower -> borrower.phase = Phase.MEASURE);
            TimeUnit.SECONDS.sleep(seconds);
            borrowers.forEach(borrower -> borrower.phase = Phase.STOP);
            double elapsed = (System.nanoTime() - start) / 1e9;
            double processors = (SYSTEM.getProcessCpuTime() - cpu) / 1e9 / elapsed;
            for (Thread thread : running) {
                thread.join();
            }
            for (Borrower borrower : borrowers) {
                if (borrower.failure != null) {
                    throw borrower.failure;
                }
            }
            return outcome(borrowers, elapsed, processors);
        }
    }

    private static Outcome outcome(List<Borrower> borrowers, double elapsed, double processors) {
        Histogram waits = new Histogram(3);
        Histogram idle = new Histogram(3);
        long most = 0;
        long least = Long.MAX_VALUE;
        for (Borrower borrower : borrowers) {
            waits.add(borrower.waits);
            idle.add(borrower.idle);
            most = Math.max(most, borrower.waits.getTotalCount());
            least = Math.min(least, borrower.waits.getTotalCount());
        }
        double fair = (double) waits.getTotalCount() / THREADS;
        return new Outcome(
                waits.getTotalCount() / elapsed,
                waits.getValueAtPercentile(50) / 1e6,
                waits.getValueAtPercentile(99) / 1e6,
                waits.getValueAtPercentile(99.9) / 1e6,
                idle.getMean() / 1e3,
                processors,
                least / fair,
                most / fair);
    }

    private static String summary(String hold, Map<Contestant, Outcome> outcomes) {
        StringBuilder text = new StringBuilder(hold).append(':');
        outcomes.forEach((pool, outcome) -> text.append(String.format(
                Locale.ROOT, " %s %.0f/s p99 %.2g ms,", pool.label(), outcome.perSecond(), outcome.p99())));
        text.setLength(text.length() - 1);
        return text + Report.ratios(outcomes, Outcome::perSecond, "") + Report.ratios(outcomes, Outcome::p99, " p99");
    }

    private enum Phase {
        WARM_UP,
        MEASURE,
        STOP
    }

    /**
     * The figures of one pool.
     *
     * @param idleMicros the mean time that a connection lay idle, from its return to its next use, all the while awaited
     * @param processors the number of processors in use on average
     * @param least the checkouts of the thread that had fewest, to those of an average one
     * @param most the same of the thread that had most
     */
    private record Outcome(
            double perSecond,
            double p50,
            double p99,
            double p999,
            double idleMicros,
            double processors,
            double least,
            double most) {

        static Outcome median(List<Outcome> all) {
            return new Outcome(
                    of(all, Outcome::perSecond),
                    of(all, Outcome::p50),
                    of(all, Outcome::p99),
                    of(all, Outcome::p999),
                    of(all, Outcome::idleMicros),
                    of(all, Outcome::processors),
                    of(all, Outcome::least),
                    of(all, Outcome::most));
        }

        private static double of(List<Outcome> all, ToDoubleFunction<Outcome> figure) {
            return Report.median(all.stream().mapToDouble(figure));
        }

        String detail() {
            return String.format(
                    Locale.ROOT,
                    "%.0f/s, wait p50 %.2f ms p99 %.2f ms p99.9 %.2f ms, idle for %.1f us, cpu %.2f,"
                            + " share of a thread %.2f to %.2f",
                    perSecond,
                    p50,
                    p99,
                    p999,
                    idleMicros,
                    processors,
                    least,
                    most);
        }
    }

    /** A connection that knows when it was last given up. */
    private static final class HeldConnection extends StubConnection {
        private volatile long givenUpAt = System.nanoTime();
    }

    private static final class Borrower implements Runnable {
        private final DataSource dataSource;
        private final long holdNanos;
        private final Histogram waits = new Histogram(3);
        private final Histogram idle = new Histogram(3);
        volatile Phase phase = Phase.WARM_UP;
        volatile @Nullable SQLException failure;

        Borrower(DataSource dataSource, long holdNanos) {
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
                long got = System.nanoTime();
                HeldConnection held = connection.unwrap(HeldConnection.class);
                if (phase == Phase.MEASURE) {
                    waits.recordValue(got - asked);
                    idle.recordValue(Math.max(0, got - held.givenUpAt));
                }
                hold(connection);
                held.givenUpAt = System.nanoTime();
            }
        }
    }
}
