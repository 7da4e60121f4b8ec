// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import java.util.Map;

/**
 * The numbers of a pool at one moment; the counters run from its start. Immutable.
 *
 * @param ready open and not in a borrower's hands
 * @param borrowed in a borrower's hands
 * @param opening on the way in
 * @param closing on the way out, opens that were given up but have not ended included
 * @param waiting checkouts that wait
 * @param target the connections the supply keeps although none waits
 * @param maxOpen the most that may be open, but for the spare
 * @param checkouts successful checkouts
 * @param empties checkouts that found nothing ready
 * @param waits checkouts that waited and were served
 * @param waitedNanos the total of their waits
 * @param timeouts checkouts whose deadline passed
 * @param oldestWaitNanos the wait so far of the head of the queue, 0 without one
 * @param opened connections opened
 * @param openFailures opens that failed, by cause
 * @param discards connections discarded, by reason
 * @param times how long checkouts took and connections were held, if a listener wants to know
 */
public record PoolStats(
        int ready,
        int borrowed,
        int opening,
        int closing,
        int waiting,
        int target,
        int maxOpen,
        long checkouts,
        long empties,
        long waits,
        long waitedNanos,
        long timeouts,
        long oldestWaitNanos,
        long opened,
        Map<OpenFailure.Cause, Long> openFailures,
        Map<DiscardReason, Long> discards,
        Times times) {

    public PoolStats {
        openFailures = Map.copyOf(openFailures);
        discards = Map.copyOf(discards);
    }

    /**
     * The times of checkouts and uses. Immutable.
     *
     * @param checkouts how long each successful checkout took
     * @param uses the number of uses that have ended
     * @param usedNanos the total of their times. Uses under 4 µs are estimated from one in 251; longer ones are exact
     * @param longestUseNanos the longest of them of late
     */
    public record Times(Metric.Distribution checkouts, long uses, long usedNanos, long longestUseNanos) {

        /** No times. */
        public static final Times NONE = new Times(Metric.Distribution.NONE, 0, 0, 0);

        /** These and those of another pool. */
        public Times plus(Times other) {
            return new Times(
                    checkouts.plus(other.checkouts),
                    uses + other.uses,
                    usedNanos + other.usedNanos,
                    Math.max(longestUseNanos, other.longestUseNanos));
        }
    }

    /** The number of connections ready or borrowed. */
    public int open() {
        return ready + borrowed;
    }

    /**
     * The part of the target that is there: the value of {@code dsql_reservoir_size}. Borrowers may hold the difference
     * between maximum and target beside it, as another pool on top does; only what they hold beyond that counts.
     * Without such a difference it is all that are open.
     */
    public int level() {
        return ready + Math.max(0, borrowed - Math.max(0, maxOpen - target));
    }

    /** The number of connections discarded for {@code reason}. */
    public long discards(DiscardReason reason) {
        return discards.getOrDefault(reason, 0L);
    }

    /** The number of opens that failed for {@code cause}. */
    public long openFailures(OpenFailure.Cause cause) {
        return openFailures.getOrDefault(cause, 0L);
    }
}
