// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.model.ClusterSettings;
import dev.forebay.model.Fault;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;

/** Faults on demand, and the rules for connections, as pgjdbc meets them. */
@Timeout(60)
class FaultsIT {

    private static LocalDsql dsql;
    private static DataSource source;

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
        source = dsql.dataSource("admin");
        try (Connection connection = source.getConnection()) {
            execute(connection, "CREATE TABLE t (id int PRIMARY KEY)");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        dsql.close();
    }

    @BeforeEach
    void anEmptyTable() throws SQLException {
        try (Connection connection = source.getConnection()) {
            execute(connection, "DELETE FROM t");
        }
    }

    @AfterEach
    void asBefore() {
        inject("clear");
        dsql.reconfigure(ClusterSettings.dsql());
    }

    // ---- faults

    @Test
    void aDroppedConnectionIsLost() throws SQLException {
        try (Connection connection = source.getConnection()) {
            execute(connection, "SELECT 1");
            inject("drop 100%");
            assertEquals("08006", stateOf(() -> execute(connection, "SELECT 1")));
        }
    }

    @Test
    void aFractionOfTheConnectionsIsDropped() throws SQLException {
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            connections.add(source.getConnection());
        }
        int before = dsql.counts().open();
        inject("drop 50%");
        int alive = 0;
        for (Connection connection : connections) {
            alive += connection.isValid(10) ? 1 : 0;
            connection.close();
        }
        assertTrue(alive > 0 && alive < 10, alive + " of 10 alive, of " + before + " open");
    }

    @ParameterizedTest
    @CsvSource({
        "OC000, 40001, change conflicts with another transaction (OC000), 0",
        "OC001, 40001, schema has been updated by another transaction (OC001), 0",
        "XX000 applied, XX000, server unavailable, 1",
        "XX000 not applied, XX000, server unavailable, 0"
    })
    void theNextCommitFails(String how, String sqlState, String message, String rows) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            inject("fail commits 1 " + how);
            execute(connection, "INSERT INTO t VALUES (1)");
            PSQLException failed = assertThrows(PSQLException.class, connection::commit);
            assertEquals(sqlState, failed.getSQLState());
            assertEquals(message, failed.getServerErrorMessage().getMessage());
            assertEquals(rows, value(connection, "SELECT count(*) FROM t"));
            connection.rollback();
            execute(connection, "INSERT INTO t VALUES (2)");
            connection.commit();
        }
    }

    @ParameterizedTest
    @CsvSource({"OC000, 40001, 0", "XX000 applied, XX000, 1", "XX000 not applied, XX000, 0"})
    void aStatementOnItsOwnFailsAsItsCommitDoes(String how, String sqlState, String rows) throws SQLException {
        try (Connection connection = source.getConnection()) {
            inject("fail commits 1 " + how);
            assertEquals(sqlState, stateOf(() -> execute(connection, "INSERT INTO t VALUES (1)")));
            assertEquals(rows, value(connection, "SELECT count(*) FROM t"));
        }
    }

    @Test
    void aStatementWhoseCommitFailsIsNotCalledDoneFirst() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            inject("fail commits 1 OC000");
            List<RawClient.Answer> answers = client.simple("INSERT INTO t VALUES (1)");
            assertEquals(
                    List.of("40001"),
                    answers.stream().map(RawClient.Answer::sqlState).toList());
            assertEquals(
                    "INSERT 0 1",
                    client.simple("INSERT INTO t VALUES (1)").get(0).tag());
        }
    }

    @Test
    void asManyCommitsFailAsWereAskedFor() throws SQLException {
        try (Connection connection = source.getConnection()) {
            inject("fail commits 2 OC000");
            assertEquals("40001", stateOf(() -> execute(connection, "INSERT INTO t VALUES (1)")));
            assertEquals("40001", stateOf(() -> execute(connection, "INSERT INTO t VALUES (1)")));
            execute(connection, "INSERT INTO t VALUES (1)");
        }
    }

    @Test
    void expiredTokensAreDeniedWithAHint() throws SQLException {
        String token = dsql.token("admin", Duration.ofMinutes(10));
        source.getConnection("admin", token).close();
        inject("expire tokens");
        PSQLException denied = assertThrows(PSQLException.class, () -> source.getConnection("admin", token));
        assertEquals("08006", denied.getSQLState());
        assertEquals(
                "unable to accept connection, access denied",
                denied.getServerErrorMessage().getMessage());
        String hint = denied.getServerErrorMessage().getHint();
        assertTrue(hint.startsWith("Signature expired: "), hint);
        awaitConnect(); // a token tells only the second in which it was made
    }

    @Test
    void aClusterThatWakesUpSaysSo() throws SQLException {
        inject("waking up 1h");
        PSQLException refused = assertThrows(PSQLException.class, source::getConnection);
        assertEquals(
                "unable to accept connection, waking up cluster, please retry later",
                refused.getServerErrorMessage().getMessage());
        inject("waking up 0s");
        source.getConnection().close();
    }

    @Test
    void connectsAreRefusedForAWhileAndOpenSessionsGoOn() throws SQLException {
        try (Connection connection = source.getConnection()) {
            inject("refuse connects 1h");
            PSQLException refused = assertThrows(PSQLException.class, source::getConnection);
            assertEquals(
                    "unable to accept connection, server unavailable",
                    refused.getServerErrorMessage().getMessage());
            assertEquals("1", value(connection, "SELECT 1"));
            inject("refuse connects 300ms");
            awaitConnect();
        }
    }

    @Test
    void aFrozenClusterAnswersLater() throws SQLException {
        try (Connection connection = source.getConnection()) {
            execute(connection, "SELECT 1");
            long begun = System.nanoTime();
            inject("freeze 400ms");
            execute(connection, "SELECT 1");
            assertTookAtLeast(400, begun);
        }
    }

    @Test
    void statementsAreDelayed() throws SQLException {
        try (Connection connection = source.getConnection()) {
            execute(connection, "SELECT 1");
            inject("delay statements 200ms");
            long begun = System.nanoTime();
            execute(connection, "SELECT 1");
            assertTookAtLeast(200, begun);
        }
    }

    @Test
    void connectsAreDelayed() throws SQLException {
        inject("delay connects 300ms");
        long begun = System.nanoTime();
        source.getConnection().close();
        assertTookAtLeast(300, begun);
    }

    // ---- the rules for connections

    @Test
    void connectsBeyondTheRateAreRefusedUntilTheNumbersChange() throws SQLException {
        dsql.reconfigure(dsql.settings().with("rate 0.001").with("burst 2"));
        source.getConnection().close();
        source.getConnection().close();
        PSQLException refused = assertThrows(PSQLException.class, source::getConnection);
        assertEquals("53400", refused.getSQLState());
        assertEquals(
                "Unable to accept connection, rate exceeded.",
                refused.getServerErrorMessage().getMessage());
        dsql.reconfigure(dsql.settings().with("rate 1000"));
        awaitConnect();
    }

    @Test
    void connectionsBeyondTheCapAreRefusedUntilOneIsClosed() throws SQLException {
        awaitNoSessions();
        dsql.reconfigure(dsql.settings().with("sessions 2"));
        try (Connection one = source.getConnection()) {
            Connection two = source.getConnection();
            PSQLException refused = assertThrows(PSQLException.class, source::getConnection);
            assertEquals("53300", refused.getSQLState());
            assertEquals(
                    "Unable to accept connection, too many open connections.",
                    refused.getServerErrorMessage().getMessage());
            two.close();
            awaitConnect();
            assertEquals("1", value(one, "SELECT 1"));
        }
    }

    @Test
    void anIdleSessionIsClosedWithoutAWordAtTheEndOfItsLifetime() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.simple("SELECT 1");
            dsql.reconfigure(dsql.settings().with("lifetime 500ms"));
            assertTrue(client.isLeftSilently());
        }
    }

    @Test
    void aTransactionMayFinishAfterTheLifetimeAndThenTheSessionIsClosed() throws Exception {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            execute(connection, "INSERT INTO t VALUES (1)");
            try (RawClient younger = new RawClient(dsql, "admin")) {
                dsql.reconfigure(dsql.settings().with("lifetime 1s").with("grace 1m"));
                assertTrue(younger.isLeftSilently());
            }
            execute(connection, "INSERT INTO t VALUES (2)");
            connection.commit();
            assertEquals("08006", stateOf(() -> execute(connection, "SELECT 1")));
        }
        dsql.reconfigure(ClusterSettings.dsql());
        try (Connection connection = source.getConnection()) {
            assertEquals("2", value(connection, "SELECT count(*) FROM t"));
        }
    }

    @Test
    void aTransactionIsCutOffAtTheEndOfItsGrace() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.simple("BEGIN");
            client.simple("INSERT INTO t VALUES (1)");
            dsql.reconfigure(dsql.settings().with("lifetime 300ms").with("grace 300ms"));
            assertTrue(client.isLeftSilently());
        }
        dsql.reconfigure(ClusterSettings.dsql());
        try (Connection connection = source.getConnection()) {
            assertEquals("0", value(connection, "SELECT count(*) FROM t"));
        }
    }

    // ---- helpers

    private interface Action {
        void run() throws SQLException;
    }

    private static void inject(String fault) {
        dsql.inject(Fault.parse(fault));
    }

    private static String stateOf(Action action) {
        return assertThrows(SQLException.class, action::run).getSQLState();
    }

    private static void assertTookAtLeast(long millis, long begun) {
        long took = (System.nanoTime() - begun) / 1_000_000;
        assertTrue(took >= millis, () -> "took " + took + " ms only");
    }

    /** Tries until it is let in; the test's own limit ends the attempts. */
    private static void awaitConnect() {
        while (true) {
            try {
                source.getConnection().close();
                return;
            } catch (SQLException e) {
                Thread.onSpinWait();
            }
        }
    }

    /** A client is gone a little before the server knows. */
    private static void awaitNoSessions() {
        while (dsql.counts().open() > 0) {
            Thread.onSpinWait();
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String value(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertTrue(result.next());
            return result.getString(1);
        }
    }
}
