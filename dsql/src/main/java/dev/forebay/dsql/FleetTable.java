// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.fleet.StoreException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.TransactionConflictException;
import software.amazon.awssdk.services.dynamodb.waiters.DynamoDbWaiter;

/**
 * The table behind a fleet's limits, as its operators see it: created, checked, shown, and repaired by hand. Blocks;
 * thread-safe.
 *
 * <p>Services never need this: what they write keeps the table right. It is for the first day, for tables that Go
 * services share, and for counters that were set by hand.
 */
public final class FleetTable {

    private static final String COUNTER = "dsqllease_counter#";
    private static final String LEASE = "dsqllease#";
    private static final String INDEX = "dsqllease_index#";
    private static final String BUCKET = "dsqlbucket#";
    private static final String WINDOW = "dsqlconnect#";
    private static final String TTL = "ttl_epoch";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int TRIES = 5;
    private static final List<String> SERVICE_ACTIONS =
            List.of("dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem");
    private static final List<String> OPERATOR_ACTIONS = List.of(
            "dynamodb:CreateTable",
            "dynamodb:DescribeTable",
            "dynamodb:DescribeTimeToLive",
            "dynamodb:UpdateTimeToLive",
            "dynamodb:Scan",
            "dynamodb:ConditionCheckItem");

    private final DynamoDbClient client;
    private final String table;

    /** The table of that name; the caller closes the client. */
    public FleetTable(DynamoDbClient client, String table) {
        this.client = client;
        this.table = table;
    }

    /**
     * One finding of a check.
     *
     * @param good whether it is as it should be
     * @param what the finding, in words
     * @param remedy the remedy; null if none is needed
     */
    public record Finding(
            boolean good, String what, @Nullable String remedy) {}

    /** One lease: {@code slots} of an instance, or one connection of a Go service. */
    public record LeaseRow(String id, String service, long slots, long wanted, long updatedMillis, boolean ours) {}

    /**
     * The table's content about one cluster.
     *
     * @param counter the counter's value; null if there is none
     * @param leases all leases, those of Go services with one slot each
     * @param listed the leases that the index lists
     * @param steady whether the counter was the same before and after the leases were read; if not, they may differ
     */
    public record Status(
            String endpoint, @Nullable Long counter, List<LeaseRow> leases, Set<String> listed, boolean steady) {

        /** Returns the sum of the leases, which the counter should be. */
        public long leased() {
            return leases.stream().mapToLong(LeaseRow::slots).sum();
        }

        /** Returns the counter, 0 if there is none. */
        public long counted() {
            return counter == null ? 0 : counter;
        }

        /** Returns whether counter, leases and index agree. */
        public boolean isConsistent() {
            return counted() == leased() && ours().equals(listed);
        }

        /**
         * Returns whether Go services take part. Their leases end three minutes after they were made, whether or not
         * the connection does, so the counter may rightly say more than the leases.
         */
        public boolean isMixed() {
            return leases.stream().anyMatch(lease -> !lease.ours());
        }

        private Set<String> ours() {
            return leases.stream().filter(LeaseRow::ours).map(LeaseRow::id).collect(Collectors.toSet());
        }
    }

    // ---- the table

    /**
     * Creates the table if it is not there, billed by request, and sets its time-to-live; returns what it did.
     *
     * @throws IllegalStateException if there is a table of that name for another purpose; it is left as it is
     */
    public List<String> create() throws StoreException {
        return asking(this::createHere);
    }

    private List<String> createHere() {
        List<String> done = new ArrayList<>();
        try {
            KeySchemaElement key = KeySchemaElement.builder()
                    .attributeName(DynamoStore.KEY)
                    .keyType(KeyType.HASH)
                    .build();
            AttributeDefinition attribute = AttributeDefinition.builder()
                    .attributeName(DynamoStore.KEY)
                    .attributeType(ScalarAttributeType.S)
                    .build();
            client.createTable(create -> create.tableName(table)
                    .keySchema(List.of(key))
                    .attributeDefinitions(List.of(attribute))
                    .billingMode(BillingMode.PAY_PER_REQUEST));
            done.add("created table " + table);
        } catch (ResourceInUseException e) {
            done.add("table " + table + " is there already");
        }
        try (DynamoDbWaiter waiter = client.waiter()) {
            waiter.waitUntilTableExists(
                    describe -> describe.tableName(table), waiting -> waiting.waitTimeout(PATIENCE));
        }
        Finding key = keyFinding(
                client.describeTable(describe -> describe.tableName(table)).table());
        if (!key.good()) {
            throw new IllegalStateException("table " + table + ": " + key.what() + "; " + key.remedy());
        }
        done.add(switchTimeToLiveOn());
        return done;
    }

    private String switchTimeToLiveOn() {
        TimeToLiveDescription ttl = timeToLive();
        if (isOn(ttl)) {
            if (!TTL.equals(ttl.attributeName())) {
                throw new IllegalStateException("table " + table + ": time-to-live is on for " + ttl.attributeName()
                        + "; use a table of its own: ./forebay tables create --table NAME");
            }
            return "time-to-live is on for " + TTL + " already";
        }
        client.updateTimeToLive(update -> update.tableName(table)
                .timeToLiveSpecification(spec -> spec.attributeName(TTL).enabled(true)));
        return "switched time-to-live on for " + TTL;
    }

    /** Checks the table's shape. */
    public List<Finding> check() throws StoreException {
        return asking(this::checkHere);
    }

    private List<Finding> checkHere() {
        TableDescription description;
        try {
            description =
                    client.describeTable(describe -> describe.tableName(table)).table();
        } catch (ResourceNotFoundException e) {
            return List.of(new Finding(
                    false, "table " + table + " does not exist", "./forebay tables create --table " + table));
        }
        List<Finding> findings = new ArrayList<>();
        boolean active = description.tableStatus() == TableStatus.ACTIVE;
        findings.add(new Finding(
                active,
                "table " + table + " is " + description.tableStatusAsString().toLowerCase(Locale.ROOT),
                active ? null : "wait until it is active"));
        findings.add(keyFinding(description));
        boolean byRequest = description.billingModeSummary() != null
                && description.billingModeSummary().billingMode() == BillingMode.PAY_PER_REQUEST;
        findings.add(new Finding(
                byRequest,
                byRequest ? "it is billed by request" : "it has provisioned capacity",
                byRequest ? null : "switch it to on-demand billing: a fleet that starts throttles itself otherwise"));
        TimeToLiveDescription ttl = timeToLive();
        boolean on = isOn(ttl) && TTL.equals(ttl.attributeName());
        findings.add(new Finding(
                on,
                on ? "time-to-live is on for " + TTL : "time-to-live is not on for " + TTL,
                on ? null : "./forebay tables create --table " + table + ": items of past seconds stay otherwise"));
        return findings;
    }

    private static Finding keyFinding(TableDescription description) {
        List<KeySchemaElement> key = description.keySchema();
        boolean good = key.size() == 1
                && key.get(0).attributeName().equals(DynamoStore.KEY)
                && description.attributeDefinitions().stream()
                        .anyMatch(attribute -> attribute.attributeName().equals(DynamoStore.KEY)
                                && attribute.attributeType() == ScalarAttributeType.S);
        return new Finding(
                good,
                good ? "its key is pk, a string" : "its key is not pk, a string",
                good ? null : "use a table of its own: ./forebay tables create --table NAME");
    }

    private TimeToLiveDescription timeToLive() {
        return client.describeTimeToLive(describe -> describe.tableName(table)).timeToLiveDescription();
    }

    private static boolean isOn(TimeToLiveDescription ttl) {
        return ttl.timeToLiveStatus() == TimeToLiveStatus.ENABLED
                || ttl.timeToLiveStatus() == TimeToLiveStatus.ENABLING;
    }

    // ---- what is in it

    /** Returns the table's content about each cluster, by endpoint. Reads the whole table. */
    public Map<String, Status> status() throws StoreException {
        return asking(this::scan);
    }

    /** Returns the table's content about one cluster, read again while the counter changes. Reads the whole table. */
    public Status status(String endpoint) throws StoreException {
        return asking(() -> look(endpoint, TRIES));
    }

    private Status look(String endpoint, int tries) {
        Map<String, AttributeValue> before = counterItem(endpoint);
        Status seen = scan().getOrDefault(endpoint, new Status(endpoint, null, List.of(), Set.of(), true));
        boolean steady = before.equals(counterItem(endpoint));
        return steady || tries == 1
                ? new Status(endpoint, seen.counter(), seen.leases(), seen.listed(), steady)
                : look(endpoint, tries - 1);
    }

    private Map<String, Status> scan() {
        Map<String, Long> counters = new HashMap<>();
        Map<String, List<LeaseRow>> leases = new HashMap<>();
        Map<String, Set<String>> listed = new HashMap<>();
        Set<String> endpoints = new TreeSet<>();
        client.scanPaginator(scan -> scan.tableName(table).consistentRead(true))
                .items()
                .forEach(item -> {
                    String key = text(item, DynamoStore.KEY);
                    String endpoint = endpointOf(key);
                    if (endpoint == null) {
                        return;
                    }
                    endpoints.add(endpoint);
                    if (key.startsWith(COUNTER)) {
                        counters.put(endpoint, number(item, "active"));
                    } else if (key.startsWith(INDEX)) {
                        Set<String> ids = new HashSet<>(item.keySet());
                        ids.remove(DynamoStore.KEY);
                        listed.put(endpoint, ids);
                    } else if (key.startsWith(LEASE)) {
                        leases.computeIfAbsent(endpoint, any -> new ArrayList<>())
                                .add(row(key.substring(key.lastIndexOf('#') + 1), item));
                    }
                });
        Map<String, Status> all = new LinkedHashMap<>();
        for (String endpoint : endpoints) {
            List<LeaseRow> rows = new ArrayList<>(leases.getOrDefault(endpoint, List.of()));
            rows.sort(Comparator.comparing(LeaseRow::service).thenComparing(LeaseRow::id));
            Set<String> ids = listed.getOrDefault(endpoint, Set.of());
            all.put(endpoint, new Status(endpoint, counters.get(endpoint), rows, ids, true));
        }
        return all;
    }

    /** Returns the cluster that an item is about; null if the item is not ours. */
    private static @Nullable String endpointOf(String key) {
        for (String prefix : List.of(COUNTER, INDEX, BUCKET)) {
            if (key.startsWith(prefix)) {
                return key.substring(prefix.length());
            }
        }
        for (String prefix : List.of(LEASE, WINDOW)) {
            int end = key.lastIndexOf('#');
            if (key.startsWith(prefix) && end > prefix.length()) {
                return key.substring(prefix.length(), end);
            }
        }
        return null;
    }

    private static LeaseRow row(String id, Map<String, AttributeValue> item) {
        boolean ours = item.containsKey("version");
        long slots = ours ? number(item, "slots") : 1;
        return new LeaseRow(
                id,
                text(item, "service_name"),
                slots,
                ours ? number(item, "wanted") : 1,
                number(item, ours ? "updated_ms" : "created_ms"),
                ours);
    }

    private static String text(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        return value == null || value.s() == null ? "" : value.s();
    }

    private static long number(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        return value == null || value.n() == null ? 0 : new BigDecimal(value.n()).longValue();
    }

    /**
     * Sets the counter and the index of a cluster by its leases, unless they are right. Starts over if something
     * changed meanwhile. Not for a cluster that Go services use, see {@link Status#isMixed}.
     *
     * @return what it did
     */
    public String reconcile(String endpoint) throws StoreException {
        return asking(() -> reconcileHere(endpoint));
    }

    private String reconcileHere(String endpoint) {
        for (int tries = 0; tries < TRIES; tries++) {
            Map<String, AttributeValue> counter = counterItem(endpoint);
            Status seen = look(endpoint, 1);
            long active = number(counter, "active");
            String done = "the counter is right: " + active;
            if (active != seen.leased()) {
                try {
                    setCounter(endpoint, counter, seen.leased());
                } catch (ConditionalCheckFailedException | TransactionConflictException e) {
                    continue;
                }
                done = "the counter was " + active + " and is now " + seen.leased() + ", as the leases say";
            }
            return done + listAnew(endpoint, seen);
        }
        throw new IllegalStateException("the counter of " + endpoint + " changes all the time; try again later");
    }

    private Map<String, AttributeValue> counterItem(String endpoint) {
        return client.getItem(
                        get -> get.tableName(table).key(key(COUNTER + endpoint)).consistentRead(true))
                .item();
    }

    /** Sets the counter if none of the attributes that each change of it changes has changed since the read. */
    private void setCounter(String endpoint, Map<String, AttributeValue> seen, long value) {
        Map<String, String> names = new LinkedHashMap<>();
        Map<String, AttributeValue> values = new LinkedHashMap<>();
        List<String> conditions = new ArrayList<>();
        for (String attribute : List.of("active", "updated_ms", "changes")) {
            names.put("#" + attribute, attribute);
            AttributeValue known = seen.get(attribute);
            if (known == null) {
                conditions.add("attribute_not_exists(#" + attribute + ")");
            } else {
                conditions.add("#" + attribute + " = :" + attribute);
                values.put(":" + attribute, known);
            }
        }
        values.put(":value", AttributeValue.fromN(Long.toString(value)));
        values.put(":one", AttributeValue.fromN("1"));
        client.updateItem(update -> update.tableName(table)
                .key(key(COUNTER + endpoint))
                .updateExpression("SET #active = :value ADD #changes :one")
                .conditionExpression(String.join(" AND ", conditions))
                .expressionAttributeNames(names)
                .expressionAttributeValues(values));
    }

    private String listAnew(String endpoint, Status seen) {
        Set<String> missing = new TreeSet<>(seen.ours());
        missing.removeAll(seen.listed());
        Set<String> gone = new TreeSet<>(seen.listed());
        gone.removeAll(seen.ours());
        long added = missing.stream().filter(id -> list(endpoint, id, true)).count();
        long removed = gone.stream().filter(id -> list(endpoint, id, false)).count();
        return (added == 0 ? "" : "; leases that the index lists again: " + added)
                + (removed == 0 ? "" : "; leases that are gone and no longer listed: " + removed);
    }

    /** Lists a lease that exists, or removes one that does not; returns false if that has changed meanwhile. */
    private boolean list(String endpoint, String id, boolean listed) {
        TransactWriteItem lease = TransactWriteItem.builder()
                .conditionCheck(check -> check.tableName(table)
                        .key(key(LEASE + endpoint + "#" + id))
                        .conditionExpression(listed ? "attribute_exists(version)" : "attribute_not_exists(version)"))
                .build();
        TransactWriteItem index = TransactWriteItem.builder()
                .update(update -> update.tableName(table)
                        .key(key(INDEX + endpoint))
                        .updateExpression(listed ? "SET #id = :zero" : "REMOVE #id")
                        .expressionAttributeNames(Map.of("#id", id))
                        .expressionAttributeValues(listed ? Map.of(":zero", AttributeValue.fromN("0")) : null))
                .build();
        try {
            client.transactWriteItems(write -> write.transactItems(lease, index));
            return true;
        } catch (TransactionCanceledException e) {
            return false;
        }
    }

    /** Returns the keys of all items of a cluster, its leases first. Reads the whole table. */
    public List<String> keys(String endpoint) throws StoreException {
        return asking(() -> keysHere(endpoint));
    }

    private List<String> keysHere(String endpoint) {
        List<String> keys = new ArrayList<>();
        client.scanPaginator(scan -> scan.tableName(table).consistentRead(true))
                .items()
                .forEach(item -> {
                    String key = text(item, DynamoStore.KEY);
                    if (endpoint.equals(endpointOf(key))) {
                        keys.add(key);
                    }
                });
        keys.sort(Comparator.comparing((String key) -> !key.startsWith(LEASE)).thenComparing(key -> key));
        return keys;
    }

    /**
     * Deletes everything in the table about a cluster; services acquire again what they hold. Leases acquired meanwhile
     * are counted at the end.
     *
     * @return the number of items deleted
     */
    public int reset(String endpoint) throws StoreException {
        return asking(() -> {
            List<String> keys = keysHere(endpoint);
            keys.forEach(
                    key -> client.deleteItem(delete -> delete.tableName(table).key(key(key))));
            reconcileHere(endpoint);
            return keys.size();
        });
    }

    /** Runs {@code question}; an error comes with its meaning and its remedy. */
    private <T> T asking(Supplier<T> question) throws StoreException {
        try {
            return question.get();
        } catch (SdkException e) {
            throw DynamoTrouble.of(table, e);
        }
    }

    private static Map<String, AttributeValue> key(String key) {
        return Map.of(DynamoStore.KEY, AttributeValue.fromS(key));
    }

    // ---- who may use it

    /**
     * Returns the policy that a service needs, and no more. A transaction needs no permission of its own but those of
     * its writes.
     *
     * @param admin whether the service connects as {@code admin}
     * @param operator whether it allows the use of this class too
     */
    public static String policy(
            String region, String account, Set<String> tables, String cluster, boolean admin, boolean operator) {
        List<String> statements = new ArrayList<>();
        statements.add(statement(
                "Connect",
                List.of("dsql:" + (admin ? "DbConnectAdmin" : "DbConnect")),
                List.of("arn:aws:dsql:" + region + ":" + account + ":cluster/" + cluster)));
        if (!tables.isEmpty()) {
            List<String> arns = tables.stream()
                    .map(table -> "arn:aws:dynamodb:" + region + ":" + account + ":table/" + table)
                    .toList();
            statements.add(statement("ShareLimits", SERVICE_ACTIONS, arns));
            if (operator) {
                statements.add(statement("Operate", OPERATOR_ACTIONS, arns));
            }
        }
        return """
                {
                  "Version": "2012-10-17",
                  "Statement": [
                %s
                  ]
                }
                """.formatted(String.join(",\n", statements));
    }

    private static String statement(String id, List<String> actions, List<String> resources) {
        return """
                    {
                      "Sid": "%s",
                      "Effect": "Allow",
                      "Action": ["%s"],
                      "Resource": ["%s"]
                    }""".formatted(id, String.join("\", \"", actions), String.join("\", \"", resources))
                .indent(4)
                .stripTrailing();
    }
}
