// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import dev.forebay.engine.internal.GoDuration;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * A distribution of delays: {@code 20ms} always, {@code 20ms..50ms} evenly between, {@code exp 20ms} on average with a
 * long tail, {@code off} for none. Immutable.
 */
public sealed interface Latency {

    /** The longest delay that may be asked for. */
    Duration LONGEST = Duration.ofHours(1);

    /** No delay. */
    Latency NONE = new Fixed(Duration.ZERO);

    /** A delay drawn from the distribution. */
    long drawNanos(RandomGenerator random);

    /** The text that {@link #parse} reads. */
    String text();

    /**
     * Reads a latency.
     *
     * @throws IllegalArgumentException saying what is wrong with {@code text}
     */
    static Latency parse(String text) {
        String trimmed = text.strip();
        if (trimmed.equals("off")) {
            return NONE;
        }
        if (trimmed.startsWith("exp ")) {
            return new Exponential(
                    ValueText.duration(trimmed.substring("exp ".length()).strip()));
        }
        int dots = trimmed.indexOf("..");
        if (dots < 0) {
            return new Fixed(ValueText.duration(trimmed));
        }
        return new Uniform(
                ValueText.duration(trimmed.substring(0, dots)), ValueText.duration(trimmed.substring(dots + 2)));
    }

    private static void check(Duration duration) {
        if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "a delay must lie between 0 and an hour: " + GoDuration.format(duration));
        }
    }

    /**
     * Always the same delay.
     *
     * @param delay it
     */
    record Fixed(Duration delay) implements Latency {
        public Fixed {
            check(delay);
        }

        @Override
        public long drawNanos(RandomGenerator random) {
            return delay.toNanos();
        }

        @Override
        public String text() {
            return delay.isZero() ? "off" : GoDuration.format(delay);
        }
    }

    /**
     * Any delay between two, as likely as any other.
     *
     * @param shortest the least
     * @param longest the most
     */
    record Uniform(Duration shortest, Duration longest) implements Latency {
        public Uniform {
            check(shortest);
            check(longest);
            if (shortest.compareTo(longest) > 0) {
                throw new IllegalArgumentException("the longest delay is shorter than the shortest: "
                        + GoDuration.format(shortest) + ".." + GoDuration.format(longest));
            }
        }

        @Override
        public long drawNanos(RandomGenerator random) {
            return random.nextLong(shortest.toNanos(), longest.toNanos() + 1);
        }

        @Override
        public String text() {
            return GoDuration.format(shortest) + ".." + GoDuration.format(longest);
        }
    }

    /**
     * Mostly short delays, sometimes a long one; never more than twenty times the mean.
     *
     * @param mean the delay on average
     */
    record Exponential(Duration mean) implements Latency {
        private static final double MOST_MEANS = 20;

        public Exponential {
            check(mean);
        }

        @Override
        public long drawNanos(RandomGenerator random) {
            return (long) (mean.toNanos() * Math.min(MOST_MEANS, random.nextExponential()));
        }

        @Override
        public String text() {
            return "exp " + GoDuration.format(mean);
        }
    }
}
