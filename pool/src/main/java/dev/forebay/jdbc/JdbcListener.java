// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.PoolListener;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers the failure of the last open, for borrowers' errors, and reports holders of a connection for too long.
 * Thread-safe; one for each pool.
 */
public final class JdbcListener implements PoolListener {

    private static final Logger log = LoggerFactory.getLogger(JdbcListener.class);

    private volatile @Nullable OpenFailure lastFailure;

    /** Returns the failure of the last open, null if it succeeded or there was none. */
    public @Nullable OpenFailure lastFailure() {
        return lastFailure;
    }

    @Override
    public void opened(int open, long connectNanos) {
        lastFailure = null;
    }

    @Override
    public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
        lastFailure = failure;
    }

    @Override
    public void heldTooLong(Object value, long heldNanos) {
        String held = Borrowing.seconds(Duration.ofNanos(heldNanos));
        PhysicalConnection.Borrower borrower = value instanceof PhysicalConnection c ? c.borrower : null;
        if (borrower == null) {
            log.warn("connection leak suspected: {} has been held for {}", value, held);
        } else {
            log.warn(
                    "connection leak suspected: {} has been held for {} by thread '{}', which borrowed it here",
                    value,
                    held,
                    borrower.thread().getName(),
                    borrower.stack());
        }
    }
}
