// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The driver's own knowledge of whether a transaction is open on a connection: it sees those begun by SQL or behind a
 * handle, and asking it costs no round trip. Known for PostgreSQL, MariaDB and MySQL; found by name, since none of these
 * drivers is a dependency. Stateless.
 */
final class TransactionState {

    /** MySQL's flags, and MariaDB's, in the status that the server sends with each answer. */
    private static final int SERVER_STATUS_IN_TRANS = 1;

    /** As {@link #SERVER_STATUS_IN_TRANS}. */
    private static final int SERVER_STATUS_AUTOCOMMIT = 2;

    private static final ClassValue<Probe> PROBES = new ClassValue<>() {
        @Override
        protected Probe computeValue(Class<?> type) {
            return probe(type);
        }
    };

    private TransactionState() {}

    private interface Probe {
        boolean isOpen(Connection driver) throws ReflectiveOperationException;

        /** Returns whether the server is in autocommit mode, or {@code believed} where the driver does not know. */
        default boolean autoCommit(Connection driver, boolean believed) throws ReflectiveOperationException {
            return believed;
        }
    }

    /** Returns the status that the server of MySQL or MariaDB sent last. */
    private interface StatusProbe extends Probe {
        int status(Connection driver) throws ReflectiveOperationException;

        @Override
        default boolean isOpen(Connection driver) throws ReflectiveOperationException {
            return (status(driver) & SERVER_STATUS_IN_TRANS) != 0;
        }

        @Override
        default boolean autoCommit(Connection driver, boolean believed) throws ReflectiveOperationException {
            return (status(driver) & SERVER_STATUS_AUTOCOMMIT) != 0;
        }
    }

    /** Returns whether a transaction is open; false if the driver does not know. */
    static boolean isOpen(Connection driver) {
        try {
            return PROBES.get(driver.getClass()).isOpen(driver);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }

    /** Returns whether the server is in autocommit mode, which SQL may have changed; {@code believed} if unknown. */
    static boolean autoCommit(Connection driver, boolean believed) {
        try {
            return PROBES.get(driver.getClass()).autoCommit(driver, believed);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return believed;
        }
    }

    private static Probe probe(Class<?> type) {
        Method postgres = method(named("org.postgresql.core.BaseConnection", type), "getTransactionState");
        if (postgres != null) {
            return driver -> !String.valueOf(postgres.invoke(driver)).equals("IDLE");
        }
        StatusProbe mariaDb = status(named("org.mariadb.jdbc.Connection", type), "getContext", "getServerStatus");
        if (mariaDb != null) {
            return mariaDb;
        }
        StatusProbe mySql =
                status(named("com.mysql.cj.MysqlConnection", type), "getSession", "getServerSession", "getStatusFlags");
        return mySql != null ? mySql : driver -> false;
    }

    /** Reads the status from where {@code path} leads, each step by the public type that declares it; null if it leads nowhere. */
    private static @Nullable StatusProbe status(@Nullable Class<?> type, String... path) {
        Method[] steps = new Method[path.length];
        Class<?> at = type;
        for (int i = 0; i < path.length; i++) {
            Method step = method(at, path[i]);
            if (step == null) {
                return null;
            }
            steps[i] = step;
            at = step.getReturnType();
        }
        return driver -> {
            Object reached = driver;
            for (Method step : steps) {
                reached = step.invoke(reached);
            }
            return ((Number) reached).intValue();
        };
    }

    /** Returns the class or interface of that name which {@code type} is or extends, null if there is none. */
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
