// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.console.web.Happenings;
import dev.forebay.console.web.PoolEvents;
import dev.forebay.console.web.Source;
import dev.forebay.dsql.AuroraDsql;
import dev.forebay.engine.Admission;
import dev.forebay.engine.PoolStats;
import dev.forebay.engine.RateLimit;
import dev.forebay.engine.TokenBucket;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.fleet.FleetStats;
import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.MemoryStore;
import dev.forebay.local.LocalDsql;
import dev.forebay.micrometer.MicrometerMetrics;
import dev.forebay.time.SystemTime;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;

/** Reservoirs, each with its share of the connects, on leases that all share. Thread-safe. */
final class ForebayPools implements Pools {

    private static final Duration FILL_PATIENCE = Duration.ofSeconds(30);

    private final Plan plan;
    private final FleetConfig fleetLimits;

    private final List<ForebayDataSource> pools = new ArrayList<>();
    private final List<LimitOnceFilled> permits = new ArrayList<>();
    private final Map<String, Supplier<FleetStats>> fleet = new ConcurrentSkipListMap<>();

    /** Starts them at the same time, as a deployment does; returns when they are full, or have tried for long. */
    ForebayPools(Plan plan, LocalDsql cluster, MeterRegistry metrics, Happenings happenings) throws SQLException {
        this.plan = plan;
        this.fleetLimits = FleetConfig.builder()
                .connectionLease(true)
                .leaseTable("demo")
                .leaseLimit(plan.leases())
                .build();
        FleetStore leases = new MemoryStore();
        ExecutorService threads = Executors.newFixedThreadPool(Plan.SERVICES);
        List<Future<ForebayDataSource>> starting = new ArrayList<>();
        for (int i = 1; i <= Plan.SERVICES; i++) {
            String service = "service-" + i;
            LimitOnceFilled permit = new LimitOnceFilled(plan.permitsOfService());
            permits.add(permit);
            if (plan.broken() == Plan.Broken.LIMIT) {
                permit.begin(); // as the cluster's, which is not lifted then
            }
            starting.add(threads.submit(() -> pool(cluster, service, permit, leases, metrics, happenings)));
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
                threads.shutdownNow(); // each closes the pool it has begun
                Thread.currentThread().interrupt();
                throw new SQLException("interrupted while the services were starting", e);
            }
        }
        if (failure != null) {
            pools.forEach(ForebayDataSource::close);
            throw failure;
        }
    }

    private ForebayDataSource pool(
            LocalDsql cluster,
            String service,
            Admission permit,
            FleetStore leases,
            MeterRegistry metrics,
            Happenings happenings)
            throws SQLException {
        ForebayConfig config = ForebayConfig.builder()
                .serviceName(service)
                .clusterEndpoint(cluster.host() + ":" + cluster.port())
                .region(cluster.region())
                .caFile(cluster.caFile().toString())
                .mode(ForebayConfig.Mode.RESERVOIR)
                .targetReady(plan.poolSize())
                .spare(plan.spare())
                .staggeredStartup(false) // HikariCP does not wait either
                .baseLifetime(plan.ofLifetime(85))
                .lifetimeJitter(plan.ofLifetime(5))
                .guardWindow(plan.ofLifetime(10)) // longer than a transaction holds a connection
                .connectionTimeout(Plan.CHECKOUT_TIMEOUT)
                .initialFillTimeout(FILL_PATIENCE)
                .failFast(true)
                .build();
        PoolEvents events = new PoolEvents(service, happenings);
        String secret = plan.broken() == Plan.Broken.TOKEN
                ? "a wrong one"
                : cluster.accessKey().secret();
        AwsBasicCredentials credentials =
                AwsBasicCredentials.create(cluster.accessKey().id(), secret);
        return AuroraDsql.builder(config)
                .credentials(() -> credentials)
                .rateLimit(permit)
                .fleet(fleetLimits)
                .fleetStore(leases)
                .fleetStats(stats -> fleet.put(service, stats))
                .observer(new MicrometerMetrics(metrics))
                .listener(events)
                .fleetListener(events)
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
    public void limit() {
        permits.forEach(LimitOnceFilled::begin);
    }

    @Override
    public boolean hasReady(int service) {
        return pools.get(service).stats().ready() > 0;
    }

    @Override
    public int open() {
        return pools.stream().mapToInt(pool -> pool.stats().open()).sum();
    }

    // ---- for the page

    @Override
    public Source.PoolNow now(int service, double p99Millis) {
        ForebayDataSource pool = pools.get(service);
        PoolStats stats = pool.stats();
        Map<String, Long> discards = new TreeMap<>();
        stats.discards().forEach((reason, count) -> discards.put(reason.label(), count));
        Map<String, Long> failures = new TreeMap<>();
        stats.openFailures().forEach((cause, count) -> failures.put(cause.label(), count));
        return new Source.PoolNow(
                pool.config().serviceName(),
                name(),
                pool.isSuspended() ? "paused" : Source.PoolNow.SERVING,
                stats.ready(),
                stats.borrowed(),
                stats.opening(),
                stats.waiting(),
                stats.target(),
                stats.maxOpen(),
                stats.checkouts(),
                stats.empties(),
                stats.timeouts(),
                stats.opened(),
                p99Millis,
                discards,
                failures);
    }

    Map<String, FleetStats> fleet() {
        Map<String, FleetStats> now = new TreeMap<>();
        fleet.forEach((service, stats) -> now.put(service, stats.get()));
        return now;
    }

    List<Source.Holder> holders(int most) {
        return pools.stream()
                .flatMap(pool -> pool.holders(most).stream()
                        .map(holder -> new Source.Holder(
                                pool.config().serviceName(), holder.who(), holder.connection(), holder.held())))
                .sorted(Comparator.comparing(Source.Holder::held).reversed())
                .limit(most)
                .toList();
    }

    @Override
    public List<Source.Setting> settings(String pool) {
        ForebayDataSource found = find(pool);
        if (found == null) {
            return List.of();
        }
        Map<String, String> origins = new TreeMap<>(found.config().origins());
        origins.putAll(fleetLimits.origins());
        Map<String, String> values = new TreeMap<>(found.config().values());
        values.putAll(fleetLimits.values());
        return values.entrySet().stream()
                .map(one ->
                        new Source.Setting(one.getKey(), one.getValue(), origins.getOrDefault(one.getKey(), "default")))
                .toList();
    }

    private @Nullable ForebayDataSource find(String name) {
        return pools.stream()
                .filter(pool -> pool.config().serviceName().equals(name))
                .findFirst()
                .orElse(null);
    }

    List<Source.Action> actions(String pool) {
        ForebayDataSource found = find(pool);
        if (found == null) {
            return List.of();
        }
        return List.of(
                new Source.Action(
                        "check",
                        "Check all",
                        "Has every connection answer that nobody uses; those that do not are replaced.",
                        "",
                        List.of()),
                new Source.Action(
                        "evict",
                        "Evict all",
                        "Closes every connection, those in use when they come back, and opens others under the limit.",
                        "",
                        List.of()),
                new Source.Action("pause", "Pause", "Hands out nothing until it is resumed.", "", List.of()),
                new Source.Action("resume", "Resume", "Hands out connections again.", "", List.of()),
                new Source.Action(
                        "resize",
                        "Resize",
                        "Changes how many connections are kept, until the demonstration ends.",
                        "",
                        List.of(new Source.Argument(
                                "target",
                                "Connections",
                                1,
                                2 * plan.poolSize(),
                                found.stats().target()))));
    }

    /** Performs an action on the pool of that name, which {@link #actions} has found. */
    String act(String pool, String action, Map<String, Integer> values) throws SQLException {
        ForebayDataSource found = find(pool);
        if (found == null) {
            throw new SQLException("there is no pool " + pool);
        }
        switch (action) {
            case "check" -> found.checkAll();
            case "evict" -> found.evictAll();
            case "pause" -> found.suspend();
            case "resume" -> found.resume();
            case "resize" -> {
                int target = values.getOrDefault("target", plan.poolSize());
                found.resize(target);
                return "resized to " + target;
            }
            default -> throw new SQLException("there is no action " + action);
        }
        return action;
    }

    @Override
    public List<AutoCloseable> closing() {
        return List.copyOf(pools);
    }

    /** Grants every connect until the pools are full, then those of a rate limit; plans with that rate from the start. */
    private static final class LimitOnceFilled implements Admission {
        private final TokenBucket bucket;
        private volatile Admission current = (now, answer) -> answer.granted(() -> {});

        LimitOnceFilled(TokenBucket bucket) {
            this.bucket = bucket;
        }

        void begin() {
            current = new RateLimit(bucket, SystemTime.shared());
        }

        @Override
        public void ask(long nowNanos, Answer answer) {
            current.ask(nowNanos, answer);
        }

        @Override
        public double sustainedPerSecond() {
            return bucket.perSecond();
        }
    }
}
