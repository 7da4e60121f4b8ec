// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.leases;

import dev.forebay.dsql.DynamoStore;
import dev.forebay.engine.Admission;
import dev.forebay.engine.OpenFailure;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.fleet.FleetLimits;
import dev.forebay.fleet.FleetListener;
import dev.forebay.fleet.FleetStore;
import dev.forebay.time.SystemTime;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** Ledgers that acquire and give back before DynamoDB Local, as fast as it answers. */
final class LocalTable {

    private static final int LEDGERS = 4;

    private LocalTable() {}

    static void measure(Duration duration) throws Exception {
        URI endpoint = start();
        AwsCredentialsProvider credentials = () -> AwsBasicCredentials.create("local", "local");
        ExecutorService executor = Executors.newFixedThreadPool(2 * LEDGERS, task -> {
            Thread thread = new Thread(task, "leases");
            thread.setDaemon(true);
            return thread;
        });
        createTable(endpoint, credentials);
        try (DynamoDbClient client = DynamoStore.client(Region.US_EAST_1, credentials, endpoint)) {
            List<FleetLimits> ledgers = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            long end = System.nanoTime() + duration.toNanos();
            for (int i = 0; i < LEDGERS; i++) {
                FleetStore store = new DynamoStore(client, "leases", executor);
                threads.add(new Thread(() -> acquireAndGiveBack(store, end, ledgers)));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            long requests = ledgers.stream()
                    .mapToLong(one -> one.stats().leases().requests())
                    .sum();
            long conflicts = ledgers.stream()
                    .mapToLong(one -> one.stats().leases().conflicts())
                    .sum();
            System.out.printf(
                    "leases DynamoDB Local: %.0f lease writes a second by %d ledgers at once, %d conflicts%n",
                    requests / (duration.toMillis() / 1e3), LEDGERS, conflicts);
        } finally {
            executor.shutdown();
        }
    }

    /** A ledger is closed with its last connection, so each round is an acquire and a release. */
    private static void acquireAndGiveBack(FleetStore store, long end, List<FleetLimits> all) {
        FleetConfig config = FleetConfig.builder()
                .connectionLease(true)
                .leaseTable("leases")
                .leaseLimit(1_000_000)
                .leaseOutage(FleetConfig.Outage.BLOCK)
                .build();
        while (System.nanoTime() < end) {
            FleetLimits limits = new FleetLimits(
                    config,
                    "local",
                    "bench",
                    table -> store,
                    SystemTime.shared(),
                    InstantSource.system(),
                    new Random(),
                    new Random(),
                    FleetListener.NONE);
            CompletableFuture<Admission.Grant> granted = new CompletableFuture<>();
            Objects.requireNonNull(limits.leases()).ask(SystemTime.shared().nanos(), new Admission.Answer() {
                @Override
                public void granted(Admission.Grant grant) {
                    granted.complete(grant);
                }

                @Override
                public void notBefore(long nanos) {
                    granted.completeExceptionally(new IllegalStateException("bug: a ledger grants or fails"));
                }

                @Override
                public void failed(OpenFailure failure) {
                    granted.completeExceptionally(failure.error());
                }
            });
            granted.orTimeout(30, TimeUnit.SECONDS).join().release();
            limits.close();
            synchronized (all) {
                all.add(limits);
            }
        }
    }

    private static void createTable(URI endpoint, AwsCredentialsProvider credentials) {
        try (DynamoDbClient patient = DynamoDbClient.builder()
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials)
                .endpointOverride(endpoint)
                .httpClientBuilder(UrlConnectionHttpClient.builder().socketTimeout(Duration.ofMinutes(1)))
                .build()) {
            patient.createTable(table -> table.tableName("leases")
                    .keySchema(key -> key.attributeName("pk").keyType(KeyType.HASH))
                    .attributeDefinitions(
                            attribute -> attribute.attributeName("pk").attributeType(ScalarAttributeType.S))
                    .billingMode(BillingMode.PAY_PER_REQUEST));
        }
    }

    /** Starts DynamoDB Local by name: it is proprietary, and only tests are compiled against it. */
    private static URI start() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Class<?> runner = Class.forName("software.amazon.dynamodb.services.local.main.ServerRunner");
        String[] arguments = {"-inMemory", "-disableTelemetry", "-port", Integer.toString(port)};
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream())); // it prints its settings
        try {
            Object server = runner.getMethod("createServerFromCommandLineArgs", String[].class)
                    .invoke(null, (Object) arguments);
            server.getClass().getMethod("start").invoke(server);
        } finally {
            System.setOut(out);
        }
        return URI.create("http://localhost:" + port);
    }
}
