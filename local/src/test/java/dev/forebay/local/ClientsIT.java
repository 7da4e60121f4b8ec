// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.local.Program.Ended;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dsql.DsqlUtilities;
import software.amazon.awssdk.services.dsql.model.GenerateAuthTokenRequest;
import software.amazon.dsql.jdbc.AuroraDsqlCredentialsManager;
import software.amazon.dsql.jdbc.DSQLConnector;
import software.amazon.dsql.jdbc.TokenManager;

/** Clients beside psql and pgjdbc: pgbench, the pg package of npm, the connector and the tokens of AWS. */
@Timeout(180)
class ClientsIT {

    private static final int BENCH_CLIENTS = 8;
    private static final int BENCH_TRANSACTIONS = 50;

    private static LocalDsql dsql;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
        try (Connection connection = dsql.dataSource("admin").getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE accounts (id int PRIMARY KEY, balance int)");
            statement.execute("INSERT INTO accounts SELECT i, 0 FROM generate_series(1, 1000) i");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        dsql.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "prepared"})
    void pgbenchSelects(String mode) throws Exception {
        Ended ended = pgbench(mode, "\\set id random(1, 1000)\nSELECT balance FROM accounts WHERE id = :id;\n");
        assertProcessed(ended.ok());
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "prepared"})
    void pgbenchWritesAndEachOfItsClientsHasRowsOfItsOwn(String mode) throws Exception {
        String before = balances();
        Ended ended = pgbench(
                mode,
                "\\set id 1 + :client_id\nBEGIN;\nUPDATE accounts SET balance = balance + 1 WHERE id = :id;\n"
                        + "SELECT balance FROM accounts WHERE id = :id;\nCOMMIT;\n");
        assertProcessed(ended.ok());
        assertEquals(Integer.parseInt(before) + BENCH_CLIENTS * BENCH_TRANSACTIONS, Integer.parseInt(balances()));
    }

    @Test
    void thePgPackageOfNpmIsServed() throws Exception {
        Program.assumeInstalled("node");
        Program.assumeInstalled("npm");
        Path modules = Files.createDirectories(Path.of("target", "npm").toAbsolutePath());
        if (!Files.isDirectory(modules.resolve("node_modules/pg"))) {
            for (String file : List.of("package.json", "package-lock.json")) {
                Files.copy(resource("/npm/" + file), modules.resolve(file), StandardCopyOption.REPLACE_EXISTING);
            }
            Ended installed = Program.run(
                    Map.of(),
                    modules,
                    "",
                    List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"));
            assumeTrue(installed.code() == 0, () -> "skipped: npm could not install what is locked: " + installed);
        }
        Path script = Files.copy(resource("/pg-client.cjs"), directory.resolve("pg-client.cjs"));
        Ended ended = Program.run(
                Map.of(
                        "NODE_PATH",
                        modules.resolve("node_modules").toString(),
                        "PGHOST",
                        dsql.host(),
                        "PGPORT",
                        Integer.toString(dsql.port()),
                        "PGPASSWORD",
                        dsql.token("admin", Duration.ofMinutes(5)),
                        "CA",
                        dsql.caFile().toString()),
                directory,
                "",
                List.of("node", script.toString()));
        assertEquals("simple\nprepared\nrefused\nconflict\npool\ndenied", ended.ok());
    }

    @Test
    void theConnectorOfAwsIsServedWithTokensOfItsOwn() throws SQLException {
        AuroraDsqlCredentialsManager.setProvider(credentials());
        try (Connection connection = connector(dsql.region());
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT current_user, count(*) FROM accounts")) {
            assertTrue(result.next());
            assertEquals("admin", result.getString(1));
            assertEquals(1000, result.getInt(2));
        } finally {
            AuroraDsqlCredentialsManager.resetProvider();
            TokenManager.clearCache();
        }
    }

    @Test
    void theConnectorOfAwsIsDeniedWithTokensForAnotherRegion() {
        AuroraDsqlCredentialsManager.setProvider(credentials());
        try {
            SQLException denied = assertThrows(SQLException.class, () -> connector("eu-west-1"));
            assertTrue(denied.getMessage().contains("unable to accept connection, access denied"), denied.getMessage());
        } finally {
            AuroraDsqlCredentialsManager.resetProvider();
            TokenManager.clearCache();
        }
    }

    @Test
    void tokensOfTheSdkAreGoodForTheirUserOnly() throws SQLException {
        DsqlUtilities utilities = DsqlUtilities.builder()
                .region(Region.of(dsql.region()))
                .credentialsProvider(credentials())
                .build();
        GenerateAuthTokenRequest request =
                GenerateAuthTokenRequest.builder().hostname(dsql.host()).build();
        dsql.dataSource("admin")
                .getConnection("admin", utilities.generateDbConnectAdminAuthToken(request))
                .close();
        SQLException denied = assertThrows(
                SQLException.class,
                () -> dsql.dataSource("admin").getConnection("admin", utilities.generateDbConnectAuthToken(request)));
        assertEquals("08006", denied.getSQLState());
    }

    // ---- helpers

    private Ended pgbench(String mode, String script) throws Exception {
        Program.assumeInstalled("pgbench");
        Path file = Files.writeString(directory.resolve("script.sql"), script);
        List<String> command = new ArrayList<>(List.of("pgbench", "-n", "-M", mode, "-f", file.toString()));
        command.addAll(List.of("-c", Integer.toString(BENCH_CLIENTS), "-j", "2"));
        command.addAll(List.of("-t", Integer.toString(BENCH_TRANSACTIONS)));
        command.add("host=" + dsql.host() + " port=" + dsql.port() + " user=admin dbname=" + LocalDsql.DATABASE
                + " sslmode=verify-full sslrootcert=" + dsql.caFile());
        return Program.run(Map.of("PGPASSWORD", dsql.token("admin", Duration.ofMinutes(5))), directory, "", command);
    }

    private static void assertProcessed(String report) {
        int all = BENCH_CLIENTS * BENCH_TRANSACTIONS;
        assertTrue(report.contains("actually processed: " + all + "/" + all), report);
    }

    private static String balances() throws SQLException {
        try (Connection connection = dsql.dataSource("admin").getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT sum(balance) FROM accounts")) {
            result.next();
            return result.getString(1);
        }
    }

    private static StaticCredentialsProvider credentials() {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create(
                dsql.accessKey().id(), dsql.accessKey().secret()));
    }

    private static Connection connector(String region) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "admin");
        properties.setProperty("region", region);
        properties.setProperty("sslmode", "verify-full");
        properties.setProperty("sslrootcert", dsql.caFile().toString());
        return new DSQLConnector()
                .connect(
                        "jdbc:aws-dsql:postgresql://" + dsql.host() + ":" + dsql.port() + "/" + LocalDsql.DATABASE,
                        properties);
    }

    private static Path resource(String name) throws URISyntaxException {
        return Path.of(ClientsIT.class.getResource(name).toURI());
    }
}
