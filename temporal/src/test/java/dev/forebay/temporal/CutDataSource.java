// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import javax.sql.DataSource;

/**
 * Connections of a process that dies: at one call, before or after it reached the server, all connections are cut and there are
 * no more. For one thread.
 */
final class CutDataSource {

    private static final Executor HERE = Runnable::run;

    private final DataSource source;
    private final Predicate<String> isLast;
    private final boolean isAfter;
    private boolean isDead;

    /**
     * Dies at the first call that {@code isLast} names.
     *
     * @param isLast told the SQL that is run, or {@code "COMMIT"}
     */
    CutDataSource(DataSource source, Predicate<String> isLast, boolean isAfter) {
        this.source = source;
        this.isLast = isLast;
        this.isAfter = isAfter;
    }

    boolean isDead() {
        return isDead;
    }

    DataSource dataSource() {
        return proxy(DataSource.class, (method, arguments) -> {
            if (!method.getName().equals("getConnection")) {
                return method.invoke(source, arguments);
            }
            requireAlive();
            return connection(source.getConnection());
        });
    }

    private Connection connection(Connection connection) {
        return proxy(Connection.class, (method, arguments) -> switch (method.getName()) {
            case "prepareStatement" ->
                statement(connection, (PreparedStatement) method.invoke(connection, arguments), (String) arguments[0]);
            case "commit" -> at("COMMIT", connection, () -> method.invoke(connection, arguments));
            default -> method.invoke(connection, arguments);
        });
    }

    private PreparedStatement statement(Connection connection, PreparedStatement statement, String sql) {
        return proxy(
                PreparedStatement.class,
                (method, arguments) -> method.getName().startsWith("execute")
                        ? at(sql, connection, () -> method.invoke(statement, arguments))
                        : method.invoke(statement, arguments));
    }

    private Object at(String what, Connection connection, Call call) throws Exception {
        requireAlive();
        if (!isLast.test(what)) {
            return call.run();
        }
        if (isAfter) {
            call.run();
        }
        isDead = true;
        connection.abort(HERE);
        requireAlive();
        return null;
    }

    private void requireAlive() throws SQLException {
        if (isDead) {
            throw new SQLException("cut", "08006");
        }
    }

    private interface Call {
        Object run() throws Exception;
    }

    private interface Handler {
        Object handle(Method method, Object[] arguments) throws Exception;
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return handler.handle(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
