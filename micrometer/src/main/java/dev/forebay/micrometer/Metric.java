// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.FailureCause;
import dev.forebay.engine.PoolStats;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Every metric, declared once: its name, kind, labels and where its value comes from. Names are those that Prometheus
 * shows for the first family; for the others, a registry for Prometheus turns dots into underscores and adds units.
 */
enum Metric {
    RESERVOIR_SIZE(
            Family.DSQL,
            "dsql_reservoir_size",
            Type.GAUGE,
            "Connections that are ready or leased, less those a pool on top may hold",
            PoolStats::level),
    RESERVOIR_TARGET(
            Family.DSQL, "dsql_reservoir_target", Type.GAUGE, "Connections the supply aims at", PoolStats::target),
    RESERVOIR_READY(Family.DSQL, "dsql_reservoir_ready", Type.GAUGE, "Connections that are ready", PoolStats::ready),
    RESERVOIR_LEASED(
            Family.DSQL, "dsql_reservoir_leased", Type.GAUGE, "Connections in borrowers' hands", PoolStats::borrowed),
    RESERVOIR_CHECKOUTS(
            Family.DSQL, "dsql_reservoir_checkouts_total", Type.COUNTER, "Successful checkouts", PoolStats::checkouts),
    RESERVOIR_EMPTY(
            Family.DSQL,
            "dsql_reservoir_empty_total",
            Type.COUNTER,
            "Checkouts that found nothing ready",
            PoolStats::empties),
    RESERVOIR_DISCARDS(
            Family.DSQL,
            "dsql_reservoir_discards_total",
            Type.COUNTER,
            "Discarded connections, by reason",
            "reason",
            each(DiscardReason.values(), DiscardReason::label, reason -> stats -> stats.discards(reason))),
    RESERVOIR_REFILLS(
            Family.DSQL, "dsql_reservoir_refills_total", Type.COUNTER, "Connections opened", PoolStats::opened),
    RESERVOIR_REFILL_FAILURES(
            Family.DSQL,
            "dsql_reservoir_refill_failures_total",
            Type.COUNTER,
            "Opens that failed, by reason",
            "reason",
            each(FailureCause.values(), FailureCause::label, cause -> stats -> stats.openFailures(cause))),
    RESERVOIR_CHECKOUT_LATENCY(
            Family.DSQL,
            "dsql_reservoir_checkout_latency_milliseconds",
            Type.HISTOGRAM_MILLIS,
            "How long checkouts took",
            Timing.WAIT),
    POOL_MAX_OPEN(
            Family.DSQL, "dsql_pool_max_open", Type.GAUGE, "The most connections that may be open", PoolStats::maxOpen),
    POOL_OPEN(Family.DSQL, "dsql_pool_open", Type.GAUGE, "Connections that are open", PoolStats::open),
    POOL_IN_USE(Family.DSQL, "dsql_pool_in_use", Type.GAUGE, "Connections in borrowers' hands", PoolStats::borrowed),
    POOL_IDLE(Family.DSQL, "dsql_pool_idle", Type.GAUGE, "Connections that are ready", PoolStats::ready),
    POOL_WAIT(
            Family.DSQL,
            "dsql_pool_wait_total",
            Type.COUNTER,
            "Checkouts that waited and were served",
            PoolStats::waits),
    /** A gauge although it only grows: a counter's name would have to end in {@code _total}. */
    POOL_WAIT_DURATION(
            Family.DSQL,
            "dsql_pool_wait_duration",
            Type.GAUGE,
            "How long those waited in all, in seconds",
            stats -> seconds(stats.waitedNanos())),
    POOL_MAXWAIT(
            Family.DSQL,
            "dsql_pool_maxwait",
            Type.GAUGE,
            "How long the oldest waiter has waited, in seconds",
            stats -> seconds(stats.oldestWaitNanos())),

    OTEL_COUNT(
            Family.OPEN_TELEMETRY,
            "db.client.connection.count",
            Type.GAUGE,
            "Connections, by state",
            "db.client.connection.state",
            List.of(new Series("idle", PoolStats::ready), new Series("used", PoolStats::borrowed))),
    OTEL_IDLE_MAX(
            Family.OPEN_TELEMETRY,
            "db.client.connection.idle.max",
            Type.GAUGE,
            "The most connections that may be idle",
            PoolStats::maxOpen),
    OTEL_MAX(
            Family.OPEN_TELEMETRY,
            "db.client.connection.max",
            Type.GAUGE,
            "The most connections that may be open",
            PoolStats::maxOpen),
    OTEL_PENDING(
            Family.OPEN_TELEMETRY,
            "db.client.connection.pending_requests",
            Type.GAUGE,
            "Checkouts that wait",
            PoolStats::waiting),
    OTEL_TIMEOUTS(
            Family.OPEN_TELEMETRY,
            "db.client.connection.timeouts",
            Type.COUNTER,
            "Checkouts whose deadline passed",
            PoolStats::timeouts),
    OTEL_CREATE_TIME(
            Family.OPEN_TELEMETRY,
            "db.client.connection.create_time",
            Type.TIMER,
            "How long opening a connection took",
            Timing.CREATE),
    /** Count and sum are in the numbers, so this one is read and costs a checkout nothing. */
    OTEL_WAIT_TIME(
            Family.OPEN_TELEMETRY,
            "db.client.connection.wait_time",
            Type.WAIT_TIMER,
            "How long checkouts took",
            PoolStats::waitedNanos),
    OTEL_USE_TIME(
            Family.OPEN_TELEMETRY,
            "db.client.connection.use_time",
            Type.TIMER,
            "How long borrowers held connections",
            Timing.USE),

    HIKARI_CONNECTIONS(Family.HIKARI, "hikaricp.connections", Type.GAUGE, "Total connections", PoolStats::open),
    HIKARI_ACTIVE(Family.HIKARI, "hikaricp.connections.active", Type.GAUGE, "Active connections", PoolStats::borrowed),
    HIKARI_IDLE(Family.HIKARI, "hikaricp.connections.idle", Type.GAUGE, "Idle connections", PoolStats::ready),
    HIKARI_PENDING(Family.HIKARI, "hikaricp.connections.pending", Type.GAUGE, "Pending threads", PoolStats::waiting),
    HIKARI_MAX(Family.HIKARI, "hikaricp.connections.max", Type.GAUGE, "Max connections", PoolStats::maxOpen),
    HIKARI_MIN(Family.HIKARI, "hikaricp.connections.min", Type.GAUGE, "Min connections", PoolStats::target),
    HIKARI_TIMEOUT(
            Family.HIKARI,
            "hikaricp.connections.timeout",
            Type.COUNTER,
            "Connection timeout total count",
            PoolStats::timeouts),
    HIKARI_ACQUIRE(Family.HIKARI, "hikaricp.connections.acquire", Type.TIMER, "Connection acquire time", Timing.WAIT),
    HIKARI_USAGE(Family.HIKARI, "hikaricp.connections.usage", Type.TIMER, "Connection usage time", Timing.USE),
    HIKARI_CREATION(
            Family.HIKARI, "hikaricp.connections.creation", Type.TIMER, "Connection creation time", Timing.CREATE);

    private final Family family;
    private final String id;
    private final Type type;
    private final String description;
    private final @Nullable String label;

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable, and the functions in it are pure
    private final List<Series> series;

    private final @Nullable Timing timing;

    Metric(Family family, String id, Type type, String description, ToDoubleFunction<PoolStats> value) {
        this(family, id, type, description, null, List.of(new Series("", value)), null);
    }

    Metric(Family family, String id, Type type, String description, String label, List<Series> series) {
        this(family, id, type, description, label, series, null);
    }

    Metric(Family family, String id, Type type, String description, Timing timing) {
        this(family, id, type, description, null, List.of(), timing);
    }

    Metric(
            Family family,
            String id,
            Type type,
            String description,
            @Nullable String label,
            List<Series> series,
            @Nullable Timing timing) {
        this.family = family;
        this.id = id;
        this.type = type;
        this.description = description;
        this.label = label;
        this.series = series;
        this.timing = timing;
    }

    Family family() {
        return family;
    }

    /** Its name. */
    String id() {
        return id;
    }

    Type type() {
        return type;
    }

    String description() {
        return description;
    }

    /** The label that tells its series apart, beside that of the family; null if there is one series only. */
    @Nullable
    String label() {
        return label;
    }

    /** The values read from the numbers; empty for a metric that is timed. */
    List<Series> series() {
        return series;
    }

    /** The duration that is timed, null for a metric that is read. */
    @Nullable
    Timing timing() {
        return timing;
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    private static <E> List<Series> each(
            E[] values, Function<E, String> label, Function<E, ToDoubleFunction<PoolStats>> value) {
        List<Series> series = new ArrayList<>();
        for (E one : values) {
            series.add(new Series(label.apply(one), value.apply(one)));
        }
        return List.copyOf(series);
    }

    /** Whose names they are, and the label that holds the pool. */
    enum Family {
        DSQL("pool"),
        OPEN_TELEMETRY("db.client.connection.pool.name"),
        HIKARI("pool");

        private final String poolLabel;

        Family(String poolLabel) {
            this.poolLabel = poolLabel;
        }

        String poolLabel() {
            return poolLabel;
        }

        /** Whether the service has a label of its own beside that of the pool. */
        boolean hasService() {
            return this == DSQL;
        }
    }

    enum Type {
        GAUGE,
        COUNTER,
        HISTOGRAM_MILLIS,
        /** Told of each duration. */
        TIMER,
        /** Read from the numbers: how many checkouts there were, and how long all of them took. */
        WAIT_TIMER
    }

    /** The durations that are timed. */
    enum Timing {
        WAIT,
        USE,
        CREATE
    }

    /**
     * One value of the label, and what is read for it.
     *
     * @param labelValue the value
     * @param value reads it
     */
    record Series(String labelValue, ToDoubleFunction<PoolStats> value) {}
}
