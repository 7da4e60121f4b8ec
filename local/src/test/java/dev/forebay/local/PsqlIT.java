// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.Program.Ended;
import dev.forebay.wire.SelfSigned;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** psql as a client. */
@Timeout(180)
class PsqlIT {

    private static final Duration TOKEN = Duration.ofMinutes(5);

    private static LocalDsql dsql;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() throws Exception {
        Program.assumeInstalled("psql");
        dsql = LocalDsql.builder().start();
    }

    @AfterAll
    static void stop() throws Exception {
        if (dsql != null) {
            dsql.close();
        }
    }

    @Test
    void aStatementIsAnsweredOverVerifiedTls() throws Exception {
        assertEquals("2", psql("-c", "SELECT 1 + 1").ok());
        String info = psql("-c", "\\conninfo").ok();
        assertTrue(info.contains("admin") && info.contains("TLSv1.3"), info);
    }

    @Test
    void statementsInOneStringAreOneTransaction() throws Exception {
        psql("-c", "CREATE TABLE together (id int PRIMARY KEY)").ok();
        assertEquals(
                "INSERT 0 1\nINSERT 0 1\n2",
                psql(
                                "-c",
                                "INSERT INTO together VALUES (1); INSERT INTO together VALUES (2); SELECT count(*) FROM together")
                        .ok());
        psql("-c", "INSERT INTO together VALUES (3); INSERT INTO together VALUES (1)")
                .failed(1, "duplicate key value");
        assertEquals("2", psql("-c", "SELECT count(*) FROM together").ok());
        psql("-c", "CREATE TABLE a1 (id int PRIMARY KEY); CREATE TABLE a2 (id int PRIMARY KEY)")
                .failed(1, "multiple ddl statements not supported in a transaction");
    }

    @Test
    void aScriptRunsToItsEnd() throws Exception {
        String script = String.join(
                "\n",
                "CREATE TABLE scripted (id int PRIMARY KEY, word text);",
                "BEGIN;",
                "INSERT INTO scripted VALUES (1, 'one'), (2, NULL);",
                "COMMIT;",
                "SELECT id, coalesce(word, 'none') FROM scripted ORDER BY id;",
                "TRUNCATE scripted;",
                "SELECT count(*) FROM scripted;");
        Ended ended = input(script, "-v", "VERBOSITY=verbose");
        assertEquals("CREATE TABLE\nBEGIN\nINSERT 0 2\nCOMMIT\n1|one\n2|none\n2", ended.ok());
        assertTrue(ended.err().contains("ERROR:  0A000: "), ended.err());
    }

    @Test
    void aTransactionThatIsNotThereIsEndedWithAWarning() throws Exception {
        Ended ended = input("COMMIT;\nROLLBACK;\nBEGIN;\nSELECT 1 / 0;\nCOMMIT;\n");
        assertEquals("COMMIT\nROLLBACK\nBEGIN\nROLLBACK", ended.ok());
        assertTrue(ended.err().contains("WARNING:  there is no transaction in progress"), ended.err());
    }

    @Test
    void rowsAreCopiedInAndOut() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int i = 1; i <= 2_000; i++) {
            lines.append(i).append(",word ").append(i).append('\n');
        }
        Path in = Files.writeString(directory.resolve("in.csv"), lines);
        Path out = directory.resolve("out.csv");
        psql("-c", "CREATE TABLE copied (id int PRIMARY KEY, word text)").ok();
        assertEquals(
                "COPY 2000", psql("-c", "\\copy copied FROM '" + in + "' CSV").ok());
        assertEquals(
                "COPY 2000",
                psql("-c", "\\copy (SELECT * FROM copied ORDER BY id) TO '" + out + "' CSV")
                        .ok());
        assertEquals(lines.toString(), Files.readString(out));
    }

    @Test
    void aCopyThatFailsLeavesNothingAndTheSessionGoesOn() throws Exception {
        Path in = Files.writeString(directory.resolve("in.csv"), "1,one\nx,two\n");
        Ended ended = input("CREATE TABLE half (id int PRIMARY KEY, word text);\n\\copy half FROM '" + in
                + "' CSV\nSELECT count(*) FROM half;\n");
        assertEquals("CREATE TABLE\n0", ended.ok());
        assertTrue(ended.err().contains("invalid input syntax for type integer"), ended.err());
    }

    @Test
    void tablesAreDescribed() throws Exception {
        psql("-c", "CREATE TABLE described (id int PRIMARY KEY, word text)").ok();
        String described = psql("-P", "tuples_only=off", "-c", "\\d described").ok();
        assertTrue(described.contains("id|integer") && described.contains("described_pkey"), described);
        assertTrue(psql("-c", "\\dt").ok().contains("described"));
    }

    /** The server behind it stays hidden. */
    @Test
    void oneDatabaseAndItsRolesAreListed() throws Exception {
        assertEquals(
                List.of("postgres|admin"),
                psql("-c", "\\l")
                        .ok()
                        .lines()
                        .filter(line -> line.matches("\\w+\\|.*"))
                        .map(line -> line.replaceAll("^(\\w+\\|\\w+).*", "$1"))
                        .toList());
        String roles = psql("-c", "\\du").ok();
        assertTrue(roles.startsWith("admin|") && !roles.contains("Superuser"), roles);
        String schemas = psql("-c", "\\dn").ok();
        assertTrue(schemas.contains("public|") && schemas.contains("sys|"), schemas);
        assertTrue(psql("-c", "\\d sys.*").ok().contains("job_id|text"));
    }

    @Test
    void theSchemaToLookInMayBeAnOption() throws Exception {
        psql("-c", "CREATE SCHEMA elsewhere").ok();
        assertEquals(
                "elsewhere",
                run("", Map.of("PGOPTIONS", "-c search_path=elsewhere"), good(), "-c", "SELECT current_schema")
                        .ok());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a password", "", "localhost/?Action=DbConnectAdmin"})
    void aPasswordThatIsNoTokenIsRefused(String password) throws Exception {
        Ended ended = run("", Map.of("PGPASSWORD", password), good(), "-w", "-c", "SELECT 1");
        assertEquals(2, ended.code(), ended::toString);
        if (!password.isEmpty()) {
            ended.failed(2, "unable to accept connection, access denied");
        }
    }

    @Test
    void aTokenOfTheWrongKindIsRefusedWithAHint() throws Exception {
        run("", Map.of("PGPASSWORD", dsql.token("reader", TOKEN)), good(), "-c", "SELECT 1")
                .failed(
                        2,
                        "unable to accept connection, access denied",
                        "Wrong user to action mapping. user: admin, action: DbConnect");
    }

    @Test
    void anAlteredTokenIsRefused() throws Exception {
        String token = dsql.token("admin", TOKEN).replace("X-Amz-Expires=300", "X-Amz-Expires=301");
        run("", Map.of("PGPASSWORD", token), good(), "-c", "SELECT 1")
                .failed(2, "unable to accept connection, access denied");
    }

    @Test
    void withoutTlsNobodyIsServed() throws Exception {
        Ended ended = run("", Map.of(), good().replace("verify-full", "disable"), "-c", "SELECT 1");
        assertEquals(2, ended.code(), ended::toString);
    }

    @Test
    void aServerWithAnotherCertificateIsNotTrusted() throws Exception {
        Path other = Files.writeString(
                directory.resolve("other.pem"),
                SelfSigned.of(List.of("localhost"), Instant.now(), Duration.ofDays(1))
                        .pem());
        run("", Map.of(), good().replace(dsql.caFile().toString(), other.toString()), "-c", "SELECT 1")
                .failed(2, "certificate verify failed");
    }

    private static String good() {
        return "host=" + dsql.host() + " port=" + dsql.port() + " user=admin dbname=" + LocalDsql.DATABASE
                + " sslmode=verify-full sslrootcert=" + dsql.caFile();
    }

    private Ended psql(String... arguments) throws Exception {
        return run("", Map.of(), good(), arguments);
    }

    private Ended input(String input, String... arguments) throws Exception {
        return run(input, Map.of(), good(), arguments);
    }

    private Ended run(String input, Map<String, String> more, String target, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("psql", "-X", "-A", "-t", "-d", target));
        command.addAll(List.of(arguments));
        Map<String, String> environment = new HashMap<>(Map.of("PGPASSWORD", dsql.token("admin", TOKEN)));
        environment.putAll(more);
        return Program.run(environment, directory, input, command);
    }
}
