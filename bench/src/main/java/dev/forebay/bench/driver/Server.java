// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.driver;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What answers a connect. */
public interface Server {

    Connection connect() throws SQLException;

    /** As a data source without a pool. */
    default DataSource dataSource() {
        return new PlainDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return connect();
            }
        };
    }
}
