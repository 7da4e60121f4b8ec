// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Admission;
import dev.forebay.engine.OpenFailure;
import dev.forebay.fleet.FleetConfig.Outage;
import dev.forebay.fleet.FleetListener;
import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.Inside;
import dev.forebay.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Ledgers over the SDK's client and a DynamoDB that does all that one can do wrong. */
@Timeout(180)
class DynamoFaultsIT {

    private static final int LIMIT = 50;
    private static final int LEDGERS = 3;
    private static final Duration TIMEOUT = Duration.ofMillis(700);
    private static final long PATIENCE_SECONDS = 60;

    private final ExecutorService executor = Threads.few("test-dynamodb-", 8);
    private final CountDownLatch never = new CountDownLatch(1);
    private final List<Instance> instances = new ArrayList<>();
    private FaultyDynamo faulty;
    private DynamoDbClient troubled;
    private DynamoDbClient client;
    private String table;

    @BeforeEach
    void start() throws Exception {
        LocalDynamo dynamo = LocalDynamo.shared();
        client = dynamo.client();
        table = dynamo.newTable(client);
        faulty = new FaultyDynamo(dynamo.endpoint(), 11);
        troubled = DynamoDbClient.builder()
                .region(Region.US_EAST_1)
                .credentialsProvider(LocalDynamo.CREDENTIALS)
                .endpointOverride(faulty.endpoint())
                .httpClientBuilder(UrlConnectionHttpClient.builder().socketTimeout(TIMEOUT))
                .overrideConfiguration(
                        override -> override.apiCallTimeout(TIMEOUT).retryStrategy(AwsRetryStrategy.doNotRetry()))
                .build();
    }

    @AfterEach
    void stop() {
        faulty.close();
        troubled.close();
        client.close();
        executor.shutdownNow();
    }

    /** One instance, in this process. */
    private final class Instance {
        private final List<String> events = new ArrayList<>();
        private final Inside.TestLedger ledger;
        private final ConcurrentLinkedQueue<Admission.Grant> connections = new ConcurrentLinkedQueue<>();
        private final AtomicInteger asked = new AtomicInteger();

        Instance(Outage outage, Duration ttl, long seed) {
            FleetListener listener = new FleetListener() {
                @Override
                public synchronized void storeLost(String trouble, String message) {
                    events.add("lost " + trouble);
                }

                @Override
                public synchronized void storeFound(long outageNanos) {
                    events.add("found");
                }
            };
            FleetStore store = Inside.guarded(
                    new DynamoStore(troubled, table, executor), TIMEOUT.multipliedBy(2), SystemTime.shared(), listener);
            ledger = new Inside.TestLedger(store, LIMIT, ttl, outage, seed, listener);
        }

        void ask(int count) {
            for (int i = 0; i < count; i++) {
                asked.incrementAndGet();
                ledger.ask(SystemTime.shared().nanos(), new Admission.Answer() {
                    @Override
                    public void granted(Admission.Grant grant) {
                        connections.add(grant);
                        asked.decrementAndGet();
                    }

                    @Override
                    public void notBefore(long nanos) {
                        throw new AssertionError("a ledger grants or fails");
                    }

                    @Override
                    public void failed(OpenFailure failure) {
                        asked.decrementAndGet();
                    }
                });
            }
        }

        void close(int count) {
            for (int i = 0; i < count; i++) {
                Admission.Grant grant = connections.poll();
                if (grant != null) {
                    grant.release();
                }
            }
        }
    }

    private Instance instance(Outage outage, Duration ttl) {
        Instance instance = new Instance(outage, ttl, instances.size());
        instances.add(instance);
        return instance;
    }

    private long counter() {
        Map<String, AttributeValue> item = client.getItem(get -> get.tableName(table)
                        .key(Map.of("pk", AttributeValue.fromS("dsqllease_counter#cluster")))
                        .consistentRead(true))
                .item();
        return item.containsKey("active") ? Long.parseLong(item.get("active").n()) : 0;
    }

    private void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "it did not come to that: " + what);
            never.await(20, TimeUnit.MILLISECONDS);
        }
    }

    private boolean everyFaultHappened() {
        return faulty.happened().values().stream().allMatch(times -> times.get() > 0);
    }

    @Test
    void whateverGoesWrongNoMoreIsGrantedThanTheLimitAndNothingIsLeftInTheEnd() throws Exception {
        for (int i = 0; i < LEDGERS; i++) {
            instance(Outage.BLOCK, Duration.ofSeconds(30));
        }
        faulty.trouble(0.04);
        Random random = new Random(3);
        for (int step = 0; step < 300 || !everyFaultHappened(); step++) {
            Instance one = instances.get(random.nextInt(LEDGERS));
            if (random.nextInt(3) == 0) {
                one.close(1 + random.nextInt(10));
            } else {
                one.ask(1 + random.nextInt(10));
            }
            never.await(30, TimeUnit.MILLISECONDS);
            int granted =
                    instances.stream().mapToInt(each -> each.connections.size()).sum();
            assertTrue(granted <= LIMIT, () -> granted + " granted");
            assertTrue(counter() <= LIMIT);
        }
        faulty.trouble(0);
        for (Instance one : instances) {
            await("everyone is answered", () -> one.asked.get() == 0);
            one.ledger.close();
            one.close(LIMIT);
        }
        for (Instance one : instances) {
            await("everything is given back", one.ledger::isReleased);
        }
        await("the counter is as if nothing had been", () -> counter() == 0);
    }

    @Test
    void anOutageIsSaidOnceAndEndsByItself() throws Exception {
        Instance one = instance(Outage.LOCAL, Duration.ofSeconds(30));
        one.ask(5);
        await("it has its slots", () -> one.connections.size() == 5);
        faulty.gone(true);
        one.ask(5);
        await("it goes on without", () -> one.connections.size() == 10);
        assertEquals(5, one.ledger.stats().excess());
        faulty.gone(false);
        await(
                "what it opened is counted",
                () -> counter() == 10 && one.ledger.stats().excess() == 0);
        assertEquals(List.of("lost out_of_reach", "found"), one.events);
        one.ledger.close();
        one.close(10);
        await("all is given back", () -> counter() == 0);
    }
}
