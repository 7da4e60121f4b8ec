// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/** A prepared statement of a borrowed connection. */
class PreparedStatementHandle extends ForwardingPreparedStatement {

    PreparedStatementHandle(ConnectionHandle connection, PreparedStatement driver) {
        super(connection, driver);
    }

    @Override
    PreparedStatement live() throws SQLException {
        return (PreparedStatement) liveStatement();
    }

    @Override
    PreparedStatement executing() throws SQLException {
        return (PreparedStatement) executingStatement();
    }
}
