// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.driver;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The side that answers a connect. */
public interface Server {

    Connection connect() throws SQLException;

    /** Returns it as a data source without a pool. */
    default DataSource dataSource() {
        return new PlainDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return connect();
            }
        };
    }
}
