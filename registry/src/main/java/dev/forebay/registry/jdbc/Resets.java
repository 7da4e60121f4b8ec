// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import dev.forebay.jdbc.SessionConfig.SessionReset;
import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The resets that bring a used session back to its beginning, by type. Each runs after the handle has closed the
 * statements, rolled back and restored what JDBC knows of; docs/remote-pools.md lists what it cannot undo. A reset that
 * fails costs the connection.
 */
final class Resets {

    private static final String ACTIVE_TRANSACTION = "25001";
    private static final int FIREBIRD_WITH_RESET = 4;

    static final SessionReset DISCARD_ALL = driver -> {
        try (Statement statement = driver.createStatement()) {
            try {
                statement.execute("DISCARD ALL");
            } catch (SQLException e) {
                if (!ACTIVE_TRANSACTION.equals(e.getSQLState())) {
                    throw e;
                }
                statement.execute("ROLLBACK"); // the borrower began a transaction behind JDBC's back
                statement.execute("DISCARD ALL");
            }
        }
    };

    static final SessionReset ROLLBACK = driver -> execute(driver, "ROLLBACK");

    static final SessionReset SQL_SERVER = driver -> execute(driver, "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION");

    static final SessionReset FIREBIRD = driver -> {
        if (driver.getMetaData().getDatabaseMajorVersion() >= FIREBIRD_WITH_RESET) {
            execute(driver, "ALTER SESSION RESET");
        }
    };

    static final SessionReset MYSQL = driver -> call(driver, "com.mysql.cj.jdbc.JdbcConnection", "resetServerState");

    static final SessionReset MARIADB = driver -> call(driver, "org.mariadb.jdbc.Connection", "reset");

    private Resets() {}

    private static void execute(Connection driver, String sql) throws SQLException {
        try (Statement statement = driver.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Calls a method that only this driver has, without being compiled against it. */
    private static void call(Connection driver, String type, String method) throws SQLException {
        try {
            Class<?> known = Class.forName(type, false, driver.getClass().getClassLoader());
            known.getMethod(method).invoke(driver.unwrap(known));
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof SQLException sql ? sql : new SQLException("the driver failed to reset", e);
        } catch (ReflectiveOperationException e) {
            throw new SQLException("the driver has no " + method + " to reset a session with", "0A000", e);
        }
    }
}
