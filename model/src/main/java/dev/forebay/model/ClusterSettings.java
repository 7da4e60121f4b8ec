// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;

/**
 * The numbers of a {@link Cluster}. Immutable.
 *
 * @param connectsPerSecond how many connects are admitted each second in the long run
 * @param connectBurst how many connects are admitted at once after a rest
 * @param mostSessions how many sessions may be open
 * @param lifetime how long a session may last
 * @param transactionGrace how much longer it may last if it is in a transaction then
 * @param refusedConnectSpends whether a refused connect counts against the rate; what a real cluster does is not known
 * @param connectLatency how long a connect takes, faults apart
 */
public record ClusterSettings(
        double connectsPerSecond,
        long connectBurst,
        int mostSessions,
        Duration lifetime,
        Duration transactionGrace,
        boolean refusedConnectSpends,
        Duration connectLatency) {

    private static final Duration LONGEST = Duration.ofDays(365);
    private static final long LARGEST_BURST = 1_000_000;
    private static final String NAMES = "rate, burst, sessions, lifetime, grace, latency, refused-spends";

    public ClusterSettings {
        if (!(connectsPerSecond >= 0.001) || connectsPerSecond > 1e6) {
            throw new IllegalArgumentException(
                    "a connect rate must lie between 0.001 and a million a second: " + connectsPerSecond);
        }
        if (connectBurst < 1 || connectBurst > LARGEST_BURST) {
            throw new IllegalArgumentException("a connect burst must lie between 1 and a million: " + connectBurst);
        }
        if (mostSessions < 0) {
            throw new IllegalArgumentException("a number of sessions is not negative: " + mostSessions);
        }
        checkLength("a lifetime", lifetime);
        if (lifetime.isZero()) {
            throw new IllegalArgumentException("a lifetime must be longer than nothing");
        }
        checkLength("a transaction's grace", transactionGrace);
        checkLength("a connect latency", connectLatency);
    }

    private static void checkLength(String name, Duration length) {
        if (length.isNegative() || length.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must lie between 0 and a year: " + length);
        }
    }

    /** The numbers of a real cluster, with connects that take no time. */
    public static ClusterSettings dsql() {
        return new Builder().build();
    }

    /** A builder that begins with the numbers of a real cluster. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that begins with these numbers. */
    public Builder toBuilder() {
        return new Builder()
                .connectsPerSecond(connectsPerSecond)
                .connectBurst(connectBurst)
                .mostSessions(mostSessions)
                .lifetime(lifetime)
                .transactionGrace(transactionGrace)
                .refusedConnectSpends(refusedConnectSpends)
                .connectLatency(connectLatency);
    }

    /**
     * These numbers with one of them changed, by the words of a command: {@code rate 50}, {@code burst 10},
     * {@code sessions 100}, {@code lifetime 10s}, {@code grace 1s}, {@code latency 5ms}, {@code refused-spends true}.
     *
     * @throws IllegalArgumentException saying what is wrong with {@code text}
     */
    public ClusterSettings with(String text) {
        String[] words = text.strip().split("\\s+");
        if (words.length != 2) {
            throw new IllegalArgumentException("\"" + text + "\" is not a name and a value; names are: " + NAMES);
        }
        Builder builder = toBuilder();
        String value = words[1];
        switch (words[0]) {
            case "rate" -> builder.connectsPerSecond(ValueText.number(value));
            case "burst" -> builder.connectBurst(ValueText.count(value));
            case "sessions" -> builder.mostSessions(ValueText.count(value));
            case "lifetime" -> builder.lifetime(ValueText.duration(value));
            case "grace" -> builder.transactionGrace(ValueText.duration(value));
            case "latency" -> builder.connectLatency(ValueText.duration(value));
            case "refused-spends" -> builder.refusedConnectSpends(ValueText.flag(value));
            default -> throw new IllegalArgumentException("\"" + words[0] + "\" is not a setting; there are: " + NAMES);
        }
        return builder.build();
    }

    /** Makes {@link ClusterSettings}. Not thread-safe. */
    public static final class Builder {
        private double connectsPerSecond = 100;
        private long connectBurst = 1_000;
        private int mostSessions = 10_000;
        private Duration lifetime = Duration.ofMinutes(60);
        private Duration transactionGrace = Duration.ofMinutes(5);
        private boolean refusedConnectSpends;
        private Duration connectLatency = Duration.ZERO;

        private Builder() {}

        @CanIgnoreReturnValue
        public Builder connectsPerSecond(double value) {
            connectsPerSecond = value;
            return this;
        }

        @CanIgnoreReturnValue
        public Builder connectBurst(long value) {
            connectBurst = value;
            return this;
        }

        @CanIgnoreReturnValue
        public Builder mostSessions(int value) {
            mostSessions = value;
            return this;
        }

        @CanIgnoreReturnValue
        public Builder lifetime(Duration value) {
            lifetime = value;
            return this;
        }

        @CanIgnoreReturnValue
        public Builder transactionGrace(Duration value) {
            transactionGrace = value;
            return this;
        }

        @CanIgnoreReturnValue
        public Builder refusedConnectSpends(boolean value) {
            refusedConnectSpends = value;
            return this;
        }

        @CanIgnoreReturnValue
        public Builder connectLatency(Duration value) {
            connectLatency = value;
            return this;
        }

        public ClusterSettings build() {
            return new ClusterSettings(
                    connectsPerSecond,
                    connectBurst,
                    mostSessions,
                    lifetime,
                    transactionGrace,
                    refusedConnectSpends,
                    connectLatency);
        }
    }
}
