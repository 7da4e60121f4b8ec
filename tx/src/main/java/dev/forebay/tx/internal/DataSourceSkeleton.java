// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx.internal;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source without its connections: one user, no login timeout, a log writer that is kept and not written to. */
public abstract class DataSourceSkeleton implements DataSource {

    private volatile @Nullable PrintWriter logWriter;

    /** Not supported unless overridden: connections belong to the one user that the data source was built for. */
    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("this data source serves one user; build another one");
    }

    @Override
    public final @Nullable PrintWriter getLogWriter() {
        return logWriter;
    }

    /** Kept but not written to: Forebay logs through SLF4J. */
    @Override
    public final void setLogWriter(@Nullable PrintWriter out) {
        logWriter = out;
    }

    /** Returns 0 unless overridden: the limit on a connect follows from the settings. */
    @Override
    public int getLoginTimeout() {
        return 0;
    }

    /** Changes nothing unless overridden: it follows from the settings, and a pool above has a timeout of its own. */
    @Override
    public void setLoginTimeout(int seconds) throws SQLException {}

    @Override
    public final Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("Forebay logs through SLF4J");
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("not a wrapper for " + type.getName());
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
