// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.dsql.FleetTable;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.dynamodb.services.local.main.ServerRunner;

/** DynamoDB Local in this process, in memory; one for all tests, since its threads stay after its end. */
final class LocalDynamo {

    private static final AtomicInteger TABLES = new AtomicInteger();
    private static LocalDynamo shared;

    private final String url;
    private final DynamoDbClient client;

    private LocalDynamo() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        ServerRunner.createServerFromCommandLineArgs(
                        new String[] {"-inMemory", "-sharedDb", "-disableTelemetry", "-port", Integer.toString(port)})
                .start();
        this.url = "http://localhost:" + port;
        this.client = DynamoDbClient.builder()
                .region(Region.US_EAST_1)
                .credentialsProvider(() -> AwsBasicCredentials.create("local", "local"))
                .endpointOverride(URI.create(url))
                .httpClientBuilder(UrlConnectionHttpClient.builder().socketTimeout(Duration.ofMinutes(1)))
                .build();
        new FleetTable(client, "warm-up").create(); // its first answer takes seconds
    }

    static synchronized LocalDynamo shared() throws Exception {
        if (shared == null) {
            shared = new LocalDynamo();
        }
        return shared;
    }

    String url() {
        return url;
    }

    DynamoDbClient client() {
        return client;
    }

    FleetTable table(String name) {
        return new FleetTable(client, name);
    }

    static String newName() {
        return "fleet-" + TABLES.incrementAndGet();
    }

    /** A lease of three slots, a counter that says {@code active}, and an index. */
    void fill(String table, String cluster, long active) {
        put(
                table,
                "dsqllease#" + cluster + "#a",
                Map.of(
                        "slots", number(3),
                        "wanted", number(3),
                        "version", number(1),
                        "service_name", AttributeValue.fromS("orders"),
                        "updated_ms", number(1)));
        put(table, "dsqllease_counter#" + cluster, Map.of("active", number(active)));
        put(table, "dsqllease_index#" + cluster, Map.of("a", number(0)));
    }

    void put(String table, String key, Map<String, AttributeValue> attributes) {
        Map<String, AttributeValue> item = new HashMap<>(attributes);
        item.put("pk", AttributeValue.fromS(key));
        client.putItem(put -> put.tableName(table).item(item));
    }

    static AttributeValue number(long value) {
        return AttributeValue.fromN(Long.toString(value));
    }
}
