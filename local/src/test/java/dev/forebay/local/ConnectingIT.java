// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.forebay.local.Program.Ended;
import dev.forebay.local.iam.TokenMaker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;

/** The start-up of psql and pgjdbc: settings, the cluster they mean, the server's name, and who they are. */
@Timeout(180)
class ConnectingIT {

    private static final Duration TOKEN = Duration.ofMinutes(5);
    private static final String CLUSTER = "abcdefghijklmnopqrstuvwxyz";
    private static final String DENIED = "unable to accept connection, access denied";

    private static LocalDsql dsql;

    /** Insists on being named. */
    private static LocalDsql named;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
        named = LocalDsql.builder().requireServerName().start();
        try (Connection connection = dsql.dataSource("admin").getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE reader WITH LOGIN");
            statement.execute("AWS IAM GRANT reader TO '" + dsql.identity() + "'");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        dsql.close();
        named.close();
    }

    // ---- settings

    @ParameterizedTest
    @CsvSource({
        "PGTZ, Europe/Berlin, TimeZone, Europe/Berlin",
        "PGDATESTYLE, German, DateStyle, 'German, DMY'",
        "PGAPPNAME, my program, application_name, my program",
        "PGOPTIONS, -c search_path=sys -c enable_seqscan=off, enable_seqscan, off",
        "PGOPTIONS, -c intervalstyle=iso_8601, IntervalStyle, iso_8601"
    })
    void whatPsqlSetsIsInForce(String variable, String value, String setting, String shown) throws Exception {
        assertEquals(
                shown,
                psql(dsql, Map.of(variable, value), "", "SHOW " + setting).ok());
    }

    @Test
    void psqlIsToldWhatCannotBeSet() throws Exception {
        psql(dsql, Map.of("PGOPTIONS", "-c statement_timeout=5s"), "", "SELECT 1")
                .failed(2, "FATAL:  setting configuration parameter \"statement_timeout\" not supported");
    }

    @Test
    void pgjdbcHasTheTimeZoneOfItsMachine() throws SQLException {
        TimeZone before = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
        try (Connection connection = pgjdbc(dsql, "admin", dsql.token("admin", TOKEN), "")) {
            assertEquals("Asia/Tokyo", value(connection, "SHOW TimeZone"));
        } finally {
            TimeZone.setDefault(before);
        }
    }

    @Test
    void pgjdbcIsToldWhatCannotBeSet() throws SQLException {
        String token = dsql.token("admin", TOKEN);
        try (Connection connection = pgjdbc(dsql, "admin", token, "-c search_path=sys")) {
            assertEquals("sys", value(connection, "SHOW search_path"));
        }
        PSQLException refused = assertThrows(
                PSQLException.class,
                () -> pgjdbc(dsql, "admin", token, "-c default_transaction_isolation=serializable"));
        assertEquals("0A000", refused.getSQLState());
        assertEquals("FATAL", refused.getServerErrorMessage().getSeverity());
    }

    @Test
    void thereIsOneDatabase() throws Exception {
        psql(dsql, Map.of(), "dbname=orders", "SELECT 1").failed(2, "FATAL:  database \"orders\" does not exist");
    }

    // ---- the name of the server

    @Test
    void psqlNamesTheServerUnlessToldNotTo() throws Exception {
        assertEquals("1", psql(named, Map.of(), "", "SELECT 1").ok());
        psql(named, Map.of(), "sslsni=0", "SELECT 1").failed(2, "unable to accept connection, sni was not received");
    }

    /** Java names no server that has no dot in its name. */
    @Test
    void pgjdbcDoesNotNameLocalhost() {
        PSQLException refused =
                assertThrows(PSQLException.class, () -> pgjdbc(named, "admin", named.token("admin", TOKEN), ""));
        assertEquals(
                "unable to accept connection, sni was not received",
                refused.getServerErrorMessage().getMessage());
    }

    // ---- the cluster

    @Test
    void psqlMayNameTheClusterThatItsTokenIsFor() throws Exception {
        String token = clusterToken("admin");
        Map<String, String> option = Map.of("PGPASSWORD", token, "PGOPTIONS", "-c amzn-cluster-id=" + CLUSTER);
        assertEquals("1", psql(dsql, option, "", "SELECT 1").ok());
        psql(dsql, Map.of("PGPASSWORD", token), "", "SELECT 1").failed(2, DENIED);
        psql(dsql, Map.of("PGPASSWORD", token, "PGOPTIONS", "-c amzn-cluster-id=other"), "", "SELECT 1")
                .failed(2, DENIED);
    }

    @Test
    void pgjdbcMayNameTheClusterThatItsTokenIsFor() throws SQLException {
        String token = clusterToken("reader");
        try (Connection connection = pgjdbc(dsql, "reader", token, "-c amzn-cluster-id=" + CLUSTER)) {
            assertEquals("reader", value(connection, "SELECT current_user"));
        }
        PSQLException denied = assertThrows(PSQLException.class, () -> pgjdbc(dsql, "reader", token, ""));
        assertEquals(DENIED, denied.getServerErrorMessage().getMessage());
    }

    // ---- who it is

    @Test
    void psqlConnectsAsARoleThatItMade() throws Exception {
        assertEquals(
                "CREATE ROLE",
                psql(dsql, Map.of(), "", "CREATE ROLE writer WITH LOGIN").ok());
        Map<String, String> writer = Map.of("PGPASSWORD", dsql.token("writer", TOKEN));
        psql(dsql, writer, "user=writer", "SELECT 1").failed(2, DENIED);
        assertEquals(
                "AWS IAM GRANT",
                psql(dsql, Map.of(), "", "AWS IAM GRANT writer TO '" + dsql.identity() + "'")
                        .ok());
        assertEquals(
                "writer",
                psql(dsql, writer, "user=writer", "SELECT current_user").ok());
    }

    @Test
    void aTokenForAdministratorsIsNotForARole() throws Exception {
        String token = dsql.token("admin", TOKEN);
        String hint = "Wrong user to action mapping. user: reader, action: DbConnectAdmin";
        psql(dsql, Map.of("PGPASSWORD", token), "user=reader", "SELECT 1").failed(2, DENIED, hint);
        PSQLException denied = assertThrows(PSQLException.class, () -> pgjdbc(dsql, "reader", token, ""));
        assertEquals("08006", denied.getSQLState());
        assertEquals(hint, denied.getServerErrorMessage().getHint());
    }

    @Test
    void aTokenForRolesIsNotForTheAdministrator() {
        PSQLException denied =
                assertThrows(PSQLException.class, () -> pgjdbc(dsql, "admin", dsql.token("reader", TOKEN), ""));
        assertEquals(
                "Wrong user to action mapping. user: admin, action: DbConnect",
                denied.getServerErrorMessage().getHint());
    }

    // ---- helpers

    /** Signed for the cluster by its name in the cloud. */
    private static String clusterToken(String user) {
        return new TokenMaker(CLUSTER + ".dsql." + dsql.region() + ".on.aws", dsql.region(), dsql.accessKey())
                .token(user, TOKEN, Instant.now());
    }

    /** What comes later in {@code more} goes before what the test connects with. */
    private Ended psql(LocalDsql server, Map<String, String> environment, String more, String sql) throws Exception {
        Program.assumeInstalled("psql");
        Map<String, String> all = new HashMap<>(Map.of("PGPASSWORD", server.token("admin", TOKEN)));
        all.putAll(environment);
        String target = "host=" + server.host() + " port=" + server.port() + " user=admin dbname=" + LocalDsql.DATABASE
                + " sslmode=verify-full sslrootcert=" + server.caFile() + " " + more;
        return Program.run(all, directory, "", List.of("psql", "-X", "-A", "-t", "-d", target, "-c", sql));
    }

    private static Connection pgjdbc(LocalDsql server, String user, String token, String options) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", token);
        if (!options.isEmpty()) {
            properties.setProperty("options", options);
        }
        return DriverManager.getConnection(server.jdbcUrl(), properties);
    }

    private static String value(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }
}
