// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.Postgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pool behind a URL, as the driver manager gives it, on a real server. */
class ForebayDriverIT {

    private final Postgres server = Postgres.shared();

    @AfterEach
    void close() {
        ForebayDriver.closeAll();
    }

    private String url(String parameters) {
        String url = server.url();
        return url.replaceFirst("^jdbc:", "jdbc:forebay:") + (url.contains("?") ? "&" : "?") + parameters;
    }

    private static int backend(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static int backend(String url, Properties properties) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, properties)) {
            return backend(connection);
        }
    }

    @Test
    void whoAsksAgainGetsAConnectionOfTheSamePool() throws SQLException {
        String url = url("forebay.mode=on-demand&ApplicationName=tool&forebay.max-open=1");
        int first = backend(url, new Properties());
        assertEquals(first, backend(url, new Properties()));

        ForebayDriver.closeAll();
        assertNotEquals(first, backend(url, new Properties()));
    }

    @Test
    void anUnpooledUrlOpensNewConnectionsWithinTheRateLimit() throws SQLException {
        int burst = 5;
        String url = url("forebay.connection-rate-limit=1&forebay.connection-burst-limit=" + burst
                        + "&forebay.connection-timeout=200ms")
                .replace("jdbc:forebay:", "jdbc:forebay:unpooled:");
        long began = System.nanoTime();
        Set<Integer> backends = new HashSet<>();
        while (backends.size() < 4 * burst) {
            try {
                assertTrue(backends.add(backend(url, new Properties())), "a connection was used twice");
            } catch (SQLTransientConnectionException e) {
                break;
            }
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        assertTrue(!backends.isEmpty() && backends.size() <= burst + seconds, () -> backends + " in " + seconds + " s");
    }

    @Test
    void settingsAreThePoolsAndTheRestIsTheOtherDrivers() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("forebay.max-open", "1");
        properties.setProperty("ApplicationName", "from properties");
        String url = url("forebay.mode=on-demand&forebay.on-demand.exhaustion=fail-fast");
        try (Connection connection = DriverManager.getConnection(url, properties);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW application_name")) {
            row.next();
            assertEquals("from properties", row.getString(1));
            assertTrue(connection.isWrapperFor(org.postgresql.PGConnection.class));
            SQLException full = assertThrows(SQLException.class, () -> DriverManager.getConnection(url, properties));
            assertTrue(full.getMessage().contains("1 of 1"), full.getMessage());
        }
    }

    @Test
    void otherPropertiesMeanAnotherPool() throws SQLException {
        String url = url("forebay.mode=on-demand&forebay.max-open=1");
        Properties other = new Properties();
        other.setProperty("ApplicationName", "another");
        try (Connection one = DriverManager.getConnection(url);
                Connection two = DriverManager.getConnection(url, other)) {
            assertNotEquals(backend(one), backend(two));
        }
    }

    /** As with tokens, of which each is a new password. */
    @Test
    void anotherPasswordIsNotAnotherPool() throws SQLException {
        String url = url("forebay.mode=on-demand&forebay.max-open=1");
        Properties first = new Properties();
        first.setProperty("password", "first");
        Properties second = new Properties();
        second.setProperty("password", "second");
        assertEquals(backend(url, first), backend(url, second));
    }

    @Test
    void aQuestionMarkInAValueStays() throws SQLException {
        String url = url("forebay.mode=on-demand&ApplicationName=why?&forebay.max-open=1");
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW application_name")) {
            row.next();
            assertEquals("why?", row.getString(1));
        }
    }

    @Test
    void aWrongSettingIsToldWithItsNameAndNoSecret() {
        Properties properties = new Properties();
        properties.setProperty("password", "hunter2");
        SQLException wrong = assertThrows(
                SQLException.class, () -> DriverManager.getConnection(url("forebay.max-opn=1"), properties));
        assertTrue(wrong.getMessage().contains("forebay.max-open"), wrong.getMessage());
        SQLException nobody = assertThrows(
                SQLException.class,
                () -> DriverManager.getConnection(
                        "jdbc:forebay:postgresql://localhost:1/x?forebay.mode=on-demand&forebay.connection-timeout=200ms",
                        properties));
        assertFalse(nobody.toString().contains("hunter2"), nobody.toString());
    }

    @Test
    void urlsOfOthersAreLeftToThem() throws SQLException {
        ForebayDriver driver = new ForebayDriver();
        assertFalse(driver.acceptsURL("jdbc:postgresql://localhost/x"));
        assertFalse(driver.acceptsURL(null));
        assertEquals(null, driver.connect("jdbc:postgresql://localhost/x", new Properties()));
        assertEquals(Knobs.ALL.size(), driver.getPropertyInfo("jdbc:forebay:x", null).length);
    }
}
