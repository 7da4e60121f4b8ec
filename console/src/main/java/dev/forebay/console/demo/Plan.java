// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.model.ClusterSettings;
import java.time.Duration;

/**
 * The numbers of a demonstration, which follow from its duration. Immutable.
 *
 * @param seconds the duration of the script
 * @param broken the defect on purpose
 */
public record Plan(int seconds, Broken broken) {

    /** A defect made on purpose, to see that it is noticed. */
    public enum Broken {
        NOTHING,
        /** The services are set to ten times the connects that the cluster takes. */
        LIMIT,
        /** The services sign their tokens with a wrong key. */
        TOKEN
    }

    public static final int LEAST_SECONDS = 30;
    public static final int MOST_SECONDS = 3600;

    static final int SERVICES = 4;
    static final int POOL_SIZE = 10;
    static final int SPARE = 2;
    static final int CONNECTIONS = SERVICES * POOL_SIZE;

    /** The connections that the services may have together, on leases that they share. */
    static final int LEASES = CONNECTIONS + SERVICES * SPARE;

    static final int WORKERS = 4;

    /** A fifth of Aurora DSQL's, and a burst far below its 1,000, so that the limit is felt with few connections. */
    static final int CONNECTS_PER_SECOND = 20;

    static final int CONNECT_BURST = 15;

    /** The services' share of that: less, since a connect reaches the cluster later than it was permitted. */
    static final int PERMITS_PER_SECOND = 15;

    static final int PERMIT_BURST = 3;

    static final Duration CHECKOUT_TIMEOUT = Duration.ofSeconds(10);
    static final int CONFLICT_FAULTS = 100;

    /** The level that is kept for most of the time while connections expire. */
    static final int HIGH_LEVEL = CONNECTIONS * 9 / 10;

    static final int HIGH_PERCENT = 90;

    static final Duration RECOVERY = Duration.ofSeconds(10);

    private static final long LONGEST_LIFE_MILLIS = 60_000;

    public Plan {
        if (seconds < LEAST_SECONDS || seconds > MOST_SECONDS) {
            throw new IllegalArgumentException(
                    "--seconds must lie between " + LEAST_SECONDS + " and " + MOST_SECONDS + ": " + seconds);
        }
    }

    /** The connects that the cluster takes a second. */
    int connectsPerSecond() {
        return broken == Broken.LIMIT ? CONNECTS_PER_SECOND / 10 : CONNECTS_PER_SECOND;
    }

    /** The connects that it takes at once. */
    int connectBurst() {
        return broken == Broken.LIMIT ? CONNECT_BURST / 10 : CONNECT_BURST;
    }

    /** The age at which the cluster ends a connection. */
    Duration lifetime() {
        return Duration.ofMillis(Math.min(LONGEST_LIFE_MILLIS, seconds * 400L));
    }

    /** A part of that, in hundredths. */
    Duration ofLifetime(int hundredths) {
        return lifetime().multipliedBy(hundredths).dividedBy(100);
    }

    Duration end() {
        return Duration.ofSeconds(seconds);
    }

    Duration dropAt() {
        return end().dividedBy(2);
    }

    Duration conflictsFrom() {
        return end().multipliedBy(3).dividedBy(4);
    }

    Duration conflictsUntil() {
        return end().multipliedBy(9).dividedBy(10);
    }

    /** The cluster, with a rate that suits few connections, and with lifetimes short enough to be seen. */
    ClusterSettings cluster() {
        return ClusterSettings.builder()
                .connectsPerSecond(connectsPerSecond())
                .connectBurst(connectBurst())
                .lifetime(lifetime())
                .build();
    }
}
