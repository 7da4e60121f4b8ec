// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a borrowed connection: leads back to the handle rather than to the driver's connection. A proxy,
 * since speed does not matter here and the interface has 180 methods.
 */
final class MetaDataHandle implements InvocationHandler {

    private final ConnectionHandle connection;
    private final DatabaseMetaData driver;

    private MetaDataHandle(ConnectionHandle connection, DatabaseMetaData driver) {
        this.connection = connection;
        this.driver = driver;
    }

    static DatabaseMetaData of(ConnectionHandle connection, DatabaseMetaData driver) {
        return (DatabaseMetaData) Proxy.newProxyInstance(
                MetaDataHandle.class.getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                new MetaDataHandle(connection, driver));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "metadata of " + connection;
            };
        }
        connection.executing();
        if (method.getName().equals("getConnection")) {
            return connection;
        }
        if (arguments != null && arguments[0] instanceof Class<?> type) {
            Object wrapped = type.isInstance(proxy) ? proxy : type.isInstance(driver) ? driver : null;
            if (wrapped == driver) {
                connection.exposed(); // the driver's metadata lead to its connection
            }
            if (wrapped != null) {
                return method.getName().equals("unwrap") ? wrapped : (Object) true;
            }
        }
        try {
            Object answer = method.invoke(driver, arguments);
            return answer instanceof ResultSet result ? new ResultSetHandle(connection, null, result) : answer;
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            throw cause instanceof SQLException error ? connection.failed(error) : cause == null ? e : cause;
        }
    }
}
