// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.occ;

import dev.forebay.bench.driver.Server;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Connections whose COMMIT sets out some milliseconds late, as to a server far away. What a transaction has written is in the
 * way of others meanwhile.
 */
final class SlowCommits implements Server {

    private final DataSource dataSource;
    private final long millis;

    SlowCommits(DataSource dataSource, long millis) {
        this.dataSource = dataSource;
        this.millis = millis;
    }

    @Override
    public Connection connect() throws SQLException {
        Connection connection = dataSource.getConnection();
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("commit")) {
                        TimeUnit.MILLISECONDS.sleep(millis);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
