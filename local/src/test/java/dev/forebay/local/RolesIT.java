// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** The right to connect as a role: AWS IAM GRANT and REVOKE. */
@Timeout(120)
class RolesIT {

    private static LocalDsql dsql;

    private final String role = "r" + UUID.randomUUID().toString().replace("-", "");

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
    }

    @AfterAll
    static void stop() throws Exception {
        dsql.close();
    }

    @BeforeEach
    void aRole() throws SQLException {
        asAdmin("CREATE ROLE " + role + " WITH LOGIN");
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended"})
    void aRoleMayBeConnectedAsWhileItIsGrantedToTheIdentityOfTheToken(String mode) throws SQLException {
        assertDenied(role);
        asAdmin(mode, "AWS IAM GRANT " + role + " TO '" + dsql.identity() + "'");
        try (Connection connection = dsql.dataSource(role).getConnection()) {
            assertEquals(role, value(connection, "SELECT current_user"));
            asAdmin(mode, "AWS IAM REVOKE " + role + " FROM '" + dsql.identity() + "'");
            assertDenied(role);
            assertEquals(role, value(connection, "SELECT session_user"), "who is in stays");
        }
    }

    @Test
    void aGrantToAnotherIdentityDoesNotCount() throws SQLException {
        asAdmin("AWS IAM GRANT " + role + " TO 'arn:aws:iam::123456789012:role/another'");
        assertDenied(role);
    }

    @Test
    void aGrantThatIsRolledBackDoesNotCount() throws SQLException {
        try (Connection connection = dsql.dataSource("admin").getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("AWS IAM GRANT " + role + " TO '" + dsql.identity() + "'");
            SQLException second = assertThrows(
                    SQLException.class,
                    () -> statement.execute("AWS IAM GRANT " + role + " TO 'arn:aws:iam::123456789012:role/b'"));
            assertTrue(second.getMessage().contains("multiple ddl statements"), second.getMessage());
            connection.rollback();
        }
        assertDenied(role);
    }

    @Test
    void whoIsGrantedWhatIsListed() throws SQLException {
        asAdmin("AWS IAM GRANT " + role + " TO 'arn:aws:iam::123456789012:role/o''neil'");
        try (Connection connection = dsql.dataSource("admin").getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT * FROM sys.iam_pg_role_mappings WHERE pg_role_name = ?")) {
            statement.setString(1, role);
            try (ResultSet result = statement.executeQuery()) {
                assertTrue(result.next());
                assertEquals("arn:aws:iam::123456789012:role/o'neil", result.getString("arn"));
                assertEquals("admin", result.getString("grantor_pg_role_name"));
                assertEquals(6, result.getMetaData().getColumnCount());
            }
        }
    }

    @Test
    void aRoleThatIsGrantedCannotBeDropped() throws SQLException {
        String grant = " " + role + " TO '" + dsql.identity() + "'";
        asAdmin("AWS IAM GRANT" + grant);
        SQLException refused = assertThrows(SQLException.class, () -> asAdmin("DROP ROLE " + role));
        assertEquals("2BP01", refused.getSQLState());
        asAdmin("AWS IAM REVOKE" + grant.replace(" TO ", " FROM "));
        asAdmin("DROP ROLE " + role);
        assertDenied(role);
    }

    @Test
    void onlyAnAdministratorGrantsAndOnlyRolesThatThereAre() throws SQLException {
        SQLException unknown = assertThrows(
                SQLException.class, () -> asAdmin("AWS IAM GRANT nobody_at_all TO '" + dsql.identity() + "'"));
        assertEquals("42704", unknown.getSQLState());
        SQLException wrong = assertThrows(SQLException.class, () -> asAdmin("AWS IAM GRANT " + role));
        assertEquals("42601", wrong.getSQLState());
        asAdmin("AWS IAM GRANT " + role + " TO '" + dsql.identity() + "'");
        try (Connection connection = dsql.dataSource(role).getConnection();
                Statement statement = connection.createStatement()) {
            SQLException denied = assertThrows(
                    SQLException.class,
                    () -> statement.execute("AWS IAM GRANT " + role + " TO 'arn:aws:iam::123456789012:role/b'"));
            assertEquals("42501", denied.getSQLState());
        }
    }

    @Test
    void aRoleThatThereIsNotIsRefusedAtOnce() {
        assertDenied("nobody_at_all");
    }

    @Test
    void aRoleThatMayNotLogInIsRefused() throws SQLException {
        asAdmin("CREATE ROLE " + role + "x");
        asAdmin("AWS IAM GRANT " + role + "x TO '" + dsql.identity() + "'");
        assertDenied(role + "x");
    }

    @Test
    void whereAnyPasswordIsAcceptedRolesNeedNoGrantButMustExist() throws Exception {
        try (LocalDsql open = LocalDsql.builder().acceptAnyPassword().start()) {
            try (Connection connection = open.dataSource("admin").getConnection("admin", "x");
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE ROLE reader WITH LOGIN");
            }
            open.dataSource("reader").getConnection("reader", "x").close();
            assertDenied(assertThrows(
                    PSQLException.class, () -> open.dataSource("writer").getConnection("writer", "x")));
        }
    }

    /** Behind every session there was once one of a superuser's. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "RESET SESSION AUTHORIZATION",
                "SELECT set_config('session_' || 'authorization', 'pg_system', false)",
                "SET SESSION AUTHORIZATION pg_system",
                "SET ROLE pg_system"
            })
    void nobodyBecomesASuperuser(String way) throws SQLException {
        try (Connection connection = dsql.dataSource("admin").getConnection();
                Statement statement = connection.createStatement()) {
            try {
                statement.execute(way);
            } catch (SQLException e) {
                assertTrue(e.getSQLState().equals("42501") || e.getSQLState().equals("0A000"), e::toString);
            }
            assertEquals("admin", value(connection, "SELECT session_user"));
            assertEquals("admin", value(connection, "SELECT current_user"));
        }
    }

    @Test
    void aPasswordInTheDatabaseMakesNoDifference() throws SQLException {
        asAdmin("AWS IAM GRANT " + role + " TO '" + dsql.identity() + "'");
        asAdmin("ALTER ROLE " + role + " PASSWORD 'something else'");
        try (Connection connection = dsql.dataSource(role).getConnection()) {
            assertEquals(role, value(connection, "SELECT session_user"));
        }
    }

    @Test
    void whatARoleHasSetForItselfChangesNoRule() throws SQLException {
        asAdmin("AWS IAM GRANT " + role + " TO '" + dsql.identity() + "'");
        asAdmin("ALTER ROLE " + role + " SET lock_timeout = 0");
        asAdmin("ALTER ROLE " + role + " SET default_transaction_isolation = 'serializable'");
        try (Connection connection = dsql.dataSource(role).getConnection()) {
            assertEquals("5ms", value(connection, "SHOW lock_timeout"));
            assertEquals("repeatable read", value(connection, "SHOW transaction_isolation"));
        }
    }

    /** With a password that we do not know, no client could connect as admin again. */
    @Test
    void theAdminStaysAsItIs() throws SQLException {
        SQLException refused =
                assertThrows(SQLException.class, () -> asAdmin("ALTER ROLE admin PASSWORD 'something else'"));
        assertEquals("0A000", refused.getSQLState());
        asAdmin("SELECT 1");
    }

    // ---- helpers

    private static void assertDenied(String role) {
        assertDenied(assertThrows(
                PSQLException.class, () -> dsql.dataSource(role).getConnection().close()));
    }

    private static void assertDenied(PSQLException denied) {
        ServerErrorMessage error = denied.getServerErrorMessage();
        assertEquals("FATAL", error.getSeverity());
        assertEquals("28000", error.getSQLState());
        assertEquals("unable to accept connection, access denied", error.getMessage());
    }

    private static void asAdmin(String sql) throws SQLException {
        asAdmin("extended", sql);
    }

    private static void asAdmin(String mode, String sql) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "admin");
        properties.setProperty("password", dsql.token("admin", Duration.ofMinutes(5)));
        properties.setProperty("preferQueryMode", mode);
        try (Connection connection = DriverManager.getConnection(dsql.jdbcUrl(), properties);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String value(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }
}
