// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The pace at which logins are answered after a wrong password: one a second, the right ones too. Otherwise a guesser takes
 * silence for a no and goes on at once. No answer waits longer than {@link #LONGEST}, so that guessing does not keep an
 * administrator out. Thread-safe.
 */
final class LoginPace {

    /** The time between two answers. */
    static final Duration STEP = Duration.ofSeconds(1);

    /** The longest wait for an answer, and the time that a wrong password is remembered. */
    static final Duration LONGEST = Duration.ofSeconds(5);

    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private boolean failed;

    @GuardedBy("this")
    private long lastFailureNanos;

    @GuardedBy("this")
    private long lastAnswerNanos;

    LoginPace(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns the delay of the answer to a password that was judged now. */
    synchronized Duration delay(boolean right) {
        long now = nanoTime.getAsLong();
        boolean remembered = failed && now - lastFailureNanos < LONGEST.toNanos();
        if (right && !remembered) {
            return Duration.ZERO;
        }
        if (!right) {
            lastFailureNanos = now;
        }
        long delay = remembered ? Math.max(0, lastAnswerNanos - now) : 0;
        delay = Math.min(delay + STEP.toNanos(), LONGEST.toNanos());
        failed = true;
        lastAnswerNanos = now + delay;
        return Duration.ofNanos(delay);
    }
}
