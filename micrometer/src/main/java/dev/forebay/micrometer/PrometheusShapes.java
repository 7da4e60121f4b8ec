// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Metric.Distribution;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The distributions in one registry for Prometheus, whole at each scrape: Micrometer's own histograms take one value at a time, which
 * every checkout would pay for. Thread-safe.
 */
final class PrometheusShapes implements MultiCollector {

    private static final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private static final Map<MeterRegistry, PrometheusShapes> all = new WeakHashMap<>();

    private final Set<Line> lines = ConcurrentHashMap.newKeySet();

    private record Line(String name, Labels labels, Shape shape) {}

    private PrometheusShapes() {}

    /** Whether {@code registry} is one for Prometheus. */
    static boolean isFor(MeterRegistry registry) {
        return registry instanceof PrometheusMeterRegistry;
    }

    /**
     * Shows {@code shape} until the result is run.
     *
     * @param id the name and labels, as the registry's filters have made them
     */
    static Runnable show(Meter.Id id, Shape shape, MeterRegistry registry) {
        NamingConvention naming = registry.config().namingConvention();
        List<String> keys = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (Tag tag : id.getConventionTags(naming)) {
            keys.add(tag.getKey());
            values.add(tag.getValue());
        }
        String name = naming.name(id.getName(), Meter.Type.GAUGE);
        PrometheusShapes shapes = of((PrometheusMeterRegistry) registry);
        Line line = new Line(name, Labels.of(keys, values), shape);
        shapes.lines.add(line);
        return () -> shapes.lines.remove(line);
    }

    private static PrometheusShapes of(PrometheusMeterRegistry registry) {
        lock.lock();
        try {
            PrometheusShapes known = all.get(registry);
            if (known == null) {
                known = new PrometheusShapes();
                registry.getPrometheusRegistry().register(known);
                all.put(registry, known);
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public MetricSnapshots collect() {
        Map<String, List<Line>> families = new LinkedHashMap<>();
        lines.forEach(line ->
                families.computeIfAbsent(line.name, name -> new ArrayList<>()).add(line));
        return MetricSnapshots.of(
                families.values().stream().map(PrometheusShapes::family).toArray(MetricSnapshot[]::new));
    }

    private static MetricSnapshot family(List<Line> family) {
        Line first = family.get(0);
        String help = first.shape.metric().description();
        if (first.shape.isSummary()) {
            SummarySnapshot.Builder summary =
                    SummarySnapshot.builder().name(first.name).help(help);
            family.forEach(line -> summary.dataPoint(summary(line)));
            return summary.build();
        }
        HistogramSnapshot.Builder histogram =
                HistogramSnapshot.builder().name(first.name).help(help);
        family.forEach(line -> histogram.dataPoint(histogram(line)));
        return histogram.build();
    }

    private static SummarySnapshot.SummaryDataPointSnapshot summary(Line line) {
        Quantile[] quantiles = Shape.QUANTILES.stream()
                .map(quantile -> new Quantile(quantile, line.shape.quantile(quantile)))
                .toArray(Quantile[]::new);
        return SummarySnapshot.SummaryDataPointSnapshot.builder()
                .quantiles(Quantiles.of(quantiles))
                .count(line.shape.values().get().count())
                .sum(line.shape.sum())
                .labels(line.labels)
                .build();
    }

    private static HistogramSnapshot.HistogramDataPointSnapshot histogram(Line line) {
        Distribution values = line.shape.values().get();
        List<Double> bounds = new ArrayList<>(line.shape.metric().bounds());
        List<Number> counts = new ArrayList<>();
        long before = 0;
        for (double bound : bounds) {
            long upTo = values.countUpTo(Math.rint(bound * line.shape.unit()));
            counts.add(upTo - before);
            before = upTo;
        }
        bounds.add(Double.POSITIVE_INFINITY);
        counts.add(values.count() - before);
        return HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, counts))
                .sum(values.sum() / line.shape.unit())
                .labels(line.labels)
                .build();
    }
}
