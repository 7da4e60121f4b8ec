// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.jdbc.UnpooledDataSource;
import dev.forebay.tx.internal.DataSourceSkeleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * New connections to a cluster, each with a token that is good now and within the limits that a pool would keep: for use
 * without a pool, or under another one. Thread-safe; close it to make no further tokens.
 */
@SuppressWarnings("exports") // what it is built on is no promise
public final class DsqlDataSource extends DataSourceSkeleton implements AutoCloseable {

    private final UnpooledDataSource source;
    private final PGSimpleDataSource driver;

    DsqlDataSource(UnpooledDataSource source, PGSimpleDataSource driver) {
        this.source = source;
        this.driver = driver;
    }

    /** Returns a new connection, once a lease, a token and a permit are there; waits for these up to the connection timeout. */
    @Override
    public Connection getConnection() throws SQLException {
        return source.getConnection();
    }

    /** Not supported: the tokens are those of one user. */
    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("this data source has tokens of one user; build another one");
    }

    /** Returns the most seconds that each step of connecting takes. */
    @Override
    public int getLoginTimeout() {
        return driver.getConnectTimeout();
    }

    /**
     * Refuses further connections. Open ones stay open; when the last is closed, its grants are given back to the fleet
     * and no further tokens are made.
     */
    @Override
    public void close() {
        source.close();
    }

    @Override
    public String toString() {
        return "DsqlDataSource " + source;
    }
}
