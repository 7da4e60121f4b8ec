// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.sql.CallableStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A callable statement of a borrowed connection. */
final class CallableStatementHandle extends ForwardingCallableStatement {

    CallableStatementHandle(ConnectionHandle connection, CallableStatement driver) {
        super(connection, driver);
    }

    @Override
    CallableStatement live() throws SQLException {
        return (CallableStatement) liveStatement();
    }

    @Override
    @Nullable
    Object handleIfResult(@Nullable Object value) {
        return value instanceof ResultSet result ? handle(result) : ValueHandle.ofAny(connection, value);
    }
}
