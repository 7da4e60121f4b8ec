// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Connections on whose way to the server someone stands. */
final class Intercepted {

    /** The interceptor. */
    interface Guard {

        /** A statement, or {@code "COMMIT"}, is about to be sent; what is thrown is what the caller gets instead. */
        void before(String sql, Connection connection) throws SQLException;

        /** It was done. */
        default void after(String sql, Connection connection) throws SQLException {}
    }

    private Intercepted() {}

    static DataSource of(DataSource source, Guard guard) {
        return proxy(
                DataSource.class,
                (method, arguments) -> method.getName().equals("getConnection")
                        ? connection(source.getConnection(), guard)
                        : method.invoke(source, arguments));
    }

    private static Connection connection(Connection connection, Guard guard) {
        return proxy(Connection.class, (method, arguments) -> switch (method.getName()) {
            case "prepareStatement" ->
                statement(
                        connection,
                        (PreparedStatement) method.invoke(connection, arguments),
                        (String) arguments[0],
                        guard);
            case "commit" -> pass("COMMIT", connection, guard, () -> method.invoke(connection, arguments));
            default -> method.invoke(connection, arguments);
        });
    }

    private static PreparedStatement statement(
            Connection connection, PreparedStatement statement, String sql, Guard guard) {
        return proxy(
                PreparedStatement.class,
                (method, arguments) -> method.getName().startsWith("execute")
                        ? pass(sql, connection, guard, () -> method.invoke(statement, arguments))
                        : method.invoke(statement, arguments));
    }

    private static Object pass(String sql, Connection connection, Guard guard, Call call) throws Exception {
        guard.before(sql, connection);
        Object result = call.run();
        guard.after(sql, connection);
        return result;
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
