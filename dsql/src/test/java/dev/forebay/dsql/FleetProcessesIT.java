// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.LocalDsql;
import dev.forebay.model.ClusterSettings;
import dev.forebay.model.ConnectRefusal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Services in processes of their own, killed and stopped while they open and close, before one cluster and one table. */
class FleetProcessesIT {

    private static final int LIMIT = 40;
    private static final long PATIENCE_SECONDS = 90;

    /** The longest is renewed more seldom than the shortest lasts: an instance that reaped by its own would end living leases. */
    private static final List<Duration> TIMES_TO_LIVE =
            List.of(Duration.ofSeconds(6), Duration.ofSeconds(9), Duration.ofSeconds(24));

    /** For how long the cluster may count a session that its client has closed and the cluster has not ended yet. */
    private static final long CLOSING_NANOS = 250_000_000;

    @TempDir
    private Path logs;

    private final List<FleetChild> services = new CopyOnWriteArrayList<>();
    private final Random random = new Random(5);
    private Duration pause = Duration.ofMillis(1_400);
    private int started;

    @AfterEach
    void kill() throws Exception {
        for (FleetChild service : services) {
            service.kill();
        }
    }

    @Test
    @Timeout(300)
    void killedAtRandomTheyLeaveNoSlotBehindAndTheClusterNeverSeesTooMany() throws Exception {
        int permitsPerSecond = 10;
        int saved = 5;
        int kills = Boolean.getBoolean("test.full") ? 10 : 4;
        ClusterSettings settings = ClusterSettings.builder()
                .connectsPerSecond(permitsPerSecond)
                .connectBurst(saved + permitsPerSecond + 5) // a permit may be used a second late
                .mostSessions(LIMIT)
                .build();
        LocalDynamo dynamo = LocalDynamo.shared();
        try (LocalDsql dsql = LocalDsql.builder().settings(settings).start();
                DynamoDbClient client = dynamo.client()) {
            LeaseTable table = new LeaseTable(client, dynamo.newTable(client));
            Map<String, String> each = settings(dynamo, table, 15, permitsPerSecond, saved);
            for (int i = 0; i < 4; i++) {
                services.add(start(dsql, Duration.ofSeconds(6), each));
            }
            for (int kill = 0; kill < kills; kill++) {
                long seen = dsql.counts().admitted();
                int more = 5 + random.nextInt(15);
                await("connections are opened", () -> dsql.counts().admitted() >= seen + more);
                int which = random.nextInt(services.size());
                services.get(which).kill();
                services.set(which, start(dsql, Duration.ofSeconds(6), each));
            }
            await("the leases are those of the living", () -> table.leases().size() == services.size());
            await("they go on", () -> dsql.counts().open() >= LIMIT / 2);
            table.assertCounterIsTheSumOfLeases("while they go on");
            closeAll(dsql, table, each);
            Map<ConnectRefusal, Long> refused = dsql.counts().refused();
            assertEquals(0, refused.get(ConnectRefusal.RATE), "no connect was too fast");
            assertEquals(0, refused.get(ConnectRefusal.COUNT), "and none too many");
        }
    }

    @Test
    @Timeout(300)
    void sixThatAreKilledStoppedAndRestartedKeepTheLimit() throws Exception {
        sixUnderAttackFor(Duration.ofSeconds(Boolean.getBoolean("test.full") ? 60 : 10));
    }

    @Test
    @Tag("soak")
    @Timeout(1_200)
    void sixThatAreKilledStoppedAndRestartedKeepTheLimitForTenMinutes() throws Exception {
        sixUnderAttackFor(Duration.ofMinutes(10));
    }

    private void sixUnderAttackFor(Duration duration) throws Exception {
        LocalDynamo dynamo = LocalDynamo.shared();
        try (LocalDsql dsql = LocalDsql.builder().start();
                DynamoDbClient client = dynamo.client()) {
            LeaseTable table = new LeaseTable(client, dynamo.newTable(client));
            Map<String, String> each = settings(dynamo, table, 20, 60, 60);
            pause = Duration.ofSeconds(10); // whoever has too many is not to be rid of them by chance
            for (int i = 0; i < 6; i++) {
                services.add(start(dsql, timeToLive(), each));
            }
            await("the limit is reached", () -> dsql.counts().open() >= LIMIT - 2);
            int[] deeds = new int[Deed.values().length];
            try (Watch watch = new Watch(dsql)) {
                long until = System.nanoTime() + duration.toNanos();
                for (int round = 0; System.nanoTime() < until; round++) {
                    Deed deed = attack(dsql, table, each);
                    deeds[deed.ordinal()]++;
                    table.assertCounterIsTheSumOfLeases("in round " + round + ", after " + deed);
                    pause(500 + random.nextInt(3_000));
                }
                for (FleetChild service : services) {
                    if (service.isStopped()) {
                        service.goOn();
                    }
                }
                await("all have leases again", () -> table.leases().size() == services.size());
                await("the limit is reached again", () -> dsql.counts().open() >= LIMIT - 2);
                pause(FleetChild.MERCY.plusSeconds(1).toMillis()); // from here on nothing is excused
                assertEquals(List.of(), watch.violations, "more than the limit");
                System.out.printf(
                        "six processes: %d s, %d kills, %d stops, %d restarts, at most %d of %d counted and %d excused in %d looks%n",
                        duration.toSeconds(),
                        deeds[Deed.KILL.ordinal()],
                        deeds[Deed.STOP.ordinal()],
                        deeds[Deed.RESTART.ordinal()],
                        watch.most,
                        LIMIT,
                        watch.mostExcused,
                        watch.looks);
            }
            closeAll(dsql, table, each);
        }
    }

    private enum Deed {
        KILL,
        RESTART,
        STOP,
        GO_ON
    }

    /** Does something to one of them; three at most are stopped at a time, each for up to three times-to-live or half a minute. */
    private Deed attack(LocalDsql dsql, LeaseTable table, Map<String, String> each) throws Exception {
        List<FleetChild> stopped =
                services.stream().filter(FleetChild::isStopped).toList();
        List<FleetChild> due = stopped.stream().filter(FleetChild::isToGoOn).toList();
        List<FleetChild> running =
                services.stream().filter(one -> !one.isStopped()).toList();
        FleetChild service = due.isEmpty() ? running.get(random.nextInt(running.size())) : due.get(0);
        Deed deed = Deed.STOP;
        if (!due.isEmpty()) {
            deed = Deed.GO_ON;
        } else if (stopped.size() == 3 || random.nextInt(3) == 0) {
            deed = random.nextBoolean() ? Deed.KILL : Deed.RESTART;
        }
        int which = services.indexOf(service);
        switch (deed) {
            case KILL -> {
                service.kill();
                services.set(which, start(dsql, timeToLive(), each));
            }
            case RESTART -> {
                service.close();
                services.set(which, start(dsql, timeToLive(), each));
            }
            case STOP -> service.stop(random.nextDouble() * 3, table);
            case GO_ON -> service.goOn();
        }
        return deed;
    }

    private Duration timeToLive() {
        return TIMES_TO_LIVE.get(random.nextInt(TIMES_TO_LIVE.size()));
    }

    /** Looks all the time at how many sessions the cluster counts, without those that are excused. */
    private final class Watch implements AutoCloseable {
        private final LocalDsql dsql;
        private final Thread thread = new Thread(this::watch, "watch");
        private final CountDownLatch over = new CountDownLatch(1);
        private final List<String> violations = new CopyOnWriteArrayList<>();
        private volatile int most;
        private volatile int mostExcused;
        private volatile long looks;

        Watch(LocalDsql dsql) {
            this.dsql = dsql;
            thread.start();
        }

        private void watch() {
            try {
                long since = 0;
                while (!over.await(10, TimeUnit.MILLISECONDS)) {
                    int excused = excused();
                    int open = dsql.counts().open();
                    int counted = open - Math.max(excused, open > LIMIT ? excused() : 0);
                    mostExcused = Math.max(mostExcused, excused);
                    long now = System.nanoTime();
                    since = counted <= LIMIT ? 0 : since == 0 ? now : since;
                    if (since != 0 && now - since > CLOSING_NANOS) {
                        violations.add(counted + " counted of " + open);
                        since = 0;
                    }
                    most = counted <= LIMIT ? Math.max(most, counted) : most;
                    looks++;
                }
            } catch (IOException | InterruptedException e) {
                violations.add("not watched: " + e);
            }
        }

        private int excused() throws IOException {
            int excused = 0;
            for (FleetChild service : services) {
                excused += service.excused();
            }
            return excused;
        }

        @Override
        public void close() throws InterruptedException {
            over.countDown();
            thread.join();
        }
    }

    /** Ends all in good order, and sees that nothing is left of them. */
    private void closeAll(LocalDsql dsql, LeaseTable table, Map<String, String> each) throws Exception {
        closeAll();
        Set<String> left = table.leases();
        if (!left.isEmpty()) { // on a slow machine one may have gone before its lease was given back
            services.add(start(dsql, Duration.ofSeconds(6), each));
            await("the next one gives back what was left", () -> Collections.disjoint(left, table.leases()));
            closeAll();
        }
        assertEquals(0, table.active(), "all is given back");
        assertEquals(Set.of(), table.leases());
    }

    private void closeAll() throws Exception {
        for (FleetChild service : services) {
            service.close();
        }
        services.clear();
    }

    private FleetChild start(LocalDsql dsql, Duration ttl, Map<String, String> settings) throws IOException {
        String name = "service-" + started++;
        return FleetChild.start(dsql, logs.resolve(name + ".log"), name, ttl, pause, settings);
    }

    private static Map<String, String> settings(
            LocalDynamo dynamo, LeaseTable table, int target, int permitsPerSecond, int saved) {
        Map<String, String> settings = new HashMap<>();
        settings.put("AWS_ENDPOINT_URL_DYNAMODB", dynamo.endpoint().toString());
        settings.put("DSQL_RESERVOIR_TARGET_READY", Integer.toString(target));
        settings.put("DSQL_DISTRIBUTED_CONN_LEASE_TABLE", table.name());
        settings.put("DSQL_DISTRIBUTED_CONN_LIMIT", Integer.toString(LIMIT));
        settings.put("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", table.name());
        settings.put("DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT", Integer.toString(permitsPerSecond));
        settings.put("DSQL_DISTRIBUTED_RATE_LIMITER_BURST", Integer.toString(saved));
        return settings;
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "it did not come to that: " + what);
            pause(50);
        }
    }

    private static void pause(long millis) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        assertTrue(!never.await(millis, TimeUnit.MILLISECONDS));
    }
}
