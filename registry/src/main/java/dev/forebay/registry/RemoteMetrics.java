// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.Metric;
import dev.forebay.engine.Metric.Kind;
import dev.forebay.engine.Metric.Series;
import java.util.List;

/**
 * Every metric of a registry's servers, declared once: under its own names and OpenTelemetry's.
 *
 * <p>A gauge's name cannot end in {@code _total}.
 */
final class RemoteMetrics {

    /** The events that are recorded one by one. */
    enum Event {
        OPENED,
        QUERIED,
        FAILED
    }

    private static final String BYTES = "scratchbird_remote_connection_bytes_";

    private static final List<Metric<RemoteStats>> CATALOGUE = new Metric.Catalogue<RemoteStats>()
            .ownedBy("server")
            .gauge(
                    "scratchbird_remote_pool_connections",
                    "Connections, by state",
                    "state",
                    List.of(
                            new Series<>("active", RemoteStats::active),
                            new Series<>("idle", RemoteStats::idle),
                            new Series<>("opening", RemoteStats::opening)))
            .told(
                    Event.FAILED,
                    "scratchbird_remote_pool_connections_failed_total",
                    Kind.COUNTER,
                    "Connections that were found broken")
            .gauge("scratchbird_remote_pool_cap", "The most connections all users may have", RemoteStats::cap)
            .gauge("scratchbird_remote_pool_waiting", "Acquires that wait", RemoteStats::pending)
            .counter("scratchbird_remote_pool_acquires_total", "Acquires that succeeded", RemoteStats::acquires)
            .counter("scratchbird_remote_pool_releases_total", "Connections that came back", RemoteStats::releases)
            .counter("scratchbird_remote_pool_timeouts_total", "Acquires that waited in vain", RemoteStats::timeouts)
            .counter(
                    "scratchbird_remote_pool_errors_total", "Connections that could not be opened", RemoteStats::errors)
            .distribution(
                    "scratchbird_remote_pool_acquire_duration_seconds",
                    Kind.SUMMARY,
                    "How long acquires took",
                    stats -> stats.times().checkouts())
            .counter("scratchbird_remote_connection_queries_total", "Statements run", RemoteStats::queries)
            .told(
                    Event.QUERIED,
                    "scratchbird_remote_connection_query_duration_seconds",
                    Kind.SUMMARY,
                    "How long statements took")
            .counter(
                    BYTES + "sent_total",
                    "Bytes sent over the network, where they can be counted",
                    RemoteStats::bytesSent)
            .counter(
                    BYTES + "received_total",
                    "Bytes received over the network, where they can be counted",
                    RemoteStats::bytesReceived)
            .gauge(
                    "scratchbird_remote_pool_healthy",
                    "1 while connections are handed out, 0 while the server is unhealthy",
                    stats -> stats.healthy() ? 1 : 0)
            .counter(
                    "scratchbird_remote_pool_health_checks_total",
                    "Probes, by result",
                    "result",
                    List.of(
                            new Series<>(
                                    "success", stats -> stats.checks() - stats.checkFailures() - stats.checkUnknowns()),
                            new Series<>("failure", RemoteStats::checkFailures),
                            new Series<>("unknown", RemoteStats::checkUnknowns)))
            .ownedBy("db.client.connection.pool.name")
            .gauge(
                    "db.client.connection.count",
                    "Connections, by state",
                    "db.client.connection.state",
                    List.of(new Series<>("idle", RemoteStats::idle), new Series<>("used", RemoteStats::active)))
            .gauge("db.client.connection.idle.max", "The most connections that may be idle", RemoteStats::cap)
            .gauge("db.client.connection.max", "The most connections that may be open", RemoteStats::cap)
            .gauge("db.client.connection.pending_requests", "Checkouts that wait", RemoteStats::pending)
            .counter("db.client.connection.timeouts", "Checkouts whose deadline passed", RemoteStats::timeouts)
            .told(Event.OPENED, "db.client.connection.create_time", Kind.TIMER, "How long opening a connection took")
            .timer(
                    "db.client.connection.wait_time",
                    "How long checkouts took",
                    RemoteStats::acquires,
                    RemoteStats::acquireNanos)
            .timer(
                    "db.client.connection.use_time",
                    "How long borrowers held connections",
                    stats -> stats.times().uses(),
                    stats -> stats.times().usedNanos(),
                    stats -> stats.times().longestUseNanos())
            .list();

    private RemoteMetrics() {}

    /** The metrics of a server: without its bytes if they cannot be counted, since absent is clearer than zero. */
    static List<Metric<RemoteStats>> of(RemoteStats stats) {
        return CATALOGUE.stream()
                .filter(metric -> stats.bytesSent() >= 0 || !metric.id().startsWith(BYTES))
                .toList();
    }
}
