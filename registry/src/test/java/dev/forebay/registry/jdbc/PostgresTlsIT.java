// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.UserMapping;
import dev.forebay.testkit.Postgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A certificate that is good, one that has expired, and a server that has none. */
@Timeout(120)
class PostgresTlsIT {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static final String STORE_PASSWORD = "changeit";

    @TempDir
    private Path directory;

    /** Of the server started last. */
    private Path authority;

    /** A server whose certificate, by an authority of its own, is valid from {@code from} for {@code days} days. */
    private Postgres start(String from, int days) throws Exception {
        Path home = Files.createTempDirectory(directory, "server");
        authority = home.resolve("ca.crt");
        keytool(home, "-genkeypair", "-alias", "ca", "-keyalg", "EC", "-dname", "CN=authority", "-ext", "bc:c");
        keytool(home, "-exportcert", "-rfc", "-alias", "ca", "-file", authority.toString());
        keytool(home, "-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=localhost");
        keytool(
                home,
                "-certreq",
                "-alias",
                "server",
                "-file",
                home.resolve("request").toString());
        keytool(
                home,
                "-gencert",
                "-rfc",
                "-alias",
                "ca",
                "-infile",
                home.resolve("request").toString(),
                "-outfile",
                home.resolve("server.crt").toString(),
                "-ext",
                "san=dns:localhost",
                "-startdate",
                from,
                "-validity",
                Integer.toString(days));
        KeyStore keys = KeyStore.getInstance(home.resolve("keys.p12").toFile(), STORE_PASSWORD.toCharArray());
        Path key = home.resolve("server.key");
        pem(key, keys.getKey("server", STORE_PASSWORD.toCharArray()).getEncoded());
        return Postgres.start(Map.of(
                "ssl", "on", "ssl_cert_file", "'" + home.resolve("server.crt") + "'", "ssl_key_file", "'" + key + "'"));
    }

    private static void keytool(Path home, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of(
                "-storetype",
                "PKCS12",
                "-keystore",
                home.resolve("keys.p12").toString(),
                "-storepass",
                STORE_PASSWORD));
        Path log = home.resolve("keytool.log");
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertTrue(
                keytool.waitFor(60, TimeUnit.SECONDS) && keytool.exitValue() == 0,
                () -> command + " failed, see " + log);
    }

    private static void pem(Path file, byte[] key) throws Exception {
        Files.writeString(
                file,
                "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(key)
                        + "\n-----END PRIVATE KEY-----\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static JdbcRegistry registry(Postgres server, String mode, Path authority) throws RegistryException {
        JdbcRegistry registry = JdbcRegistry.builder().build();
        registry.register(ServerDefinition.builder("s", DatabaseType.POSTGRESQL)
                .option("host", "localhost")
                .option("port", Integer.toString(server.port()))
                .option("dbname", "postgres")
                .option("ssl_mode", mode)
                .option("ssl_ca", authority.toString())
                .option("failure_threshold", "1")
                .build());
        registry.map("s", UserMapping.ofPublic("postgres", Secret.of("any password")));
        return registry;
    }

    @Test
    void aGoodCertificateIsVerifiedAndAnotherAuthorityIsNotBelieved() throws Exception {
        Postgres another = start("-1d", 30);
        Path otherAuthority = authority;
        try (another;
                Postgres server = start("-1d", 30);
                JdbcRegistry registry = registry(server, "verify-full", authority);
                JdbcRegistry deceived = registry(server, "verify-full", otherAuthority)) {
            try (RemoteConnection remote = registry.acquire("s", "ann", LONG);
                    Statement statement = remote.connection().createStatement();
                    ResultSet result =
                            statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
                assertTrue(result.next() && result.getBoolean(1));
            }
            refused(deceived);
        }
    }

    @Test
    void anExpiredCertificateIsATlsErrorAndSaidAtOnce() throws Exception {
        try (Postgres server = start("-30d", 10);
                JdbcRegistry registry = registry(server, "verify-full", authority)) {
            refused(registry);
            assertFalse(registry.checkNow("s").healthy());
        }
    }

    @Test
    void aServerWithoutTlsIsRefusedWhereItIsRequired() throws SQLException {
        try (JdbcRegistry registry = registry(Postgres.shared(), "require", Path.of("/nowhere"))) {
            RegistryException e =
                    assertThrows(RegistryException.class, () -> registry.acquire("s", "ann", Duration.ofSeconds(2)));
            assertTrue(e.getMessage().contains("SSL"), e.toString());
        }
    }

    private static void refused(JdbcRegistry registry) {
        long began = System.nanoTime();
        RegistryException e = assertThrows(RegistryException.class, () -> registry.acquire("s", "ann", LONG));
        assertEquals(RegistryError.SSL_ERROR, e.error(), e.toString());
        assertFalse(e.isRecoverable());
        assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(25), "it was tried again and again");
    }
}
