// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Metric;
import dev.forebay.engine.Observer;
import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Shows pools, fleets, registries and transactions in Micrometer: give it to them as an observer, and bind it to a
 * registry before or after. Thread-safe.
 *
 * <p>Nearly all meters are read from one snapshot of their owner for each scrape. The meters of an owner go from their registries
 * when it is closed, and all of them when this is.
 */
public final class MicrometerMetrics implements Observer, MeterBinder, AutoCloseable {

    private static final String HIKARI = "hikaricp.";

    private final boolean hikariNames;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Set<MeterRegistry> registries = new LinkedHashSet<>();

    @GuardedBy("lock")
    private final Set<Owner<?>> owners = new LinkedHashSet<>();

    @GuardedBy("lock")
    private boolean closed;

    /** Metrics in {@code registries}, under their own names and those of OpenTelemetry. */
    public MicrometerMetrics(MeterRegistry... registries) {
        this(false, SystemTime.shared(), List.of(registries));
    }

    /** The same with another clock, which says how old a snapshot is. */
    MicrometerMetrics(Time time) {
        this(false, time, List.of());
    }

    private MicrometerMetrics(boolean hikariNames, Time time, Iterable<MeterRegistry> registries) {
        this.hikariNames = hikariNames;
        this.time = time;
        registries.forEach(this.registries::add);
    }

    /** Returns metrics for the same registries that also show pools under the names that HikariCP uses. */
    public MicrometerMetrics withHikariNames() {
        return new MicrometerMetrics(true, time, bound());
    }

    private List<MeterRegistry> bound() {
        lock.lock();
        try {
            return List.copyOf(registries);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public <S> Observation observe(String owner, List<Metric<S>> metrics, Supplier<S> stats) {
        List<Metric<S>> shown = new ArrayList<>(metrics);
        shown.removeIf(metric -> !hikariNames && metric.id().startsWith(HIKARI));
        Owner<S> added = new Owner<>(owner, shown, new StatsMemo<>(stats, time), time, this::forget);
        lock.lock();
        try {
            if (closed) {
                return Observation.NONE;
            }
            owners.add(added);
            registries.forEach(added::show);
            return added;
        } finally {
            lock.unlock();
        }
    }

    private void forget(Owner<?> owner) {
        lock.lock();
        try {
            owners.remove(owner);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        lock.lock();
        try {
            if (!closed && registries.add(registry)) {
                owners.forEach(owner -> owner.show(registry));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes the meters from their registries, for good. */
    @Override
    public void close() {
        List<Owner<?>> shown;
        lock.lock();
        try {
            closed = true;
            shown = List.copyOf(owners);
        } finally {
            lock.unlock();
        }
        shown.forEach(Owner::close);
    }
}
