// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.console.web.CheckoutTimes;
import dev.forebay.dsql.AuroraDsql;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.fleet.MemoryStore;
import dev.forebay.local.LocalDsql;
import dev.forebay.model.Fault;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;

/**
 * The demo's load for half an hour while all kinds of things go wrong, by chance from a seed: at the end nothing has leaked.
 *
 * <p>{@code ./mvnw verify -Psoak -pl console -am -Dit.test=SoakIT -Dsoak.minutes=30 -Dsoak.seed=1}. It takes real time, since it
 * looks at real sockets, threads and memory.
 */
@Tag("soak")
class SoakIT {

    private static final String RUN_OF_DIGITS = "[0-9]+";
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration SAMPLE = Duration.ofSeconds(20);

    /** Used memory may be this much higher in the last third than in the first: caches fill, and a look at it is not exact. */
    private static final double GROWTH = 1.15;

    private static final long GROWTH_BYTES = 4 << 20;

    private final Plan plan = new Plan(120, Plan.Broken.NOTHING);
    private final int mostLeased = plan.leases();
    private final MemoryStore limits = new MemoryStore();
    private final Tally tally = new Tally();
    private final List<ForebayDataSource> pools = new ArrayList<>();
    private final List<Long> memory = new ArrayList<>();
    private final CountDownLatch never = new CountDownLatch(1);

    @Test
    void nothingLeaks() throws Exception {
        Duration length =
                Duration.ofMillis((long) (60_000 * Double.parseDouble(System.getProperty("soak.minutes", "30"))));
        long seed = Long.getLong("soak.seed", 1);
        say("%s, seed %d", length, seed);
        Map<String, Integer> threadsBefore = threads();
        try (Hiccups hiccups = new Hiccups();
                LocalDsql cluster =
                        LocalDsql.builder().settings(plan.cluster()).seed(seed).start()) {
            Load.prepare(cluster.dataSource("admin"));
            for (int i = 1; i <= Plan.SERVICES; i++) {
                pools.add(pool(cluster, "soak-" + i));
            }
            Load load = new Load(plan, tally);
            List<DataSource> counted = new ArrayList<>();
            pools.forEach(pool -> counted.add(
                    new CountedDataSource(pool, () -> pool.stats().ready() > 0, tally, new CheckoutTimes(), hiccups)));
            load.begin(counted, List.of(tally));
            goThrough(cluster, load, length, new Random(seed));
            assertNoConnectionAndNoLeaseIsLeft(cluster);
            load.end(PATIENCE);
            long unaccounted = Load.sum(cluster.behind()) - tally.commits.sum();
            say(
                    "%,d commits, %,d of unknown outcome, %,d found beyond the commits",
                    tally.commits.sum(), tally.unknown.sum(), unaccounted);
            assertTrue(unaccounted >= 0 && unaccounted <= tally.unknown.sum(), "an update was lost, or made twice");
            pools.forEach(ForebayDataSource::close);
            await("no session is left", () -> cluster.counts().open() == 0);
            await("no lease is left", () -> leased() == 0);
        }
        assertMemoryStays();
        await("no thread is left", () -> more(threadsBefore).isEmpty());
    }

    private ForebayDataSource pool(LocalDsql cluster, String service) throws SQLException {
        ForebayConfig config = ForebayConfig.builder()
                .serviceName(service)
                .clusterEndpoint(cluster.host() + ":" + cluster.port())
                .region(cluster.region())
                .caFile(cluster.caFile().toString())
                .mode(ForebayConfig.Mode.RESERVOIR)
                .targetReady(plan.poolSize())
                .spare(plan.spare())
                .staggeredStartup(false)
                .baseLifetime(plan.ofLifetime(77))
                .lifetimeJitter(plan.ofLifetime(14))
                .guardWindow(plan.ofLifetime(10))
                .connectionTimeout(Plan.CHECKOUT_TIMEOUT)
                .build();
        FleetConfig fleet = FleetConfig.builder()
                .rateLimiter(true)
                .rateTable("soak")
                .rateLimit(plan.permitsPerSecond())
                .rateBurst(Plan.SERVICES)
                .connectionLease(true)
                .leaseTable("soak")
                .leaseLimit(2 * mostLeased) // so that a leak is not hidden by the limit
                .build();
        AwsBasicCredentials credentials = AwsBasicCredentials.create(
                cluster.accessKey().id(), cluster.accessKey().secret());
        return AuroraDsql.builder(config)
                .credentials(() -> credentials)
                .fleet(fleet)
                .fleetStore(limits)
                .build();
    }

    // ---- the time in between

    private void goThrough(LocalDsql cluster, Load load, Duration length, Random random) throws InterruptedException {
        long end = System.nanoTime() + length.toNanos();
        long sampleAt = System.nanoTime();
        long faultAt = System.nanoTime() + SAMPLE.toNanos();
        int faults = 0;
        while (System.nanoTime() < end) {
            long now = System.nanoTime();
            if (now >= sampleAt) {
                sampleAt = now + SAMPLE.toNanos();
                memory.add(used());
                say(
                        "%d faults, %d open, %d leased, %d threads, %,d kB, %,d commits",
                        faults,
                        open(),
                        leased(),
                        threads().values().stream().mapToInt(n -> n).sum(),
                        memory.get(memory.size() - 1) / 1_024,
                        tally.commits.sum());
            }
            if (now >= faultAt) {
                faultAt = now + TimeUnit.MILLISECONDS.toNanos(random.nextInt(3_000, 15_000));
                Fault fault = fault(random);
                say("%s", fault.text());
                cluster.inject(fault);
                load.hot(random.nextInt(4) == 0);
                faults++;
            }
            pause(100);
        }
        cluster.inject(new Fault.Clear());
    }

    private static Fault fault(Random random) {
        return switch (random.nextInt(7)) {
            case 0 -> new Fault.Drop(random.nextInt(1, 10) / 10.0);
            case 1 -> new Fault.Freeze(Duration.ofMillis(random.nextInt(500, 4_000)));
            case 2 -> new Fault.RefuseConnects(Duration.ofMillis(random.nextInt(500, 5_000)));
            case 3 -> new Fault.ExpireTokens();
            case 4 -> Fault.parse("delay connects 200ms..2s for 10s");
            case 5 -> new Fault.WakingUp(Duration.ofMillis(random.nextInt(500, 3_000)));
            default -> Fault.parse("fail commits " + random.nextInt(1, 30) + " OC000");
        };
    }

    // ---- what must not leak

    /**
     * What the pools believe to have is what the cluster has and what its PostgreSQL has. Leases cover it; an instance keeps those
     * that it had for its spare.
     */
    private void assertNoConnectionAndNoLeaseIsLeft(LocalDsql cluster) throws Exception {
        await(
                "the pools are full, and nobody has more",
                () -> open() == plan.connections()
                        && cluster.counts().open() == plan.connections()
                        && backends(cluster) == plan.connections()
                        && leased() >= plan.connections()
                        && leased() <= mostLeased);
    }

    private int open() {
        return pools.stream().mapToInt(pool -> pool.stats().open()).sum();
    }

    private long leased() {
        return limits.items().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("dsqllease_counter#"))
                .mapToLong(entry -> entry.getValue().number("active", 0))
                .sum();
    }

    private static int backends(LocalDsql cluster) throws SQLException {
        try (Connection connection = cluster.behind().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND usename = 'admin'")) {
            result.next();
            return result.getInt(1);
        }
    }

    /** Used after a collection, which is asked for twice, since the first may leave what waits for a reference handler. */
    private static long used() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private void assertMemoryStays() {
        List<Long> samples = memory.subList(Math.min(2, memory.size() / 3), memory.size()); // the first ones warm up
        int third = samples.size() / 3;
        assertTrue(third > 0, "too short to tell");
        long first = median(samples.subList(0, third));
        long last = median(samples.subList(samples.size() - third, samples.size()));
        say("memory: %,d kB in the first third, %,d kB in the last", first / 1_024, last / 1_024);
        assertTrue(
                last <= first * GROWTH + GROWTH_BYTES, first + " bytes in the first third, " + last + " in the last");
    }

    private static long median(List<Long> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /** How many threads there are of each name, numbers apart. */
    private static Map<String, Integer> threads() {
        Map<String, Integer> all = new TreeMap<>();
        Thread.getAllStackTraces()
                .keySet()
                .forEach(thread -> all.merge(thread.getName().replaceAll(RUN_OF_DIGITS, "N"), 1, Integer::sum));
        return all;
    }

    /** The threads of ours, or of what we use, beyond those of {@code before}. */
    private static Map<String, Integer> more(Map<String, Integer> before) {
        Map<String, Integer> more = threads();
        more.entrySet().removeIf(entry -> entry.getValue() <= before.getOrDefault(entry.getKey(), 0));
        more.keySet().removeIf(SoakIT::belongsToTheProcess);
        return more;
    }

    /** The clock that all pools share, the JDK's own threads, and those of libraries that are there once for a process. */
    private static boolean belongsToTheProcess(String name) {
        return name.startsWith("forebay-time")
                || name.equals("Cleaner-N")
                || name.equals("Common-Cleaner")
                || name.equals("process reaper")
                || name.startsWith("process reaper ")
                || name.startsWith("ForkJoinPool.commonPool-")
                || name.equals("PostgreSQL-JDBC-Cleaner")
                || name.equals("PostgreSQL-JDBC-SharedTimer-N")
                || name.startsWith("globalEventExecutor");
    }

    // ---- waiting

    private interface Condition {
        boolean holds() throws Exception;
    }

    private void await(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            assertTrue(
                    System.nanoTime() < deadline,
                    what + ": " + open() + " open, " + leased() + " leased, threads " + threads());
            pause(50);
        }
    }

    private void pause(long millis) throws InterruptedException {
        assertFalse(never.await(millis, TimeUnit.MILLISECONDS));
    }

    private static void say(String format, Object... values) {
        System.out.println("soak: " + String.format(Locale.ROOT, format, values));
    }
}
