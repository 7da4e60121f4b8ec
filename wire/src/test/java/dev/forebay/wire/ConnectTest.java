// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that others have written. */
class ConnectTest {

    @TempDir
    private Path directory;

    private final ToyService service = new ToyService();
    private PgServer server;
    private Path root;

    @BeforeEach
    void start() throws IOException {
        server = PgServer.builder(service, new Random(1))
                .tls(Certificates.server())
                .start();
        root = Files.writeString(directory.resolve("root.crt"), Certificates.LOCAL.pem());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "extendedForPrepared"})
    void pgjdbcAsksInItsWays(String mode) throws SQLException {
        assertAnswers("sslmode=disable", "preferQueryMode=" + mode);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sslmode=require", "sslmode=verify-full", "sslmode=verify-full,sslNegotiation=direct"})
    void pgjdbcConnectsWithTls(String options) throws SQLException {
        assertAnswers(Stream.concat(Arrays.stream(options.split(",")), Stream.of("sslrootcert=" + root))
                .toArray(String[]::new));
    }

    @Test
    void aCertificateForAnotherHostIsNotTakenForThisOne() throws IOException {
        SelfSigned other = SelfSigned.of(List.of("db.example"), Instant.now(), Duration.ofDays(1));
        Files.writeString(root, other.pem());
        var tls = io.netty.handler.ssl.SslContextBuilder.forServer(other.key(), other.certificate())
                .build();
        try (PgServer wrong = PgServer.builder(service, new Random(1)).tls(tls).start()) {
            assertThrows(
                    SQLException.class,
                    () -> connect(wrong, "sslmode=verify-full", "sslrootcert=" + root)
                            .close());
        }
    }

    @Test
    void aClientWithoutTlsIsToldThatItIsRequired() throws IOException {
        try (PgServer strict = PgServer.builder(service, new Random(1))
                .tls(Certificates.server())
                .requireTls()
                .start()) {
            SQLException refused = assertThrows(
                    SQLException.class, () -> connect(strict, "sslmode=disable").close());
            assertEquals("08004", refused.getSQLState());
            assertTrue(refused.getMessage().contains("TLS required"), refused.getMessage());
            assertEquals(0, service.seen.size());
        }
    }

    @Test
    void theNameThatAClientAsksForIsKept() throws SQLException {
        // JSSE names no host without a dot
        try (Connection connection = connect(server, "sslmode=require", "sslrootcert=" + root)) {
            assertNotNull(connection);
            assertEquals(null, service.seen.peek().serverName());
        }
    }

    @Test
    void requiringTlsTakesAContextForIt() {
        PgServer.Builder builder = PgServer.builder(service, new Random(1)).requireTls();
        assertThrows(IllegalStateException.class, builder::start);
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        IOException taken = assertThrows(
                IOException.class,
                () -> PgServer.builder(service, new Random(1))
                        .port(server.port())
                        .start()
                        .close());
        assertTrue(taken.getMessage().contains(":" + server.port()), taken.getMessage());
    }

    @Test
    void psqlVerifiesTheServerAndItsNameIsKept() throws Exception {
        String answer = run(
                "psql",
                "-XAtc",
                "SELECT 1",
                "host=localhost port=" + server.port() + " user=u dbname=d sslmode=verify-full sslrootcert=" + root);
        assertEquals("1", answer.strip());
        assertEquals("localhost", service.seen.peek().serverName());
    }

    @Test
    void opensslVerifiesTheServer() throws Exception {
        String answer = run(
                "openssl",
                "s_client",
                "-connect",
                "localhost:" + server.port(),
                "-starttls",
                "postgres",
                "-CAfile",
                root.toString(),
                "-verify_hostname",
                "localhost",
                "-verify_return_error");
        assertTrue(answer.contains("Verify return code: 0 (ok)"), answer);
    }

    /** Runs a program with no input, if it is there. */
    private String run(String... command) throws Exception {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(":")).anyMatch(at -> Files.isExecutable(Path.of(at, command[0]))),
                command[0] + " is not installed");
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        boolean ended = process.waitFor(30, TimeUnit.SECONDS);
        process.destroyForcibly();
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertTrue(ended, text);
        assertEquals(0, process.exitValue(), text);
        return text;
    }

    private void assertAnswers(String... options) throws SQLException {
        try (Connection connection = connect(server, options);
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 2; i++) {
                try (ResultSet rows = statement.executeQuery("SELECT 1")) {
                    assertTrue(rows.next());
                    assertEquals("1", rows.getString(1));
                    assertFalse(rows.next());
                }
            }
        }
    }

    private static Connection connect(PgServer server, String... options) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "u");
        properties.setProperty("connectTimeout", "20");
        properties.setProperty("socketTimeout", "20");
        for (String option : options) {
            int equals = option.indexOf('=');
            properties.setProperty(option.substring(0, equals), option.substring(equals + 1));
        }
        return DriverManager.getConnection("jdbc:postgresql://localhost:" + server.port() + "/d", properties);
    }
}
