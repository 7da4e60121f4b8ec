// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.time.Time;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The ways to stop a transaction short of an error: a deadline, a cancellation, an interrupt of the thread. Immutable.
 *
 * @param deadlineNanos the deadline, {@link Long#MAX_VALUE} for never
 */
record Stop(Time time, long deadlineNanos, Cancellation cancellation) {

    /** Returns the reason to stop now, null if it may go on. */
    GivenUpException.@Nullable Reason reason() {
        if (cancellation.isCancelled()) {
            return GivenUpException.Reason.CANCELLED;
        }
        if (Thread.currentThread().isInterrupted()) {
            return GivenUpException.Reason.INTERRUPTED;
        }
        return hasDeadline() && time.nanos() >= deadlineNanos ? GivenUpException.Reason.DEADLINE : null;
    }

    /** Throws {@link Stopped} if it has to stop now. */
    void check() throws Stopped {
        GivenUpException.Reason reason = reason();
        if (reason != null) {
            throw new Stopped(reason);
        }
    }

    boolean hasDeadline() {
        return deadlineNanos != Long.MAX_VALUE;
    }

    /** Returns the time left before the deadline. */
    long nanosLeft() {
        return Math.max(0, deadlineNanos - time.nanos());
    }

    /** Returns the time left before the deadline in whole seconds, rounded up, at least 1. */
    int secondsLeft() {
        long left = Math.max(1, nanosLeft());
        return (int) Math.min(Integer.MAX_VALUE, (left + 999_999_999) / 1_000_000_000);
    }

    /** Thrown through the body at its first call after the stop. */
    static final class Stopped extends SQLException {
        private static final long serialVersionUID = 1;

        Stopped(GivenUpException.Reason reason) {
            this(reason, null);
        }

        Stopped(GivenUpException.Reason reason, @Nullable Throwable cause) {
            super("the transaction has to stop: " + reason.words(), reason.state(), cause);
        }
    }
}
