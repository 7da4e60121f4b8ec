// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.lab.model.ClusterSettings;
import dev.forebay.lab.model.Refusal;
import dev.forebay.lab.server.LocalDsql;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Services in processes of their own, killed while they open and close, before one cluster and one table. */
@Timeout(300)
class FleetProcessesIT {

    private static final int SERVICES = 4;
    private static final int TARGET = 15;
    private static final int LIMIT = 40;
    private static final int KILLS = 10;
    private static final int PERMITS_PER_SECOND = 10;
    private static final int PERMITS_SAVED = 5;

    /** A permit may be used a second late, so the cluster holds at least that many more. */
    private static final int CLUSTER_SAVES = PERMITS_SAVED + PERMITS_PER_SECOND + 5;

    private static final long PATIENCE_SECONDS = 90;

    @TempDir
    private Path logs;

    private final List<Process> services = new ArrayList<>();
    private final Random random = new Random(5);
    private int started;

    @AfterEach
    void stop() {
        services.forEach(Process::destroyForcibly);
    }

    @Test
    void killedAtRandomTheyLeaveNoSlotBehindAndTheClusterNeverSeesTooMany() throws Exception {
        ClusterSettings settings = ClusterSettings.builder()
                .connectsPerSecond(PERMITS_PER_SECOND)
                .connectBurst(CLUSTER_SAVES)
                .mostSessions(LIMIT)
                .build();
        LocalDynamo dynamo = LocalDynamo.shared();
        try (LocalDsql dsql = LocalDsql.builder().settings(settings).start();
                DynamoDbClient client = dynamo.client()) {
            String table = dynamo.newTable(client);
            for (int i = 0; i < SERVICES; i++) {
                services.add(start(dsql, dynamo, table));
            }
            for (int kill = 0; kill < KILLS; kill++) {
                long seen = dsql.counts().admitted();
                int more = 5 + random.nextInt(15);
                await("connections are opened", () -> dsql.counts().admitted() >= seen + more);
                int which = random.nextInt(SERVICES);
                services.get(which).destroyForcibly().waitFor();
                services.set(which, start(dsql, dynamo, table));
            }
            await(
                    "the leases are those of the living",
                    () -> leases(client, table).size() == SERVICES);
            await("they go on", () -> dsql.counts().open() >= LIMIT / 2);
            await("the counter is what the leases say", () -> counter(client, table) == slots(client, table));
            closeAll();
            List<AttributeValue> left = names(client, table);
            if (!left.isEmpty()) { // on a slow machine one may have gone before its lease was given back
                services.add(start(dsql, dynamo, table));
                await("the next one gives back what was left", () -> Collections.disjoint(left, names(client, table)));
                closeAll();
            }
            assertEquals(0, counter(client, table), "all is given back");
            assertEquals(List.of(), leases(client, table));
            Map<Refusal, Long> refused = dsql.counts().refused();
            assertEquals(0, refused.get(Refusal.RATE), "no connect was too fast");
            assertEquals(0, refused.get(Refusal.COUNT), "and none too many");
        }
    }

    private void closeAll() throws Exception {
        for (Process service : services) {
            service.getOutputStream().close();
        }
        for (Process service : services) {
            assertTrue(service.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "it closes");
            assertEquals(0, service.exitValue());
        }
        services.clear();
    }

    private Process start(LocalDsql dsql, LocalDynamo dynamo, String table) throws IOException {
        int number = started++;
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                FleetProcess.class.getName(),
                Integer.toString(number));
        Map<String, String> environment = builder.environment();
        environment.put("AWS_ACCESS_KEY_ID", dsql.accessKey().id());
        environment.put("AWS_SECRET_ACCESS_KEY", dsql.accessKey().secret());
        environment.put("AWS_ENDPOINT_URL_DYNAMODB", dynamo.endpoint().toString());
        environment.put("CLUSTER_ENDPOINT", "localhost:" + dsql.port());
        environment.put("REGION", dsql.region());
        environment.put("DSQL_CA_FILE", dsql.caFile().toString());
        environment.put("DSQL_SERVICE_NAME", "service-" + number);
        environment.put("DSQL_RESERVOIR_ENABLED", "true");
        environment.put("DSQL_RESERVOIR_TARGET_READY", Integer.toString(TARGET));
        environment.put("DSQL_RESERVOIR_LOW_WATERMARK", "1");
        environment.put("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true");
        environment.put("DSQL_DISTRIBUTED_CONN_LEASE_TABLE", table);
        environment.put("DSQL_DISTRIBUTED_CONN_LIMIT", Integer.toString(LIMIT));
        environment.put("DSQL_DISTRIBUTED_CONN_LEASE_TTL", "6s");
        environment.put("DSQL_DISTRIBUTED_CONN_LEASE_RENEWAL", "2s");
        environment.put("DSQL_DISTRIBUTED_CONN_LEASE_OUTAGE", "block");
        environment.put("DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true");
        environment.put("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", table);
        environment.put("DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT", Integer.toString(PERMITS_PER_SECOND));
        environment.put("DSQL_DISTRIBUTED_RATE_LIMITER_BURST", Integer.toString(PERMITS_SAVED));
        environment.put("DSQL_DISTRIBUTED_RATE_LIMITER_OUTAGE", "block");
        builder.redirectErrorStream(true)
                .redirectOutput(logs.resolve("service-" + number + ".log").toFile());
        return builder.start();
    }

    private static long counter(DynamoDbClient client, String table) {
        return items(client, table, "dsqllease_counter#").stream()
                .mapToLong(item -> Long.parseLong(item.get("active").n()))
                .sum();
    }

    private static long slots(DynamoDbClient client, String table) {
        return leases(client, table).stream()
                .mapToLong(item -> Long.parseLong(item.get("slots").n()))
                .sum();
    }

    private static List<Map<String, AttributeValue>> leases(DynamoDbClient client, String table) {
        return items(client, table, "dsqllease#");
    }

    private static List<AttributeValue> names(DynamoDbClient client, String table) {
        return leases(client, table).stream().map(item -> item.get("pk")).toList();
    }

    private static List<Map<String, AttributeValue>> items(DynamoDbClient client, String table, String prefix) {
        return client.scan(scan -> scan.tableName(table).consistentRead(true)).items().stream()
                .filter(item -> item.get("pk").s().startsWith(prefix))
                .toList();
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "it did not come to that: " + what);
            never.await(50, TimeUnit.MILLISECONDS);
        }
    }
}
