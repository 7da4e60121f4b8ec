// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import dev.forebay.jdbc.Borrowing;
import dev.forebay.registry.Registry.Lender;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A connection that was acquired, to be closed by the caller: that gives it back to the pool it came from.
 *
 * <p>Any thread may close it or mark it, and more than once: the first time counts. After that the connection is of no
 * use to any holder.
 */
public final class RemoteConnection implements AutoCloseable {

    private final Connection connection;
    private final Lender<?> lender;
    private final String serverName;
    private final String localUser;

    RemoteConnection(Connection connection, Lender<?> lender, String serverName, String localUser) {
        this.connection = connection;
        this.lender = lender;
        this.serverName = serverName;
        this.localUser = localUser;
    }

    /** The connection; closing it is the same as closing this. */
    public Connection connection() {
        return connection;
    }

    public String serverName() {
        return serverName;
    }

    public String localUser() {
        return localUser;
    }

    /** Has the connection destroyed instead of reused when it is closed; false if it has been closed already. */
    public boolean markFailed() {
        return Borrowing.condemn(connection);
    }

    /** Gives it back: rolled back, reset, and only then lent again; destroyed if that fails or it is marked. */
    @Override
    public void close() throws SQLException {
        connection.close();
        lender.stirred();
    }

    @Override
    public String toString() {
        return "connection of " + localUser + " to " + serverName;
    }
}
