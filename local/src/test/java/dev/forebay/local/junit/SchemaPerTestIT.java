// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.LocalDsql;
import dev.forebay.model.Fault;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/** The extension as its users see it; the order of the tests shows what one leaves to the next. */
@WithLocalDsql
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SchemaPerTestIT {

    private static LocalDsql known;
    private static Connection left;
    private static String leftSchema;

    private LocalDsql server;
    private DataSource source;

    @BeforeAll
    static void theServerIsThereFirst(LocalDsql server) {
        known = server;
    }

    @BeforeEach
    void aTableInTheSchemaOfTheTest(DataSource dataSource) throws SQLException {
        execute(dataSource, "CREATE TABLE mine (id int PRIMARY KEY)");
    }

    @Test
    @Order(1)
    void parametersAndFieldsAreOfTheSameSchemaAndServer(DataSource parameter, LocalDsql asParameter)
            throws SQLException {
        assertSame(server, asParameter);
        assertSame(known, server);
        assertSame(source, parameter);
        execute(parameter, "INSERT INTO mine VALUES (1)");
        assertEquals("1", query(source, "SELECT count(*) FROM mine"));
        assertEquals("admin", query(source, "SELECT current_user"));
    }

    @Test
    @Order(2)
    void theNextTestHasAnEmptySchema() throws SQLException {
        assertEquals("0", query(source, "SELECT count(*) FROM mine"));
    }

    @Test
    @Order(3)
    void aTestMayLeaveATransactionAndFaultsBehind() throws SQLException {
        leftSchema = query(source, "SELECT current_schema");
        left = source.getConnection();
        left.setAutoCommit(false);
        left.createStatement().execute("INSERT INTO mine VALUES (1)");
        server.inject(Fault.parse("fail commits 100 OC000"));
        server.reconfigure(server.settings().with("rate 7"));
    }

    @Test
    @Order(4)
    void theNextTestIsNotTroubledByThem() throws SQLException {
        assertTrue(left.isClosed());
        assertNotEquals(leftSchema, query(source, "SELECT current_schema"));
        assertEquals("0", query(source, "SELECT count(*) FROM pg_namespace WHERE nspname = '" + leftSchema + "'"));
        execute(source, "INSERT INTO mine VALUES (1)");
        assertEquals(100, server.settings().connectsPerSecond());
    }

    @Test
    @Order(5)
    void theRulesAreThoseOfDsql() {
        SQLException refused = assertThrows(SQLException.class, () -> execute(source, "TRUNCATE mine"));
        assertEquals("0A000", refused.getSQLState());
    }

    @Nested
    class ANestedClass {
        @Test
        void hasWhatTheOuterOneHas(DataSource dataSource) throws SQLException {
            assertSame(source, dataSource);
            assertEquals("0", query(dataSource, "SELECT count(*) FROM mine"));
        }
    }

    static void execute(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String query(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }
}
