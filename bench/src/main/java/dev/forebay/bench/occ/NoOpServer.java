// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.occ;

import dev.forebay.bench.driver.Server;
import dev.forebay.bench.driver.StubConnection;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;

/** Connections to nothing whose statements do nothing either. */
final class NoOpServer implements Server {

    @Override
    public Connection connect() {
        return new NoOpConnection();
    }

    private static final class NoOpConnection extends StubConnection {

        private final PreparedStatement statement = (PreparedStatement) Proxy.newProxyInstance(
                PreparedStatement.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (proxy, method, arguments) -> {
                    Class<?> type = method.getReturnType();
                    return type == int.class ? (Object) 1 : type == boolean.class ? (Object) false : null;
                });

        private boolean autoCommit = true;

        @Override
        public boolean getAutoCommit() {
            return autoCommit;
        }

        @Override
        public void setAutoCommit(boolean on) {
            autoCommit = on;
        }

        @Override
        public PreparedStatement prepareStatement(String sql) {
            return statement;
        }
    }
}
