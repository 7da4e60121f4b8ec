// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.Item;
import dev.forebay.fleet.StoreException;
import dev.forebay.fleet.StoreException.Trouble;
import dev.forebay.fleet.Write;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** The contract, and what only a real server shows, on DynamoDB Local with the real client. */
class DynamoStoreIT extends StoreContract {

    private final ExecutorService executor = Executors.newFixedThreadPool(4);
    private DynamoDbClient client;
    private String table;

    @BeforeEach
    void newTable() throws Exception {
        client = LocalDynamo.shared().client();
        table = LocalDynamo.shared().newTable(client);
    }

    @AfterEach
    void close() {
        client.close();
        executor.shutdownNow();
    }

    @Override
    protected FleetStore store() {
        return new DynamoStore(client, table, executor);
    }

    private static StoreException trouble(FleetStore store, Write... writes) {
        ExecutionException error = assertThrows(ExecutionException.class, () -> write(store, writes));
        return (StoreException) error.getCause();
    }

    @Test
    void whatIsNeitherNumberNorTextIsSomeoneElsesAndLeftOut() throws Exception {
        client.putItem(item -> item.tableName(table)
                .item(Map.of(
                        "pk", AttributeValue.fromS("a"),
                        "n", AttributeValue.fromN("1.5"),
                        "flag", AttributeValue.fromBool(true),
                        "list", AttributeValue.fromL(List.of()))));
        assertEquals(new Item(Map.of("n", 1L)), read(store(), "a"));
    }

    /** What the seeds' services write and what we write is one and the same. */
    @Test
    void aWindowIsSharedWithServicesOfTheSeeds() throws Exception {
        String key = "dsqlconnect#id.dsql.eu-west-1.on.aws#1794800000";
        client.updateItem(update -> update.tableName(table)
                .key(Map.of("pk", AttributeValue.fromS(key)))
                .updateExpression("SET updated_at_ms = :nowms, ttl_epoch = :ttl ADD #cnt :n")
                .conditionExpression("attribute_not_exists(#cnt) OR #cnt <= :limitMinusN")
                .expressionAttributeNames(Map.of("#cnt", "count"))
                .expressionAttributeValues(Map.of(
                        ":nowms", AttributeValue.fromN("1794800000123"),
                        ":ttl", AttributeValue.fromN("1794800180"),
                        ":n", AttributeValue.fromN("99"),
                        ":limitMinusN", AttributeValue.fromN("1"))));
        FleetStore store = store();
        Write one = Write.to(key).ifAbsentOrAtMost("count", 99).add("count", 1);
        assertEquals(FleetStore.Written.DONE, write(store, one));
        assertEquals(100, write(store, one).found().get(key).number("count", 0));
    }

    @Test
    void aTableThatIsNotThereIsNamedWithTheRemedy() {
        DynamoStore missing = new DynamoStore(client, "no-such-table", executor);
        for (StoreException error : List.of(
                trouble(missing, Write.to("a").set("n", 1)),
                trouble(missing, Write.to("a").set("n", 1), Write.to("b").set("n", 1)))) {
            assertEquals(Trouble.NO_TABLE, error.trouble());
            assertTrue(error.getMessage().contains("no-such-table"), error.getMessage());
            assertTrue(error.getMessage().contains("./forebay tables create"), error.getMessage());
        }
    }

    @Test
    void aTableOfAnotherShapeIsNamedWithTheRemedy() {
        client.createTable(other -> other.tableName("other-shape")
                .keySchema(key -> key.attributeName("id").keyType(KeyType.HASH))
                .attributeDefinitions(attribute -> attribute.attributeName("id").attributeType(ScalarAttributeType.N))
                .billingMode(BillingMode.PAY_PER_REQUEST));
        StoreException error = trouble(
                new DynamoStore(client, "other-shape", executor), Write.to("a").set("n", 1));
        assertEquals(Trouble.NO_TABLE, error.trouble());
        assertTrue(error.getMessage().contains("the partition key must be the string pk"), error.getMessage());
    }

    @Test
    void aServerThatIsGoneIsOutOfReach() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        try (DynamoDbClient gone =
                DynamoStore.client(Region.US_EAST_1, LocalDynamo.CREDENTIALS, URI.create("http://localhost:" + port))) {
            StoreException error = trouble(
                    new DynamoStore(gone, table, executor), Write.to("a").set("n", 1));
            assertEquals(Trouble.OUT_OF_REACH, error.trouble());
        }
    }

    @Test
    void aServerThatDoesNotAnswerIsOutOfReachWithinTheTimeout() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                DynamoDbClient waiting = DynamoStore.client(
                        Region.US_EAST_1,
                        LocalDynamo.CREDENTIALS,
                        URI.create("http://localhost:" + silent.getLocalPort()))) {
            long began = System.nanoTime();
            StoreException error = trouble(
                    new DynamoStore(waiting, table, executor), Write.to("a").set("n", 1));
            assertEquals(Trouble.OUT_OF_REACH, error.trouble());
            long millis = (System.nanoTime() - began) / 1_000_000;
            assertTrue(millis < DynamoStore.TIMEOUT.toMillis() + 2_000, millis + " ms");
        }
    }
}
