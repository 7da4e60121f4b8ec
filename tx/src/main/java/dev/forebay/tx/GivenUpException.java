// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.engine.internal.GoDuration;
import java.io.Serializable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reports a transaction that is not retried any more; it has not taken place. The cause is that of the last attempt, if
 * there was one. Thread-safe.
 */
public final class GivenUpException extends SQLException implements ErrorMeaning.Meant {

    private static final long serialVersionUID = 1;

    private final Reason reason;
    private final ArrayList<Attempt> attempts;

    GivenUpException(String name, Reason reason, List<Attempt> attempts, long tookNanos) {
        this(name, reason, attempts, tookNanos, attempts.isEmpty() ? null : attempts.get(attempts.size() - 1).cause);
    }

    private GivenUpException(
            String name, Reason reason, List<Attempt> attempts, long tookNanos, @Nullable Throwable cause) {
        super(
                "transaction " + name + " was given up after " + count(attempts)
                        + (count(attempts) == 1 ? " attempt" : " attempts") + " in "
                        + GoDuration.format(Duration.ofNanos(tookNanos)) + ": " + reason.words
                        + (cause == null ? "" : "; last: " + cause),
                reason.state,
                cause);
        this.reason = reason;
        this.attempts = new ArrayList<>(attempts);
    }

    private static int count(List<Attempt> attempts) {
        return attempts.isEmpty() ? 0 : attempts.get(attempts.size() - 1).number;
    }

    /** Returns the reason. */
    public Reason reason() {
        return reason;
    }

    /** The failed attempts, in order, of more than a thousand the last; empty if it was stopped before the first attempt. */
    public List<Attempt> attempts() {
        return Collections.unmodifiableList(attempts);
    }

    /** Returns {@code OTHER}, even after conflicts only: a caller with a loop of its own would multiply the attempts. */
    @Override
    public ErrorMeaning meaning() {
        return ErrorMeaning.OTHER;
    }

    /** The reason for giving up. */
    public enum Reason {
        /** Every attempt that the policy allows met a conflict. */
        RETRIES_EXHAUSTED("every attempt met a conflict", "40001"),
        /** The time it was given is over, or would be before the next attempt. */
        DEADLINE("its time is over", "57014"),
        /** It was cancelled. */
        CANCELLED("it was cancelled", "57014"),
        /** Its thread was interrupted; the thread still is. */
        INTERRUPTED("its thread was interrupted", "57014");

        private final String words;
        private final String state;

        Reason(String words, String state) {
            this.words = words;
            this.state = state;
        }

        String words() {
            return words;
        }

        String state() {
            return state;
        }
    }

    /**
     * An attempt that failed.
     *
     * @param number its number, from 1
     * @param began the time from the beginning of the first attempt to its own
     * @param took its duration
     * @param cause its error
     */
    public record Attempt(int number, Duration began, Duration took, Throwable cause) implements Serializable {}
}
