// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/** DynamoDB Local in this process, in memory; one for all tests, since its threads stay after its end. */
final class LocalDynamo {

    static final AwsCredentialsProvider CREDENTIALS = () -> AwsBasicCredentials.create("local", "local");

    private static final AtomicInteger TABLES = new AtomicInteger();
    private static LocalDynamo shared;

    private final int port;

    private LocalDynamo() throws Exception {
        this.port = freePort();
        DynamoDBProxyServer server = ServerRunner.createServerFromCommandLineArgs(
                new String[] {"-inMemory", "-sharedDb", "-disableTelemetry", "-port", Integer.toString(port)});
        server.start();
        warmUp();
    }

    /** Its first answer takes seconds, longer than our client waits. */
    private void warmUp() {
        try (DynamoDbClient patient = DynamoDbClient.builder()
                .region(Region.US_EAST_1)
                .credentialsProvider(CREDENTIALS)
                .endpointOverride(endpoint())
                .httpClientBuilder(UrlConnectionHttpClient.builder().socketTimeout(Duration.ofMinutes(1)))
                .build()) {
            newTable(patient);
        }
    }

    static synchronized LocalDynamo shared() throws Exception {
        if (shared == null) {
            shared = new LocalDynamo();
        }
        return shared;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    URI endpoint() {
        return URI.create("http://localhost:" + port);
    }

    DynamoDbClient client() {
        return DynamoStore.client(Region.US_EAST_1, CREDENTIALS, endpoint());
    }

    /** Makes a table of the shape we need and returns its name. */
    String newTable(DynamoDbClient client) {
        String name = "fleet-" + TABLES.incrementAndGet();
        client.createTable(table -> table.tableName(name)
                .keySchema(key -> key.attributeName("pk").keyType(KeyType.HASH))
                .attributeDefinitions(attribute -> attribute.attributeName("pk").attributeType(ScalarAttributeType.S))
                .billingMode(BillingMode.PAY_PER_REQUEST));
        return name;
    }
}
