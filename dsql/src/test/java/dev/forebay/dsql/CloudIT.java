// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The front door before a real cluster. Leaves nothing behind; takes part in the limits of the table that it is given. */
@Tag("cloud")
@Timeout(300)
class CloudIT {

    private Map<String, String> environment;

    @BeforeEach
    void needsTheCloud() {
        environment = new HashMap<>(Cloud.orSkip(CloudIT.class));
        environment.putIfAbsent("DSQL_SERVICE_NAME", "forebay-cloud-it");
        environment.put("DSQL_RESERVOIR_ENABLED", "true");
        environment.put("DSQL_STAGGERED_STARTUP", "false");
        environment.put("DSQL_RESERVOIR_TARGET_READY", "5");
        environment.put("DSQL_RESERVOIR_LOW_WATERMARK", "5");
    }

    private ForebayDataSource pool() throws SQLException {
        return AuroraDsql.builder(ForebayConfig.fromEnvironment(environment)).build();
    }

    private static String value(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertTrue(result.next());
            return result.getString(1);
        }
    }

    private static void execute(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aPoolIsFilledWithVerifiedTlsAndAToken() throws Exception {
        try (ForebayDataSource pool = pool()) {
            assertEquals(5, pool.stats().ready());
            assertEquals(pool.config().user(), value(pool, "SELECT current_user"));
        }
    }

    @Test
    void transactionsTakeEffect() throws Exception {
        String table = "forebay_" + UUID.randomUUID().toString().replace("-", "");
        try (ForebayDataSource pool = pool()) {
            execute(pool, "CREATE TABLE " + table + " (id int PRIMARY KEY, n int)");
            try {
                pool.transactions().run("insert", connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO " + table + " VALUES (1, 42)");
                    }
                });
                assertEquals("42", value(pool, "SELECT n FROM " + table));
            } finally {
                execute(pool, "DROP TABLE " + table);
            }
        }
    }

    @Test
    void leasesAreCountedAndGivenBack() throws Exception {
        environment.put("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true");
        environment.put("DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true");
        environment.putIfAbsent("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", environment.get(Cloud.TABLE));
        try (DynamoDbClient client = DynamoStore.client(
                Region.of(environment.get("REGION")),
                DefaultCredentialsProvider.builder().build(),
                null)) {
            long before = active(client);
            try (ForebayDataSource pool = pool()) {
                assertEquals(5, pool.stats().ready());
                assertTrue(active(client) >= before + 5);
            }
            assertEquals(before, active(client), "use a table that nobody else uses");
        }
    }

    private long active(DynamoDbClient client) {
        String key = "dsqllease_counter#" + environment.get("CLUSTER_ENDPOINT").replaceFirst(":\\d+$", "");
        AttributeValue active = client.getItem(item -> item.tableName(environment.get(Cloud.TABLE))
                        .key(Map.of("pk", AttributeValue.fromS(key)))
                        .consistentRead(true))
                .item()
                .get("active");
        return active == null ? 0 : Long.parseLong(active.n());
    }
}
