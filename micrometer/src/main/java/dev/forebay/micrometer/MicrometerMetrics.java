// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import dev.forebay.engine.PoolObserver;
import dev.forebay.engine.PoolStats;
import dev.forebay.micrometer.Metric.Family;
import dev.forebay.micrometer.Metric.Series;
import dev.forebay.micrometer.Metric.Timing;
import dev.forebay.micrometer.MicrometerPoolNames.Kind;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Shows a pool in Micrometer: give it to the pool as a listener, and bind it to a registry before or after. Thread-safe.
 *
 * <p>Gauges and counters are read from one snapshot of the pool for each scrape and cost a checkout nothing. Timing is
 * paid for by each checkout and each return; {@link #withoutCheckoutTimes} times only those that had to wait. The meters
 * go from their registries when the pool is closed. A second pool of one service is shown beside the first, as {@code
 * <service>-2} in the label for the pool. Only classes with Micrometer in their name need it.
 */
public final class MicrometerMetrics implements PoolObserver, MeterBinder {

    /** A checkout takes well under a millisecond, and one that waits for a connect some hundreds. */
    private static final double[] LATENCY_BUCKETS_MILLIS = {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000};

    private final boolean checkoutTimes;
    private final boolean hikariNames;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final List<MeterRegistry> registries = new ArrayList<>();

    private final List<Runnable> removals = new ArrayList<>();
    private @Nullable Observed observed;
    private boolean closed;

    /** Written under the lock. */
    private volatile Clocks clocks = new Clocks(List.of(), List.of(), List.of());

    /** Metrics under their own names and those of OpenTelemetry. */
    public MicrometerMetrics() {
        this(true, false);
    }

    private MicrometerMetrics(boolean checkoutTimes, boolean hikariNames) {
        this.checkoutTimes = checkoutTimes;
        this.hikariNames = hikariNames;
    }

    /** The same, unbound, also under the names that HikariCP uses. */
    public MicrometerMetrics withHikariNames() {
        return new MicrometerMetrics(checkoutTimes, true);
    }

    /** The same, unbound, timing only checkouts that had to wait, which makes metrics free for the others. */
    public MicrometerMetrics withoutCheckoutTimes() {
        return new MicrometerMetrics(false, hikariNames);
    }

    @Override
    public void observe(String service, Supplier<PoolStats> stats, Time time) {
        lock.lock();
        try {
            if (observed != null) {
                throw new IllegalStateException("these metrics already show " + observed.service + ", not " + service);
            }
            Observed pool = new Observed(service, new StatsMemo<>(stats, time));
            observed = pool;
            registries.forEach(registry -> register(pool, registry));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        lock.lock();
        try {
            registries.add(registry);
            if (observed != null && !closed) {
                register(observed, registry);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            clocks = new Clocks(List.of(), List.of(), List.of());
            Collections.reverse(removals); // the name is free once its meters are gone
            Actions.runAll(removals);
            removals.clear();
        } finally {
            lock.unlock();
        }
    }

    // ---- what is timed

    @Override
    public boolean hearsCheckouts() {
        return checkoutTimes;
    }

    @Override
    public void checkedOut(long waitedNanos) {
        record(clocks.wait, waitedNanos);
    }

    @Override
    public void returned(long heldNanos) {
        record(clocks.use, heldNanos);
    }

    @Override
    public void opened(int open, long connectNanos) {
        record(clocks.create, connectNanos);
    }

    private static void record(Stopwatch[] stopwatches, long nanos) {
        for (Stopwatch stopwatch : stopwatches) {
            stopwatch.record(nanos);
        }
    }

    // ---- registration

    private void register(Observed pool, MeterRegistry registry) {
        String name = MicrometerPoolNames.take(registry, Kind.POOL, pool.service);
        removals.add(() -> MicrometerPoolNames.free(registry, Kind.POOL, name));
        List<Stopwatch> wait = new ArrayList<>(List.of(clocks.wait));
        List<Stopwatch> use = new ArrayList<>(List.of(clocks.use));
        List<Stopwatch> create = new ArrayList<>(List.of(clocks.create));
        for (Metric metric : Metric.values()) {
            if (metric.family() == Family.HIKARI && !hikariNames) {
                continue;
            }
            Tags tags = tags(metric.family(), pool.service, name);
            Timing timing = metric.timing();
            if (timing == null) {
                metric.series().forEach(series -> read(metric, series, tags, pool.stats, registry));
            } else {
                Stopwatch stopwatch = stopwatch(metric, tags, registry);
                switch (timing) {
                    case WAIT -> wait.add(stopwatch);
                    case USE -> use.add(stopwatch);
                    case CREATE -> create.add(stopwatch);
                }
            }
        }
        clocks = new Clocks(wait, use, create);
    }

    private static Tags tags(Family family, String service, String pool) {
        Tags tags = Tags.of(family.poolLabel(), pool);
        return family.hasService() ? tags.and("service", service) : tags;
    }

    private void read(Metric metric, Series series, Tags pool, StatsMemo<PoolStats> stats, MeterRegistry registry) {
        String label = metric.label();
        Tags tags = label == null ? pool : pool.and(label, series.labelValue());
        ToDoubleFunction<StatsMemo<PoolStats>> value = memo -> series.value().applyAsDouble(memo.get());
        Meter meter = switch (metric.type()) {
            case GAUGE ->
                Gauge.builder(metric.id(), stats, value)
                        .description(metric.description())
                        .tags(tags)
                        .register(registry);
            case COUNTER ->
                FunctionCounter.builder(metric.id(), stats, value)
                        .description(metric.description())
                        .tags(tags)
                        .register(registry);
            case WAIT_TIMER ->
                FunctionTimer.builder(metric.id(), stats, memo -> memo.get().checkouts(), value, TimeUnit.NANOSECONDS)
                        .description(metric.description())
                        .tags(tags)
                        .register(registry);
            case HISTOGRAM_MILLIS, TIMER -> throw new IllegalStateException("bug: " + metric + " is not read");
        };
        removable(registry, meter);
    }

    private Stopwatch stopwatch(Metric metric, Tags tags, MeterRegistry registry) {
        if (metric.type() == Metric.Type.HISTOGRAM_MILLIS) {
            DistributionSummary summary = DistributionSummary.builder(metric.id())
                    .baseUnit("milliseconds")
                    .description(metric.description())
                    .tags(tags)
                    .serviceLevelObjectives(LATENCY_BUCKETS_MILLIS)
                    .register(registry);
            removable(registry, summary);
            return nanos -> summary.record(nanos / 1e6);
        }
        // A histogram triples the price; who wants more of them switches them on with a MeterFilter.
        Timer timer = Timer.builder(metric.id())
                .description(metric.description())
                .tags(tags)
                .register(registry);
        removable(registry, timer);
        return nanos -> timer.record(nanos, TimeUnit.NANOSECONDS);
    }

    private void removable(MeterRegistry registry, Meter meter) {
        removals.add(() -> registry.remove(meter));
    }

    private interface Stopwatch {
        void record(long nanos);
    }

    private record Observed(String service, StatsMemo<PoolStats> stats) {}

    /** The stopwatches of each duration, in arrays since every checkout walks them. */
    private static final class Clocks {
        private final Stopwatch[] wait;
        private final Stopwatch[] use;
        private final Stopwatch[] create;

        Clocks(List<Stopwatch> wait, List<Stopwatch> use, List<Stopwatch> create) {
            this.wait = wait.toArray(Stopwatch[]::new);
            this.use = use.toArray(Stopwatch[]::new);
            this.create = create.toArray(Stopwatch[]::new);
        }
    }
}
