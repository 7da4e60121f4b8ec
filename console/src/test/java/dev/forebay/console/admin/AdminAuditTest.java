// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every statement leaves one line, and no line holds a secret. */
@Timeout(60)
final class AdminAuditTest {

    private TestPort port;

    @BeforeEach
    void start() throws Exception {
        port = new TestPort();
    }

    @AfterEach
    void stop() {
        port.close();
    }

    private void say(String mode, String sql) throws SQLException {
        try (Connection connection = port.connect("preferQueryMode", mode);
                Statement statement = connection.createStatement()) {
            port.audit.clear();
            try {
                statement.execute(sql);
            } catch (SQLException e) {
                assertFalse(port.audit.isEmpty(), e.toString());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended"})
    void aStatementLeavesOneLineWithItsOutcome(String mode) throws Exception {
        say(mode, "SELECT /* why */ server_name FROM sys.foreign_servers WHERE server_name = 'x'");
        assertEquals(
                List.of(new TestPort.Line(
                        "admin", "SELECT server_name FROM sys.foreign_servers WHERE server_name = '***'", "00000")),
                port.audit);

        say(mode, "SELECT * FROM nope");
        assertEquals(List.of(new TestPort.Line("admin", "SELECT * FROM nope", "42P01")), port.audit);

        say(mode, "CALL sys.warmup_pool('legacy_pg', 2)");
        assertEquals(List.of(new TestPort.Line("admin", "CALL sys.warmup_pool(legacy_pg, 2)", "00000")), port.audit);

        say(mode, "CREATE SERVER x FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (host 'h', password 'hunter2')");
        assertEquals(
                List.of(new TestPort.Line(
                        "admin",
                        "CREATE SERVER x FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (host 'h', password '***')",
                        "00000")),
                port.audit);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE USER MAPPING FOR PUBLIC SERVER x OPTIONS (user 'u', password 'hunter2')",
                "ALTER USER MAPPING FOR PUBLIC SERVER x OPTIONS (SET password 'hunter2')",
                "CREATE USER MAPPING FOR PUBLIC SERVER x OPTIONS (user 'u', password 'hunter2'",
                "CREATE USER MAPPING FOR PUBLIC SERVER x OPTIONS (user 'u', password hunter2)",
                "CREATE USER MAPPING FOR PUBLIC SERVER x OPTIONS (user 'u', password \"hunter2\")",
                "CREATE USER MAPPING FOR PUBLIC SERVER x OPTIONS (password $$hunter2$$)",
                "CREATE USER MAPPING FOR PUBLIC SERVER x OPTIONS (password E'hunter2')",
                "CREATE USER MAPPING FOR PUBLIC SERVER x OPTION (password hunter2)",
                "CREATE USER MAPING FOR PUBLIC SERVER x OPTIONS (password hunter2)",
                "CREAT USER MAPPING FOR PUBLIC SERVER x OPTIONS (password hunter2)",
                "-- hunter2\nSELECT 1",
                "SELECT 1 /* hunter2 */",
                "SELECT $$hunter2$$",
                "SELECT $x$hunter2$x$",
                "SELECT 'hunter2', E'hunter2', \"x\" || 'hunter2'",
                "ALTER ROLE admin PASSWORD hunter2",
                "SET password = hunter2",
                "CALL sys.no_such('hunter2')",
                "PASSWORD hunter2",
                "hunter2",
                "(hunter2"
            })
    void noLineHoldsASecret(String sql) throws Exception {
        for (String mode : List.of("simple", "extended")) {
            say(mode, sql);
            assertEquals(1, port.audit.size(), port.audit.toString());
            if (!sql.equals("hunter2")) { // a statement of one word is its name
                assertFalse(port.audit.toString().contains("hunter2"), port.audit.toString());
            }
        }
    }

    @Test
    void aTextThatCannotBeReadShowsHowItBegins() {
        assertEquals(
                "CREATE ***", AuditText.unread("CREATE USER MAPPING FOR PUBLIC SERVER x OPTIONS (password 'hunter2)"));
        assertEquals("ALTER ***", AuditText.unread("ALTER SERVER s OPTIONS (SET password 'hunter2"));
        assertEquals(" ***", AuditText.unread("'hunter2"));
        assertEquals("SELECT ***", AuditText.unread("SELECT 'hunter2"));
    }

    @Test
    void parametersAreNotWrittenDown() throws Exception {
        try (Connection connection = port.connect();
                PreparedStatement question = connection.prepareStatement("SELECT ?::text");
                PreparedStatement call = connection.prepareStatement("CALL sys.test_connection(?)")) {
            question.setString(1, TestPort.SECRET);
            question.execute();
            call.setString(1, TestPort.SECRET);
            call.execute();
        }
        assertTrue(port.audit.stream().anyMatch(line -> line.statement().startsWith("CALL")), port.audit.toString());
        assertFalse(port.audit.toString().contains(TestPort.SECRET), port.audit.toString());
    }

    @Test
    void noAnswerHoldsASecret() throws Exception {
        try (Connection connection = port.connect()) {
            for (String view :
                    List.of("foreign_servers", "user_mappings", "remote_pool_stats", "remote_server_status")) {
                assertFalse(AdminPortJdbcTest.rows(connection, "SELECT * FROM sys." + view)
                        .toString()
                        .contains(TestPort.SECRET));
            }
            for (String table : List.of("pg_foreign_server", "pg_user_mappings", "pg_settings", "pg_roles")) {
                assertFalse(AdminPortJdbcTest.rows(connection, "SELECT * FROM pg_catalog." + table)
                        .toString()
                        .contains(TestPort.SECRET));
            }
        }
    }

    /** Finding C8: only logins that failed left a line. */
    @Test
    void aLoginLeavesALine() throws Exception {
        port.connect().close();
        assertEquals(new TestPort.Line("admin", "login", "00000"), port.audit.get(0));
    }
}
