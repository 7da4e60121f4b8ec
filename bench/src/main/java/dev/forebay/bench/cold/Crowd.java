// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.cold;

import com.sun.management.OperatingSystemMXBean;
import dev.forebay.bench.Threads;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Callers that ask for a connection together, once each, and hold it for a moment. */
final class Crowd {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /**
     * The end of a crowd's wait.
     *
     * @param startNanos the machine's clock when they asked
     * @param nanos the time until the last call had ended
     * @param cpuNanos the CPU time of the process until then
     * @param firstNanos the time until the first was served
     * @param lastNanos the time until the last was served
     * @param calls the times that {@code getConnection} took for those who were served
     * @param stuck the callers who were neither served nor refused
     * @param failure the first failure, if any
     */
    record Outcome(
            long startNanos,
            long nanos,
            long cpuNanos,
            long firstNanos,
            long lastNanos,
            Histogram calls,
            int failed,
            int stuck,
            @Nullable SQLException failure) {}

    private final long holdNanos;
    private final CountDownLatch here;
    private final CountDownLatch gate = new CountDownLatch(1);
    private final CountDownLatch left;
    private final List<Caller> callers;

    /** The data source they ask, once the gate is open. */
    private volatile @Nullable DataSource dataSource;

    /** A crowd that stands before the gate when this returns. */
    Crowd(int size, Duration hold, Threads threads) throws InterruptedException {
        this.holdNanos = hold.toNanos();
        this.here = new CountDownLatch(size);
        this.left = new CountDownLatch(size);
        this.callers = IntStream.range(0, size).mapToObj(i -> new Caller()).toList();
        callers.forEach(threads::start);
        here.await();
    }

    /** Lets all ask {@code pool} at once and waits for the last, at most {@code patience}. */
    Outcome ask(DataSource pool, Duration patience) throws InterruptedException {
        dataSource = pool;
        long cpuBefore = SYSTEM.getProcessCpuTime();
        long start = System.nanoTime();
        gate.countDown();
        left.await(patience.toNanos(), TimeUnit.NANOSECONDS);
        long nanos = System.nanoTime() - start;
        long cpuNanos = SYSTEM.getProcessCpuTime() - cpuBefore;
        long first = Long.MAX_VALUE;
        long last = 0;
        Histogram calls = new Histogram(3);
        for (Caller caller : callers) {
            if (caller.served) {
                long served = caller.servedAtNanos - start;
                first = Math.min(first, served);
                last = Math.max(last, served);
                calls.recordValue(caller.servedAtNanos - caller.askedAtNanos);
            }
        }
        List<SQLException> failures = callers.stream()
                .map(caller -> caller.failure)
                .filter(Objects::nonNull)
                .toList();
        int stuck = callers.size() - (int) calls.getTotalCount() - failures.size();
        return new Outcome(
                start,
                nanos,
                cpuNanos,
                first,
                last,
                calls,
                failures.size(),
                stuck,
                failures.isEmpty() ? null : failures.get(0));
    }

    private final class Caller implements Runnable {
        private long askedAtNanos;
        private long servedAtNanos;

        /** Written after the times, for whoever reads them. */
        private volatile boolean served;

        private volatile @Nullable SQLException failure;

        @Override
        public void run() {
            try {
                here.countDown();
                gate.await();
                askedAtNanos = System.nanoTime();
                try (Connection connection = Objects.requireNonNull(dataSource).getConnection()) {
                    servedAtNanos = System.nanoTime();
                    served = true;
                    hold(connection);
                }
            } catch (SQLException e) {
                failure = e;
            } catch (InterruptedException e) {
                throw new IllegalStateException("bug: nobody interrupts a caller", e);
            } finally {
                left.countDown();
            }
        }

        /** Parks again if it wakes early: a pool may have left behind a wake-up that was meant for its wait. */
        private void hold(Connection connection) {
            long until = System.nanoTime() + holdNanos;
            for (long rest = holdNanos; rest > 0; rest = until - System.nanoTime()) {
                LockSupport.parkNanos(connection, rest);
            }
        }
    }
}
