// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import dev.forebay.ForebayConfig;
import dev.forebay.console.web.Source;
import dev.forebay.dsql.AuroraDsql;
import dev.forebay.dsql.DsqlDataSource;
import dev.forebay.local.LocalDsql;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;

/**
 * Pools of HikariCP, as large, with good tokens, set as its documents advise: of a fixed size, with a lifetime some seconds
 * below the cluster's. Thread-safe.
 */
final class HikariPools implements Pools {

    /** The shortest lifetime that HikariCP accepts. */
    private static final Duration SHORTEST_LIFE = Duration.ofSeconds(30);

    /** HikariCP advises a lifetime some seconds shorter than the server's. */
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private final DsqlDataSource driver;
    private final MeterRegistry metrics;
    private final List<HikariDataSource> pools = new ArrayList<>();

    HikariPools(Plan plan, LocalDsql cluster, MeterRegistry metrics) {
        this.metrics = metrics;
        AwsBasicCredentials credentials = AwsBasicCredentials.create(
                cluster.accessKey().id(), cluster.accessKey().secret());
        ForebayConfig config = ForebayConfig.builder()
                .clusterEndpoint(cluster.host() + ":" + cluster.port())
                .region(cluster.region())
                .caFile(cluster.caFile().toString())
                .build();
        this.driver = AuroraDsql.builder(config)
                .credentials(() -> credentials)
                .rateLimit((now, answer) -> answer.granted(() -> {})) // nothing but HikariCP's own pace limits it
                .buildUnpooled();
        for (int i = 1; i <= Plan.SERVICES; i++) {
            pools.add(new HikariDataSource(config(plan, "hikari-" + i, metrics)));
        }
    }

    private HikariConfig config(Plan plan, String name, MeterRegistry metrics) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setDataSource(driver);
        config.setMaximumPoolSize(plan.poolSize());
        config.setMinimumIdle(plan.poolSize());
        config.setConnectionTimeout(Plan.CHECKOUT_TIMEOUT.toMillis());
        config.setMaxLifetime(lifetime(plan).toMillis());
        config.setInitializationFailTimeout(-1);
        config.setMetricRegistry(metrics);
        return config;
    }

    static Duration lifetime(Plan plan) {
        Duration wanted = plan.lifetime().minus(MARGIN);
        return wanted.compareTo(SHORTEST_LIFE) < 0 ? SHORTEST_LIFE : wanted;
    }

    /** Returns whether the cluster ends connections sooner than HikariCP can be set to. */
    static boolean livesTooLong(Plan plan) {
        return lifetime(plan).compareTo(plan.lifetime()) >= 0;
    }

    @Override
    public String name() {
        return "HikariCP";
    }

    @Override
    public List<DataSource> sources() {
        return List.copyOf(pools);
    }

    @Override
    public boolean hasReady(int service) {
        return pools.get(service).getHikariPoolMXBean().getIdleConnections() > 0;
    }

    @Override
    public int open() {
        return pools.stream()
                .mapToInt(pool -> pool.getHikariPoolMXBean().getTotalConnections())
                .sum();
    }

    // ---- for the page

    @Override
    public Source.PoolNow now(int service, double p99Millis) {
        HikariDataSource pool = pools.get(service);
        HikariPoolMXBean bean = pool.getHikariPoolMXBean();
        return new Source.PoolNow(
                pool.getPoolName(),
                name(),
                Source.PoolNow.SERVING,
                bean.getIdleConnections(),
                bean.getActiveConnections(),
                0,
                bean.getThreadsAwaitingConnection(),
                pool.getMinimumIdle(),
                pool.getMaximumPoolSize(),
                metrics.get("hikaricp.connections.acquire")
                        .tag("pool", pool.getPoolName())
                        .timer()
                        .count(),
                0,
                (long) metrics.get("hikaricp.connections.timeout")
                        .tag("pool", pool.getPoolName())
                        .counter()
                        .count(),
                metrics.get("hikaricp.connections.creation")
                        .tag("pool", pool.getPoolName())
                        .timer()
                        .count(),
                p99Millis,
                Map.of(),
                Map.of());
    }

    @Override
    public List<Source.Setting> settings(String pool) {
        return pools.stream()
                .filter(one -> one.getPoolName().equals(pool))
                .findFirst()
                .map(one -> List.of(
                        setting("maximumPoolSize", one.getMaximumPoolSize() + ""),
                        setting("minimumIdle", one.getMinimumIdle() + ""),
                        setting("connectionTimeout", one.getConnectionTimeout() + " ms"),
                        setting("maxLifetime", one.getMaxLifetime() + " ms")))
                .orElse(List.of());
    }

    private static Source.Setting setting(String name, String value) {
        return new Source.Setting(name, value, "code");
    }

    @Override
    public List<AutoCloseable> closing() {
        List<AutoCloseable> all = new ArrayList<>(pools);
        all.add(driver);
        return all;
    }
}
