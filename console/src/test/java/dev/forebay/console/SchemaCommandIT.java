// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.LocalDsql;
import dev.forebay.temporal.Blob;
import dev.forebay.temporal.HistoryTasks;
import dev.forebay.temporal.Shards;
import dev.forebay.temporal.Temporal;
import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.TableNodeLease;
import dev.forebay.tx.Transactions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** {@code forebay schema} as a program of its own. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SchemaCommandIT {

    @TempDir
    private Path directory;

    @Test
    void aSchemaIsInstalledOnceAndItsDamageIsTold() throws Exception {
        try (LocalDsql dsql = LocalDsql.builder().start()) {
            Path ready = directory.resolve("ready");
            Files.writeString(
                    ready,
                    "user=admin\njdbc_url=" + dsql.jdbcUrl() + "\ntoken=" + dsql.token("admin", Duration.ofHours(1))
                            + "\n");
            run(ready, "version").ends(1).says("none");
            run(ready, "install").ends(0).says(" 1/49 table namespaces").says("version 1.1 is installed");
            run(ready, "install").ends(0).says("nothing to do").saysNot("table");
            run(ready, "version").ends(0).says("1.1");
            run(ready, "verify").ends(0).says("the schema is as it should be");
            assertEquals("", run(ready, "diff").ends(0).out());
            try (Connection connection = dsql.dataSource("admin").getConnection()) {
                connection.createStatement().execute("DROP TABLE queues");
                connection.createStatement().execute("ALTER TABLE shards ADD COLUMN more INTEGER");
            }
            run(ready, "verify").ends(1).says("table queues is missing").says("2 differences");
            run(ready, "diff")
                    .ends(1)
                    .says("CREATE TABLE IF NOT EXISTS queues (")
                    .says("-- cannot be mended: shards.more");
        }
    }

    @Test
    void aDatabaseIsReadyForUseAfterOneCommand() throws Exception {
        try (LocalDsql dsql = LocalDsql.builder().start()) {
            onCluster(dsql).run("schema", "temporal", "install").ends(0);
            use(dsql.dataSource("admin"));
        }
        try (LocalDsql dsql = LocalDsql.builder().start()) {
            PGSimpleDataSource postgres = (PGSimpleDataSource) dsql.behind();
            new Program()
                    .with("FOREBAY_PASSWORD", String.valueOf(postgres.getPassword()))
                    .run(
                            "schema",
                            "temporal",
                            "install",
                            "--jdbc-url",
                            "jdbc:postgresql://localhost:" + postgres.getPortNumbers()[0] + "/"
                                    + postgres.getDatabaseName() + "?sslmode=disable",
                            "--user",
                            String.valueOf(postgres.getUser()))
                    .ends(0)
                    .says("version 1.19 is installed");
            use(postgres);
        }
    }

    /** As a service begins: a node for ids, a shard, a namespace, a task queue's task. */
    private static void use(DataSource dataSource) throws Exception {
        Transactions tx = Transactions.of(dataSource);
        TableNodeLease node = TableNodeLease.take(tx, "id_nodes", Duration.ofHours(1));
        Temporal temporal = Temporal.on(tx, SnowflakeIds.forLease(node));
        Blob data = Blob.proto3(new byte[] {1});
        temporal.shards().insert(new Shards.Shard(1, 1, data));
        temporal.historyTasks()
                .insert(
                        1,
                        1,
                        HistoryTasks.Category.TRANSFER,
                        List.of(new HistoryTasks.Task(HistoryTasks.Key.of(5), data)));
        UUID id = new UUID(1, 2);
        temporal.namespaces().insert(id, "shop", data, false);
        assertEquals("shop", temporal.namespaces().select(id).orElseThrow().name());
        assertEquals(0, temporal.queueV1().enqueue(3, data));
    }

    @Test
    void aVersionIsWrittenOverAnotherOnlyByForce() throws Exception {
        try (LocalDsql dsql = LocalDsql.builder().start()) {
            Program program = onCluster(dsql);
            program.run("schema", "temporal", "install").ends(0);
            try (Connection connection = dsql.dataSource("admin").getConnection()) {
                connection.createStatement().execute("UPDATE schema_version SET curr_version = '1.19'");
            }
            program.run("schema", "temporal", "install").fails(1, "the schema has version 1.19");
            program.run("schema", "temporal", "version").ends(0).says("1.19");
            program.run("schema", "temporal", "install", "--force").ends(0).says("1/1 version 1.1");
        }
    }

    @Test
    void aClusterIsLoggedIntoWithATokenOfIam() throws Exception {
        try (LocalDsql dsql = LocalDsql.builder().start()) {
            onCluster(dsql).run("schema", "temporal", "version").ends(1).says("none");
            onCluster(dsql)
                    .without("CLUSTER_ENDPOINT")
                    .run("schema", "temporal", "version", "--endpoint", "localhost:" + dsql.port())
                    .ends(1)
                    .says("none");
            Program.End untrusted = onCluster(dsql).without("DSQL_CA_FILE").run("schema", "temporal", "version");
            untrusted.ends(1).saysNot("none");
            assertTrue(untrusted.err().contains("PKIX"), untrusted.toString());
        }
    }

    private static Program onCluster(LocalDsql dsql) {
        return new Program()
                .with("AWS_ACCESS_KEY_ID", dsql.accessKey().id())
                .with("AWS_SECRET_ACCESS_KEY", dsql.accessKey().secret())
                .with("CLUSTER_ENDPOINT", "localhost:" + dsql.port())
                .with("REGION", dsql.region())
                .with("DSQL_CA_FILE", dsql.caFile().toString());
    }

    @Test
    void aServerOfAUrlIsVerifiedUnlessTheUrlSaysOtherwise() throws Exception {
        try (LocalDsql dsql = LocalDsql.builder().start()) {
            String url = "jdbc:postgresql://localhost:" + dsql.port() + "/postgres";
            Program program = new Program().with("FOREBAY_PASSWORD", dsql.token("admin", Duration.ofHours(1)));
            Program.End end = program.run("schema", "temporal", "version", "--jdbc-url", url);
            end.ends(1).saysNot("none");
            assertTrue(end.err().contains("PKIX"), end.toString());
            program.run("schema", "temporal", "version", "--jdbc-url", url + "?sslmode=require")
                    .ends(1)
                    .says("none");
        }
    }

    /** There is no server. */
    @Test
    void theStatementsArePrinted() throws Exception {
        new Program()
                .run("schema", "temporal", "print")
                .ends(0)
                .says("CREATE TABLE IF NOT EXISTS shards (")
                .says("CREATE UNIQUE INDEX ASYNC IF NOT EXISTS idx_namespaces_name")
                .says("'1.1'");
        new Program()
                .run("schema", "temporal", "print", "--postgres")
                .ends(0)
                .says("'1.19'")
                .saysNot("ASYNC");
    }

    @Test
    void aPasswordComesFromAFileOrAVariable() throws Exception {
        try (LocalDsql dsql = LocalDsql.builder().start()) {
            String token = dsql.token("admin", Duration.ofHours(1));
            Path file = Files.writeString(directory.resolve("token"), token + "\n");
            String[] asked = {"schema", "temporal", "version", "--jdbc-url", dsql.jdbcUrl()};
            new Program().with("FOREBAY_PASSWORD", token).run(asked).ends(1).says("none");
            new Program()
                    .run(asked[0], asked[1], asked[2], asked[3], asked[4], "--password-file", file.toString())
                    .ends(1)
                    .says("none");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "schema, Say which schema",
        "schema temporal, Say what to do",
        "schema temporal install, --jdbc-url or --ready-file",
        "schema temporal install --jdbc-url jdbc:postgresql://h/d?password=x, a password in --jdbc-url",
        "schema temporal install --jdbc-url postgresql://h/d, of no database that is known",
        "schema temporal install --jdbc-url jdbc:postgresql://h/d --ready-file f, --jdbc-url or --ready-file",
        "schema temporal install --endpoint e --ready-file f, --jdbc-url or --ready-file",
        "schema temporal install --endpoint e --password-file f, --password-file goes with --jdbc-url",
        "schema temporal install --ready-file f --user u, --ready-file knows the user"
    })
    void wrongArgumentsAreNamed(String arguments, String word) throws Exception {
        new Program().run(arguments.split(" ")).fails(2, word);
    }

    @Test
    void aFileThatIsNotThereAndOneThatIsAnothersAreNamed() throws Exception {
        run(directory.resolve("none"), "version").fails(1, "none");
        Path other = Files.writeString(directory.resolve("other"), "a=b\n");
        run(other, "version").fails(1, "there is no jdbc_url");
    }

    private static Program.End run(Path ready, String command) throws Exception {
        return new Program().run("schema", "temporal", command, "--ready-file", ready.toString());
    }
}
