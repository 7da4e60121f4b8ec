// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Observer.Observation;
import dev.forebay.fleet.FleetStats;
import dev.forebay.fleet.FleetStats.LeaseStats;
import dev.forebay.fleet.FleetStats.PermitStats;
import dev.forebay.fleet.StoreException;
import dev.forebay.time.VirtualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The metrics of the limits that a fleet shares. */
class MicrometerFleetMetricsTest {

    private FleetStats stats = new FleetStats(
            new LeaseStats(9_000, 10_000, 500, 480, 3, 12, 2, 1, 70),
            new PermitStats(480, 30, 4, 5, 6, 12.5),
            FleetStats.UP);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final VirtualTime time = new VirtualTime();
    private final MicrometerMetrics metrics = new MicrometerMetrics(time);
    private final Observation shown = FleetStats.show(metrics, "orders", () -> stats);

    private double gauge(String name) {
        return registry.get(name).tag("service", "orders").gauge().value();
    }

    private double counter(String name) {
        return registry.get(name).tag("service", "orders").functionCounter().count();
    }

    private double store(String state) {
        return registry.get("dsql_distributed_store")
                .tag("state", state)
                .gauge()
                .value();
    }

    @Test
    void showEachNumberUnderItsName() {
        metrics.bindTo(registry);
        assertEquals(9_000, gauge("dsql_distributed_conn_lease_active"));
        assertEquals(10_000, gauge("dsql_distributed_conn_lease_limit"));
        assertEquals(500, gauge("dsql_distributed_conn_lease_slots"));
        assertEquals(480, gauge("dsql_distributed_conn_lease_held"));
        assertEquals(3, gauge("dsql_distributed_conn_lease_excess"));
        assertEquals(12, counter("dsql_distributed_conn_lease_requests_total"));
        assertEquals(2, counter("dsql_distributed_conn_lease_conflicts_total"));
        assertEquals(1, counter("dsql_distributed_conn_lease_lost_total"));
        assertEquals(70, counter("dsql_distributed_conn_lease_reaped_total"));
        assertEquals(480, counter("dsql_distributed_rate_permits_total"));
        assertEquals(30, counter("dsql_distributed_rate_requests_total"));
        assertEquals(4, counter("dsql_distributed_rate_contended_total"));
        assertEquals(12.5, gauge("dsql_distributed_rate_fallback_per_second"));
        assertEquals(5, counter("dsql_distributed_rate_permits_wasted_total"));
    }

    @Test
    void theStoreIsInOneStateAtATime() {
        metrics.bindTo(registry);
        assertEquals(1, store("up"));
        assertEquals(0, store("denied"));
        stats = new FleetStats(LeaseStats.NONE, PermitStats.NONE, "denied");
        time.advance(Duration.ofMillis(20));
        assertEquals(0, store("up"));
        assertEquals(1, store("denied"));
    }

    @Test
    void everyTroubleOfAStoreIsAState() {
        List<String> states = new ArrayList<>(List.of(FleetStats.UP));
        Stream.of(StoreException.Trouble.values())
                .map(StoreException.Trouble::label)
                .forEach(states::add);
        assertEquals(states, Catalogues.values(Catalogues.ofFleets(), "state"));
    }

    @Test
    void nothingIsLeftAfterTheyAreClosed() {
        metrics.bindTo(registry);
        shown.close();
        assertTrue(registry.getMeters().isEmpty());
    }
}
