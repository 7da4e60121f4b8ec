// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolListener;
import dev.forebay.jdbc.Borrowing;
import dev.forebay.jdbc.JdbcListener;
import dev.forebay.jdbc.PhysicalConnection;
import dev.forebay.jdbc.SessionConfig;
import dev.forebay.time.Time;
import java.sql.Connection;
import java.sql.SQLException;

/** The blocking side of one user's pool, and the listener that it needs. Thread-safe. */
final class UserBorrowing implements PoolListener {

    private final JdbcListener failures = new JdbcListener();
    private final Borrowing borrowing;

    UserBorrowing(Pool<PhysicalConnection> pool, Time time) {
        this.borrowing = new Borrowing(pool, time, failures, SessionConfig.DEFAULT);
    }

    Connection borrow(long timeoutNanos) throws SQLException {
        return borrowing.borrow(timeoutNanos);
    }

    @Override
    public void opened(int open, long connectNanos) {
        failures.opened(open, connectNanos);
    }

    @Override
    public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
        failures.openFailed(failure, attempt, delayNanos);
    }

    @Override
    public void heldTooLong(Object value, long heldNanos) {
        failures.heldTooLong(value, heldNanos);
    }
}
