// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Metric;
import dev.forebay.engine.Observer.Observation;
import dev.forebay.time.Actions;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of one pool, fleet, server or operation, in each registry that shows it. Thread-safe.
 *
 * @param <S> its numbers
 */
final class Owner<S> implements Observation {

    private static final Logger log = LoggerFactory.getLogger(MicrometerMetrics.class);

    /** The labels whose values are made distinct within a registry. */
    private static final Set<String> DISTINCT = Set.of("pool", "db.client.connection.pool.name");

    private static final double[] QUANTILES = {0.5, 0.99};

    private final String name;
    private final List<Metric<S>> metrics;
    private final StatsMemo<S> stats;
    private final Consumer<Owner<?>> onClose;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<Runnable> removals = new ArrayList<>();

    @GuardedBy("lock")
    private boolean closed;

    /** By the ordinal of the event; arrays since every checkout walks them. Written under the lock. */
    private volatile Stopwatch[][] stopwatches;

    private volatile Tally[][] tallies;

    Owner(String name, List<Metric<S>> metrics, StatsMemo<S> stats, Consumer<Owner<?>> onClose) {
        this.name = name;
        this.metrics = metrics;
        this.stats = stats;
        this.onClose = onClose;
        int events = metrics.stream()
                .map(Metric::event)
                .mapToInt(event -> event == null ? 0 : index(event) + 1)
                .max()
                .orElse(0);
        this.stopwatches = new Stopwatch[events][0];
        this.tallies = new Tally[events][0];
    }

    @SuppressWarnings("EnumOrdinal") // an array and no map, since every checkout looks it up; it is kept nowhere
    private static int index(Enum<?> event) {
        return event.ordinal();
    }

    @Override
    public void record(Enum<?> event, long value) {
        for (Stopwatch stopwatch : stopwatches[index(event)]) {
            stopwatch.record(value);
        }
    }

    @Override
    public void count(Enum<?> event, String... labelValues) {
        List<String> values = List.of(labelValues);
        for (Tally tally : tallies[index(event)]) {
            Counter counter = tally.counters.get(values);
            if (counter == null) {
                countFirst(tally, values);
            } else {
                counter.increment();
            }
        }
    }

    /** Counts a first event; one that meets {@link #close} is not counted, lest its meter be left behind. */
    private void countFirst(Tally tally, List<String> values) {
        lock.lock();
        try {
            if (!closed) {
                counter(tally, values).increment();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Registers the meters in {@code registry}, unless another owner of this name has its meters there. */
    void show(MeterRegistry registry) {
        lock.lock();
        try {
            if (closed || metrics.isEmpty()) {
                return;
            }
            String catalogue = metrics.get(0).id();
            String distinct = OwnerNames.take(registry, catalogue, name);
            if (isShown(registry, distinct)) {
                OwnerNames.free(registry, catalogue, distinct);
                log.warn("Other metrics show this owner in the same registry, so these are not shown  owner={}", name);
                return;
            }
            removals.add(() -> OwnerNames.free(registry, catalogue, distinct));
            metrics.forEach(metric -> register(metric, tags(metric, distinct), registry));
        } finally {
            lock.unlock();
        }
    }

    private boolean isShown(MeterRegistry registry, String distinct) {
        Optional<Metric<S>> first =
                metrics.stream().filter(metric -> metric.labels().isEmpty()).findFirst();
        return first.isPresent()
                && registry.find(first.get().id())
                                .tags(tags(first.get(), distinct))
                                .meter()
                        != null;
    }

    private Tags tags(Metric<S> metric, String distinct) {
        Tags tags = Tags.empty();
        for (String label : metric.ownerLabels()) {
            tags = tags.and(label, DISTINCT.contains(label) ? distinct : name);
        }
        return tags;
    }

    @GuardedBy("lock")
    private void register(Metric<S> metric, Tags tags, MeterRegistry registry) {
        Enum<?> event = metric.event();
        if (event == null) {
            read(metric, tags, registry);
        } else if (metric.kind() == Metric.Kind.COUNTER) {
            Tally tally = new Tally(metric, tags, registry, new ConcurrentHashMap<>());
            if (metric.labels().isEmpty()) {
                counter(tally, List.of()); // a series that begins at 0 shows its first event as a rise
            }
            tallies = with(tallies, event, tally);
        } else {
            stopwatches = with(stopwatches, event, stopwatch(metric, tags, registry));
        }
    }

    /** Returns a copy of {@code rows} with {@code added} at the end of the row for {@code event}. */
    private static <T> T[][] with(T[][] rows, Enum<?> event, T added) {
        T[][] copy = rows.clone();
        T[] row = copy[index(event)];
        T[] longer = Arrays.copyOf(row, row.length + 1);
        longer[row.length] = added;
        copy[index(event)] = longer;
        return copy;
    }

    @GuardedBy("lock")
    private void read(Metric<S> metric, Tags tags, MeterRegistry registry) {
        if (metric.kind() == Metric.Kind.TIMER) {
            keep(
                    registry,
                    FunctionTimer.builder(
                                    metric.id(),
                                    stats,
                                    memo -> (long)
                                            metric.series().get(0).value().applyAsDouble(memo.get()),
                                    value(metric.series().get(1)),
                                    TimeUnit.NANOSECONDS)
                            .description(metric.description())
                            .tags(tags)
                            .register(registry));
            return;
        }
        for (Metric.Series<S> series : metric.series()) {
            Tags all =
                    metric.labels().isEmpty() ? tags : tags.and(metric.labels().get(0), series.labelValue());
            keep(
                    registry,
                    metric.kind() == Metric.Kind.GAUGE
                            ? Gauge.builder(metric.id(), stats, value(series))
                                    .description(metric.description())
                                    .tags(all)
                                    .register(registry)
                            : FunctionCounter.builder(metric.id(), stats, value(series))
                                    .description(metric.description())
                                    .tags(all)
                                    .register(registry));
        }
    }

    private static <S> ToDoubleFunction<StatsMemo<S>> value(Metric.Series<S> series) {
        return memo -> series.value().applyAsDouble(memo.get());
    }

    @GuardedBy("lock")
    private Stopwatch stopwatch(Metric<S> metric, Tags tags, MeterRegistry registry) {
        return switch (metric.kind()) {
            case TIMER, SUMMARY, HISTOGRAM_SECONDS -> {
                // A histogram triples the price; a MeterFilter switches on more of them.
                Timer.Builder builder = Timer.builder(metric.id())
                        .description(metric.description())
                        .tags(tags);
                if (metric.kind() == Metric.Kind.SUMMARY) {
                    builder.publishPercentiles(QUANTILES);
                } else if (metric.kind() == Metric.Kind.HISTOGRAM_SECONDS) {
                    builder.serviceLevelObjectives(metric.bounds().stream()
                            .map(bound -> Duration.ofNanos(Math.round(bound * 1e9)))
                            .toArray(Duration[]::new));
                }
                Timer timer = builder.register(registry);
                keep(registry, timer);
                yield new Stopwatch(timer, null, 1);
            }
            case HISTOGRAM, HISTOGRAM_MILLIS -> {
                boolean millis = metric.kind() == Metric.Kind.HISTOGRAM_MILLIS;
                DistributionSummary summary = DistributionSummary.builder(metric.id())
                        .baseUnit(millis ? "milliseconds" : null)
                        .description(metric.description())
                        .tags(tags)
                        .serviceLevelObjectives(metric.bounds().stream()
                                .mapToDouble(Double::doubleValue)
                                .toArray())
                        .register(registry);
                keep(registry, summary);
                yield new Stopwatch(null, summary, millis ? 1e6 : 1);
            }
            case GAUGE, COUNTER -> throw new IllegalStateException("bug: no distribution: " + metric.id());
        };
    }

    @GuardedBy("lock")
    private Counter counter(Tally tally, List<String> values) {
        return tally.counters.computeIfAbsent(values, key -> {
            Tags all = tally.tags;
            for (int i = 0; i < key.size(); i++) {
                all = all.and(tally.metric.labels().get(i), key.get(i));
            }
            Counter counter = Counter.builder(tally.metric.id())
                    .description(tally.metric.description())
                    .tags(all)
                    .register(tally.registry);
            removals.add(() -> tally.registry.remove(counter));
            return counter;
        });
    }

    @GuardedBy("lock")
    private void keep(MeterRegistry registry, Meter meter) {
        removals.add(() -> registry.remove(meter));
    }

    /** Takes the meters from their registries. */
    @Override
    public void close() {
        onClose.accept(this);
        lock.lock();
        try {
            closed = true;
            stopwatches = new Stopwatch[stopwatches.length][0];
            tallies = new Tally[tallies.length][0];
            Collections.reverse(removals); // the name is free once its meters are gone
            Actions.runAll(removals);
            removals.clear();
        } finally {
            lock.unlock();
        }
    }

    /** A meter that is told of values: a timer, or a distribution in some unit. One class, so that the call is direct. */
    private static final class Stopwatch {
        private final @Nullable Timer timer;
        private final @Nullable DistributionSummary summary;
        private final double unit;

        Stopwatch(@Nullable Timer timer, @Nullable DistributionSummary summary, double unit) {
            this.timer = timer;
            this.summary = summary;
            this.unit = unit;
        }

        void record(long value) {
            if (timer != null) {
                timer.record(value, TimeUnit.NANOSECONDS);
            } else if (summary != null) {
                summary.record(value / unit);
            }
        }
    }

    /** The counters of one metric in one registry, by the values of its labels. */
    private record Tally(Metric<?> metric, Tags tags, MeterRegistry registry, Map<List<String>, Counter> counters) {}
}
