// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** psql as a client. */
@Timeout(180)
final class AdminPsqlIT {

    private static TestPort port;

    @TempDir
    private Path directory;

    private record Ended(int code, String out, String err) {
        String ok() {
            assertEquals(0, code, err);
            assertEquals("", err);
            return out.strip();
        }
    }

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(
                Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "psql"))),
                "skipped: psql is not installed");
        port = new TestPort();
    }

    @AfterAll
    static void stop() {
        if (port != null) {
            port.close();
        }
    }

    private Ended psql(String password, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "psql",
                "-X",
                "-A",
                "-t",
                "-h",
                "127.0.0.1",
                "-p",
                String.valueOf(port.port.port()),
                "-U",
                "admin",
                "-d",
                "forebay"));
        command.addAll(List.of(arguments));
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("PGPASSWORD", password);
        Process process = builder.start();
        process.getOutputStream().close();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private Ended psql(List<String> arguments) throws Exception {
        return psql(TestPort.PASSWORD, arguments.toArray(String[]::new));
    }

    @Test
    void aQuestionIsAnswered() throws Exception {
        assertEquals(
                "legacy_pg|postgresql|t|0|0|0|0|0|0|0\nprod_mysql|mysql|t|0|0|0|0|0|0|0",
                psql(List.of("-c", "SELECT * FROM sys.remote_pool_stats;")).ok());
    }

    @Test
    void aWrongPasswordIsRefused() throws Exception {
        Ended ended = psql("wrong", "-c", "SELECT 1");

        assertEquals(2, ended.code());
        assertTrue(ended.err().contains("password authentication failed"), ended.err());
    }

    @Test
    void anErrorIsShownAtItsPlace() throws Exception {
        Ended ended = psql(List.of("-c", "SELECT nope FROM remote_pool_stats"));

        assertEquals(
                "ERROR:  column \"nope\" does not exist\nLINE 1: SELECT nope FROM remote_pool_stats\n               ^\n",
                ended.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\\dv; remote_pool_stats",
                "\\dv sys.*; remote_connections",
                "\\d; foreign_servers",
                "\\d sys.remote_pool_stats; avg_acquire_time_ms|double precision",
                "\\d+ remote_server_status; last_check|timestamp with time zone",
                "\\dn; sys",
                "\\dn+; sys",
                "\\du; admin",
                "\\dg; admin",
                "\\l; forebay",
                "\\des; legacy_pg|admin|postgresql_fdw",
                "\\deu; legacy_pg|public",
                "\\dew; postgresql_fdw",
                "\\conninfo; forebay",
                "\\encoding; UTF8",
                "SHOW POOLS; ''",
                "SHOW SERVERS; my.example.com|3306",
                "SHOW HELP; SHOW POOLS",
                "SHOW server_version; 14.0",
                "SHOW ALL; TimeZone|UTC",
                "SELECT version(); PostgreSQL 14.0",
                "SELECT current_user; admin",
                "SELECT current_database(), current_schema(); forebay|sys",
                "SELECT current_setting('server_version_num'); 140000",
                "SELECT name, setting FROM pg_settings WHERE name = 'search_path'; search_path|sys",
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'sys'; user_mappings",
                "SELECT count(*) FROM information_schema.columns WHERE table_name = 'remote_pool_stats'; 10",
                "SELECT 1 \\gdesc; ?column?|integer"
            })
    void whatPeopleTypeIsAnswered(String command, String shown) throws Exception {
        String out = command.endsWith("\\gdesc")
                ? piped(command)
                : psql(List.of("-c", command)).ok();

        assertTrue(out.contains(shown), out);
    }

    private String piped(String command) throws Exception {
        Path script = Files.writeString(directory.resolve("script.sql"), command + "\n");
        return psql(List.of("-f", script.toString())).ok();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"\\dt", "\\di", "\\ds", "\\dm", "\\df", "\\dT", "\\dx", "\\dy", "\\det", "\\dp", "\\dD"})
    void whatIsNotHereIsAnEmptyList(String command) throws Exception {
        Ended ended = psql(List.of("-c", command));

        assertEquals(0, ended.code(), ended.err());
        assertFalse(ended.err().contains("ERROR"), ended.err());
    }

    @Test
    void theWordsThatTheTabKeyLooksUpAreAnswered() throws Exception {
        assertEquals(
                "remote_connections\nremote_pool_stats\nremote_server_status\nremote_user_pool_stats",
                psql(List.of(
                                "-c",
                                "SELECT c.relname FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p')"
                                        + " AND (c.relname) LIKE 'remote\\_%' AND pg_catalog.pg_table_is_visible(c.oid)"
                                        + " AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname ="
                                        + " 'pg_catalog') ORDER BY 1"))
                        .ok());
        assertEquals(
                "legacy_pg",
                psql(List.of(
                                "-c",
                                "SELECT pg_catalog.quote_ident(srvname)   FROM pg_catalog.pg_foreign_server  WHERE"
                                        + " substring(pg_catalog.quote_ident(srvname),1,3)='leg'\nLIMIT 1000"))
                        .ok());
    }

    @Test
    void severalStatementsAndTransactionsWork() throws Exception {
        assertEquals(
                "BEGIN\n1\n2\nCOMMIT",
                psql(List.of("-c", "BEGIN", "-c", "SELECT 1; SELECT 2", "-c", "COMMIT"))
                        .ok());
    }
}
