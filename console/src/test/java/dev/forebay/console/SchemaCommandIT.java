// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.lab.server.LocalDsql;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
            run(ready, "install").ends(0).says(" 1/48 table namespaces").says("version 1.19 is installed");
            run(ready, "install").ends(0).says("nothing to do").saysNot("table");
            run(ready, "version").ends(0).says("1.19");
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
