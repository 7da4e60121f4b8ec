// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.dsql.AuroraDsql;
import dev.forebay.event.MicrometerFleetMetrics;
import dev.forebay.event.MicrometerMetrics;
import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.MemoryStore;
import dev.forebay.lab.server.LocalDsql;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;

/** Four reservoirs that share one limit on connects. Thread-safe. */
final class ForebayPools implements Pools {

    private static final Duration FILL_PATIENCE = Duration.ofSeconds(10);

    private final List<ForebayDataSource> pools = new ArrayList<>();

    /** Starts them at the same time, as a deployment does; returns when they are full, or have tried for long. */
    ForebayPools(Plan plan, LocalDsql cluster, MeterRegistry metrics) throws SQLException {
        FleetStore limits = new MemoryStore();
        ExecutorService threads = Executors.newFixedThreadPool(Plan.SERVICES);
        List<Future<ForebayDataSource>> starting = new ArrayList<>();
        for (int i = 1; i <= Plan.SERVICES; i++) {
            String service = "service-" + i;
            starting.add(threads.submit(() -> pool(plan, cluster, service, limits, metrics)));
        }
        threads.shutdown();
        SQLException failure = null;
        for (Future<ForebayDataSource> one : starting) {
            try {
                pools.add(one.get());
            } catch (ExecutionException e) {
                failure = e.getCause() instanceof SQLException cause
                        ? cause
                        : new SQLException("a service could not start: " + e.getCause(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                failure = new SQLException("interrupted while the services were starting", e);
            }
        }
        if (failure != null) {
            close();
            throw failure;
        }
    }

    private static ForebayDataSource pool(
            Plan plan, LocalDsql cluster, String service, FleetStore limits, MeterRegistry metrics)
            throws SQLException {
        ForebayConfig config = ForebayConfig.builder()
                .serviceName(service)
                .clusterEndpoint(cluster.host() + ":" + cluster.port())
                .region(cluster.region())
                .caFile(cluster.caFile().toString())
                .mode(ForebayConfig.Mode.RESERVOIR)
                .targetReady(Plan.POOL_SIZE)
                .spare(2)
                .baseLifetime(plan.ofLifetime(77))
                .lifetimeJitter(plan.ofLifetime(14)) // as the defaults, 2 minutes for 11
                .guardWindow(plan.ofLifetime(10))
                .connectionTimeout(Plan.CHECKOUT_TIMEOUT)
                .fleetRateLimiter(true)
                .fleetRateTable("demo")
                .fleetRateLimit(Plan.PERMITS_PER_SECOND)
                .fleetRateBurst(Plan.PERMIT_BURST)
                .initialFillTimeout(FILL_PATIENCE)
                .failFast(true)
                .build();
        MicrometerMetrics shown = new MicrometerMetrics();
        shown.bindTo(metrics);
        String secret = plan.broken() == Plan.Broken.TOKEN
                ? "a wrong one"
                : cluster.accessKey().secret();
        AwsBasicCredentials credentials =
                AwsBasicCredentials.create(cluster.accessKey().id(), secret);
        return AuroraDsql.builder(config)
                .credentials(() -> credentials)
                .fleetStore(limits)
                .fleetStats(stats -> new MicrometerFleetMetrics(service, stats).bindTo(metrics))
                .listener(shown)
                .build();
    }

    @Override
    public String name() {
        return "Forebay";
    }

    @Override
    public List<DataSource> sources() {
        return List.copyOf(pools);
    }

    @Override
    public boolean hasReady(int service) {
        return pools.get(service).stats().ready() > 0;
    }

    @Override
    public int open() {
        return pools.stream().mapToInt(pool -> pool.stats().open()).sum();
    }

    @Override
    public void close() {
        pools.forEach(ForebayDataSource::close);
    }
}
