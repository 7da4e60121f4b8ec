// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import dev.forebay.registry.RemoteStats;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Every metric of a registry's servers, declared once. All of them have the label {@link #SERVER}.
 *
 * <p>A gauge's name cannot end in {@code _total}.
 */
enum RemoteMetric {
    CONNECTIONS(
            "scratchbird_remote_pool_connections",
            Type.GAUGE,
            "Connections, by state",
            "state",
            List.of(
                    new Series("active", RemoteStats::active),
                    new Series("idle", RemoteStats::idle),
                    new Series("opening", RemoteStats::opening))),
    CONNECTIONS_FAILED(
            "scratchbird_remote_pool_connections_failed_total", Type.COUNTER, "Connections that were found broken"),
    CAP("scratchbird_remote_pool_cap", Type.GAUGE, "The most connections all users may have", RemoteStats::cap),
    WAITING("scratchbird_remote_pool_waiting", Type.GAUGE, "Acquires that wait", RemoteStats::pending),
    ACQUIRES("scratchbird_remote_pool_acquires_total", Type.COUNTER, "Acquires that succeeded", RemoteStats::acquires),
    RELEASES(
            "scratchbird_remote_pool_releases_total",
            Type.COUNTER,
            "Connections that came back",
            RemoteStats::releases),
    TIMEOUTS(
            "scratchbird_remote_pool_timeouts_total",
            Type.COUNTER,
            "Acquires that waited in vain",
            RemoteStats::timeouts),
    ERRORS(
            "scratchbird_remote_pool_errors_total",
            Type.COUNTER,
            "Connections that could not be opened",
            RemoteStats::errors),
    ACQUIRE_DURATION("scratchbird_remote_pool_acquire_duration_seconds", Type.SUMMARY, "How long acquires took"),
    QUERIES("scratchbird_remote_connection_queries_total", Type.COUNTER, "Statements run", RemoteStats::queries),
    QUERY_DURATION("scratchbird_remote_connection_query_duration_seconds", Type.SUMMARY, "How long statements took"),
    BYTES_SENT(
            "scratchbird_remote_connection_bytes_sent_total",
            Type.COUNTER,
            "Bytes sent over the network, where they can be counted",
            RemoteStats::bytesSent),
    BYTES_RECEIVED(
            "scratchbird_remote_connection_bytes_received_total",
            Type.COUNTER,
            "Bytes received over the network, where they can be counted",
            RemoteStats::bytesReceived),
    HEALTHY(
            "scratchbird_remote_pool_healthy",
            Type.GAUGE,
            "1 while connections are handed out, 0 while the server is unhealthy",
            stats -> stats.healthy() ? 1 : 0),
    HEALTH_CHECKS(
            "scratchbird_remote_pool_health_checks_total",
            Type.COUNTER,
            "Probes, by result",
            "result",
            List.of(
                    new Series("success", stats -> stats.checks() - stats.checkFailures() - stats.checkUnknowns()),
                    new Series("failure", RemoteStats::checkFailures),
                    new Series("unknown", RemoteStats::checkUnknowns)));

    /** The label that all of them have. */
    static final String SERVER = "server";

    private final String id;
    private final Type type;
    private final String description;
    private final @Nullable String label;

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable, and the functions in it are pure
    private final List<Series> series;

    RemoteMetric(String id, Type type, String description) {
        this(id, type, description, null, List.of());
    }

    RemoteMetric(String id, Type type, String description, ToDoubleFunction<RemoteStats> value) {
        this(id, type, description, null, List.of(new Series("", value)));
    }

    RemoteMetric(String id, Type type, String description, @Nullable String label, List<Series> series) {
        this.id = id;
        this.type = type;
        this.description = description;
        this.label = label;
        this.series = series;
    }

    /** Its name, as Prometheus shows it. */
    String id() {
        return id;
    }

    Type type() {
        return type;
    }

    String description() {
        return description;
    }

    /** The label that tells its series apart; null if there is one series only. */
    @Nullable
    String label() {
        return label;
    }

    /** The values read from the numbers; empty for a metric that is recorded. */
    List<Series> series() {
        return series;
    }

    /** The kind of meter registered for it. */
    enum Type {
        GAUGE,
        COUNTER,
        /** Quantiles, a sum and a count. */
        SUMMARY
    }

    /** One value of the label, and what is read for it. */
    record Series(String labelValue, ToDoubleFunction<RemoteStats> value) {}
}
