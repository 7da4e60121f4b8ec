// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.engine.PoolConfig.Exhaustion;
import java.time.Duration;
import java.util.function.IntSupplier;

/**
 * The number of connections a pool wants to be opening, as a pure function of its census and the time.
 *
 * <p>A supply decides only the number: the admissions decide when an open may start, and the caps are the engine's.
 * Immutable and thread-safe.
 */
public interface Supply {

    /** Returns the number of opens that should be in progress now, and when to ask again if nothing happens before. */
    Demand wanted(Census census, long nowNanos);

    /** The number of connections this supply keeps without a waiter: the {@code target} of the metrics. */
    int target();

    /** The purpose of an arrival beyond the maximum. */
    default Extra extra() {
        return Extra.REPLACEMENT;
    }

    /** Whether a new waiter may change the demand. */
    default boolean reactsToWaiting() {
        return false;
    }

    /** Keeps {@code targetReady} connections ready and replaces them ahead of expiry; never opens for a caller. */
    static Supply reservoir(int targetReady) {
        return new ReservoirSupply(targetReady);
    }

    /**
     * Standard mode: opens {@code size} connections one after the other, then replaces what is missing, up to {@code
     * perTick} each {@code tick}; at any time opens one for each waiter, within that size.
     *
     * @param perTick such as {@link #keeperBatch}
     */
    static Supply keeper(int size, Duration tick, int perTick) {
        return new KeeperSupply(size, tick, perTick);
    }

    /**
     * The number of connections that a keeper of {@code size} opens each tick: those of a second if all of them end
     * within {@code spread}, two minutes at most; at least 1 and at most 10.
     */
    static int keeperBatch(int size, Duration spread) {
        long seconds = Math.max(1, Math.min(120, spread.toSeconds()));
        return (int) Math.max(1, Math.min(10, (size + seconds - 1) / seconds));
    }

    /** Opens for waiters, and keeps at least {@code minIdle} ready. */
    static Supply onDemand(int minIdle, int maxOpen, Exhaustion exhaustion) {
        return onDemand(minIdle, Duration.ZERO, maxOpen, exhaustion);
    }

    /** As above, but keeps none idle before {@code idleAfter} has passed since the pool was made. */
    static Supply onDemand(int minIdle, Duration idleAfter, int maxOpen, Exhaustion exhaustion) {
        return new OnDemandSupply(minIdle, idleAfter, maxOpen, exhaustion);
    }

    /**
     * The opens that a supply wants.
     *
     * @param opens the opens that should be in progress within the maximum
     * @param extras the further ones that should be in progress on the spare
     * @param recheckAtNanos the time the answer may change by itself, {@link Long#MAX_VALUE} if it will not
     */
    record Demand(int opens, int extras, long recheckAtNanos) {

        /** Nothing, until something happens. */
        public static final Demand NONE = new Demand(0, 0, Long.MAX_VALUE);

        public Demand {
            if (opens < 0 || extras < 0) {
                throw new IllegalArgumentException("bug: negative demand " + opens + ", " + extras);
            }
        }
    }

    /** The purpose of connections beyond the maximum. */
    enum Extra {
        /** To displace one that is about to expire. */
        REPLACEMENT,
        /** To serve one borrower and be closed on return. */
        OVERFLOW
    }

    /**
     * The pool counted at one moment, under its lock. Immutable, but for what counts the borrowed ones and for the horizon,
     * which serve one call.
     *
     * @param open ready or borrowed
     * @param countBorrowed counts those in a borrower's hands by walking all connections
     * @param opening on the way, from the first admission to the end of the driver's call
     * @param closing on the way out, until the other side no longer counts it
     * @param waiting checkouts that wait
     * @param maxOpen the most that may be open, but for the spare
     * @param spare the extras that may exist beside that
     * @param opened the connections opened since the start
     * @param givenUp the times a connection was given up after all its tries
     * @param horizon the times at which connections have to go, and the pace of new ones
     */
    record Census(
            int open,
            IntSupplier countBorrowed,
            int opening,
            int closing,
            int waiting,
            int maxOpen,
            int spare,
            long opened,
            long givenUp,
            Horizon horizon) {

        /** The number in borrowers' hands; takes longer the more connections there are, so ask only if it matters. */
        public int borrowed() {
            return countBorrowed.getAsInt();
        }

        /** The number open and not in a borrower's hands; takes as long as {@link #borrowed}. */
        public int ready() {
            return open - borrowed();
        }

        /** The number that may be added without touching the spare. */
        public int room() {
            return maxOpen - open - closing;
        }

        /** The past and the future of the connections, as far as a supply may know them. Valid only during the call. */
        public interface Horizon {

            /** The number of open connections that have a time to go. */
            int size();

            /** The time the {@code index}-th of them, in the order of these times, enters its guard window. */
            long dueAtNanos(int index);

            /** The number of opens started at {@code nanos} or later, counted up to a small number. */
            int startedSince(long nanos);

            /** The opens granted a second lately while there was demand. */
            double grantsPerSecond();

            /** The recent duration of a connect. */
            long connectNanos();

            /** The time the pool was made. */
            long startedAtNanos();
        }
    }
}
