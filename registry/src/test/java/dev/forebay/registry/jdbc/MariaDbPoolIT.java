// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A pool without a registry on a MariaDB server, through MariaDB's driver and through MySQL's. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MariaDbPoolIT {

    private RealServer server;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(RealServer.hasMariaDb(), "no MariaDB server is installed, or this is not root");
        if (server == null) {
            server = RealServer.mariaDb();
        }
    }

    @AfterAll
    void stop() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    private ForebayDataSource pool(String driver, boolean autoCommit) throws SQLException {
        return ForebayDataSource.builder()
                .config(ForebayConfig.builder()
                        .mode(ForebayConfig.Mode.ON_DEMAND)
                        .maxOpen(1)
                        .autoCommit(autoCommit)
                        .build())
                .url("jdbc:" + driver + "://127.0.0.1:" + server.port() + "/" + server.database())
                .user(RealServer.USER)
                .password(RealServer.PASSWORD)
                .build();
    }

    private static void run(Connection connection, String... sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String one : sql) {
                statement.execute(one);
            }
        }
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertTrue(result.next());
            return result.getString(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "mariadb, START TRANSACTION",
        "mariadb, /* a comment */ BEGIN",
        "mariadb, SET autocommit = 0",
        "mysql, START TRANSACTION",
        "mysql, /* a comment */ BEGIN",
        "mysql, SET autocommit = 0"
    })
    void aTransactionBegunBySqlIsRolledBack(String driver, String begin) throws Exception {
        try (ForebayDataSource pool = pool(driver, true)) {
            try (Connection connection = pool.getConnection()) {
                run(connection, "CREATE OR REPLACE TABLE kept (x integer)");
                run(connection, begin, "INSERT INTO kept VALUES (1)");
            }
            try (Connection connection = pool.getConnection()) {
                assertEquals("0", ask(connection, "SELECT count(*) FROM kept"));
                assertEquals("1", ask(connection, "SELECT @@autocommit"));
            }
            assertEquals(1, pool.stats().opened());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void anAutoCommitModeSetBySqlIsNotLeftBehind(String driver) throws Exception {
        for (boolean autoCommit : new boolean[] {true, false}) {
            try (ForebayDataSource pool = pool(driver, autoCommit)) {
                try (Connection connection = pool.getConnection()) {
                    run(connection, "SET autocommit = " + (autoCommit ? 0 : 1));
                }
                try (Connection connection = pool.getConnection()) {
                    assertEquals(autoCommit ? "1" : "0", ask(connection, "SELECT @@autocommit"));
                }
                assertEquals(1, pool.stats().opened());
            }
        }
    }
}
