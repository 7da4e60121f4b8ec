// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.engine.TokenBucket;
import dev.forebay.model.ClusterSettings;
import java.time.Duration;
import java.util.Locale;

/**
 * The numbers of a demonstration, which follow from its duration. Immutable.
 *
 * <p>It shows an Aurora DSQL cluster through two factors. {@link #scale} makes everything smaller that is counted:
 * connections, burst, services. {@link #speed} makes time faster: rates grow, lifetimes shrink. A wave in which every
 * connection is replaced takes 100 s on a cluster of 10,000 connections and 100 connects a second; five times as fast it
 * takes 20 s, whatever the scale.
 *
 * <p>Three things are not in proportion. Connections last for {@link #lifetime} instead of {@link #lifetimeInProportion}, so
 * that a wave comes within minutes; this also narrows the time over which a pool spreads the ends of its connections. All
 * connections are opened together, before the limit is in force, so that they expire together. And transactions are few and
 * long, since two cores carry the clusters as well: what counts here is how many connections are in use.
 *
 * @param seconds the duration of the script
 * @param broken the defect on purpose
 */
public record Plan(int seconds, Broken broken) {

    /** A defect made on purpose, to see that it is noticed. */
    public enum Broken {
        NOTHING,
        /** The cluster takes half of its connects a second, from the start: fewer than the services are set to. */
        LIMIT,
        /** The services sign their tokens with a wrong key. */
        TOKEN
    }

    public static final int LEAST_SECONDS = 30;
    public static final int MOST_SECONDS = 3600;

    private static final ClusterSettings DSQL = ClusterSettings.dsql();

    /** The connects a second that a machine of two cores carries without effort, for two clusters. */
    private static final int CONNECTS_PER_SECOND = 10;

    /** The factor of the usual two minutes; a shorter script runs faster, by as much as it is shorter. */
    private static final int LEAST_SPEED = 5;

    private static final int USUAL_SECONDS = 120;

    static final int SERVICES = 5;

    /** The default of HikariCP, 30 s, five times as fast. */
    static final Duration CHECKOUT_TIMEOUT = Duration.ofSeconds(30).dividedBy(LEAST_SPEED);

    /** A checkout that takes longer is a stall. */
    static final Duration STALL = Duration.ofMillis(10);

    static final int CONFLICT_FAULTS = 100;
    static final int HIGH_PERCENT = 90;

    private static final Duration HOLD = Duration.ofSeconds(20);
    private static final Duration LEAST_RECOVERY = Duration.ofSeconds(10);
    private static final Duration LONGEST_LIFE = Duration.ofSeconds(50);

    public Plan {
        if (seconds < LEAST_SECONDS || seconds > MOST_SECONDS) {
            throw new IllegalArgumentException(
                    "--seconds must lie between " + LEAST_SECONDS + " and " + MOST_SECONDS + ": " + seconds);
        }
    }

    // ---- the two factors

    /** The factor by which time is faster than on a real cluster. */
    int speed() {
        return Math.max(LEAST_SPEED, LEAST_SPEED * USUAL_SECONDS / seconds);
    }

    /** The factor by which the cluster is smaller: as large as the speed requires for the machine to carry the connects. */
    int scale() {
        return (int) (DSQL.connectsPerSecond() * speed() / CONNECTS_PER_SECOND);
    }

    /** The factors and what follows from them, for a viewer. */
    String inWords() {
        return String.format(
                Locale.ROOT,
                "1/%d of an Aurora DSQL cluster, %d times as fast: %d connections, %d connects/s, %d at once"
                        + " (there: 10,000, 100 and 1,000). To replace all takes %d s (there: 100 s).",
                scale(),
                speed(),
                mostSessions(),
                connectsPerSecond(),
                connectBurst(),
                mostSessions() / CONNECTS_PER_SECOND);
    }

    // ---- the cluster

    /** The connections that the cluster takes. */
    int mostSessions() {
        return DSQL.mostSessions() / scale();
    }

    /** The connects that the cluster takes a second. */
    int connectsPerSecond() {
        return broken == Broken.LIMIT ? CONNECTS_PER_SECOND / 2 : CONNECTS_PER_SECOND;
    }

    /** The connects that it takes at once. */
    int connectBurst() {
        return (int) DSQL.connectBurst() / scale();
    }

    /** The age that an hour would be. */
    Duration lifetimeInProportion() {
        return DSQL.lifetime().dividedBy(speed());
    }

    /** The age at which the cluster ends a connection. */
    Duration lifetime() {
        Duration wanted = end().multipliedBy(5).dividedBy(12);
        return wanted.compareTo(LONGEST_LIFE) < 0 ? wanted : LONGEST_LIFE;
    }

    /** A part of that, in hundredths. */
    Duration ofLifetime(int hundredths) {
        return lifetime().multipliedBy(hundredths).dividedBy(100);
    }

    /** The cluster while the pools fill: without a limit on connects, unless the limit is what is broken. */
    ClusterSettings clusterAtFirst() {
        ClusterSettings later = cluster();
        return broken == Broken.LIMIT
                ? later
                : later.toBuilder()
                        .connectsPerSecond(DSQL.mostSessions())
                        .connectBurst(DSQL.mostSessions())
                        .build();
    }

    ClusterSettings cluster() {
        return DSQL.toBuilder()
                .connectsPerSecond(connectsPerSecond())
                .connectBurst(connectBurst())
                .mostSessions(mostSessions())
                .lifetime(lifetime())
                .transactionGrace(DSQL.transactionGrace().dividedBy(speed()))
                .build();
    }

    // ---- the services

    /** The connections that a service may have, on leases that all share. */
    private int share() {
        return mostSessions() / SERVICES;
    }

    /** A tenth of them is for replacements. */
    int spare() {
        return Math.max(1, share() / 10);
    }

    int poolSize() {
        return share() - spare();
    }

    int connections() {
        return SERVICES * poolSize();
    }

    int leases() {
        return SERVICES * share();
    }

    /** The connects a second that the reservoirs take together: fewer than the cluster's, since others connect as well. */
    int permitsPerSecond() {
        return CONNECTS_PER_SECOND * 9 / 10;
    }

    /** A service's share of them; one at once, since a connect may reach the cluster later than it was permitted. */
    TokenBucket permitsOfService() {
        return new TokenBucket((double) permitsPerSecond() / SERVICES, 1);
    }

    /** The connections of a service that the load uses: two thirds. */
    int inUse() {
        return poolSize() * 2 / 3;
    }

    /** The time for which a transaction holds its connection, as one does that waits for another service. */
    Duration hold() {
        return HOLD.dividedBy(speed());
    }

    /** The transactions that begin each second at a service. */
    double arrivalsPerSecond() {
        return inUse() * 1e9 / hold().toNanos();
    }

    // ---- the script

    /** The time in which the reservoirs replace all connections. */
    Duration wave() {
        return Duration.ofSeconds(connections()).dividedBy(permitsPerSecond());
    }

    Duration end() {
        return Duration.ofSeconds(seconds);
    }

    Duration dropAt() {
        return end().multipliedBy(65).dividedBy(100);
    }

    Duration conflictsFrom() {
        return end().multipliedBy(85).dividedBy(100);
    }

    Duration conflictsUntil() {
        return end().multipliedBy(95).dividedBy(100);
    }

    /** The level that is kept for most of the time while connections expire. */
    int highLevel() {
        return connections() * 9 / 10;
    }

    /** The longest time to replace half of the connections: that of a wave, since others expire meanwhile. */
    Duration recovery() {
        Duration wave = Duration.ofSeconds(wave().plusMillis(999).toSeconds());
        return wave.compareTo(LEAST_RECOVERY) < 0 ? LEAST_RECOVERY : wave;
    }
}
