// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.fleet.FleetListener;
import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.Inside;
import dev.forebay.fleet.Item;
import dev.forebay.fleet.StoreException;
import dev.forebay.time.VirtualTime;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The end of a call to a DynamoDB that accepts and is silent. */
@Timeout(120)
class DynamoTimeoutTest {

    private static FleetStore.Reply<Map<String, Item>> reply(List<String> answers, CompletableFuture<String> first) {
        return new FleetStore.Reply<>() {
            @Override
            public void answered(Map<String, Item> result) {
                answers.add("answered");
                first.complete("answered");
            }

            @Override
            public void failed(StoreException why) {
                answers.add(why.trouble().label());
                first.complete(why.trouble().label());
            }
        };
    }

    private interface Calls {
        void on(FleetStore store, ExecutorService threads) throws Exception;
    }

    private static void silently(Calls calls) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                DynamoDbClient client = DynamoStore.client(
                        Region.US_EAST_1,
                        LocalDynamo.CREDENTIALS,
                        URI.create("http://localhost:" + silent.getLocalPort()))) {
            calls.on(new DynamoStore(client, "table", threads), threads);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void whoeverAsksIsToldAfterFiveSeconds() throws Exception {
        VirtualTime time = new VirtualTime();
        List<String> answers = new ArrayList<>();
        silently((store, threads) -> {
            FleetStore guarded = Inside.guarded(store, DynamoStore.TIMEOUT, time, FleetListener.NONE);
            guarded.read(List.of("key"), reply(answers, new CompletableFuture<>()));
            time.advance(Duration.ofSeconds(5).minusMillis(1));
            assertEquals(List.of(), answers);
            time.advance(Duration.ofMillis(1));
            assertEquals(List.of("out_of_reach"), answers);
        });
    }

    @Test
    void theCallItselfEndsAndFreesItsThread() throws Exception {
        CompletableFuture<String> ended = new CompletableFuture<>();
        silently((store, threads) -> {
            store.read(List.of("key"), reply(new ArrayList<>(), ended));
            assertEquals("out_of_reach", ended.get(60, TimeUnit.SECONDS));
            threads.shutdown();
            assertEquals(true, threads.awaitTermination(60, TimeUnit.SECONDS));
        });
    }
}
