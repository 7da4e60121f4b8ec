// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.fleet.StoreException;
import dev.forebay.fleet.StoreException.Trouble;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;

/** The fleet's table as operators see it, on DynamoDB Local. */
@Timeout(120)
class FleetTableIT {

    private static final String CLUSTER = "one.dsql.us-east-1.on.aws";
    private static final String OTHER = "two.dsql.us-east-1.on.aws";
    private static final AtomicInteger NAMES = new AtomicInteger();

    private DynamoDbClient client;
    private String name;
    private FleetTable table;

    @BeforeEach
    void open() throws Exception {
        client = LocalDynamo.shared().client();
        name = "operated-" + NAMES.incrementAndGet();
        table = new FleetTable(client, name);
    }

    @AfterEach
    void close() {
        client.close();
    }

    // ---- the table

    @Test
    void theTableIsMadeOnceAndSwitchesItsTimeToLiveOn() throws Exception {
        assertEquals(List.of("created table " + name, "switched time-to-live on for ttl_epoch"), table.create());
        assertEquals(
                TimeToLiveStatus.ENABLED,
                client.describeTimeToLive(describe -> describe.tableName(name))
                        .timeToLiveDescription()
                        .timeToLiveStatus());
        put("mine", Map.of());
        assertEquals(
                List.of("table " + name + " is there already", "time-to-live is on for ttl_epoch already"),
                table.create());
        assertTrue(has("mine"), "nothing in it was touched");
    }

    @Test
    void aTableAsItShouldBeHasNoFaults() throws Exception {
        table.create();
        assertEquals(List.of(), faults());
        assertEquals(4, table.check().size());
    }

    @Test
    void aTableThatIsMissingIsNamedWithTheCommandThatMakesIt() throws Exception {
        assertEquals(
                List.of(new FleetTable.Finding(
                        false, "table " + name + " does not exist", "./forebay tables create --table " + name)),
                table.check());
        for (Question question :
                List.<Question>of(table::status, () -> table.reconcile(CLUSTER), () -> table.reset(CLUSTER))) {
            StoreException error = assertThrows(StoreException.class, question::ask);
            assertEquals(Trouble.NO_TABLE, error.trouble());
            assertTrue(error.getMessage().endsWith("create it with ./forebay tables create, and look at the region"));
        }
    }

    private interface Question {
        Object ask() throws Exception;
    }

    @Test
    void anotherKeyIsFoundAndTheTableOfAnotherIsLeftAlone() throws Exception {
        make("id", ScalarAttributeType.S, BillingMode.PAY_PER_REQUEST);
        assertEquals("its key is not pk, a string", faults().get(0).what());
        IllegalStateException refused = assertThrows(IllegalStateException.class, table::create);
        assertTrue(refused.getMessage().contains("its key is not pk"), refused.getMessage());
        assertEquals(
                TimeToLiveStatus.DISABLED,
                client.describeTimeToLive(describe -> describe.tableName(name))
                        .timeToLiveDescription()
                        .timeToLiveStatus());
    }

    @Test
    void aKeyOfAnotherTypeIsFound() throws Exception {
        make("pk", ScalarAttributeType.N, BillingMode.PAY_PER_REQUEST);
        assertEquals("its key is not pk, a string", faults().get(0).what());
    }

    @Test
    void aTimeToLiveThatIsOffIsFoundAndCreateSwitchesItOn() throws Exception {
        make("pk", ScalarAttributeType.S, BillingMode.PAY_PER_REQUEST);
        List<FleetTable.Finding> faults = faults();
        assertEquals(1, faults.size());
        assertEquals("time-to-live is not on for ttl_epoch", faults.get(0).what());
        assertTrue(faults.get(0).remedy().startsWith("./forebay tables create --table " + name));
        table.create();
        assertEquals(List.of(), faults());
    }

    @Test
    void aTimeToLiveOfAnotherPurposeIsFoundAndLeftAlone() throws Exception {
        make("pk", ScalarAttributeType.S, BillingMode.PAY_PER_REQUEST);
        client.updateTimeToLive(update -> update.tableName(name)
                .timeToLiveSpecification(spec -> spec.attributeName("expires").enabled(true)));
        assertEquals("time-to-live is not on for ttl_epoch", faults().get(0).what());
        IllegalStateException refused = assertThrows(IllegalStateException.class, table::create);
        assertTrue(refused.getMessage().contains("time-to-live is on for expires"), refused.getMessage());
    }

    @Test
    void provisionedCapacityIsFound() throws Exception {
        make("pk", ScalarAttributeType.S, BillingMode.PROVISIONED);
        assertEquals("it has provisioned capacity", faults().get(0).what());
    }

    @Test
    void aServerThatIsGoneIsSaidInOneLine() {
        try (DynamoDbClient nobody =
                DynamoStore.client(Region.US_EAST_1, LocalDynamo.CREDENTIALS, URI.create("http://localhost:1"))) {
            StoreException error = assertThrows(StoreException.class, new FleetTable(nobody, name)::check);
            assertEquals(Trouble.OUT_OF_REACH, error.trouble());
            assertEquals(1, error.getMessage().lines().count());
        }
    }

    // ---- what is in it

    @Test
    void anEmptyTableSaysNothing() throws Exception {
        table.create();
        assertEquals(Map.of(), table.status());
        assertNull(table.status(CLUSTER).counter());
        assertTrue(table.status(CLUSTER).isConsistent());
        assertEquals("the counter is right: 0", table.reconcile(CLUSTER));
        assertFalse(has("dsqllease_counter#" + CLUSTER));
    }

    @Test
    void leasesAreShownByCluster() throws Exception {
        table.create();
        fleet(CLUSTER);
        lease(OTHER, "c", 7);
        counter(OTHER, 7);
        put("something#else", Map.of("active", number(3)));
        Map<String, FleetTable.Status> all = table.status();
        assertEquals(List.of(CLUSTER, OTHER), List.copyOf(all.keySet()));
        FleetTable.Status status = all.get(CLUSTER);
        assertEquals(5L, status.counter());
        assertEquals(5, status.leased());
        assertEquals(Set.of("a", "b"), status.listed());
        assertTrue(status.isConsistent());
        assertFalse(status.isMixed());
        assertEquals(
                new FleetTable.LeaseRow("a", "orders", 3, 4, 1_000, true),
                status.leases().get(0));
        assertFalse(all.get(OTHER).isConsistent(), "its index is missing");
        assertTrue(table.status(CLUSTER).steady());
    }

    @Test
    void aLeaseOfTheReferenceIsOneConnectionAndNeedsNoListing() throws Exception {
        table.create();
        fleet(CLUSTER);
        reference(CLUSTER, "r");
        counter(CLUSTER, 6);
        FleetTable.Status status = table.status(CLUSTER);
        assertEquals(6, status.leased());
        assertTrue(status.isConsistent());
        assertTrue(status.isMixed());
        assertTrue(status.leases().contains(new FleetTable.LeaseRow("r", "history", 1, 1, 2_000, false)));
        assertEquals("the counter is right: 6", table.reconcile(CLUSTER));
    }

    @Test
    void aCounterThatWasSetByHandIsSetToWhatTheLeasesSay() throws Exception {
        table.create();
        fleet(CLUSTER);
        counter(CLUSTER, 900);
        assertFalse(table.status(CLUSTER).isConsistent());
        assertEquals("the counter was 900 and is now 5, as the leases say", table.reconcile(CLUSTER));
        assertTrue(table.status(CLUSTER).isConsistent());
        assertEquals("the counter is right: 5", table.reconcile(CLUSTER));
    }

    @Test
    void aCounterThatIsMissingIsMade() throws Exception {
        table.create();
        fleet(CLUSTER);
        client.deleteItem(delete -> delete.tableName(name).key(key("dsqllease_counter#" + CLUSTER)));
        assertEquals("the counter was 0 and is now 5, as the leases say", table.reconcile(CLUSTER));
        assertEquals(5L, table.status(CLUSTER).counter());
    }

    /** Between the look and the write a service acquires two slots: what it did must be counted. */
    @Test
    void aChangeWhileItReconcilesIsNotLost() throws Exception {
        table.create();
        fleet(CLUSTER);
        counter(CLUSTER, 900);
        AtomicInteger writes = new AtomicInteger();
        DynamoDbClient raced = before("updateItem", () -> {
            if (writes.incrementAndGet() == 1) {
                acquire(2);
            }
        });
        assertEquals(
                "the counter was 902 and is now 7, as the leases say", new FleetTable(raced, name).reconcile(CLUSTER));
        assertEquals(2, writes.get(), "it looked again");
        assertTrue(table.status(CLUSTER).isConsistent());
    }

    @Test
    void aCounterThatNeverRestsIsGivenUp() throws Exception {
        table.create();
        fleet(CLUSTER);
        counter(CLUSTER, 900);
        DynamoDbClient raced = before("updateItem", () -> acquire(1));
        IllegalStateException error =
                assertThrows(IllegalStateException.class, () -> new FleetTable(raced, name).reconcile(CLUSTER));
        assertTrue(error.getMessage().endsWith("changes all the time; try again later"), error.getMessage());
    }

    @Test
    void aStatusThatChangedWhileItWasReadSaysSo() throws Exception {
        table.create();
        fleet(CLUSTER);
        AtomicInteger reads = new AtomicInteger();
        DynamoDbClient raced = before("scan", () -> {
            if (reads.incrementAndGet() == 1) {
                acquire(1);
            }
        });
        assertTrue(new FleetTable(raced, name).status(CLUSTER).steady());
        assertEquals(2, reads.get(), "it looked again");
        DynamoDbClient restless = before("scan", () -> acquire(1));
        assertFalse(new FleetTable(restless, name).status(CLUSTER).steady());
    }

    @Test
    void aLeaseThatIsMissingInTheIndexIsListedAgainAndOneThatIsGoneIsNot() throws Exception {
        table.create();
        fleet(CLUSTER);
        put("dsqllease_index#" + CLUSTER, Map.of("a", number(0), "ghost", number(0)));
        assertFalse(table.status(CLUSTER).isConsistent());
        assertEquals(
                "the counter is right: 5; leases that the index lists again: 1"
                        + "; leases that are gone and no longer listed: 1",
                table.reconcile(CLUSTER));
        assertEquals(Set.of("a", "b"), table.status(CLUSTER).listed());
    }

    @Test
    void aLeaseThatEndsWhileItIsListedAgainIsNotListed() throws Exception {
        table.create();
        fleet(CLUSTER);
        put("dsqllease_index#" + CLUSTER, Map.of("a", number(0)));
        DynamoDbClient raced = before(
                "transactWriteItems",
                () -> client.deleteItem(delete -> delete.tableName(name).key(key("dsqllease#" + CLUSTER + "#b"))));
        assertEquals("the counter is right: 5", new FleetTable(raced, name).reconcile(CLUSTER));
        assertEquals(Set.of("a"), table.status(CLUSTER).listed());
    }

    @Test
    void aResetDeletesWhatIsOfThatClusterAndNothingElse() throws Exception {
        table.create();
        fleet(CLUSTER);
        fleet(OTHER);
        fleet("x" + CLUSTER);
        put("dsqlbucket#" + CLUSTER, Map.of("at", number(1)));
        put("dsqlconnect#" + CLUSTER + "#1794800000", Map.of("count", number(1)));
        put("dsqlconnect#" + OTHER + "#1794800000", Map.of("count", number(1)));
        put("something#" + CLUSTER, Map.of());
        List<String> keys = table.keys(CLUSTER);
        assertEquals(6, keys.size());
        assertEquals("dsqllease#" + CLUSTER + "#a", keys.get(0), "leases are first");
        assertEquals(6, table.reset(CLUSTER));
        assertEquals(List.of(), table.keys(CLUSTER));
        assertEquals(5, table.keys(OTHER).size());
        assertTrue(table.status(OTHER).isConsistent());
        assertTrue(table.status("x" + CLUSTER).isConsistent());
        assertTrue(has("something#" + CLUSTER));
        assertEquals(0, table.reset(CLUSTER));
    }

    /** A service that acquires its slots anew while the counter is still there has them counted nevertheless. */
    @Test
    void whatIsAcquiredDuringAResetIsCounted() throws Exception {
        table.create();
        fleet(CLUSTER);
        AtomicInteger deletes = new AtomicInteger();
        DynamoDbClient raced = before("deleteItem", () -> {
            if (deletes.incrementAndGet() == 3) { // both leases are gone
                lease(CLUSTER, "new", 3);
            }
        });
        new FleetTable(raced, name).reset(CLUSTER);
        FleetTable.Status status = table.status(CLUSTER);
        assertEquals(3L, status.counter());
        assertTrue(status.isConsistent());
    }

    @Test
    void thePolicyAllowsWhatServicesDoAndNoMore() {
        String service = FleetTable.policy("us-east-1", "123456789012", Set.of("fleet"), "one", false, false);
        assertTrue(service.contains("\"dsql:DbConnect\""), service);
        assertTrue(service.contains("\"arn:aws:dsql:us-east-1:123456789012:cluster/one\""), service);
        assertTrue(service.contains("\"arn:aws:dynamodb:us-east-1:123456789012:table/fleet\""), service);
        for (String action : List.of("GetItem", "BatchGetItem", "UpdateItem", "DeleteItem")) {
            assertTrue(service.contains("\"dynamodb:" + action + "\""), action);
        }
        assertFalse(service.contains("Scan") || service.contains("TransactWriteItems"), service);
        String admin = FleetTable.policy("us-east-1", "123456789012", Set.of(), "one", true, true);
        assertTrue(admin.contains("\"dsql:DbConnectAdmin\"") && !admin.contains("dynamodb"), admin);
        String operator = FleetTable.policy("us-east-1", "123456789012", Set.of("fleet"), "one", true, true);
        assertTrue(operator.contains("\"dynamodb:Scan\""), operator);
    }

    // ---- what others do

    private List<FleetTable.Finding> faults() throws StoreException {
        return table.check().stream().filter(finding -> !finding.good()).toList();
    }

    private void make(String key, ScalarAttributeType type, BillingMode billing) {
        client.createTable(create -> {
            create.tableName(name)
                    .keySchema(element -> element.attributeName(key).keyType(KeyType.HASH))
                    .attributeDefinitions(
                            attribute -> attribute.attributeName(key).attributeType(type))
                    .billingMode(billing);
            if (billing == BillingMode.PROVISIONED) {
                create.provisionedThroughput(
                        capacity -> capacity.readCapacityUnits(5L).writeCapacityUnits(5L));
            }
        });
    }

    /** Two instances with three and two slots, as they write it. */
    private void fleet(String cluster) {
        lease(cluster, "a", 3);
        lease(cluster, "b", 2);
        counter(cluster, 5);
        put("dsqllease_index#" + cluster, Map.of("a", number(0), "b", number(0)));
    }

    private void lease(String cluster, String id, long slots) {
        put(
                "dsqllease#" + cluster + "#" + id,
                Map.of(
                        "slots", number(slots),
                        "wanted", number(slots + 1),
                        "version", number(2),
                        "service_name", AttributeValue.fromS("orders"),
                        "updated_ms", number(1_000)));
    }

    private void reference(String cluster, String id) {
        put(
                "dsqllease#" + cluster + "#" + id,
                Map.of(
                        "ttl_epoch", number(4_000_000_000L),
                        "service_name", AttributeValue.fromS("history"),
                        "created_ms", number(2_000)));
    }

    private void counter(String cluster, long active) {
        put(
                "dsqllease_counter#" + cluster,
                Map.of("active", number(active), "updated_ms", number(1), "changes", number(1)));
    }

    /** What an instance does that acquires: lease and counter change together. */
    private void acquire(int slots) {
        for (Map.Entry<String, String> change : Map.of(
                        "dsqllease#" + CLUSTER + "#a", "slots", "dsqllease_counter#" + CLUSTER, "active")
                .entrySet()) {
            client.updateItem(update -> update.tableName(name)
                    .key(key(change.getKey()))
                    .updateExpression("ADD #n :more, changes :one")
                    .expressionAttributeNames(Map.of("#n", change.getValue()))
                    .expressionAttributeValues(Map.of(":more", number(slots), ":one", number(1))));
        }
    }

    private void put(String key, Map<String, AttributeValue> attributes) {
        Map<String, AttributeValue> item = new HashMap<>(attributes);
        item.put("pk", AttributeValue.fromS(key));
        client.putItem(put -> put.tableName(name).item(item));
    }

    private boolean has(String key) {
        return client.getItem(get -> get.tableName(name).key(key(key))).hasItem();
    }

    private static Map<String, AttributeValue> key(String key) {
        return Map.of("pk", AttributeValue.fromS(key));
    }

    private static AttributeValue number(long value) {
        return AttributeValue.fromN(Long.toString(value));
    }

    /** The client, with something that happens just before each call of one kind. */
    private DynamoDbClient before(String call, Runnable happening) {
        return (DynamoDbClient) Proxy.newProxyInstance(
                DynamoDbClient.class.getClassLoader(),
                new Class<?>[] {DynamoDbClient.class},
                (proxy, method, arguments) -> {
                    if (method.getName().startsWith(call)) {
                        happening.run();
                    }
                    try {
                        return method.invoke(client, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
