// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.occ;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A table of counters, and the two statements that add 1 to one. */
final class Counters {

    private Counters() {}

    /** Rebuilds the table, with {@code rows} counters at 0; {@code storage} ends its definition. */
    static void create(DataSource dataSource, int rows, String storage) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS counters");
            statement.execute("CREATE TABLE counters (id int PRIMARY KEY, n bigint NOT NULL)" + storage);
            statement.execute("INSERT INTO counters SELECT i, 0 FROM generate_series(0, " + (rows - 1) + ") i");
        }
    }

    /** Returns the sum of all counters. */
    static long sum(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT sum(n) FROM counters")) {
            result.next();
            return result.getLong(1);
        }
    }

    /** Reads a counter and writes it plus 1; if another does the same in between, one of the two fails. */
    static void readAndAdd(Connection connection, int id) throws SQLException {
        long n;
        try (PreparedStatement select = connection.prepareStatement("SELECT n FROM counters WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet result = select.executeQuery()) {
                result.next();
                n = result.getLong(1);
            }
        }
        try (PreparedStatement update = connection.prepareStatement("UPDATE counters SET n = ? WHERE id = ?")) {
            update.setLong(1, n + 1);
            update.setInt(2, id);
            update.executeUpdate();
        }
    }

    /** Adds 1 in one statement. */
    static void add(Connection connection, int id) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE counters SET n = n + 1 WHERE id = ?")) {
            update.setInt(1, id);
            update.executeUpdate();
        }
    }
}
