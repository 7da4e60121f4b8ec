// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.dsql.AuroraDsql;
import dev.forebay.fleet.FleetStats;
import dev.forebay.micrometer.MicrometerFleetMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Shows the limits that a fleet shares, once there is a pool with such limits. Thread-safe. */
final class FleetMetrics implements AuroraDsqlCustomizer, MeterBinder, AutoCloseable {

    private final String service;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final List<MeterRegistry> registries = new ArrayList<>();

    private final List<MicrometerFleetMetrics> shown = new ArrayList<>();

    FleetMetrics(String service) {
        this.service = service;
    }

    @Override
    public void customize(AuroraDsql.Builder builder) {
        builder.fleetStats(this::show);
    }

    private void show(Supplier<FleetStats> stats) {
        lock.lock();
        try {
            MicrometerFleetMetrics metrics = new MicrometerFleetMetrics(service, stats);
            registries.forEach(metrics::bindTo);
            shown.add(metrics);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        lock.lock();
        try {
            registries.add(registry);
            shown.forEach(metrics -> metrics.bindTo(registry));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            shown.forEach(MicrometerFleetMetrics::close);
        } finally {
            lock.unlock();
        }
    }
}
