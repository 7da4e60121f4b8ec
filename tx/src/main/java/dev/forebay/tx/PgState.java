// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The state of a transaction, as pgjdbc knows it without asking the server. Read by reflection, since the library needs
 * no driver.
 */
enum PgState {
    /** COMMIT would commit. */
    GOES_ON,
    /** An error has ended it: COMMIT would roll back, and return as if it had not. */
    ENDED,
    /** Another driver's connection. */
    UNKNOWN;

    private static final @Nullable Method STATE = find();

    private static @Nullable Method find() {
        try {
            return Class.forName("org.postgresql.core.BaseConnection").getMethod("getTransactionState");
        } catch (ReflectiveOperationException e) {
            return null; // no pgjdbc here
        }
    }

    static PgState of(Connection connection) throws SQLException {
        Method state = STATE;
        if (state == null || !connection.isWrapperFor(state.getDeclaringClass())) {
            return UNKNOWN;
        }
        try {
            Object known = state.invoke(connection.unwrap(state.getDeclaringClass()));
            return "FAILED".equals(String.valueOf(known)) ? ENDED : GOES_ON;
        } catch (IllegalAccessException | InvocationTargetException e) {
            return UNKNOWN;
        }
    }
}
