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
 * A transaction that is not tried any more; it has not taken place. The cause is that of the last attempt, if there was
 * one. Thread-safe.
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
                "transaction " + name + " was given up after " + attempts.size()
                        + (attempts.size() == 1 ? " attempt" : " attempts") + " in "
                        + GoDuration.format(Duration.ofNanos(tookNanos)) + ": " + reason.words
                        + (cause == null ? "" : "; last: " + cause),
                reason.state,
                cause);
        this.reason = reason;
        this.attempts = new ArrayList<>(attempts);
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }

    /** The failed attempts, in order; empty if it was stopped before the first attempt. */
    public List<Attempt> attempts() {
        return Collections.unmodifiableList(attempts);
    }

    /** Other, although every attempt met a conflict: whoever calls this in a loop of its own would multiply the attempts. */
    @Override
    public ErrorMeaning meaning() {
        return ErrorMeaning.OTHER;
    }

    /** Why a transaction is given up. */
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
     * @param number which one, from 1
     * @param began when it began, from the beginning of the first
     * @param took how long it took
     * @param cause what it failed with
     */
    public record Attempt(int number, Duration began, Duration took, Throwable cause) implements Serializable {}
}
