// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import dev.forebay.engine.internal.GoDuration;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something to go wrong, as a value with a text form: a test, a command line and a control port use the same words.
 * Immutable.
 *
 * <p>A fault replaces an earlier one of its kind, so {@code freeze 0s} ends a freeze; failing commits add up.
 */
public sealed interface Fault {

    /** The text that {@link #parse} reads. */
    String text();

    /**
     * Reads a fault.
     *
     * @throws IllegalArgumentException saying what is wrong with {@code text}
     */
    static Fault parse(String text) {
        return FaultText.parse(text);
    }

    private static void checkLength(Duration length) {
        if (length.isNegative() || length.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("a fault lasts between 0 and a day: " + GoDuration.format(length));
        }
    }

    /**
     * Connects are refused for a while: {@code refuse connects 5s}.
     *
     * @param length how long
     */
    record RefuseConnects(Duration length) implements Fault {
        public RefuseConnects {
            checkLength(length);
        }

        @Override
        public String text() {
            return "refuse connects " + GoDuration.format(length);
        }
    }

    /**
     * The cluster was asleep, and says for a while that it is waking up: {@code waking up 10s}.
     *
     * @param length how long
     */
    record WakingUp(Duration length) implements Fault {
        public WakingUp {
            checkLength(length);
        }

        @Override
        public String text() {
            return "waking up " + GoDuration.format(length);
        }
    }

    /**
     * Nothing is answered for a while: {@code freeze 5s}.
     *
     * @param length how long
     */
    record Freeze(Duration length) implements Fault {
        public Freeze {
            checkLength(length);
        }

        @Override
        public String text() {
            return "freeze " + GoDuration.format(length);
        }
    }

    /**
     * Some of the open sessions are dropped now: {@code drop 0.3} or {@code drop 30%}.
     *
     * @param fraction how many of them, from 0 to 1
     */
    record Drop(double fraction) implements Fault {
        public Drop {
            if (!(fraction >= 0 && fraction <= 1)) {
                throw new IllegalArgumentException("a fraction lies between 0 and 1: " + fraction);
            }
        }

        @Override
        public String text() {
            return "drop " + BigDecimal.valueOf(fraction).stripTrailingZeros().toPlainString();
        }
    }

    /**
     * Connects or statements take longer: {@code delay statements 20ms}, {@code delay connects 10ms..50ms for 30s},
     * {@code delay statements exp 20ms}, {@code delay statements off}.
     *
     * @param what the operations that take longer
     * @param latency by how much
     * @param length for how long, null until told otherwise
     */
    record Delay(Delayed what, Latency latency, @Nullable Duration length) implements Fault {
        public Delay {
            if (length != null) {
                checkLength(length);
            }
        }

        @Override
        public String text() {
            String text = "delay " + what.name().toLowerCase(Locale.ROOT) + " " + latency.text();
            return length == null ? text : text + " for " + GoDuration.format(length);
        }
    }

    /**
     * The next commits fail: {@code fail commits 3 OC000}, or {@code OC001}, {@code XX000 applied},
     * {@code XX000 not applied}.
     *
     * @param count how many
     * @param how the error
     */
    record FailCommits(int count, CommitFault how) implements Fault {
        public FailCommits {
            if (count < 1 || count > 1_000_000) {
                throw new IllegalArgumentException("a count of commits lies between 1 and a million: " + count);
            }
        }

        @Override
        public String text() {
            return "fail commits " + count + " " + how.text();
        }
    }

    /** Tokens that were made before now are refused: {@code expire tokens}. */
    record ExpireTokens() implements Fault {
        @Override
        public String text() {
            return "expire tokens";
        }
    }

    /** Every fault ends: {@code clear}. */
    record Clear() implements Fault {
        @Override
        public String text() {
            return "clear";
        }
    }

    /** The target of a delay. */
    enum Delayed {
        CONNECTS,
        STATEMENTS
    }
}
