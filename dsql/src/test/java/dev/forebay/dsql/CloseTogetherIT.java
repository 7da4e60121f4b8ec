// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.local.LocalDsql;
import dev.forebay.local.iam.AccessKey;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Services that close at the same moment, so that each is in the other's way when it gives its lease back. */
@Timeout(300)
class CloseTogetherIT {

    private static final int ROUNDS = Boolean.getBoolean("test.full") ? 50 : 10;
    private static final double CONFLICTS = 0.4;

    /** Conflicts in a row for two services before they close; the next retry of each is 0.8 to 2.4 s away then. */
    private static final int CONFLICTS_BEFORE = 14;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @Test
    void servicesThatCloseTogetherLeaveNoSlotBehind() throws Exception {
        LocalDynamo dynamo = LocalDynamo.shared();
        long slowestNanos = 0;
        try (LocalDsql dsql = LocalDsql.builder().start();
                DynamoDbClient client = dynamo.client();
                FaultyDynamo faulty = new FaultyDynamo(dynamo.endpoint(), 17)) {
            LeaseTable table = new LeaseTable(client, dynamo.newTable(client));
            for (int round = 0; round < ROUNDS; round++) {
                faulty.only(FaultyDynamo.Fault.CONFLICT, 0);
                List<ForebayDataSource> pools =
                        List.of(pool(dsql, faulty, table.name(), "one"), pool(dsql, faulty, table.name(), "other"));
                assertEquals(4, table.active(), "in round " + round);
                if (round / 2 % 2 == 1) {
                    conflictBeforeTheClose(pools, faulty);
                }
                faulty.only(FaultyDynamo.Fault.CONFLICT, CONFLICTS);
                slowestNanos = Math.max(slowestNanos, closeTogether(pools, round % 2 == 0));
                assertEquals(0, table.active(), "left over in round " + round);
            }
            int conflicts = faulty.happened().get(FaultyDynamo.Fault.CONFLICT).get();
            System.out.printf(
                    "close together: %d rounds of 2 services, %d conflicts, slowest close %d ms, no slot left over%n",
                    ROUNDS, conflicts, TimeUnit.NANOSECONDS.toMillis(slowestNanos));
            assertTrue(conflicts > ROUNDS, conflicts + " conflicts");
        } finally {
            threads.shutdownNow();
        }
    }

    /** Lets each of them want one more slot, which it does not get, until it asks for it only now and then. */
    private static void conflictBeforeTheClose(List<ForebayDataSource> pools, FaultyDynamo faulty) throws Exception {
        AtomicInteger conflicts = faulty.happened().get(FaultyDynamo.Fault.CONFLICT);
        int enough = conflicts.get() + CONFLICTS_BEFORE;
        faulty.only(FaultyDynamo.Fault.CONFLICT, 1);
        try (Connection one = pools.get(0).getConnection();
                Connection other = pools.get(1).getConnection()) {
            assertTrue(one.isValid(5) && other.isValid(5));
            CountDownLatch never = new CountDownLatch(1);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (conflicts.get() < enough) {
                assertTrue(System.nanoTime() < deadline, "too few conflicts: " + conflicts.get() + " of " + enough);
                never.await(5, TimeUnit.MILLISECONDS);
            }
        }
    }

    /** Closes them at once, in every other round with a connection out that comes back meanwhile; returns the longest. */
    private long closeTogether(List<ForebayDataSource> pools, boolean withOneOut) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Connection out = withOneOut ? pools.get(0).getConnection() : null;
        List<Future<Long>> closes = new ArrayList<>();
        for (ForebayDataSource pool : pools) {
            closes.add(threads.submit(() -> {
                go.await();
                long began = System.nanoTime();
                pool.close();
                return System.nanoTime() - began;
            }));
        }
        go.countDown();
        if (out != null) {
            while (!pools.get(0).isClosed()) {
                Thread.onSpinWait();
            }
            out.close();
        }
        long longest = 0;
        for (Future<Long> close : closes) {
            longest = Math.max(longest, close.get(60, TimeUnit.SECONDS));
        }
        return longest;
    }

    private static ForebayDataSource pool(LocalDsql dsql, FaultyDynamo dynamo, String table, String name)
            throws Exception {
        AccessKey key = dsql.accessKey();
        ForebayConfig config = ForebayConfig.builder()
                .clusterEndpoint("localhost:" + dsql.port())
                .region(dsql.region())
                .caFile(dsql.caFile().toString())
                .serviceName(name)
                .mode(ForebayConfig.Mode.RESERVOIR)
                .targetReady(2)
                .maxOpen(3) // so that one is opened for one that is out
                .staggeredStartup(false)
                .spare(0)
                .connectionRateLimit(1_000)
                .connectionBurstLimit(1_000)
                .initialFillTimeout(Duration.ofSeconds(30))
                .lowWatermark(2)
                .build();
        FleetConfig leases = FleetConfig.builder()
                .connectionLease(true)
                .leaseTable(table)
                .leaseLimit(10)
                .build();
        return AuroraDsql.builder(config)
                .fleet(leases)
                .credentials(() -> AwsBasicCredentials.create(key.id(), key.secret()))
                .dynamoEndpoint(dynamo.endpoint())
                .build();
    }
}
