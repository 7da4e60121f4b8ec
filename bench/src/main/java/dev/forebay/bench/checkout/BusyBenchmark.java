// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.checkout;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Control;

/**
 * Get on one thread and close on another, in a pool where all but eight connections are held.
 *
 * <p>The two take turns: one gets six connections, the other closes them. Each times its own six, and the median counts,
 * since most are not interrupted. The CPU time of the process would not do here: it includes the wait for the turn, which
 * takes longer than the work.
 */
public class BusyBenchmark {

    private static final int LEFT_IDLE = 8;
    private static final int BATCH = 6;
    private static final int SPINS_BEFORE_YIELD = 1_000;

    /** The times of batches. Each is written by one thread, and read by the profiler between iterations. */
    private static final Histogram GETS = new Histogram(3);

    private static final Histogram CLOSES = new Histogram(3);

    /** Returns the median time of a get and a close since the last call. */
    static double medianNanos() {
        double median = (double) (GETS.getValueAtPercentile(50) + CLOSES.getValueAtPercentile(50)) / BATCH;
        GETS.reset();
        CLOSES.reset();
        return median;
    }

    /** The connections that are held throughout. */
    @State(Scope.Benchmark)
    public static class Held {
        private final List<Connection> held = new ArrayList<>();

        @Setup
        public void hold(FullPool pool) throws SQLException {
            for (int i = LEFT_IDLE; i < pool.size; i++) {
                held.add(pool.dataSource.getConnection());
            }
            System.gc();
        }

        @TearDown
        public void release() throws SQLException {
            for (Connection connection : held) {
                connection.close();
            }
        }
    }

    /** The connections on their way between the threads, and the turn. */
    @State(Scope.Group)
    public static class Batch {
        final Connection[] connections = new Connection[BATCH];
        volatile boolean full;

        @TearDown(Level.Iteration)
        public void empty() throws SQLException {
            if (full) {
                for (Connection connection : connections) {
                    connection.close();
                }
                full = false;
            }
        }

        /** Waits for {@code turn}; returns false if the iteration ends first. */
        boolean await(boolean turn, Control control) {
            for (int spins = 0; full != turn; spins++) {
                if (control.stopMeasurement) {
                    return false;
                }
                if (spins < SPINS_BEFORE_YIELD) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
            return true;
        }
    }

    @Benchmark
    @Group("busy")
    @OperationsPerInvocation(BATCH)
    public void get(FullPool pool, Held held, Batch batch, Control control) throws SQLException {
        if (batch.await(false, control)) {
            long start = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                batch.connections[i] = pool.dataSource.getConnection();
            }
            GETS.recordValue(System.nanoTime() - start);
            batch.full = true;
        }
    }

    @Benchmark
    @Group("busy")
    @OperationsPerInvocation(BATCH)
    public void close(Batch batch, Control control) throws SQLException {
        if (batch.await(true, control)) {
            long start = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                batch.connections[i].close();
            }
            CLOSES.recordValue(System.nanoTime() - start);
            batch.full = false;
        }
    }
}
