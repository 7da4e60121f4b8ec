// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A value that lives on the driver's connection, such as a large object or an array: of use only while the loan of its
 * connection lasts. Kept longer, it would read and write on the connection of another borrower. A proxy, since few
 * use these and the interfaces have sixty methods.
 */
final class ValueHandle implements InvocationHandler {

    /** The types to look for, the more special of two first. */
    private static final List<Class<?>> TYPES =
            List.of(Blob.class, NClob.class, Clob.class, Array.class, SQLXML.class, Ref.class);

    private final ConnectionHandle connection;
    private final Object driver;

    private ValueHandle(ConnectionHandle connection, Object driver) {
        this.connection = connection;
        this.driver = driver;
    }

    /** Returns a handle for {@code value} as {@code type}; null for null. */
    static <T> T of(ConnectionHandle connection, Class<T> type, T value) {
        return value == null
                ? value
                : type.cast(Proxy.newProxyInstance(
                        ValueHandle.class.getClassLoader(), new Class<?>[] {type}, new ValueHandle(connection, value)));
    }

    /** Returns a handle for {@code value} if it needs one, otherwise the value itself. */
    static @Nullable Object ofAny(ConnectionHandle connection, @Nullable Object value) {
        for (Class<?> type : TYPES) {
            if (type.isInstance(value)) {
                return Proxy.newProxyInstance(
                        ValueHandle.class.getClassLoader(), new Class<?>[] {type}, new ValueHandle(connection, value));
            }
        }
        return value;
    }

    /** As {@link #ofAny}, for a caller who named the type; a type of the driver's own is given as it is. */
    static <T> T ofAny(ConnectionHandle connection, Class<T> type, T value) {
        return TYPES.stream().anyMatch(known -> known == type) ? of(connection, type, value) : value;
    }

    /** Returns the driver's value behind a handle, which a driver may insist on; any other value as it is. */
    @SuppressWarnings("unchecked") // a handle and the value behind it are of the same interface
    static <T> T unwrap(T value) {
        return value != null
                        && Proxy.isProxyClass(value.getClass())
                        && Proxy.getInvocationHandler(value) instanceof ValueHandle handle
                ? (T) handle.driver
                : value;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "equals" -> arguments != null && driver.equals(unwrap(arguments[0]));
                case "hashCode" -> driver.hashCode();
                default -> connection.isCurrent() ? driver.toString() : "a value of a closed connection";
            };
        }
        if (method.getName().equals("free") && !connection.isCurrent()) {
            return null;
        }
        connection.executing();
        try {
            Object answer = method.invoke(driver, arguments);
            return answer instanceof ResultSet result
                    ? new ResultSetHandle(connection, null, result)
                    : LoanedStreams.of(connection, answer);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            throw cause instanceof SQLException error ? connection.failed(error) : cause == null ? e : cause;
        }
    }
}
