// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Metric;
import dev.forebay.engine.Metric.Distribution;
import dev.forebay.engine.Observer.Observation;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
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
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
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

    private static final String MAX = "_max";

    private static final boolean PROMETHEUS_IS_HERE = isHere("io.micrometer.prometheusmetrics.PrometheusMeterRegistry");

    private final String name;
    private final List<Metric<S>> metrics;
    private final StatsMemo<S> stats;
    private final Time time;
    private final Consumer<Owner<?>> onClose;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<Runnable> removals = new ArrayList<>();

    @GuardedBy("lock")
    private boolean closed;

    /** By the ordinal of the event. Written under the lock. */
    private volatile Timer[][] timers;

    private volatile Tally[][] tallies;

    Owner(String name, List<Metric<S>> metrics, StatsMemo<S> stats, Time time, Consumer<Owner<?>> onClose) {
        this.name = name;
        this.metrics = metrics;
        this.stats = stats;
        this.time = time;
        this.onClose = onClose;
        int events = metrics.stream()
                .map(Metric::event)
                .mapToInt(event -> event == null ? 0 : index(event) + 1)
                .max()
                .orElse(0);
        this.timers = new Timer[events][0];
        this.tallies = new Tally[events][0];
    }

    private static boolean isHere(String type) {
        try {
            Class.forName(type, false, Owner.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    @SuppressWarnings("EnumOrdinal") // it is kept nowhere
    private static int index(Enum<?> event) {
        return event.ordinal();
    }

    @Override
    public void record(Enum<?> event, long value) {
        for (Timer timer : timers[index(event)]) {
            timer.record(value, TimeUnit.NANOSECONDS);
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
        if (metric.distribution() != null) {
            distribute(shape(metric, metric.distribution()), tags, registry);
        } else if (event == null) {
            read(metric, tags, registry);
        } else if (metric.kind() == Metric.Kind.COUNTER) {
            Tally tally = new Tally(metric, tags, registry, new ConcurrentHashMap<>());
            if (metric.labels().isEmpty()) {
                counter(tally, List.of()); // a series that begins at 0 shows its first event as a rise
            }
            tallies = with(tallies, event, tally);
        } else {
            Timer.Builder builder =
                    Timer.builder(metric.id()).description(metric.description()).tags(tags);
            if (metric.kind() == Metric.Kind.SUMMARY) {
                builder.publishPercentiles(0.5, 0.99);
            }
            Timer timer = builder.register(registry);
            keep(registry, timer);
            timers = with(timers, event, timer);
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
            ToDoubleFunction<StatsMemo<S>> count = value(metric.series().get(0));
            time(
                    metric,
                    tags,
                    registry,
                    stats,
                    memo -> (long) count.applyAsDouble(memo),
                    value(metric.series().get(1)));
            if (metric.series().size() > 2) {
                ToDoubleFunction<StatsMemo<S>> longest = value(metric.series().get(2));
                gauge(metric, metric.id() + ".seconds.max", tags, registry, () -> longest.applyAsDouble(stats) / 1e9);
            }
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

    private Shape shape(Metric<S> metric, Function<S, Distribution> distribution) {
        Supplier<Distribution> values = () -> distribution.apply(stats.get());
        return new Shape(metric, values, new Lately(values, time));
    }

    /** Shows {@code shape} in each of the registries that {@code registry} consists of, as it can be shown there. */
    @GuardedBy("lock")
    private void distribute(Shape shape, Tags tags, MeterRegistry registry) {
        List<MeterRegistry> leaves = leaves(registry).toList();
        if (leaves.stream().noneMatch(Owner::isPrometheus)) {
            distributeInParts(shape, tags, registry);
            return;
        }
        for (MeterRegistry leaf : leaves) {
            if (isPrometheus(leaf)) {
                // The gauge has been through the registry's filters: they may have added tags, or want none of it.
                Meter.Id id = gauge(shape.metric(), shape.metric().id() + MAX, tags, leaf, shape::max)
                        .getId();
                if (leaf.find(id.getName()).tags(id.getTags()).meter() != null) {
                    String whole = id.getName().substring(0, id.getName().length() - MAX.length());
                    removals.add(PrometheusShapes.show(id.withName(whole), shape, leaf));
                }
            } else {
                distributeInParts(shape, tags, leaf);
            }
        }
    }

    private static boolean isPrometheus(MeterRegistry registry) {
        return PROMETHEUS_IS_HERE && PrometheusShapes.isFor(registry);
    }

    private static Stream<MeterRegistry> leaves(MeterRegistry registry) {
        return registry instanceof CompositeMeterRegistry composite
                ? composite.getRegistries().stream().flatMap(Owner::leaves)
                : Stream.of(registry);
    }

    /** Shows count and sum as one meter, each bucket or quantile as a gauge, as Micrometer does where it has to. */
    @GuardedBy("lock")
    private void distributeInParts(Shape shape, Tags tags, MeterRegistry registry) {
        Metric<?> metric = shape.metric();
        if (shape.unit() == 1e9) {
            time(
                    metric,
                    tags,
                    registry,
                    shape,
                    one -> one.values().get().count(),
                    one -> one.values().get().sum());
        } else {
            keep(
                    registry,
                    Meter.builder(
                                    metric.id(),
                                    Meter.Type.DISTRIBUTION_SUMMARY,
                                    List.of(
                                            new Measurement(
                                                    () -> (double)
                                                            shape.values().get().count(),
                                                    Statistic.COUNT),
                                            new Measurement(shape::sum, Statistic.TOTAL)))
                            .description(metric.description())
                            .tags(tags)
                            .register(registry));
        }
        gauge(metric, metric.id() + MAX, tags, registry, shape::max);
        for (Double bound : metric.bounds()) {
            Tags at = tags.and("le", bound.toString());
            gauge(metric, metric.id() + ".histogram", at, registry, () -> shape.countUpTo(bound));
        }
        if (shape.isSummary()) {
            for (Double quantile : Shape.QUANTILES) {
                Tags at = tags.and("phi", quantile.toString());
                gauge(metric, metric.id() + ".percentile", at, registry, () -> shape.quantile(quantile));
            }
        }
    }

    @GuardedBy("lock")
    private <T> void time(
            Metric<?> metric,
            Tags tags,
            MeterRegistry registry,
            T source,
            ToLongFunction<T> count,
            ToDoubleFunction<T> nanos) {
        keep(
                registry,
                FunctionTimer.builder(metric.id(), source, count, nanos, TimeUnit.NANOSECONDS)
                        .description(metric.description())
                        .tags(tags)
                        .register(registry));
    }

    @GuardedBy("lock")
    private Gauge gauge(Metric<?> metric, String id, Tags tags, MeterRegistry registry, Supplier<Number> value) {
        Gauge gauge = Gauge.builder(id, value)
                .description(metric.description())
                .tags(tags)
                .register(registry);
        keep(registry, gauge);
        return gauge;
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
            timers = new Timer[timers.length][0];
            tallies = new Tally[tallies.length][0];
            Collections.reverse(removals); // the name is free once its meters are gone
            Actions.runAll(removals);
            removals.clear();
        } finally {
            lock.unlock();
        }
    }

    /** The counters of one metric in one registry, by the values of its labels. */
    private record Tally(Metric<?> metric, Tags tags, MeterRegistry registry, Map<List<String>, Counter> counters) {}
}
