// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.occ;

import com.sun.management.ThreadMXBean;
import dev.forebay.bench.Report;
import dev.forebay.tx.Transactions;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import javax.sql.DataSource;

/** A transaction of one statement without conflict, on one thread: by hand and by {@link Transactions}. */
final class Uncontended {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Uncontended() {}

    /** A transaction. */
    @FunctionalInterface
    interface Deed {
        void run() throws SQLException;
    }

    /** Returns the deed that {@link Transactions#run} is compared with. */
    static Deed plain(DataSource dataSource) {
        return () -> {
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                try {
                    Counters.add(connection, 0);
                    connection.commit();
                } catch (SQLException | RuntimeException e) {
                    connection.rollback();
                    throw e;
                } finally {
                    connection.setAutoCommit(true);
                }
            }
        };
    }

    static Deed transaction(Transactions transactions) {
        return () -> transactions.run("add", transaction -> Counters.add(transaction, 0));
    }

    /**
     * Returns the CPU time and bytes of each of {@code deeds}, which take turns in blocks; medians of the blocks. A deed that
     * never waits takes its CPU time and no longer, and that is steadier than elapsed time on a shared machine.
     */
    static List<Cost> costs(List<Deed> deeds, int blocks, int blockSize) throws SQLException {
        List<List<Cost>> all = new ArrayList<>();
        deeds.forEach(deed -> all.add(new ArrayList<>()));
        for (int block = 0; block < 2 * blocks; block++) {
            for (int i = 0; i < deeds.size(); i++) {
                Cost cost = block(deeds.get(i), blockSize);
                if (block >= blocks) { // the first half warms up
                    all.get(i).add(cost);
                }
            }
        }
        return all.stream()
                .map(costs -> new Cost(median(costs, Cost::nanos), median(costs, Cost::bytes)))
                .toList();
    }

    private static double median(List<Cost> costs, ToDoubleFunction<Cost> figure) {
        return Report.median(costs.stream().mapToDouble(figure));
    }

    private static Cost block(Deed deed, int size) throws SQLException {
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        long nanos = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < size; i++) {
            deed.run();
        }
        nanos = THREADS.getCurrentThreadCpuTime() - nanos;
        bytes = THREADS.getCurrentThreadAllocatedBytes() - bytes;
        return new Cost((double) nanos / size, (double) bytes / size);
    }

    /** Returns the median time of each of {@code deeds}, which take turns one by one. */
    static List<Double> elapsedNanos(List<Deed> deeds, int times) throws SQLException {
        double[][] all = new double[deeds.size()][times];
        for (int time = -times / 2; time < times; time++) { // the first third warms up
            for (int i = 0; i < all.length; i++) {
                long start = System.nanoTime();
                deeds.get(i).run();
                double took = System.nanoTime() - start;
                if (time >= 0) {
                    all[i][time] = took;
                }
            }
        }
        List<Double> medians = new ArrayList<>();
        for (double[] each : all) {
            medians.add(Report.median(DoubleStream.of(each)));
        }
        return medians;
    }

    /**
     * The cost of one transaction.
     *
     * @param nanos CPU time
     * @param bytes allocated
     */
    record Cost(double nanos, double bytes) {}
}
