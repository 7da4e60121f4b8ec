// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import dev.forebay.fleet.FleetStats;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Every metric of the limits that a fleet shares, declared once. All of them have the label {@code service}. */
enum FleetMetric {
    ACTIVE(
            "dsql_distributed_conn_lease_active",
            Type.GAUGE,
            "Connections that the whole fleet has leased, as last seen",
            stats -> stats.leases().active()),
    LIMIT(
            "dsql_distributed_conn_lease_limit",
            Type.GAUGE,
            "The most it may lease",
            stats -> stats.leases().limit()),
    SLOTS(
            "dsql_distributed_conn_lease_slots",
            Type.GAUGE,
            "Of these, the ones leased to this process",
            stats -> stats.leases().slots()),
    HELD(
            "dsql_distributed_conn_lease_held",
            Type.GAUGE,
            "Connections this process opened against them",
            stats -> stats.leases().held()),
    EXCESS(
            "dsql_distributed_conn_lease_excess",
            Type.GAUGE,
            "Of these, the ones that no lease is known to cover",
            stats -> stats.leases().excess()),
    LEASE_REQUESTS(
            "dsql_distributed_conn_lease_requests_total",
            Type.COUNTER,
            "Writes sent for leases",
            stats -> stats.leases().requests()),
    LEASE_CONFLICTS(
            "dsql_distributed_conn_lease_conflicts_total",
            Type.COUNTER,
            "Of these, the ones that met another write and were sent again",
            stats -> stats.leases().conflicts()),
    LOST(
            "dsql_distributed_conn_lease_lost_total",
            Type.COUNTER,
            "How often this process was given up for dead and was not",
            stats -> stats.leases().lost()),
    REAPED(
            "dsql_distributed_conn_lease_reaped_total",
            Type.COUNTER,
            "Slots of dead processes that this one gave back",
            stats -> stats.leases().reaped()),
    PERMITS(
            "dsql_distributed_rate_permits_total",
            Type.COUNTER,
            "Permits to connect that were used",
            stats -> stats.permits().granted()),
    PERMITS_WASTED(
            "dsql_distributed_rate_permits_wasted_total",
            Type.COUNTER,
            "Permits that nobody used in time",
            stats -> stats.permits().wasted()),
    PERMIT_REQUESTS(
            "dsql_distributed_rate_requests_total",
            Type.COUNTER,
            "Requests for permits",
            stats -> stats.permits().requests()),
    PERMITS_CONTENDED(
            "dsql_distributed_rate_contended_total",
            Type.COUNTER,
            "Of these, the ones at which another was faster",
            stats -> stats.permits().contended()),
    FALLBACK(
            "dsql_distributed_rate_fallback_per_second",
            Type.GAUGE,
            "Connections a second that this process opens while the store is lost",
            stats -> stats.permits().fallbackPerSecond()),
    STORE("dsql_distributed_store", Type.GAUGE, "1 for the state that the store is in", "state");

    /** The kind of meter registered for it. */
    enum Type {
        GAUGE,
        COUNTER
    }

    /** The states of the store. */
    static final List<String> STATES = List.of(FleetStats.UP, "throttled", "out_of_reach", "denied", "no_table");

    private final String id;
    private final Type type;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
    private final List<String> labels;

    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    private final ToDoubleFunction<FleetStats> value;

    FleetMetric(String id, Type type, String description, ToDoubleFunction<FleetStats> value) {
        this.id = id;
        this.type = type;
        this.description = description;
        this.labels = List.of();
        this.value = value;
    }

    FleetMetric(String id, Type type, String description, String label) {
        this.id = id;
        this.type = type;
        this.description = description;
        this.labels = List.of(label);
        this.value = stats -> 1;
    }

    String id() {
        return id;
    }

    Type type() {
        return type;
    }

    String description() {
        return description;
    }

    List<String> labels() {
        return labels;
    }

    ToDoubleFunction<FleetStats> value() {
        return value;
    }
}
