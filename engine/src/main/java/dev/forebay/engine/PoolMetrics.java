// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.engine.Metric.Kind;
import dev.forebay.engine.Metric.Series;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Every metric of a pool, declared once: under its own names, OpenTelemetry's and HikariCP's. Names of the first kind are
 * those that Prometheus shows; for the others, a registry for Prometheus turns dots into underscores and adds units.
 */
final class PoolMetrics {

    /** The event that is told of, where the others are read. */
    enum Event {
        CREATED
    }

    /** A checkout takes well under a millisecond, and one that waits for a connect some hundreds. */
    private static final Double[] LATENCY_MILLIS = {
        0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0
    };

    static final List<Metric<PoolStats>> CATALOGUE = new Metric.Catalogue<PoolStats>()
            .ownedBy("service", "pool")
            .gauge(
                    "dsql_reservoir_size",
                    "Connections that are ready or leased, less those a pool on top may hold",
                    PoolStats::level)
            .gauge("dsql_reservoir_target", "Connections the supply aims at", PoolStats::target)
            .gauge("dsql_reservoir_ready", "Connections that are ready", PoolStats::ready)
            .gauge("dsql_reservoir_leased", "Connections in borrowers' hands", PoolStats::borrowed)
            .counter("dsql_reservoir_checkouts_total", "Successful checkouts", PoolStats::checkouts)
            .counter("dsql_reservoir_empty_total", "Checkouts that found nothing ready", PoolStats::empties)
            .counter(
                    "dsql_reservoir_discards_total",
                    "Discarded connections, by reason",
                    "reason",
                    each(DiscardReason.values(), DiscardReason::label, reason -> stats -> stats.discards(reason)))
            .counter("dsql_reservoir_refills_total", "Connections opened", PoolStats::opened)
            .counter(
                    "dsql_reservoir_refill_failures_total",
                    "Opens that failed, by reason",
                    "reason",
                    each(
                            OpenFailure.Cause.values(),
                            OpenFailure.Cause::label,
                            cause -> stats -> stats.openFailures(cause)))
            .distribution(
                    "dsql_reservoir_checkout_latency_milliseconds",
                    Kind.HISTOGRAM_MILLIS,
                    "How long checkouts took",
                    PoolMetrics::latencies,
                    LATENCY_MILLIS)
            .gauge("dsql_pool_max_open", "The most connections that may be open", PoolStats::maxOpen)
            .gauge("dsql_pool_open", "Connections that are open", PoolStats::open)
            .gauge("dsql_pool_in_use", "Connections in borrowers' hands", PoolStats::borrowed)
            .gauge("dsql_pool_idle", "Connections that are ready", PoolStats::ready)
            .counter("dsql_pool_wait_total", "Checkouts that waited and were served", PoolStats::waits)
            // A gauge although it only grows: a counter's name would have to end in _total.
            .gauge(
                    "dsql_pool_wait_duration",
                    "How long those waited in all, in seconds",
                    stats -> seconds(stats.waitedNanos()))
            .gauge(
                    "dsql_pool_maxwait",
                    "How long the oldest waiter has waited, in seconds",
                    stats -> seconds(stats.oldestWaitNanos()))
            .ownedBy("db.client.connection.pool.name")
            .gauge(
                    "db.client.connection.count",
                    "Connections, by state",
                    "db.client.connection.state",
                    List.of(new Series<>("idle", PoolStats::ready), new Series<>("used", PoolStats::borrowed)))
            .gauge("db.client.connection.idle.max", "The most connections that may be idle", PoolStats::maxOpen)
            .gauge("db.client.connection.max", "The most connections that may be open", PoolStats::maxOpen)
            .gauge("db.client.connection.pending_requests", "Checkouts that wait", PoolStats::waiting)
            .counter("db.client.connection.timeouts", "Checkouts whose deadline passed", PoolStats::timeouts)
            .told(Event.CREATED, "db.client.connection.create_time", Kind.TIMER, "How long opening a connection took")
            .timer(
                    "db.client.connection.wait_time",
                    "How long checkouts took",
                    PoolStats::checkouts,
                    PoolStats::waitedNanos)
            .timer(
                    "db.client.connection.use_time",
                    "How long borrowers held connections",
                    PoolMetrics::uses,
                    PoolMetrics::usedNanos,
                    PoolMetrics::longestUseNanos)
            .ownedBy("pool")
            .gauge("hikaricp.connections", "Total connections", PoolStats::open)
            .gauge("hikaricp.connections.active", "Active connections", PoolStats::borrowed)
            .gauge("hikaricp.connections.idle", "Idle connections", PoolStats::ready)
            .gauge("hikaricp.connections.pending", "Pending threads", PoolStats::waiting)
            .gauge("hikaricp.connections.max", "Max connections", PoolStats::maxOpen)
            .gauge("hikaricp.connections.min", "Min connections", PoolStats::target)
            .counter("hikaricp.connections.timeout", "Connection timeout total count", PoolStats::timeouts)
            .timer(
                    "hikaricp.connections.acquire",
                    "Connection acquire time",
                    stats -> latencies(stats).count(),
                    stats -> latencies(stats).sum(),
                    stats -> latencies(stats).max())
            .timer(
                    "hikaricp.connections.usage",
                    "Connection usage time",
                    PoolMetrics::uses,
                    PoolMetrics::usedNanos,
                    PoolMetrics::longestUseNanos)
            .told(Event.CREATED, "hikaricp.connections.creation", Kind.TIMER, "Connection creation time")
            .list();

    private PoolMetrics() {}

    private static Metric.Distribution latencies(PoolStats stats) {
        return stats.times().checkouts();
    }

    private static double uses(PoolStats stats) {
        return stats.times().uses();
    }

    private static double usedNanos(PoolStats stats) {
        return stats.times().usedNanos();
    }

    private static double longestUseNanos(PoolStats stats) {
        return stats.times().longestUseNanos();
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    private static <E> List<Series<PoolStats>> each(
            E[] values, Function<E, String> label, Function<E, ToDoubleFunction<PoolStats>> value) {
        return Stream.of(values)
                .map(one -> new Series<>(label.apply(one), value.apply(one)))
                .toList();
    }
}
