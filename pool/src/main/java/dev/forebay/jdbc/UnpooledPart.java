// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection without a pool, or a part of it from which a way leads back to the connection: a statement, a result, an
 * array or metadata. Every such way ends at the handle, since closing the driver's own connection would give no grant
 * back; only unwrapping a type of the driver's passes it.
 */
final class UnpooledPart implements InvocationHandler {

    /** The types to look for, the more special of two first. */
    private static final List<Class<?>> TYPES = List.of(
            CallableStatement.class,
            PreparedStatement.class,
            Statement.class,
            ResultSet.class,
            Array.class,
            DatabaseMetaData.class);

    private final Object driver;

    /** Null for the connection itself. */
    private final @Nullable Object connection;

    /** The part that returned it; null for the connection itself. */
    private final @Nullable Object origin;

    private UnpooledPart(Object driver, @Nullable Object connection, @Nullable Object origin) {
        this.driver = driver;
        this.connection = connection;
        this.origin = origin;
    }

    /** Returns the handler for the handle of the connection itself. */
    static UnpooledPart whole(Object driver) {
        return new UnpooledPart(driver, null, null);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        String called = method.getName();
        if (method.getDeclaringClass() == Object.class && !called.equals("toString")) {
            return called.equals("equals")
                    ? arguments != null && proxy == arguments[0]
                    : System.identityHashCode(proxy);
        }
        Class<?> wanted = wanted(arguments);
        boolean unwraps = called.equals("unwrap");
        if (wanted != null && wanted.isInstance(proxy) && (unwraps || called.equals("isWrapperFor"))) {
            return unwraps ? proxy : (Object) true;
        }
        Object answer = call(method, arguments);
        if (answer == null || unwraps) {
            return answer;
        }
        Object handle = connection == null ? proxy : connection;
        if (called.equals("getConnection")) {
            return handle;
        }
        Class<?> type = type(answer);
        if (type == null || (wanted != null && wanted != type)) {
            return answer;
        }
        return origin != null && answer == driverOf(origin)
                ? origin
                : Proxy.newProxyInstance(
                        UnpooledPart.class.getClassLoader(),
                        new Class<?>[] {type},
                        new UnpooledPart(answer, handle, proxy));
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(driver, driversOwn(arguments));
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** Returns the type that a caller names, as the last argument. */
    private static @Nullable Class<?> wanted(Object @Nullable [] arguments) {
        return arguments != null && arguments[arguments.length - 1] instanceof Class<?> type ? type : null;
    }

    private static @Nullable Class<?> type(Object answer) {
        for (Class<?> type : TYPES) {
            if (type.isInstance(answer)) {
                return type;
            }
        }
        return null;
    }

    /** Returns the arguments with the driver's own arrays, which a driver may insist on, in place of their handles. */
    private static Object @Nullable [] driversOwn(Object @Nullable [] arguments) {
        for (int i = 0; arguments != null && i < arguments.length; i++) {
            arguments[i] = driverOf(arguments[i]);
        }
        return arguments;
    }

    private static @Nullable Object driverOf(@Nullable Object value) {
        return value instanceof Proxy && Proxy.getInvocationHandler(value) instanceof UnpooledPart part
                ? part.driver
                : value;
    }
}
