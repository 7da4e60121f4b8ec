// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import dev.forebay.registry.RemoteObserver;
import dev.forebay.registry.RemoteStats;
import dev.forebay.time.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Shows the servers of a registry in Micrometer, under their own names and OpenTelemetry's. Thread-safe.
 *
 * <p>A server's meters come and go with it. Gauges and counters are read from one snapshot for each scrape; acquires and
 * statements are timed one by one, which a server's {@code collect_statistics} and {@code collect_query_stats} switch off.
 */
public final class MicrometerRemoteMetrics implements RemoteObserver {

    private static final double[] QUANTILES = {0.5, 0.99};

    private final MeterRegistry registry;
    private final Map<String, Server> servers = new ConcurrentHashMap<>();

    /** Metrics that are shown in {@code registry}. */
    public MicrometerRemoteMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** A server's numbers, and its meters, which go with it. */
    private record Server(Timer acquire, Timer query, Timer use, Timer create, Counter failures, List<Meter> meters) {}

    @Override
    public void observe(String server, Supplier<RemoteStats> stats, Time time) {
        servers.computeIfAbsent(server, name -> register(name, new StatsMemo<>(stats, time)));
    }

    @Override
    public void forget(String server) {
        Server gone = servers.remove(server);
        if (gone != null) {
            gone.meters.forEach(registry::remove);
        }
    }

    @Override
    public void close() {
        List.copyOf(servers.keySet()).forEach(this::forget);
    }

    // ---- what is heard

    @Override
    public void acquired(String server, long waitedNanos) {
        tell(server, known -> known.acquire.record(waitedNanos, TimeUnit.NANOSECONDS));
    }

    @Override
    public void released(String server, long heldNanos) {
        tell(server, known -> known.use.record(heldNanos, TimeUnit.NANOSECONDS));
    }

    @Override
    public void opened(String server, long connectNanos) {
        tell(server, known -> known.create.record(connectNanos, TimeUnit.NANOSECONDS));
    }

    @Override
    public void queried(String server, long nanos) {
        tell(server, known -> known.query.record(nanos, TimeUnit.NANOSECONDS));
    }

    @Override
    public void failed(String server) {
        tell(server, known -> known.failures.increment());
    }

    private void tell(String server, Consumer<Server> news) {
        Server known = servers.get(server);
        if (known != null) {
            news.accept(known);
        }
    }

    // ---- registration

    private Server register(String name, StatsMemo<RemoteStats> stats) {
        List<Meter> meters = new ArrayList<>();
        Tags tags = Tags.of(RemoteMetric.SERVER, name);
        boolean counted = stats.get().bytesSent() >= 0;
        for (RemoteMetric metric : RemoteMetric.values()) {
            if (!counted && (metric == RemoteMetric.BYTES_SENT || metric == RemoteMetric.BYTES_RECEIVED)) {
                continue; // absent says more than nought
            }
            for (RemoteMetric.Series series : metric.series()) {
                String label = metric.label();
                Tags all = label == null ? tags : tags.and(label, series.labelValue());
                meters.add(read(metric, series, all, stats));
            }
        }
        Tags pool = Tags.of(Metric.Family.OPEN_TELEMETRY.poolLabel(), name);
        registerOpenTelemetry(pool, stats, meters);
        Server server = new Server(
                summary(RemoteMetric.ACQUIRE_DURATION, tags),
                summary(RemoteMetric.QUERY_DURATION, tags),
                timer(Metric.OTEL_USE_TIME, pool),
                timer(Metric.OTEL_CREATE_TIME, pool),
                Counter.builder(RemoteMetric.CONNECTIONS_FAILED.id())
                        .description(RemoteMetric.CONNECTIONS_FAILED.description())
                        .tags(tags)
                        .register(registry),
                meters);
        meters.addAll(List.of(server.acquire, server.query, server.use, server.create, server.failures));
        return server;
    }

    private Meter read(RemoteMetric metric, RemoteMetric.Series series, Tags tags, StatsMemo<RemoteStats> stats) {
        return metric.type() == RemoteMetric.Type.GAUGE
                ? Gauge.builder(metric.id(), stats, memo -> series.value().applyAsDouble(memo.get()))
                        .description(metric.description())
                        .tags(tags)
                        .strongReference(true)
                        .register(registry)
                : FunctionCounter.builder(
                                metric.id(), stats, memo -> series.value().applyAsDouble(memo.get()))
                        .description(metric.description())
                        .tags(tags)
                        .register(registry);
    }

    private void registerOpenTelemetry(Tags pool, StatsMemo<RemoteStats> stats, List<Meter> meters) {
        String state = String.valueOf(Metric.OTEL_COUNT.label());
        meters.add(gauge(
                Metric.OTEL_COUNT, pool.and(state, "idle"), () -> stats.get().idle()));
        meters.add(gauge(
                Metric.OTEL_COUNT, pool.and(state, "used"), () -> stats.get().active()));
        meters.add(gauge(Metric.OTEL_IDLE_MAX, pool, () -> stats.get().cap()));
        meters.add(gauge(Metric.OTEL_MAX, pool, () -> stats.get().cap()));
        meters.add(gauge(Metric.OTEL_PENDING, pool, () -> stats.get().pending()));
        meters.add(FunctionCounter.builder(
                        Metric.OTEL_TIMEOUTS.id(), stats, memo -> memo.get().timeouts())
                .description(Metric.OTEL_TIMEOUTS.description())
                .tags(pool)
                .register(registry));
        meters.add(FunctionTimer.builder(
                        Metric.OTEL_WAIT_TIME.id(),
                        stats,
                        memo -> memo.get().acquires(),
                        memo -> memo.get().acquireNanos(),
                        TimeUnit.NANOSECONDS)
                .description(Metric.OTEL_WAIT_TIME.description())
                .tags(pool)
                .register(registry));
    }

    private Gauge gauge(Metric metric, Tags tags, Supplier<Number> value) {
        return Gauge.builder(metric.id(), value)
                .description(metric.description())
                .tags(tags)
                .register(registry);
    }

    private Timer timer(Metric metric, Tags tags) {
        return Timer.builder(metric.id())
                .description(metric.description())
                .tags(tags)
                .register(registry);
    }

    /** Quantiles, with the sum and the count beside them, from which means over any time can be had. */
    private Timer summary(RemoteMetric metric, Tags tags) {
        return Timer.builder(metric.id())
                .description(metric.description())
                .tags(tags)
                .publishPercentiles(QUANTILES)
                .register(registry);
    }
}
