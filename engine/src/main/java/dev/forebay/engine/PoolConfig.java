// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import java.time.Duration;

/**
 * The settings of a pool. Immutable. A duration of zero switches its feature off, unless it says otherwise.
 *
 * @param supply decides the number of connections to open
 * @param maxOpen the most that may exist, but for the spare
 * @param spare the replacements, or overflowing ones, that may exist beside that for a moment
 * @param lifetime the lifetime of a connection, before jitter; zero for ever
 * @param lifetimeJitter the width of the range around it from which each connection draws its own, at birth
 * @param guardWindow the time before its end in which a connection is not handed out or taken back
 * @param inFlightLimit the most opens in progress at once
 * @param openTimeout the time after which an open counts as failed and no longer takes up an in-flight slot
 * @param checkTimeout the time after which a check counts as failed
 * @param backoff the waits after failures
 * @param keepalive the time a ready connection may be idle before it is checked in the background
 * @param trust the time a connection counts as alive without a check; after that it is validated before it is handed out
 * @param idleTimeout the time a ready connection may be unused before it is discarded
 * @param minIdle the number of ready ones the idle timeout spares
 * @param exhaustion the answer to a checkout when everything is in use
 * @param maxWaiting the most checkouts that may wait at once
 * @param reuseOrder the choice among the ready connections
 * @param heldTooLong the time after which a borrower is reported
 */
public record PoolConfig(
        Supply supply,
        int maxOpen,
        int spare,
        Duration lifetime,
        Duration lifetimeJitter,
        Duration guardWindow,
        int inFlightLimit,
        Duration openTimeout,
        Duration checkTimeout,
        Backoff backoff,
        Duration keepalive,
        Duration trust,
        Duration idleTimeout,
        int minIdle,
        Exhaustion exhaustion,
        int maxWaiting,
        ReuseOrder reuseOrder,
        Duration heldTooLong) {

    private static final int MOST = 1_000_000;
    private static final Duration LONGEST = Duration.ofDays(36_500);

    public PoolConfig {
        atLeast(0, maxOpen, "maxOpen");
        atLeast(0, spare, "spare");
        if (maxOpen > MOST || spare > MOST) {
            throw new IllegalArgumentException("at most " + MOST + " connections: " + maxOpen + ", spare " + spare);
        }
        atLeast(1, inFlightLimit, "inFlightLimit");
        atLeast(0, minIdle, "minIdle");
        atLeast(0, maxWaiting, "maxWaiting");
        notNegative(lifetime, "lifetime");
        notNegative(lifetimeJitter, "lifetimeJitter");
        notNegative(guardWindow, "guardWindow");
        notNegative(keepalive, "keepalive");
        notNegative(trust, "trust");
        notNegative(idleTimeout, "idleTimeout");
        notNegative(heldTooLong, "heldTooLong");
        if (openTimeout.isNegative() || openTimeout.isZero() || checkTimeout.isNegative() || checkTimeout.isZero()) {
            throw new IllegalArgumentException(
                    "timeouts must be positive: openTimeout " + openTimeout + ", checkTimeout " + checkTimeout);
        }
        if (!lifetime.isZero() && lifetime.minus(lifetimeJitter.dividedBy(2)).compareTo(guardWindow) <= 0) {
            throw new IllegalArgumentException("no connection would ever be handed out: the shortest lifetime, "
                    + lifetime.minus(lifetimeJitter.dividedBy(2)) + ", must be longer than the guard window, "
                    + guardWindow);
        }
    }

    private static void atLeast(int least, int value, String name) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ": " + value);
        }
    }

    private static void notNegative(Duration value, String name) {
        if (value.isNegative() || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must lie between 0 and a century: " + value);
        }
    }

    /** A pool of at most {@code maxOpen} with {@code supply}, and nothing else switched on. */
    public static Builder builder(Supply supply, int maxOpen) {
        return new Builder(supply, maxOpen);
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder {
        private final Supply supply;
        private final int maxOpen;
        private int spare;
        private Duration lifetime = Duration.ZERO;
        private Duration lifetimeJitter = Duration.ZERO;
        private Duration guardWindow = Duration.ZERO;
        private int inFlightLimit = 32;
        private Duration openTimeout = Duration.ofSeconds(10);
        private Duration checkTimeout = Duration.ofSeconds(5);
        private Backoff backoff = Backoff.DEFAULT;
        private Duration keepalive = Duration.ZERO;
        private Duration trust = Duration.ZERO;
        private Duration idleTimeout = Duration.ZERO;
        private int minIdle;
        private Exhaustion exhaustion = Exhaustion.WAIT;
        private int maxWaiting = 65_536;
        private ReuseOrder reuseOrder = ReuseOrder.SPREAD;
        private Duration heldTooLong = Duration.ZERO;

        private Builder(Supply supply, int maxOpen) {
            this.supply = supply;
            this.maxOpen = maxOpen;
        }

        public Builder spare(int spare) {
            this.spare = spare;
            return this;
        }

        public Builder lifetime(Duration lifetime, Duration jitter, Duration guardWindow) {
            this.lifetime = lifetime;
            this.lifetimeJitter = jitter;
            this.guardWindow = guardWindow;
            return this;
        }

        public Builder inFlightLimit(int limit) {
            this.inFlightLimit = limit;
            return this;
        }

        public Builder openTimeout(Duration timeout) {
            this.openTimeout = timeout;
            return this;
        }

        public Builder checkTimeout(Duration timeout) {
            this.checkTimeout = timeout;
            return this;
        }

        public Builder backoff(Backoff backoff) {
            this.backoff = backoff;
            return this;
        }

        public Builder keepalive(Duration keepalive) {
            this.keepalive = keepalive;
            return this;
        }

        public Builder trust(Duration trust) {
            this.trust = trust;
            return this;
        }

        public Builder idle(Duration timeout, int minIdle) {
            this.idleTimeout = timeout;
            this.minIdle = minIdle;
            return this;
        }

        public Builder exhaustion(Exhaustion exhaustion) {
            this.exhaustion = exhaustion;
            return this;
        }

        public Builder maxWaiting(int maxWaiting) {
            this.maxWaiting = maxWaiting;
            return this;
        }

        public Builder reuseOrder(ReuseOrder order) {
            this.reuseOrder = order;
            return this;
        }

        public Builder heldTooLong(Duration heldTooLong) {
            this.heldTooLong = heldTooLong;
            return this;
        }

        /** Checks the settings and returns them. */
        public PoolConfig build() {
            return new PoolConfig(
                    supply,
                    maxOpen,
                    spare,
                    lifetime,
                    lifetimeJitter,
                    guardWindow,
                    inFlightLimit,
                    openTimeout,
                    checkTimeout,
                    backoff,
                    keepalive,
                    trust,
                    idleTimeout,
                    minIdle,
                    exhaustion,
                    maxWaiting,
                    reuseOrder,
                    heldTooLong);
        }
    }

    /** The answer to a checkout when every connection is in use and no more may be opened. */
    public enum Exhaustion {
        /** Waits for a return. */
        WAIT,
        /** Fails at once. */
        FAIL_FAST,
        /** Opens one more, up to the spare of the pool, and closes it when it is returned. */
        OVERFLOW
    }

    /** The choice of a checkout among the ready connections. */
    public enum ReuseOrder {
        /** Any, spread over the threads so that they stay out of each other's way. */
        SPREAD,
        /**
         * The one returned last, so that the others grow idle and can be discarded. Exact among up to 64 connections;
         * beyond that, the newest of the lowest group of 64 that has one.
         */
        NEWEST_FIRST
    }
}
