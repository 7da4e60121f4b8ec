// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx.internal;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A data source with a timeout for each checkout. Thread-safe. */
public interface TimedDataSource extends DataSource {

    /** As {@link #getConnection()}, but waits no longer than {@code timeoutNanos}, nor longer than it would otherwise. */
    Connection getConnection(long timeoutNanos) throws SQLException;
}
