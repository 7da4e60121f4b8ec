// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench;

import dev.forebay.event.MicrometerMetrics;
import dev.forebay.event.PoolListener;
import dev.forebay.pool.Checkout;
import dev.forebay.pool.Connector;
import dev.forebay.pool.DiscardReason;
import dev.forebay.pool.Pool;
import dev.forebay.pool.PoolConfig;
import dev.forebay.pool.Supply;
import dev.forebay.time.SystemTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What metrics add to a checkout and its return, on the engine alone. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH fills the fields before a benchmark runs
public class MetricsBenchmark {
    private static final int SIZE = 32;

    /**
     * Without metrics; with meters that are only read; with every checkout timed; with HikariCP's names as well.
     */
    @Param({"none", "read", "timed", "hikari"})
    private String metrics;

    private Pool<Object> pool;

    @Setup(Level.Trial)
    public void open() throws InterruptedException {
        MicrometerMetrics binder = switch (metrics) {
            case "none" -> null;
            case "read" -> new MicrometerMetrics().withoutCheckoutTimes();
            case "timed" -> new MicrometerMetrics();
            case "hikari" -> new MicrometerMetrics().withHikariNames();
            default -> throw new IllegalArgumentException(metrics);
        };
        SystemTime time = SystemTime.shared();
        PoolListener listener = binder == null ? PoolListener.NONE : binder;
        PoolConfig config = PoolConfig.builder(Supply.reservoir(SIZE), SIZE).build();
        pool = new Pool<>(config, new Instant(), List.of(), time, new Random(1), listener);
        if (binder != null) {
            binder.observe("bench", pool::stats, time);
            binder.bindTo(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
        }
        pool.start();
        while (pool.stats().ready() < SIZE) {
            Thread.sleep(1);
        }
    }

    @TearDown(Level.Trial)
    public void close() {
        pool.close();
    }

    @Benchmark
    public boolean checkoutAndReturn() {
        Checkout<Object> checkout = new Checkout<>();
        return pool.tryCheckout(checkout, Thread.currentThread().getId()) && checkout.returnToPool();
    }

    /** Opens, checks and closes in no time. */
    private static final class Instant implements Connector<Object> {
        @Override
        public void open(Opening<Object> opening) {
            opening.opened(new Object());
        }

        @Override
        public void check(Object value, Checking checking) {
            checking.checked(true);
        }

        @Override
        public void close(Object value, DiscardReason reason, Runnable closed) {
            closed.run();
        }
    }
}
