// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
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

/**
 * The table behind a fleet's limits, as its operators see it: made, checked, shown, and put right by hand. Blocks;
 * thread-safe.
 *
 * <p>Services never need this: what they write keeps the table right. It is for the first day, for tables that services of
 * the reference share, and for counters that someone has set by hand.
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

    private final DynamoDbClient client;
    private final String table;

    /** The table of that name; the caller closes the client. */
    public FleetTable(DynamoDbClient client, String table) {
        this.client = client;
        this.table = table;
    }

    /**
     * One thing that was looked at.
     *
     * @param good whether it is as it should be
     * @param what what was found, in words
     * @param remedy what to do about it; null if nothing is
     */
    public record Finding(
            boolean good, String what, @Nullable String remedy) {}

    /** One lease: {@code slots} of an instance, or one connection of a service of the reference. */
    public record LeaseRow(String id, String service, long slots, long wanted, long updatedMillis, boolean ours) {}

    /**
     * What the table says of one cluster.
     *
     * @param counter what the counter says; null if there is none
     * @param leases all leases, those of the reference's services with one slot each
     * @param listed the leases that the index lists
     */
    public record Status(String endpoint, @Nullable Long counter, List<LeaseRow> leases, Set<String> listed) {

        /** What the counter should be. */
        public long leased() {
            return leases.stream().mapToLong(LeaseRow::slots).sum();
        }

        /** Whether counter, leases and index agree. */
        public boolean isConsistent() {
            Set<String> ours = new HashSet<>();
            leases.stream().filter(LeaseRow::ours).forEach(lease -> ours.add(lease.id()));
            return (counter == null ? 0 : counter) == leased() && ours.equals(listed);
        }
    }

    // ---- the table

    /** Makes the table if it is not there, billed by request, and sets its time-to-live; says what it did. */
    public List<String> create() {
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
        client.waiter()
                .waitUntilTableExists(describe -> describe.tableName(table), waiting -> waiting.waitTimeout(PATIENCE));
        TimeToLiveDescription ttl = timeToLive();
        if (TTL.equals(ttl.attributeName()) && isOn(ttl)) {
            done.add("time-to-live is on for " + TTL + " already");
        } else {
            client.updateTimeToLive(update -> update.tableName(table)
                    .timeToLiveSpecification(spec -> spec.attributeName(TTL).enabled(true)));
            done.add("switched time-to-live on for " + TTL);
        }
        return done;
    }

    /** Looks at the table's shape. */
    public List<Finding> check() {
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
                "table " + table + " is " + description.tableStatusAsString().toLowerCase(java.util.Locale.ROOT),
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

    /** What the table says of each cluster, by endpoint. Reads the whole table. */
    public Map<String, Status> status() {
        Map<String, Long> counters = new HashMap<>();
        Map<String, List<LeaseRow>> leases = new HashMap<>();
        Map<String, Set<String>> listed = new HashMap<>();
        Set<String> endpoints = new HashSet<>();
        client.scanPaginator(scan -> scan.tableName(table).consistentRead(true))
                .items()
                .forEach(item -> {
                    String key = text(item, DynamoStore.KEY);
                    if (key.startsWith(COUNTER)) {
                        endpoints.add(key.substring(COUNTER.length()));
                        counters.put(key.substring(COUNTER.length()), number(item, "active"));
                    } else if (key.startsWith(INDEX)) {
                        Set<String> ids = new HashSet<>(item.keySet());
                        ids.remove(DynamoStore.KEY);
                        endpoints.add(key.substring(INDEX.length()));
                        listed.put(key.substring(INDEX.length()), ids);
                    } else if (key.startsWith(LEASE)) {
                        int end = key.lastIndexOf('#');
                        String endpoint = key.substring(LEASE.length(), Math.max(LEASE.length(), end));
                        endpoints.add(endpoint);
                        leases.computeIfAbsent(endpoint, any -> new ArrayList<>())
                                .add(row(key.substring(end + 1), item));
                    } else if (key.startsWith(BUCKET)) {
                        endpoints.add(key.substring(BUCKET.length()));
                    }
                });
        Map<String, Status> all = new TreeMap<>();
        for (String endpoint : endpoints) {
            all.put(
                    endpoint,
                    new Status(
                            endpoint,
                            counters.get(endpoint),
                            List.copyOf(leases.getOrDefault(endpoint, List.of())),
                            Set.copyOf(listed.getOrDefault(endpoint, Set.of()))));
        }
        return all;
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
        return value == null || value.n() == null ? 0 : Long.parseLong(value.n());
    }

    /**
     * Sets the counter and the index of a cluster to what its leases say, unless they are right. If something changed
     * while it looked it looks again.
     *
     * @return what it did
     */
    public String reconcile(String endpoint) {
        for (int tries = 0; tries < TRIES; tries++) {
            Map<String, AttributeValue> counter = counterItem(endpoint);
            Status seen = status().getOrDefault(endpoint, new Status(endpoint, null, List.of(), Set.of()));
            long active = number(counter, "active");
            if (seen.isConsistent() && active == seen.leased()) {
                return "the counter is right: " + active;
            }
            try {
                setCounter(endpoint, counter, seen.leased());
            } catch (ConditionalCheckFailedException e) {
                continue;
            }
            listAgain(endpoint, seen);
            return "the counter was " + active + " and is now " + seen.leased() + ", as "
                    + seen.leases().size() + " leases say";
        }
        throw new IllegalStateException("the counter of " + endpoint + " changes all the time; try again later");
    }

    private Map<String, AttributeValue> counterItem(String endpoint) {
        return client.getItem(
                        get -> get.tableName(table).key(key(COUNTER + endpoint)).consistentRead(true))
                .item();
    }

    /** Requires all that every change of the counter changes, so that none between the look and this is lost. */
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

    private void listAgain(String endpoint, Status seen) {
        for (LeaseRow lease : seen.leases()) {
            if (lease.ours() && !seen.listed().contains(lease.id())) {
                client.updateItem(update -> update.tableName(table)
                        .key(key(INDEX + endpoint))
                        .updateExpression("SET #id = :now")
                        .expressionAttributeNames(Map.of("#id", lease.id()))
                        .expressionAttributeValues(
                                Map.of(":now", AttributeValue.fromN(Long.toString(lease.updatedMillis())))));
            }
        }
    }

    /** Deletes everything that the table says of a cluster; services acquire what they hold anew. Returns how many items. */
    public int reset(String endpoint) {
        List<String> keys = new ArrayList<>();
        client.scanPaginator(scan -> scan.tableName(table).consistentRead(true))
                .items()
                .forEach(item -> {
                    String key = text(item, DynamoStore.KEY);
                    if (key.equals(COUNTER + endpoint)
                            || key.equals(INDEX + endpoint)
                            || key.equals(BUCKET + endpoint)
                            || key.startsWith(LEASE + endpoint + "#")
                            || key.startsWith(WINDOW + endpoint + "#")) {
                        keys.add(key);
                    }
                });
        keys.forEach(key -> client.deleteItem(delete -> delete.tableName(table).key(key(key))));
        return keys.size();
    }

    private static Map<String, AttributeValue> key(String key) {
        return Map.of(DynamoStore.KEY, AttributeValue.fromS(key));
    }

    // ---- who may use it

    /** The policy that a service needs, and no more; {@code admin} says whether it connects as that user. */
    public static String policy(String region, String account, List<String> tables, String cluster, boolean admin) {
        StringBuilder resources = new StringBuilder();
        for (String table : tables) {
            resources
                    .append(resources.length() == 0 ? "" : ", ")
                    .append("\"arn:aws:dynamodb:" + region + ":" + account + ":table/" + table + "\"");
        }
        return """
                {
                  "Version": "2012-10-17",
                  "Statement": [
                    {
                      "Sid": "Connect",
                      "Effect": "Allow",
                      "Action": ["dsql:%s"],
                      "Resource": ["arn:aws:dsql:%s:%s:cluster/%s"]
                    },
                    {
                      "Sid": "ShareLimits",
                      "Effect": "Allow",
                      "Action": ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
                      "Resource": [%s]
                    }
                  ]
                }
                """.formatted(admin ? "DbConnectAdmin" : "DbConnect", region, account, cluster, resources);
    }
}
