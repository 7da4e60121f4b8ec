// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Reads the leases of the cluster at {@code localhost} from a table, as somebody who takes no part. */
record LeaseTable(DynamoDbClient client, String name) {

    private static final int READS = 1_000;

    /** The slots that are leased, by the counter. */
    long active() {
        return number(counter(), "active");
    }

    /** The leases that there are, by name. */
    Set<String> leases() {
        return items().stream().map(item -> item.get("pk").s()).collect(Collectors.toSet());
    }

    /** When {@code service} last renewed its lease, by its wall clock; zero if it has none. */
    long renewedMillis(String service) {
        return items().stream()
                .filter(item -> item.get("service_name").s().equals(service))
                .mapToLong(item -> number(item, "updated_ms"))
                .max()
                .orElse(0);
    }

    /** Compares the counter with the leases, as both were at one moment: while they were read the counter stayed as it was. */
    void assertCounterIsTheSumOfLeases(String when) {
        for (int i = 0; i < READS; i++) {
            Map<String, AttributeValue> before = counter();
            long slots =
                    items().stream().mapToLong(item -> number(item, "slots")).sum();
            if (before.equals(counter())) {
                assertEquals(slots, number(before, "active"), when);
                return;
            }
        }
        fail(when + ": the counter never stands still");
    }

    private Map<String, AttributeValue> counter() {
        return client.getItem(item -> item.tableName(name)
                        .key(Map.of("pk", AttributeValue.fromS("dsqllease_counter#localhost")))
                        .consistentRead(true))
                .item();
    }

    private List<Map<String, AttributeValue>> items() {
        return client.scan(scan -> scan.tableName(name).consistentRead(true)).items().stream()
                .filter(item -> item.get("pk").s().startsWith("dsqllease#"))
                .toList();
    }

    private static long number(Map<String, AttributeValue> item, String attribute) {
        return item.containsKey(attribute) ? Long.parseLong(item.get(attribute).n()) : 0;
    }
}
