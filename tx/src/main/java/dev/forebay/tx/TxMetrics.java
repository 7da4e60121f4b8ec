// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Metric;
import dev.forebay.engine.Metric.Distribution;
import dev.forebay.engine.Metric.Kind;
import dev.forebay.engine.Metric.Recorder;
import dev.forebay.engine.Observer;
import dev.forebay.engine.Observer.Observation;
import dev.forebay.time.SystemTime;
import dev.forebay.tx.internal.UnsupportedFeature;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every metric of transactions, declared once, and the listener that shows them, each operation by itself. Thread-safe.
 *
 * <p>Every label has a bound: values beyond it are counted as {@code other}, so that an operation named after an order
 * number costs a warning and not the memory of a monitoring system.
 */
final class TxMetrics implements TxListener {

    static final int MOST_OPERATIONS = 200;
    static final int MOST_STATES = 20;
    static final int MOST_ATTEMPTS = 10;

    /** The events that are counted. */
    private enum Event {
        RETRY,
        CONFLICT,
        EXHAUSTED,
        CONDITION_FAILED,
        ERROR,
        UNSUPPORTED_FEATURE
    }

    private static final Double[] SECONDS = {
        0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0
    };

    /** The first bucket holds transactions without a retry. */
    private static final Double[] RETRIES = {0.5, 1.0, 2.0, 3.0, 5.0, 10.0};

    private static final List<Metric<Operation>> CATALOGUE = new Metric.Catalogue<Operation>()
            .ownedBy("operation")
            .told(
                    Event.RETRY,
                    "dsql_tx_retries_total",
                    Kind.COUNTER,
                    "Attempts that were followed by another",
                    "sqlstate",
                    "attempt")
            .told(Event.CONFLICT, "dsql_tx_conflicts_total", Kind.COUNTER, "Attempts that failed with 40001")
            .told(
                    Event.EXHAUSTED,
                    "dsql_tx_exhausted_total",
                    Kind.COUNTER,
                    "Transactions that met a conflict in every attempt")
            .told(Event.CONDITION_FAILED, "dsql_condition_failed_total", Kind.COUNTER, "Fences that had moved on")
            .distribution(
                    "dsql_tx_backoff_seconds",
                    Kind.HISTOGRAM_SECONDS,
                    "The waits before further attempts",
                    operation -> operation.backoffs.read(),
                    SECONDS)
            .distribution(
                    "dsql_operation_duration_seconds",
                    Kind.HISTOGRAM_SECONDS,
                    "How long transactions took, all attempts and waits included",
                    operation -> operation.durations.read(),
                    SECONDS)
            .distribution(
                    "dsql_retry_attempts_histogram",
                    Kind.HISTOGRAM,
                    "How many retries a transaction took",
                    operation -> operation.retries.read(),
                    RETRIES)
            .gauge("dsql_active_transactions", "Transactions under way", operation -> operation.active.sum())
            .told(Event.ERROR, "dsql_errors_total", Kind.COUNTER, "Attempts that failed, by kind", "error_type")
            .told(
                    Event.UNSUPPORTED_FEATURE,
                    "dsql_unsupported_feature_total",
                    Kind.COUNTER,
                    "Statements refused with 0A000, by feature",
                    "feature")
            .list();

    private static final Logger log = LoggerFactory.getLogger(TxMetrics.class);

    private static final String OTHER = "other";
    private static final Pattern STATE = Pattern.compile("[0-9A-Z]{5}");

    private final Observer observer;
    private final Map<String, Operation> operations = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Set<String> states = new HashSet<>();

    TxMetrics(Observer observer) {
        this.observer = observer;
    }

    /** The numbers of an operation, and the observation that shows them. */
    private static final class Operation {
        private final LongAdder active = new LongAdder();
        private final Recorder durations = new Recorder(SystemTime.shared(), Distribution.times());
        private final Recorder backoffs = new Recorder(SystemTime.shared(), Distribution.times());
        private final Recorder retries = new Recorder(SystemTime.shared(), 0, 1, 2, 3, 5, 10);
        private final Observation shown;

        Operation(String name, Observer observer) {
            shown = observer.observe(name, CATALOGUE, () -> this);
        }
    }

    @Override
    public void began(String operation) {
        of(operation).active.increment();
    }

    @Override
    public void ended(String operation, Outcome outcome, int attempts, long nanos) {
        Operation known = of(operation);
        known.active.decrement();
        known.durations.record(nanos);
        known.retries.record(Math.max(0, attempts - 1));
        if (outcome == Outcome.EXHAUSTED) {
            known.shown.count(Event.EXHAUSTED);
        }
    }

    @Override
    public void attemptFailed(String operation, ErrorMeaning meaning, String sqlState, Throwable error) {
        Observation shown = of(operation).shown;
        shown.count(Event.ERROR, meaning.label());
        if (meaning == ErrorMeaning.CONFLICT) {
            shown.count(Event.CONFLICT);
        } else if (meaning == ErrorMeaning.CONDITION_FAILED) {
            shown.count(Event.CONDITION_FAILED);
        } else if (meaning == ErrorMeaning.UNSUPPORTED) {
            shown.count(Event.UNSUPPORTED_FEATURE, UnsupportedFeature.of(error).label());
        }
    }

    @Override
    public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
        Operation known = of(operation);
        String label = attempt <= MOST_ATTEMPTS ? Integer.toString(attempt) : "more";
        known.shown.count(Event.RETRY, stateLabel(sqlState), label);
        known.backoffs.record(delayNanos);
    }

    // ---- labels

    private Operation of(String name) {
        Operation known = operations.get(name);
        if (known == null && operations.size() >= MOST_OPERATIONS) {
            known = operations.get(OTHER);
        }
        return known != null ? known : add(name);
    }

    /** Adds an operation, or returns {@code other} once there are too many: a transaction begins and ends under one name. */
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
            return operations.computeIfAbsent(full ? OTHER : name, added -> new Operation(added, observer));
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
}
