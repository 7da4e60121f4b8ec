// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections of one user to a local DSQL, each with a fresh token. Thread-safe. */
final class TokenDataSource implements DataSource {

    private static final Duration TOKEN = Duration.ofMinutes(15);

    private final LocalDsql dsql;
    private final String user;
    private final PGSimpleDataSource driver;

    TokenDataSource(LocalDsql dsql, String user, String schema) {
        this.dsql = dsql;
        this.user = user;
        this.driver = dsql.driver();
        if (!schema.isEmpty()) {
            driver.setCurrentSchema(schema);
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        return driver.getConnection(user, dsql.token(user, TOKEN));
    }

    @Override
    public Connection getConnection(String other, String token) throws SQLException {
        return driver.getConnection(other, token);
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return driver.getLogWriter();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {
        driver.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) {
        driver.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() {
        return driver.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("not a " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
