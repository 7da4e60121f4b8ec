// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A DataSource of plain PostgreSQL that refuses what Aurora DSQL refuses, for tests without a server. Thread-safe.
 *
 * <p>Its connections look at every statement before PostgreSQL sees it, by a {@link Profile} and by {@link TransactionRules},
 * and throw what the driver would throw: an SQLException with the SQLSTATE and the message. An error within a transaction
 * fails that transaction in PostgreSQL too. {@code CREATE INDEX ASYNC} becomes a plain CREATE INDEX, and gives no job.
 *
 * <p>What it does not do: conflicts are PostgreSQL's, at the statement and with waiting; of a string of several statements
 * only the rows of the first are counted; what {@code unwrap} gives is not guarded. For the rest, use the local server.
 */
public final class DsqlGuard {

    private DsqlGuard() {}

    /** Guards with the profile of September 2026 and the limits of Aurora DSQL. */
    public static DataSource wrap(DataSource dataSource) {
        return wrap(dataSource, Profile.SEPTEMBER_2026, Limits.DEFAULT, SystemTime.shared());
    }

    /** Guards with these. */
    public static DataSource wrap(DataSource dataSource, Profile profile, Limits limits, Time time) {
        return proxy(DataSource.class, dataSource, (self, method, arguments) -> {
            Object result = call(dataSource, method, arguments);
            return result instanceof Connection connection
                    ? new GuardedConnection(connection, profile, new TransactionRules(limits), time).handle()
                    : result;
        });
    }

    /** A proxy that is equal to itself only. */
    static <T> T proxy(Class<T> type, Object of, InvocationHandler handler) {
        InvocationHandler whole = (self, method, arguments) -> switch (method.getName()) {
            case "equals" -> arguments != null && self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            case "toString" -> "guarded " + of;
            default -> handler.invoke(self, method, arguments);
        };
        return type.cast(Proxy.newProxyInstance(DsqlGuard.class.getClassLoader(), new Class<?>[] {type}, whole));
    }

    /** Calls the guarded object; its exceptions come out as they are. */
    static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
