// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Predicate;
import javax.sql.DataSource;

/**
 * Connections of a process that dies: at one call, before or after it reached the server, all connections are cut and there are
 * no more. For one thread.
 */
final class CutDataSource implements Intercepted.Guard {

    private final DataSource source;
    private final Predicate<String> isLast;
    private final boolean isAfter;
    private boolean isDead;

    /**
     * Dies at the first call that {@code isLast} names.
     *
     * @param isLast told the SQL that is run, or {@code "COMMIT"}
     */
    CutDataSource(DataSource source, Predicate<String> isLast, boolean isAfter) {
        this.source = source;
        this.isLast = isLast;
        this.isAfter = isAfter;
    }

    boolean isDead() {
        return isDead;
    }

    DataSource dataSource() {
        return Intercepted.of(source, this);
    }

    private boolean isItsLast;

    @Override
    public void before(String sql, Connection connection) throws SQLException {
        requireAlive(connection);
        isItsLast = isLast.test(sql);
        if (isItsLast && !isAfter) {
            isDead = true;
        }
        requireAlive(connection);
    }

    @Override
    public void after(String sql, Connection connection) throws SQLException {
        isDead = isItsLast;
        requireAlive(connection);
    }

    private void requireAlive(Connection connection) throws SQLException {
        if (isDead) {
            connection.abort(Runnable::run);
            throw new SQLException("cut", "08006");
        }
    }
}
