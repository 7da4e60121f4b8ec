// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import java.time.Duration;

/**
 * How many connections a pool wants to be opening, as a pure function of its census and the time.
 *
 * <p>A supply decides only how many: when an open may start is the admissions' business, and the caps are the engine's.
 * Immutable and thread-safe.
 */
public interface Supply {

    /** How many opens should be under way now, and when to ask again if nothing happens before. */
    Demand wanted(Census census, long nowNanos);

    /** How many connections this supply keeps although nobody waits: the {@code target} of the metrics. */
    int target();

    /** The purpose of an arrival beyond the maximum. */
    default Extra extra() {
        return Extra.REPLACEMENT;
    }

    /** Whether someone who starts to wait may change the demand. */
    default boolean reactsToWaiting() {
        return false;
    }

    /** Keeps {@code targetReady} connections ready and replaces them ahead of expiry; never opens for a caller. */
    static Supply reservoir(int targetReady) {
        return new ReservoirSupply(targetReady);
    }

    /**
     * Standard mode: opens {@code size} connections one after the other, then replaces what is missing, up to
     * {@code perTick} each {@code tick}; at any time opens one for each caller who waits, within that size.
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

    /** Opens because someone waits, and keeps at least {@code minIdle} ready. */
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
     * @param opens how many opens should be under way within the maximum
     * @param extras how many more should be under way on the spare
     * @param recheckAtNanos when the answer may change by itself, {@link Long#MAX_VALUE} if it will not
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
}
