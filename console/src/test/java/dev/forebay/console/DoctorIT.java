// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.LocalDsql;
import dev.forebay.wire.SelfSigned;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** {@code forebay doctor} as a program of its own, before a local DSQL and DynamoDB Local: each check fails once. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoctorIT {

    private static LocalDsql dsql;
    private static LocalDynamo dynamo;

    private String table;
    private Program program;

    @BeforeAll
    static void startServers() throws Exception {
        dsql = LocalDsql.builder().start();
        dynamo = LocalDynamo.shared();
    }

    @AfterAll
    static void stopServers() throws Exception {
        dsql.close();
    }

    @BeforeEach
    void settings() {
        table = LocalDynamo.newName();
        program = new Program()
                .with("AWS_ACCESS_KEY_ID", dsql.accessKey().id())
                .with("AWS_SECRET_ACCESS_KEY", dsql.accessKey().secret())
                .with("AWS_ENDPOINT_URL_DYNAMODB", dynamo.url())
                .with("CLUSTER_ENDPOINT", "localhost:" + dsql.port())
                .with("REGION", dsql.region())
                .with("DSQL_CA_FILE", dsql.caFile().toString());
    }

    private Program sharing() {
        return program.with("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true")
                .with("DSQL_DISTRIBUTED_CONN_LEASE_TABLE", table)
                .with("DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true")
                .with("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", table);
    }

    @Test
    void allIsWell() throws Exception {
        dynamo.table(table).create();
        dynamo.fill(table, "localhost", 3);
        Program.End end = sharing().run("doctor").ends(0);
        List<String> begins = List.of(
                "ok   configuration: CLUSTER_ENDPOINT, DSQL_CA_FILE, ",
                "ok   credentials: a long-lived key, from the environment",
                "ok   clock: agrees with localhost",
                "ok   DNS: localhost is ",
                "ok   TCP: localhost port " + dsql.port() + " answers",
                "ok   TLS: TLSv1.3, verified, ",
                "ok   token: kind DbConnectAdmin for the user admin, good until ",
                "ok   connect: as admin to postgres",
                "ok   SELECT 1: answered",
                "ok   table " + table + " is active",
                "ok   its key is pk, a string",
                "ok   it is billed by request",
                "ok   time-to-live is on for ttl_epoch",
                "ok   counter: 3 of 10000, the leases say 3",
                "ok   rate limit: shared by the fleet, bucket of 100 a second and 800 saved up; without the table: local");
        List<String> lines = end.out().lines().toList();
        assertEquals(begins.size(), lines.size(), end.out());
        for (int i = 0; i < begins.size(); i++) {
            assertTrue(lines.get(i).startsWith(begins.get(i)), end.out());
        }
        assertEquals("", end.err());
    }

    @Test
    void aServiceThatSharesNothingNeedsNoTable() throws Exception {
        program.run("doctor")
                .ends(0)
                .says("skip table, counter: no table is named")
                .says("ok   rate limit: of this process alone, ");
    }

    @Test
    void aLifetimeThatReachesAnHourIsNamedWithItsSum() throws Exception {
        program.with("DSQL_RESERVOIR_ENABLED", "true")
                .with("DSQL_RESERVOIR_BASE_LIFETIME", "59m")
                .run("doctor")
                .ends(1)
                .says("FAIL configuration: DSQL_RESERVOIR_BASE_LIFETIME=59m0s, DSQL_RESERVOIR_LIFETIME_JITTER=2m0s: ")
                .says("up to 1h0m0s");
    }

    @Test
    void limitsAboveThoseOfAClusterAreNamed() throws Exception {
        program.with("DSQL_CONNECTION_RATE_LIMIT", "101")
                .with("DSQL_CONNECTION_BURST_LIMIT", "1001")
                .with("DSQL_MAX_CONNS", "10001")
                .run("doctor")
                .ends(1)
                .says("FAIL DSQL_CONNECTION_RATE_LIMIT=101: a cluster admits 100 new connections a second")
                .says("FAIL DSQL_CONNECTION_BURST_LIMIT=1001: a cluster saves up 1000 new connections")
                .says("warn pool size: up to 10001 connections, but a cluster has 10000");
    }

    @Test
    void limitsOfAFleetAboveThoseOfAClusterAreNamed() throws Exception {
        dynamo.table(table).create();
        sharing()
                .with("DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT", "200")
                .with("DSQL_DISTRIBUTED_RATE_LIMITER_BURST", "2000")
                .with("DSQL_DISTRIBUTED_CONN_LIMIT", "20000")
                .with("DSQL_MAX_CONNS", "30000")
                .run("doctor")
                .ends(1)
                .says("FAIL DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT=200: ")
                .says("FAIL DSQL_DISTRIBUTED_RATE_LIMITER_BURST=2000: ")
                .says("warn DSQL_DISTRIBUTED_CONN_LIMIT=20000: ")
                .says("warn pool size: up to 30000 connections, but all services together may have 20000");
    }

    @Test
    void aWrongValueIsNamedAndNothingElseIsTried() throws Exception {
        program.with("DSQL_MAX_CONNS", "many")
                .run("doctor")
                .ends(1)
                .says("FAIL configuration: DSQL_MAX_CONNS=many: ")
                .says("skip everything else: the configuration is wrong");
        program.without("DSQL_MAX_CONNS")
                .without("CLUSTER_ENDPOINT")
                .run("doctor")
                .ends(1)
                .says("FAIL configuration: there is no endpoint");
    }

    @Test
    void aWrongNameIsNamedWithTheNearestRightOne() throws Exception {
        program.with("DSQL_RESERVOIR_TARGET_REDY", "5")
                .run("doctor")
                .ends(0)
                .says("warn configuration: DSQL_RESERVOIR_TARGET_REDY is not a variable of ours and is ignored;"
                        + " did you mean DSQL_RESERVOIR_TARGET_READY?");
    }

    @Test
    void withoutCredentialsTheServerIsStillLookedAt() throws Exception {
        sharing()
                .without("AWS_SECRET_ACCESS_KEY")
                .run("doctor")
                .ends(1)
                .says("FAIL credentials: the AWS SDK finds none -> ")
                .says("ok   TLS: ")
                .says("skip token: there are no credentials")
                .says("skip connect, SELECT 1: there is no token")
                .says("skip table, counter: there are no credentials");
    }

    @Test
    void aNameThatIsNotKnownIsNamed() throws Exception {
        program.with("CLUSTER_ENDPOINT", "nowhere.invalid")
                .run("doctor")
                .ends(1)
                .says("FAIL DNS: nowhere.invalid is not known -> ")
                .says("skip TCP, TLS: ")
                .says("skip connect, SELECT 1: ");
    }

    @Test
    void aPortAtWhichNobodyAnswersIsNamed() throws Exception {
        program.with("CLUSTER_ENDPOINT", "localhost:1")
                .run("doctor")
                .ends(1)
                .says("FAIL TCP: localhost port 1: ")
                .says("-> nobody listens there: is ./forebay local, or the tunnel, running on that port?")
                .says("skip TLS: nobody answers");
    }

    @Test
    void aServerThatNobodyVouchesForIsNotTalkedTo(@TempDir Path directory) throws Exception {
        Path other = directory.resolve("other.pem");
        Files.writeString(
                other,
                SelfSigned.of(List.of("localhost"), Instant.now(), Duration.ofDays(1))
                        .pem());
        program.with("DSQL_CA_FILE", other.toString())
                .run("doctor")
                .ends(1)
                .says("FAIL TLS: the certificate is not good: ")
                .says("set DSQL_CA_FILE to its CA")
                .says("skip connect, SELECT 1: the server cannot be reached or trusted");
        program.without("DSQL_CA_FILE").run("doctor").ends(1).says("set DSQL_CA_FILE to its CA");
        program.with("DSQL_CA_FILE", directory.resolve("none.pem").toString())
                .run("doctor")
                .ends(1)
                .says("FAIL TLS: DSQL_CA_FILE: " + directory.resolve("none.pem"));
        program.with(
                        "DSQL_CA_FILE",
                        Files.writeString(directory.resolve("empty.pem"), "").toString())
                .run("doctor")
                .ends(1)
                .says("holds no certificate -> ");
    }

    /** Another way to write 127.0.0.1, which the certificate does not name. */
    @Test
    void aServerOfAnotherNameIsNotTalkedTo() throws Exception {
        program.with("CLUSTER_ENDPOINT", "127.1:" + dsql.port())
                .run("doctor")
                .ends(1)
                .says("FAIL TLS: the certificate does not name 127.1 -> ")
                .says("skip connect, SELECT 1: ");
    }

    @Test
    void aServerWithoutTlsIsNotTalkedTo() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread refusing = new Thread(() -> refuseTls(plain));
            refusing.setDaemon(true);
            refusing.start();
            program.with("CLUSTER_ENDPOINT", "localhost:" + plain.getLocalPort())
                    .run("doctor")
                    .ends(1)
                    .says("FAIL TLS: the server does not offer it -> ");
        }
    }

    private static void refuseTls(ServerSocket plain) {
        while (!plain.isClosed()) {
            try (Socket socket = plain.accept()) {
                if (socket.getInputStream().readNBytes(8).length == 8) {
                    socket.getOutputStream().write('N');
                }
            } catch (IOException e) {
                if (!plain.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    @Test
    void aSignatureThatIsRefusedIsNamed() throws Exception {
        program.with("AWS_SECRET_ACCESS_KEY", "the-secret-of-another-key")
                .run("doctor")
                .ends(1)
                .says("ok   token: ")
                .says("FAIL connect: ")
                .says("-> look at the credentials, REGION and CLUSTER_ENDPOINT")
                .says("skip SELECT 1: there is no connection");
    }

    @Test
    void aRoleWithoutAGrantIsNamedWithTheGrantThatIsMissing() throws Exception {
        program.with("DSQL_USER", "Admin")
                .run("doctor")
                .ends(1)
                .says("ok   token: kind DbConnect for the user Admin")
                .says("warn token: the user is Admin, which is not admin")
                .says("FAIL connect: ")
                .says("AWS IAM GRANT Admin TO ");
    }

    @Test
    void aConnectionThatDoesNotAnswerIsNamed() throws Exception {
        StringWriter text = new StringWriter();
        Report report = new Report(new PrintWriter(text));
        Connection connection = dsql.dataSource("admin").getConnection();
        connection.close();
        Doctor.select(connection, report);
        assertTrue(text.toString().startsWith("FAIL SELECT 1: "), text.toString());
        assertEquals(1, report.exitCode());
    }

    @Test
    void aTableThatIsMissingIsNamed() throws Exception {
        sharing()
                .run("doctor")
                .ends(1)
                .says("FAIL table " + table + " does not exist -> ./forebay tables create --table " + table)
                .says("skip counter: the table is not as it should be");
    }

    @Test
    void aTableOfAnotherShapeIsNamed() throws Exception {
        dynamo.client()
                .createTable(create -> create.tableName(table)
                        .keySchema(key -> key.attributeName("id").keyType(KeyType.HASH))
                        .attributeDefinitions(
                                attribute -> attribute.attributeName("id").attributeType(ScalarAttributeType.S))
                        .billingMode(BillingMode.PROVISIONED)
                        .provisionedThroughput(
                                units -> units.readCapacityUnits(5L).writeCapacityUnits(5L)));
        sharing()
                .run("doctor")
                .ends(1)
                .says("FAIL its key is not pk, a string -> ")
                .says("FAIL it has provisioned capacity -> ")
                .says("FAIL time-to-live is not on for ttl_epoch -> ");
    }

    @Test
    void aCounterThatTheLeasesDoNotExplainIsNamed() throws Exception {
        dynamo.table(table).create();
        dynamo.fill(table, "localhost", 50);
        sharing()
                .run("doctor")
                .ends(1)
                .says("FAIL counter: 50 of 10000, the leases say 3 -> ./forebay tables reconcile --endpoint localhost");
        program.run("tables", "reconcile").ends(0);
        program.run("doctor").ends(0);
        dynamo.put(table, "dsqllease_index#localhost", Map.of());
        program.run("doctor").ends(1).says("but the index lists others -> ");
    }

    @Test
    void aCounterThatServicesOfTheReferenceShareIsNoFailure() throws Exception {
        dynamo.table(table).create();
        dynamo.fill(table, "localhost", 50);
        dynamo.put(table, "dsqllease#localhost#r", Map.of("service_name", AttributeValue.fromS("history")));
        sharing().run("doctor").ends(0).says("warn counter: 50 of 10000, the leases say 4; Go services");
    }

    @Test
    void aLimitThatIsNearIsNamed() throws Exception {
        dynamo.table(table).create();
        dynamo.fill(table, "localhost", 3);
        sharing()
                .with("DSQL_DISTRIBUTED_CONN_LIMIT", "3")
                .run("doctor")
                .ends(0)
                .says("warn counter: 3 of 3, the leases say 3; the limit is near");
    }

    @Test
    void aTableThatNothingUsesIsNamed() throws Exception {
        dynamo.table(table).create();
        program.with("DSQL_DISTRIBUTED_CONN_LEASE_TABLE", table)
                .run("doctor")
                .ends(0)
                .says("warn fleet: a table is named but ");
    }

    @Test
    void aDynamoDbThatIsGoneIsNamedAndTheClockCannotBeCompared() throws Exception {
        sharing()
                .run("doctor", "--dynamodb-endpoint", "http://localhost:1")
                .ends(1)
                .says("warn clock: could not be compared with http://localhost:1")
                .says("ok   SELECT 1: answered")
                .says("FAIL table: ")
                .says("-> look at the network and at DynamoDB's health")
                .says("skip counter: the table cannot be read");
    }

    @Test
    void wrongArgumentsAreNamed() throws Exception {
        program.run("doctor", "--nonsense").fails(2, "--nonsense");
        program.run("doctor", "--dynamodb-endpoint", "localhost").fails(2, "not the address of a server");
    }
}
