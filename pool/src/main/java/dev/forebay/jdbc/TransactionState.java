// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The driver's own knowledge of whether a transaction is open on a connection: it sees those begun by SQL or behind a
 * handle, and asking it costs no round trip. Known for PostgreSQL and MariaDB; found by name, since neither driver is a
 * dependency. Stateless.
 */
final class TransactionState {

    /** MariaDB's flag for a transaction, in the status that the server sends with each answer. */
    private static final int SERVER_STATUS_IN_TRANS = 1;

    private static final ClassValue<Probe> PROBES = new ClassValue<>() {
        @Override
        protected Probe computeValue(Class<?> type) {
            return probe(type);
        }
    };

    private TransactionState() {}

    private interface Probe {
        boolean isOpen(Connection driver) throws ReflectiveOperationException;
    }

    /** Whether the driver says that a transaction is open; false if it does not know. */
    static boolean isOpen(Connection driver) {
        try {
            return PROBES.get(driver.getClass()).isOpen(driver);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }

    private static Probe probe(Class<?> type) {
        Method postgres = method(named("org.postgresql.core.BaseConnection", type), "getTransactionState");
        if (postgres != null) {
            return driver -> !String.valueOf(postgres.invoke(driver)).equals("IDLE");
        }
        Method context = method(named("org.mariadb.jdbc.Connection", type), "getContext");
        Method status = context == null ? null : method(context.getReturnType(), "getServerStatus");
        if (context != null && status != null) {
            return driver ->
                    (((Number) status.invoke(context.invoke(driver))).intValue() & SERVER_STATUS_IN_TRANS) != 0;
        }
        return driver -> false;
    }

    /** The class or interface of that name which {@code type} is or extends, null if there is none. */
    private static @Nullable Class<?> named(String name, Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            if (c.getName().equals(name)) {
                return c;
            }
            for (Class<?> declared : c.getInterfaces()) {
                Class<?> found = named(name, declared);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private static @Nullable Method method(@Nullable Class<?> type, String name) {
        try {
            return type == null ? null : type.getMethod(name);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}
