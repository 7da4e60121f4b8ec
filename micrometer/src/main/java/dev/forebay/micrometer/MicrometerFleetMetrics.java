// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import dev.forebay.fleet.FleetStats;
import dev.forebay.time.Actions;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Shows the limits that a fleet shares in Micrometer; its meters go from their registries when it is closed. Thread-safe. */
public final class MicrometerFleetMetrics implements MeterBinder, AutoCloseable {

    private final String service;
    private final Supplier<FleetStats> stats;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final List<Runnable> removals = new ArrayList<>();

    private boolean closed;

    /** Metrics of what {@code stats} says, for the service of that name. */
    public MicrometerFleetMetrics(String service, Supplier<FleetStats> stats) {
        this.service = service;
        this.stats = stats;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            String name = OwnerNames.take(registry, FleetMetric.ACTIVE.id(), service);
            removals.add(() -> OwnerNames.free(registry, FleetMetric.ACTIVE.id(), name));
            Tags tags = Tags.of("service", service, "pool", name);
            for (FleetMetric metric : FleetMetric.values()) {
                if (metric == FleetMetric.STORE) {
                    FleetMetric.STATES.forEach(state -> keep(
                            registry,
                            Gauge.builder(
                                            metric.id(),
                                            stats,
                                            now -> now.get().store().equals(state) ? 1 : 0)
                                    .description(metric.description())
                                    .tags(tags.and("state", state))
                                    .register(registry)));
                } else {
                    keep(registry, register(metric, tags, registry));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private Meter register(FleetMetric metric, Tags tags, MeterRegistry registry) {
        return switch (metric.type()) {
            case GAUGE ->
                Gauge.builder(metric.id(), stats, now -> metric.value().applyAsDouble(now.get()))
                        .description(metric.description())
                        .tags(tags)
                        .register(registry);
            case COUNTER ->
                FunctionCounter.builder(
                                metric.id(), stats, now -> metric.value().applyAsDouble(now.get()))
                        .description(metric.description())
                        .tags(tags)
                        .register(registry);
        };
    }

    private void keep(MeterRegistry registry, Meter meter) {
        removals.add(() -> registry.remove(meter));
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            Collections.reverse(removals); // the name is free once its meters are gone
            Actions.runAll(removals);
            removals.clear();
        } finally {
            lock.unlock();
        }
    }
}
