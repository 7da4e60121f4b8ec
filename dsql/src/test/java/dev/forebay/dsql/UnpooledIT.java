// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.local.LocalDsql;
import dev.forebay.local.iam.AccessKey;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Connections without a pool keep the limits that a pool's keep, before a local DSQL. */
@Timeout(180)
class UnpooledIT {

    private static LocalDsql dsql;

    private DynamoDbClient client;
    private String table;

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
    }

    @AfterAll
    static void stop() throws Exception {
        dsql.close();
    }

    @BeforeEach
    void newTable() throws Exception {
        client = LocalDynamo.shared().client();
        table = LocalDynamo.shared().newTable(client);
    }

    @AfterEach
    void close() {
        client.close();
    }

    private ForebayConfig.Builder config() {
        return ForebayConfig.builder()
                .clusterEndpoint("localhost:" + dsql.port())
                .region(dsql.region())
                .caFile(dsql.caFile().toString())
                .mode(ForebayConfig.Mode.ON_DEMAND);
    }

    private AuroraDsql.Builder door(ForebayConfig.Builder config) throws Exception {
        AccessKey key = dsql.accessKey();
        return AuroraDsql.builder(config.build())
                .credentials(() -> AwsBasicCredentials.create(key.id(), key.secret()))
                .dynamoEndpoint(LocalDynamo.shared().endpoint());
    }

    private long active() {
        Map<String, AttributeValue> counter = client.getItem(item -> item.tableName(table)
                        .key(Map.of("pk", AttributeValue.fromS("dsqllease_counter#localhost")))
                        .consistentRead(true))
                .item();
        return counter.containsKey("active")
                ? Long.parseLong(counter.get("active").n())
                : 0;
    }

    private FleetConfig leases(int limit) {
        return FleetConfig.builder()
                .connectionLease(true)
                .leaseTable(table)
                .leaseLimit(limit)
                .build();
    }

    @Test
    void eachHasALeaseUntilItIsClosed() throws Exception {
        FleetConfig leases = leases(2);
        try (DsqlDataSource source = door(config().connectionTimeout(Duration.ofMillis(500)))
                .fleet(leases)
                .buildUnpooled()) {
            Connection first = source.getConnection();
            Connection second = source.getConnection();
            assertEquals(2, active());
            SQLException full = assertThrows(SQLTransientConnectionException.class, source::getConnection);
            assertEquals("08001", full.getSQLState());
            first.close();
            first.close();
            Connection third = source.getConnection();
            assertEquals(2, active(), "what the first one had is used again");
            third.close();
            second.abort(Runnable::run);
        }
        assertEquals(0, active(), "closing has given them back when it returns");
    }

    @Test
    void aLeaseOutlivesTheDataSourceIfItsConnectionDoes() throws Exception {
        FleetConfig leases = leases(5);
        DsqlDataSource source = door(config()).fleet(leases).buildUnpooled();
        Connection connection = source.getConnection();
        source.close();
        assertEquals(1, active());
        assertEquals(
                "08003", assertThrows(SQLException.class, source::getConnection).getSQLState());
        connection.close();
        assertEquals(0, active());
    }

    @Test
    void theyShareTheRateLimitOfThePoolsOnTheCluster() throws Exception {
        int burst = 8;
        ForebayConfig.Builder slow =
                config().connectionRateLimit(1).connectionBurstLimit(burst).connectionTimeout(Duration.ofMillis(300));
        long began = System.nanoTime();
        List<Connection> open = new ArrayList<>();
        try (ForebayDataSource pool = door(slow).build();
                DsqlDataSource source = door(slow).buildUnpooled()) {
            for (int i = 0; i < burst / 2; i++) {
                open.add(pool.getConnection());
            }
            while (open.size() < 4 * burst) {
                try {
                    open.add(source.getConnection());
                } catch (SQLTransientConnectionException e) {
                    break;
                }
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            assertTrue(open.size() >= burst);
            assertTrue(open.size() <= burst + seconds, () -> open.size() + " within " + seconds + " s");
        } finally {
            for (Connection connection : open) {
                connection.close();
            }
        }
    }

    @Test
    void aUrlIsEnoughForATool() throws Exception {
        AccessKey key = dsql.accessKey();
        System.setProperty("aws.accessKeyId", key.id());
        System.setProperty("aws.secretAccessKey", key.secret());
        Properties properties = new Properties();
        properties.setProperty("forebay.dsql.region", dsql.region());
        properties.setProperty("forebay.dsql.ca-file", dsql.caFile().toString());
        properties.setProperty("password", "whatever a tool insists on");
        String url = "jdbc:forebay:dsql://localhost:" + dsql.port() + "/postgres?user=admin&ApplicationName=tool";
        try (Connection connection = DriverManager.getConnection(url, properties);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT current_user")) {
            row.next();
            assertEquals("admin", row.getString(1));
            assertTrue(connection.isWrapperFor(PGConnection.class));
        } finally {
            DsqlDriver.closeAll();
            System.clearProperty("aws.accessKeyId");
            System.clearProperty("aws.secretAccessKey");
        }
        SQLException error = assertThrows(
                SQLException.class, () -> DriverManager.getConnection(url + "&forebay.max-lifetime=2h", properties));
        assertTrue(error.getMessage().contains("DSQL_MAX_CONN_LIFETIME"), error.getMessage());
    }
}
