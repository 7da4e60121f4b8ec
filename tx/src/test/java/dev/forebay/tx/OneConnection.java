// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.testkit.PlainDataSource;
import java.sql.Connection;
import java.sql.SQLException;

/** A data source that always has the same connection, as frameworks make of one they are given. */
public class OneConnection extends PlainDataSource {

    private final Connection connection;

    OneConnection(Connection connection) {
        this.connection = connection;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return connection;
    }
}
