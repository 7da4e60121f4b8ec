// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.checkout;

import java.sql.Connection;
import java.sql.SQLException;
import org.openjdk.jmh.annotations.Benchmark;

/** Get and close. */
public class CheckoutBenchmark {

    @Benchmark
    public Connection checkout(FullPool pool) throws SQLException {
        Connection connection = pool.dataSource.getConnection();
        connection.close();
        return connection;
    }
}
