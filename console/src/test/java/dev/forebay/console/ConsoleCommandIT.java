// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code forebay console} as a program of its own: the jar that is shipped. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsoleCommandIT {

    private static final Path JAR = Path.of("target", "forebay.jar").toAbsolutePath();
    private static final long LONGEST_SECONDS = 60;

    private static final String SERVERS = """
            servers:
              pg:
                type: postgresql
                options: {host: 127.0.0.1, port: 1, dbname: d, enable_health_check: false}
                users:
                  alice: {user: app, password: hunter2}
            """;

    private final List<Process> started = new ArrayList<>();

    @TempDir
    private Path directory;

    @AfterEach
    void noProgramIsLeft() throws InterruptedException {
        for (Process process : started) {
            process.destroy();
            assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--admin-port 65536, --admin-port must lie between 0 and 65535",
        "--web-port many, --web-port",
        "--nonsense, --nonsense",
        "--allow h:x --ready-file r, --allow takes HOST or HOST:PORT",
        "--driver-path /nowhere --ready-file r, there is no directory /nowhere",
        "--admin-user x, Nobody would know the password"
    })
    void wrongArgumentsAreNamed(String arguments, String word) throws Exception {
        List<String> all = new ArrayList<>(List.of("console", "--state", state()));
        all.addAll(List.of(arguments.split(" ")));
        new Program().run(all.toArray(String[]::new)).fails(2, word);
    }

    @Test
    void aStateDirectoryThatCannotBeUsedIsNamed() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "");
        new Program()
                .run("console", "--state", file.toString(), "--ready-file", "r")
                .fails(1, file + " is not a directory");
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            new Program()
                    .run("console", "--state", state(), "--web-port", port, "--ready-file", "r")
                    .fails(1, "cannot listen on localhost/127.0.0.1:" + port);
        }
    }

    @Test
    void declarationsThatAreWrongAreNamedWithTheirPlace() throws Exception {
        Path file = Files.writeString(directory.resolve("servers.yaml"), SERVERS.replace("dbname", "dbnam"));
        new Program()
                .run("console", "--state", state(), "--servers", file.toString(), "--ready-file", "r")
                .fails(1, file + ":4:41: server pg: there is no option 'dbnam'; did you mean dbname?");
    }

    @Test
    void theReadyFileTellsHowToConnectAndGoesWithTheConsole() throws Exception {
        Path ready = directory.resolve("ready");
        Process process = start(Map.of(), "--ready-file", ready.toString());
        Map<String, String> facts = facts(process, ready);
        assertEquals(
                List.of(
                        "admin_host",
                        "admin_port",
                        "admin_user",
                        "admin_password",
                        "admin_database",
                        "web_url",
                        "web_token"),
                List.copyOf(facts.keySet()));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(ready)));
        process.destroy();
        assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS));
        assertFalse(Files.exists(ready));
        String said = output(process);
        assertTrue(said.contains("Made a key for passwords: " + directory.resolve("state/vault.key")), said);
        assertFalse(said.contains(facts.get("admin_password")), "the password is in the ready file only");
        assertFalse(said.contains(facts.get("web_token")), "so is the token");
    }

    @Test
    void metricsAreForWhoHasTheTokenAndHealthIsForAll() throws Exception {
        Path ready = directory.resolve("ready");
        Path file = Files.writeString(directory.resolve("servers.yaml"), SERVERS);
        Process process = start(
                Map.of("FOREBAY_WEB_TOKEN", "t0ken"), "--servers", file.toString(), "--ready-file", ready.toString());
        Map<String, String> facts = facts(process, ready);
        assertEquals(401, get(facts, "metrics", "").statusCode());
        assertEquals(401, get(facts, "metrics", "t0ke").statusCode());
        String metrics = get(facts, "metrics", "t0ken").body();
        assertTrue(metrics.contains("scratchbird_remote_pool_healthy{server=\"pg\"} 1.0"), metrics);
        assertFalse(metrics.contains("hunter2"), metrics);
        assertEquals("alive\n", get(facts, "healthz", "").body());
        assertEquals("ready\n", get(facts, "readyz", "").body());
        assertEquals(200, get(facts, "", "").statusCode());
        assertEquals(404, get(facts, "metricsandmore", "t0ken").statusCode());
    }

    @Test
    void definitionsLastAndApplyingThemAgainChangesNothing() throws Exception {
        Path ready = directory.resolve("ready");
        Path file = Files.writeString(directory.resolve("servers.yaml"), SERVERS);
        String[] arguments = {"--servers", file.toString(), "--ready-file", ready.toString()};
        Process first = start(Map.of(), arguments);
        facts(first, ready);
        new Program()
                .run("console", "--state", state(), "--ready-file", "r")
                .fails(1, state() + " is in use by another console");
        first.destroyForcibly();
        assertTrue(first.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS));
        Files.delete(ready);
        assertTrue(output(first).contains("created server pg\ncreated user mapping for alice on pg\n"), output(first));
        assertFalse(
                Files.readString(directory.resolve("state/definitions.yaml")).contains("hunter2"));
        Process second = start(Map.of(), arguments);
        facts(second, ready);
        assertTrue(output(second).contains("nothing to change"), output(second));
        second.destroy();
        assertTrue(second.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS));
        new Program()
                .with("FOREBAY_VAULT_KEY", "00".repeat(32))
                .run("console", "--state", state(), "--ready-file", "r")
                .fails(1, "give the right key");
        Path definitions = directory.resolve("state/definitions.yaml");
        Files.writeString(definitions, Files.readString(definitions).replace("alice", "mallory"));
        new Program().run("console", "--state", state(), "--ready-file", "r").fails(1, "the checksum does not fit");
    }

    /** The console serves PostgreSQL's protocol, so that it can be a server of its own registry. */
    @Test
    void whatIsDoneInSqlLastsThroughAKill() throws Exception {
        Path ready = directory.resolve("ready");
        Map<String, String> given = Map.of("FOREBAY_ADMIN_PASSWORD", "hunter2");
        Process first = start(given, "--ready-file", ready.toString());
        Map<String, String> facts = facts(first, ready);
        try (Connection connection = connect(facts, "hunter2");
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE SERVER itself FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (host '127.0.0.1', port '"
                            + facts.get("admin_port") + "', dbname 'forebay', reset_on_release 'false')");
            statement.execute(
                    "CREATE USER MAPPING FOR PUBLIC SERVER itself OPTIONS (user 'admin', password 'hunter2')");
            try (ResultSet row = statement.executeQuery("CALL sys.test_connection('itself')")) {
                assertTrue(row.next());
                assertTrue(row.getBoolean("ok"), row.getString("error"));
                assertFalse(row.getString("server_version").isEmpty());
            }
            try (ResultSet row = statement.executeQuery("SELECT acquires FROM sys.remote_pool_stats")) {
                assertTrue(row.next());
                assertEquals(1, row.getLong(1));
            }
            SQLException twice = assertThrows(
                    SQLException.class, () -> statement.execute("ALTER SERVER itself OPTIONS (ADD port '1')"));
            assertEquals("42710", twice.getSQLState());
            assertTrue(twice.getMessage().contains("Position: 34"), twice.getMessage());
        }
        first.destroyForcibly();
        assertTrue(first.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS));
        assertFalse(output(first).contains("hunter2"), output(first));
        Files.delete(ready);
        Process second = start(given, "--ready-file", ready.toString());
        facts = facts(second, ready);
        try (Connection connection = connect(facts, "hunter2");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT server_name FROM sys.user_mappings")) {
            assertTrue(row.next());
            assertEquals("itself", row.getString(1));
        }
        Map<String, String> again = facts;
        assertThrows(SQLException.class, () -> connect(again, "hunter3"));
    }

    @Test
    void everyStatementLeavesALineWithItsDay() throws Exception {
        Path ready = directory.resolve("ready");
        Process process = start(Map.of(), "--ready-file", ready.toString());
        Map<String, String> facts = facts(process, ready);
        try (Connection connection = connect(facts, facts.get("admin_password"));
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SERVER s FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (host 'h', dbname 'd')");
            statement.execute("CREATE USER MAPPING FOR alice SERVER s OPTIONS (user 'app', password 'hunter2')");
        }
        assertThrows(SQLException.class, () -> connect(facts, "hunter3"));
        String day = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z audit user=admin address=127\\.0\\.0\\.1 ";
        assertTrue(
                output(process)
                        .lines()
                        .anyMatch(
                                line -> line.matches(day + "sqlstate=00000 ms=\\d+ statement=CREATE USER MAPPING .*")),
                output(process));
        assertTrue(
                output(process).lines().anyMatch(line -> line.matches(day + "sqlstate=28P01 .*statement=login")),
                output(process));
        assertFalse(output(process).contains("hunter"), output(process));
    }

    private static Connection connect(Map<String, String> facts, String password) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://" + facts.get("admin_host") + ":" + facts.get("admin_port") + "/"
                        + facts.get("admin_database"),
                facts.get("admin_user"),
                password);
    }

    // ---- helpers

    private String state() {
        return directory.resolve("state").toString();
    }

    private Process start(Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-jar",
                JAR.toString(),
                "console",
                "--state",
                state()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("out" + started.size()).toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("FOREBAY_"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private String output(Process process) throws IOException {
        return Files.readString(directory.resolve("out" + started.indexOf(process)));
    }

    private Map<String, String> facts(Process process, Path ready) throws Exception {
        while (!Files.exists(ready) && !process.waitFor(20, TimeUnit.MILLISECONDS)) {
            continue; // the test's own limit ends this
        }
        assertTrue(process.isAlive(), output(process));
        Map<String, String> facts = new LinkedHashMap<>();
        for (String line : Files.readAllLines(ready)) {
            int at = line.indexOf('=');
            facts.put(line.substring(0, at), line.substring(at + 1));
        }
        return facts;
    }

    private static HttpResponse<String> get(Map<String, String> facts, String page, String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(facts.get("web_url") + page));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
