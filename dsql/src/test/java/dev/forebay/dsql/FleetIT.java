// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.OpenFailure;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.fleet.FleetConfig.Outage;
import dev.forebay.fleet.FleetListener;
import dev.forebay.fleet.FleetStats;
import dev.forebay.fleet.MemoryStore;
import dev.forebay.local.LocalDsql;
import dev.forebay.local.iam.AccessKey;
import dev.forebay.model.ClusterSettings;
import dev.forebay.model.ConnectRefusal;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** Pools that share their limits through a table, before a local DSQL. */
@Timeout(180)
class FleetIT {

    private static final long PATIENCE_SECONDS = 60;

    private static LocalDsql dsql;

    private DynamoDbClient client;
    private String table;

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
    }

    @AfterAll
    static void stop() throws Exception {
        dsql.close();
    }

    @BeforeEach
    void newTable() throws Exception {
        client = LocalDynamo.shared().client();
        table = LocalDynamo.shared().newTable(client);
    }

    @AfterEach
    void close() {
        client.close();
    }

    private ForebayConfig.Builder config(int target) {
        return ForebayConfig.builder()
                .clusterEndpoint("localhost:" + dsql.port())
                .region(dsql.region())
                .caFile(dsql.caFile().toString())
                .mode(ForebayConfig.Mode.RESERVOIR)
                .targetReady(target)
                .spare(0)
                .staggeredStartup(false)
                .initialFillTimeout(Duration.ofSeconds(10));
    }

    private FleetConfig.Builder leasing(int limit) {
        return FleetConfig.builder().connectionLease(true).leaseTable(table).leaseLimit(limit);
    }

    private AuroraDsql.Builder door(int target, FleetConfig.Builder fleet) throws Exception {
        return door(config(target)).fleet(fleet.build());
    }

    private AuroraDsql.Builder door(ForebayConfig.Builder config) throws Exception {
        AccessKey key = dsql.accessKey();
        return AuroraDsql.builder(config.build())
                .credentials(() -> AwsBasicCredentials.create(key.id(), key.secret()))
                .dynamoEndpoint(LocalDynamo.shared().endpoint());
    }

    private long active() {
        return new LeaseTable(client, table).active();
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "it did not come to that: " + what);
            never.await(20, TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void connectionsAreCountedInTheTableAndGivenBackByClosing() throws Exception {
        try (ForebayDataSource pool = door(4, leasing(10)).build()) {
            assertEquals(4, pool.stats().ready());
            assertEquals(4, active());
        }
        assertEquals(0, active(), "closing has given them back when it returns");
    }

    @Test
    void aLeaseForEachConnectionIsCountedAndGivenBackAlike() throws Exception {
        FleetConfig.Builder config = leasing(10).leasePer(FleetConfig.LeasePer.CONNECTION);
        try (ForebayDataSource pool = door(3, config).build()) {
            assertEquals(3, pool.stats().ready());
            assertEquals(3, active());
            long leases = client.scan(scan -> scan.tableName(table)).items().stream()
                    .filter(item -> item.get("pk").s().startsWith("dsqllease#localhost#"))
                    .count();
            assertEquals(3, leases);
        }
        assertEquals(0, active());
    }

    @Test
    void theNumbersOfTheFleetAreShown() throws Exception {
        AtomicReference<Supplier<FleetStats>> shown = new AtomicReference<>();
        FleetConfig.Builder config = leasing(10).rateLimiter(true).rateTable(table);
        try (ForebayDataSource pool = door(2, config).fleetStats(shown::set).build()) {
            assertEquals(2, pool.stats().ready());
            FleetStats stats = shown.get().get();
            assertEquals(2, stats.leases().held());
            assertEquals(10, stats.leases().limit());
            assertEquals(2, stats.permits().granted());
            assertEquals(FleetStats.UP, stats.store());
        }
    }

    @Test
    void poolsOfOneProcessShareTheirLimitsInMemoryAndAskNoDynamoDb() throws Exception {
        MemoryStore store = new MemoryStore();
        URI nowhere = URI.create("http://127.0.0.1:1");
        ForebayConfig.Builder second = config(4).initialFillTimeout(Duration.ofSeconds(1));
        try (ForebayDataSource one = door(4, leasing(6))
                        .dynamoEndpoint(nowhere)
                        .fleetStore(store)
                        .build();
                ForebayDataSource other = door(second.serviceName("other"))
                        .fleet(leasing(6).build())
                        .dynamoEndpoint(nowhere)
                        .fleetStore(store)
                        .build()) {
            assertEquals(4, one.stats().ready());
            assertEquals(2, other.stats().ready());
            assertEquals(0, active(), "nothing is in the table");
        }
        assertEquals(0, store.item("dsqllease_counter#localhost").number("active", 0));
    }

    @Test
    void twoPoolsNeverHaveMoreThanTheLimitBetweenThem() throws Exception {
        ClusterSettings usual = dsql.settings();
        dsql.reconfigure(usual.toBuilder().mostSessions(6).build());
        try (ForebayDataSource one = door(4, leasing(6)).build();
                ForebayDataSource other = door(config(4).serviceName("other").initialFillTimeout(Duration.ofSeconds(1)))
                        .fleet(leasing(6).build())
                        .build()) {
            await("the limit is a reason", () -> other.stats().openFailures(OpenFailure.Cause.LEASE_ACQUIRE) > 0);
            for (int i = 0; i < 40; i++) {
                long admitted = dsql.counts().admitted();
                (i % 2 == 0 ? one : other).evictIdle(1);
                await("another is opened in its place", () -> dsql.counts().admitted() > admitted);
            }
            await("all are open", () -> dsql.counts().open() == 6);
            assertEquals(6, active());
            assertEquals(0, dsql.counts().refused().get(ConnectRefusal.COUNT), "the cluster never had one too many");
        } finally {
            dsql.reconfigure(usual);
        }
        assertEquals(0, active());
    }

    @Test
    void theFleetsRateLimitStandsInPlaceOfTheLocalOne() throws Exception {
        for (FleetConfig.PermitKind kind : FleetConfig.PermitKind.values()) {
            ForebayConfig.Builder config = config(20).connectionRateLimit(1).connectionBurstLimit(1);
            FleetConfig fleet = FleetConfig.builder()
                    .rateLimiter(true)
                    .rateTable(table)
                    .rateKind(kind)
                    .build();
            try (ForebayDataSource pool = door(config).fleet(fleet).build()) {
                assertEquals(20, pool.stats().ready(), kind + ": the local limit would allow ten in that time");
            }
        }
        boolean window = client.scan(scan -> scan.tableName(table)).items().stream()
                .anyMatch(item -> item.get("pk").s().startsWith("dsqlconnect#localhost#"));
        assertTrue(window, "the item of the seeds");
    }

    @Test
    void withoutTheStoreTheSettingDecidesAboutNewConnections() throws Exception {
        List<String> lost = new CopyOnWriteArrayList<>();
        FleetListener listener = new FleetListener() {
            @Override
            public void storeLost(String trouble, String message) {
                lost.add(trouble);
            }
        };
        for (Outage outage : Outage.values()) {
            ForebayConfig.Builder config = config(2).initialFillTimeout(Duration.ofSeconds(8));
            AuroraDsql.Builder gone = door(config)
                    .fleet(leasing(10).leaseOutage(outage).build())
                    .dynamoEndpoint(URI.create("http://localhost:1"))
                    .fleetListener(listener);
            try (ForebayDataSource pool = gone.build()) {
                assertEquals(outage == Outage.LOCAL ? 2 : 0, pool.stats().open(), outage.toString());
            }
        }
        assertEquals(List.of("out_of_reach", "out_of_reach"), lost, "each says so once");
    }

    @Test
    void aTableThatIsNotThereIsSaidInPlainWords() throws Exception {
        List<String> said = new CopyOnWriteArrayList<>();
        AuroraDsql.Builder door = door(2, leasing(10).leaseTable("nowhere")).fleetListener(new FleetListener() {
            @Override
            public void storeLost(String trouble, String message) {
                said.add(trouble + ": " + message);
            }
        });
        try (ForebayDataSource pool = door.build()) {
            assertEquals(2, pool.stats().open(), "it goes on without");
        }
        assertEquals(1, said.size());
        assertTrue(said.get(0).startsWith("no_table: DynamoDB table nowhere"), said.get(0));
    }
}
