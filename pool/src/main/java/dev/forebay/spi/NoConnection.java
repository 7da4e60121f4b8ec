// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spi;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;

/**
 * The reason why a borrower got no connection. The SQLSTATE of the exception is a standard one of class 08, which tools
 * understand; its vendor code is different for each reason. Immutable.
 */
public enum NoConnection {
    /** None came within the time allowed: a {@link SQLTransientConnectionException}, 08001. */
    TIMED_OUT("08001", 1),
    /** All are in use and the pool is told not to wait: a {@link SQLTransientConnectionException}, 08001. */
    EXHAUSTED("08001", 2),
    /** As many wait already as may: a {@link SQLTransientConnectionException}, 08001. */
    TOO_MANY_WAITING("08001", 3),
    /** The thread was interrupted while it waited, and still is: a {@link SQLTransientConnectionException}, 08001. */
    INTERRUPTED("08001", 4),
    /** The pool is closed: a {@link SQLNonTransientConnectionException}, 08003. */
    CLOSED("08003", 5),
    /** None can be opened and waiting would not help: a {@link SQLTransientConnectionException}, 08001. */
    HOPELESS("08001", 6);

    private final String sqlState;
    private final int vendorCode;

    NoConnection(String sqlState, int vendorCode) {
        this.sqlState = sqlState;
        this.vendorCode = vendorCode;
    }

    /** Returns {@link SQLException#getSQLState} of the exception. */
    public String sqlState() {
        return sqlState;
    }

    /** Returns {@link SQLException#getErrorCode} of the exception. */
    public int vendorCode() {
        return vendorCode;
    }
}
