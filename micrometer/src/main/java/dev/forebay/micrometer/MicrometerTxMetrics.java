// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import dev.forebay.tx.TxListener;
import dev.forebay.tx.internal.UnsupportedFeature;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows transactions in Micrometer: give it to them as a listener, and bind it to a registry before or after. Thread-safe.
 *
 * <p>One of them serves all the pools of a process, since the names have no label to tell pools apart. Its meters go from
 * their registries when it is closed, which is its owner's to do.
 *
 * <p>Every label has a bound: what comes beyond it is counted as {@code other}, so that an operation named after an order
 * number costs a warning and not the memory of a monitoring system.
 */
public final class MicrometerTxMetrics implements TxListener, MeterBinder, AutoCloseable {

    static final int MOST_OPERATIONS = 200;
    static final int MOST_STATES = 20;
    static final int MOST_ATTEMPTS = 10;

    private static final Logger log = LoggerFactory.getLogger(MicrometerTxMetrics.class);

    private static final String OTHER = "other";
    private static final Pattern STATE = Pattern.compile("[0-9A-Z]{5}");
    private static final Duration[] BUCKETS = LongStream.of(
                    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    /** Retries are whole numbers, so that what is below the first bound had none: a bound of 0 is not allowed. */
    private static final double[] RETRY_BUCKETS = {0.5, 1, 2, 3, 5, 10};

    private final Map<String, Operation> operations = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as are all registrations. */
    private final List<MeterRegistry> registries = new ArrayList<>();

    private final Set<String> states = new HashSet<>();
    private boolean closed;

    @Override
    public void bindTo(MeterRegistry registry) {
        lock.lock();
        try {
            if (!closed && !registries.contains(registry)) {
                registries.add(registry);
                operations.values().forEach(operation -> operation.show(registry));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes the meters from their registries, for good. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            operations.values().forEach(Operation::hide);
            registries.clear();
        } finally {
            lock.unlock();
        }
    }

    // ---- what is counted

    @Override
    public void began(String operation) {
        of(operation).active.incrementAndGet();
    }

    @Override
    public void ended(String operation, Outcome outcome, int attempts, long nanos) {
        Operation known = of(operation);
        known.active.decrementAndGet();
        for (Meters meters : known.meters) {
            meters.duration.record(nanos, TimeUnit.NANOSECONDS);
            meters.retries.record(Math.max(0, attempts - 1));
        }
        if (outcome == Outcome.EXHAUSTED) {
            known.count(TxMetric.EXHAUSTED);
        }
    }

    @Override
    public void attemptFailed(String operation, Failure failure, String sqlState, Throwable error) {
        Operation known = of(operation);
        known.count(TxMetric.ERRORS, failure.label());
        switch (failure) {
            case RETRYABLE -> known.count(TxMetric.CONFLICTS);
            case CONDITION_FAILED -> known.count(TxMetric.CONDITION_FAILED);
            case UNSUPPORTED_FEATURE ->
                known.count(
                        TxMetric.UNSUPPORTED_FEATURE,
                        UnsupportedFeature.of(error).label());
            case OUTCOME_UNKNOWN, PERMANENT -> {}
        }
    }

    @Override
    public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
        Operation known = of(operation);
        known.count(
                TxMetric.RETRIES, stateLabel(sqlState), attempt <= MOST_ATTEMPTS ? Integer.toString(attempt) : "more");
        for (Meters meters : known.meters) {
            meters.backoff.record(delayNanos, TimeUnit.NANOSECONDS);
        }
    }

    // ---- labels

    private Operation of(String name) {
        Operation known = operations.get(name);
        if (known == null && operations.size() >= MOST_OPERATIONS) {
            known = operations.get(OTHER);
        }
        return known != null ? known : add(name);
    }

    /** Once full, nothing is added but {@code other}, so that a transaction begins and ends under the same name. */
    private Operation add(String name) {
        lock.lock();
        try {
            boolean full = operations.size() >= MOST_OPERATIONS && !operations.containsKey(name);
            if (full && !operations.containsKey(OTHER)) {
                log.warn(
                        "More than {} operations: further ones are counted as other; names of operations must not hold"
                                + " data  operation={}",
                        MOST_OPERATIONS,
                        name);
            }
            return operations.computeIfAbsent(full ? OTHER : name, Operation::new);
        } finally {
            lock.unlock();
        }
    }

    private String stateLabel(String state) {
        if (state.isEmpty()) {
            return "none";
        }
        lock.lock();
        try {
            boolean fits = STATE.matcher(state).matches() && (states.size() < MOST_STATES || states.contains(state));
            if (fits) {
                states.add(state);
            }
            return fits ? state : OTHER;
        } finally {
            lock.unlock();
        }
    }

    // ---- registration

    /** One operation: what is under way, whoever watches, and its meters in each registry. */
    private final class Operation {
        private final String name;
        private final AtomicInteger active = new AtomicInteger();

        /** Written under the lock; an array since every transaction walks it. */
        private volatile Meters[] meters = {};

        /** To be made under the lock. */
        Operation(String name) {
            this.name = name;
            registries.forEach(this::show);
        }

        void show(MeterRegistry registry) {
            Tags tags = Tags.of(TxMetric.OPERATION, name);
            if (registry.find(TxMetric.ACTIVE.id()).tags(tags).meter() != null) {
                log.warn(
                        "other metrics show this operation in the same registry: give one MicrometerTxMetrics to all"
                                + " transactions  operation={}",
                        name);
                return;
            }
            List<Meters> all = new ArrayList<>(List.of(meters));
            all.add(new Meters(registry, tags, active));
            meters = all.toArray(Meters[]::new);
        }

        void hide() {
            Meters[] shown = meters;
            meters = new Meters[0];
            for (Meters one : shown) {
                one.remove();
            }
        }

        void count(TxMetric metric, String... labelValues) {
            Series series = new Series(metric, List.of(labelValues));
            for (Meters one : meters) {
                Counter counter = one.counters.get(series);
                if (counter == null) {
                    add(one, series);
                } else {
                    counter.increment();
                }
            }
        }

        /** A first event; one that meets {@link #close} is not counted, lest its meter be left behind. */
        private void add(Meters one, Series series) {
            lock.lock();
            try {
                if (!closed) {
                    one.counter(series).increment();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private record Series(TxMetric metric, List<String> labelValues) {}

    /** The meters of one operation in one registry. */
    private static final class Meters {
        private final MeterRegistry registry;
        private final Tags tags;
        private final Gauge active;
        private final Timer duration;
        private final Timer backoff;
        private final DistributionSummary retries;
        private final Map<Series, Counter> counters = new ConcurrentHashMap<>();

        Meters(MeterRegistry registry, Tags tags, AtomicInteger active) {
            this.registry = registry;
            this.tags = tags;
            this.active = Gauge.builder(TxMetric.ACTIVE.id(), active, AtomicInteger::get)
                    .description(TxMetric.ACTIVE.description())
                    .tags(tags)
                    .register(registry);
            this.duration = timer(TxMetric.DURATION);
            this.backoff = timer(TxMetric.BACKOFF);
            this.retries = DistributionSummary.builder(TxMetric.RETRY_ATTEMPTS.id())
                    .description(TxMetric.RETRY_ATTEMPTS.description())
                    .tags(tags)
                    .serviceLevelObjectives(RETRY_BUCKETS)
                    .register(registry);
            // A series that begins at 0 shows its first event as a rise.
            for (TxMetric metric : List.of(TxMetric.CONFLICTS, TxMetric.EXHAUSTED, TxMetric.CONDITION_FAILED)) {
                counter(new Series(metric, List.of()));
            }
        }

        private Timer timer(TxMetric metric) {
            return Timer.builder(metric.id())
                    .description(metric.description())
                    .tags(tags)
                    .serviceLevelObjectives(BUCKETS)
                    .register(registry);
        }

        Counter counter(Series series) {
            return counters.computeIfAbsent(series, added -> {
                Tags all = tags;
                for (int i = 0; i < added.labelValues.size(); i++) {
                    all = all.and(added.metric.labels().get(i), added.labelValues.get(i));
                }
                return Counter.builder(added.metric.id())
                        .description(added.metric.description())
                        .tags(all)
                        .register(registry);
            });
        }

        void remove() {
            List<Meter> all = new ArrayList<>(counters.values());
            all.addAll(List.of(active, duration, backoff, retries));
            all.forEach(registry::remove);
        }
    }
}
