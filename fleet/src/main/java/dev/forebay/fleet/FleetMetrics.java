// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.Metric;
import dev.forebay.engine.Metric.Series;
import dev.forebay.fleet.StoreException.Trouble;
import java.util.List;
import java.util.stream.Stream;

/** Every metric of the limits that a fleet shares, declared once. */
final class FleetMetrics {

    static final List<Metric<FleetStats>> CATALOGUE = new Metric.Catalogue<FleetStats>()
            .ownedBy("service", "pool")
            .gauge(
                    "dsql_distributed_conn_lease_active",
                    "Connections that the whole fleet has leased, as last seen",
                    stats -> stats.leases().active())
            .gauge(
                    "dsql_distributed_conn_lease_limit",
                    "The most it may lease",
                    stats -> stats.leases().limit())
            .gauge(
                    "dsql_distributed_conn_lease_slots",
                    "Of these, the ones leased to this process",
                    stats -> stats.leases().slots())
            .gauge(
                    "dsql_distributed_conn_lease_held",
                    "Connections this process opened against them",
                    stats -> stats.leases().held())
            .gauge(
                    "dsql_distributed_conn_lease_excess",
                    "Of these, the ones that no lease is known to cover",
                    stats -> stats.leases().excess())
            .counter(
                    "dsql_distributed_conn_lease_requests_total",
                    "Writes sent for leases",
                    stats -> stats.leases().requests())
            .counter(
                    "dsql_distributed_conn_lease_conflicts_total",
                    "Of these, the ones that met another write and were sent again",
                    stats -> stats.leases().conflicts())
            .counter(
                    "dsql_distributed_conn_lease_lost_total",
                    "How often this process was given up for dead and was not",
                    stats -> stats.leases().lost())
            .counter(
                    "dsql_distributed_conn_lease_reaped_total",
                    "Slots of dead processes that this one gave back",
                    stats -> stats.leases().reaped())
            .counter(
                    "dsql_distributed_rate_permits_total",
                    "Permits to connect that were used",
                    stats -> stats.permits().granted())
            .counter(
                    "dsql_distributed_rate_permits_wasted_total",
                    "Permits that nobody used in time",
                    stats -> stats.permits().wasted())
            .counter(
                    "dsql_distributed_rate_requests_total",
                    "Requests for permits",
                    stats -> stats.permits().requests())
            .counter(
                    "dsql_distributed_rate_contended_total",
                    "Of these, the ones at which another was faster",
                    stats -> stats.permits().contended())
            .gauge(
                    "dsql_distributed_rate_fallback_per_second",
                    "Connections a second that this process opens while the store is lost",
                    stats -> stats.permits().fallbackPerSecond())
            .gauge("dsql_distributed_store", "1 for the state that the store is in", "state", states())
            .list();

    private FleetMetrics() {}

    private static List<Series<FleetStats>> states() {
        return Stream.concat(
                        Stream.of(FleetStats.UP), Stream.of(Trouble.values()).map(Trouble::label))
                .map(state ->
                        new Series<FleetStats>(state, stats -> stats.store().equals(state) ? 1 : 0))
                .toList();
    }
}
