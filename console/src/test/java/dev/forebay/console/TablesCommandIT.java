// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** {@code forebay tables} as a program of its own, on DynamoDB Local. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TablesCommandIT {

    private static final String CLUSTER = "one.dsql.us-east-1.on.aws";

    private LocalDynamo dynamo;
    private String table;
    private Program program;

    @BeforeEach
    void start() throws Exception {
        dynamo = LocalDynamo.shared();
        table = LocalDynamo.newName();
        program = new Program()
                .with("AWS_ACCESS_KEY_ID", "local")
                .with("AWS_SECRET_ACCESS_KEY", "a-secret-of-forty-characters")
                .with("AWS_ENDPOINT_URL_DYNAMODB", dynamo.url())
                .with("CLUSTER_ENDPOINT", CLUSTER)
                .with("DSQL_DISTRIBUTED_CONN_LEASE_TABLE", table);
    }

    @Test
    void aTableIsMadeOnceAndIsAsItShouldBe() throws Exception {
        program.run("tables", "check")
                .ends(1)
                .says("FAIL table " + table + " does not exist -> ./forebay tables create --table " + table);
        program.run("tables", "create").ends(0).says("created table " + table);
        program.run("tables", "create").ends(0).says("table " + table + " is there already");
        program.run("tables", "check")
                .ends(0)
                .says("ok   its key is pk, a string\n")
                .says("ok   time-to-live is on for ttl_epoch\n");
    }

    @Test
    void optionsTakeThePlaceOfTheEnvironment() throws Exception {
        Program bare = new Program().with("AWS_ACCESS_KEY_ID", "local").with("AWS_SECRET_ACCESS_KEY", "another-secret");
        bare.run("tables", "create", "--table", table, "--region", "us-east-1", "--dynamodb-endpoint", dynamo.url())
                .ends(0)
                .says("created table " + table);
        bare.run("tables", "status", "--table", table, "--endpoint", CLUSTER, "--dynamodb-endpoint", dynamo.url())
                .ends(0)
                .says("cluster " + CLUSTER + "\n  counter none, leased 0, leases 0");
    }

    @Test
    void theStatusShowsLeasesAndACounterThatIsWrongIsPutRight() throws Exception {
        dynamo.table(table).create();
        program.run("tables", "status").ends(0).says("table " + table + ": nothing is in it");
        dynamo.fill(table, CLUSTER, 12);
        program.run("tables", "status")
                .ends(0)
                .says("counter 12, leased 3, leases 1")
                .says("orders")
                .says("./forebay tables reconcile --endpoint " + CLUSTER);
        program.run("tables", "reconcile")
                .ends(0)
                .says(CLUSTER + ": the counter was 12 and is now 3, as the leases say");
        program.run("tables", "reconcile").ends(0).says("the counter is right: 3");
        program.run("tables", "status").says("counter 3, leased 3").saysNot("reconcile");
    }

    @Test
    void whileServicesOfTheReferenceRunReconcilingAsksFirst() throws Exception {
        dynamo.table(table).create();
        dynamo.fill(table, CLUSTER, 12);
        dynamo.put(table, "dsqllease#" + CLUSTER + "#r", Map.of("service_name", AttributeValue.fromS("history")));
        program.run("tables", "status").says("by a Go service").says("which is normal");
        program.run("tables", "reconcile")
                .says("the counter may rightly say more than the leases: it says 12, they say 4.")
                .fails(2, "there is no terminal to ask; say --yes");
        assertEquals(12, dynamo.table(table).status(CLUSTER).counted());
        program.run("tables", "reconcile", "--yes").ends(0).says("the counter was 12 and is now 4");
    }

    @Test
    void aResetSaysWhatItWouldDoAndDoesNothingUnasked() throws Exception {
        dynamo.table(table).create();
        dynamo.fill(table, CLUSTER, 3);
        dynamo.fill(table, "another", 3);
        program.run("tables", "reset")
                .says("Of the cluster " + CLUSTER + ", the table " + table + " has 3 items:")
                .says("  dsqllease#" + CLUSTER + "#a")
                .saysNot("another")
                .fails(2, "there is no terminal to ask; say --yes");
        assertEquals(3, dynamo.table(table).keys(CLUSTER).size());
        program.run("tables", "reset", "--yes").ends(0).says("deleted 3 items");
        assertEquals(List.of(), dynamo.table(table).keys(CLUSTER));
        assertEquals(3, dynamo.table(table).keys("another").size());
    }

    @Test
    void twoTablesAreBothLookedAt() throws Exception {
        String second = LocalDynamo.newName();
        program.with("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", second);
        program.run("tables", "create").ends(0).says("created table " + table).says("created table " + second);
    }

    @Test
    void thePolicyNamesClusterAndTables() throws Exception {
        program.run("tables", "policy", "--account", "123456789012")
                .ends(0)
                .says("arn:aws:dsql:us-east-1:123456789012:cluster/one\"")
                .says("arn:aws:dynamodb:us-east-1:123456789012:table/" + table + "\"")
                .says("dsql:DbConnectAdmin\"")
                .saysNot("Scan");
        program.with("DSQL_USER", "app")
                .run("tables", "policy", "--operator")
                .says("dsql:DbConnect\"")
                .says("Scan");
    }

    @ParameterizedTest
    @CsvSource({
        "tables, Say what to do with the table",
        "tables drop, drop",
        "tables create, there is no table",
        "tables create --table t, there is no region",
        "tables create --table t --region us-east-1 --dynamodb-endpoint localhost:8000, not the address of a server",
        "tables reset --table t --yes, there is no endpoint",
        "tables reset --table t --endpoint localhost, the region is not part of it",
        "tables policy --nonsense, --nonsense"
    })
    void wrongArgumentsAreNamed(String arguments, String word) throws Exception {
        new Program().run(arguments.split(" ")).fails(2, word);
    }

    @Test
    void aServerThatIsGoneATableThatIsMissingAndCredentialsThatAreMissingAreNamed() throws Exception {
        program.run("tables", "status").fails(1, "create it with ./forebay tables create");
        program.run("tables", "status", "--dynamodb-endpoint", "http://localhost:1")
                .fails(1, "look at the network and at DynamoDB's health");
        assertTrue(program.without("AWS_ACCESS_KEY_ID")
                .run("tables", "status")
                .fails(1, "look at the AWS credentials")
                .out()
                .isEmpty());
    }
}
