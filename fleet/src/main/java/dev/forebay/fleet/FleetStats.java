// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.Observer;
import java.util.function.Supplier;

/**
 * The numbers of the limits that this process shares with its fleet, at one moment. Immutable.
 *
 * @param leases the numbers of the limit on open connections
 * @param permits the numbers of the limit on new connections
 * @param store {@code up}, or the store's trouble
 */
public record FleetStats(LeaseStats leases, PermitStats permits, String store) {

    /** The {@link #store} that answers. */
    public static final String UP = "up";

    /** Shows the limits of {@code service} to {@code observer} until the observation is closed. */
    public static Observer.Observation show(Observer observer, String service, Supplier<FleetStats> stats) {
        return observer.observe(service, FleetMetrics.CATALOGUE, stats);
    }

    /**
     * The numbers of a process's leases at one moment. Immutable.
     *
     * @param active the slots that all instances have, as last seen
     * @param limit the most they may have
     * @param slots the slots that this one has
     * @param held the connections it opened against them
     * @param excess of these, the ones that no slot is known to cover
     * @param requests the writes sent for them
     * @param conflicts of these, the ones that met another write
     * @param lost the times this one was given up for dead and was not
     * @param reaped the slots of dead ones it gave back
     */
    public record LeaseStats(
            long active,
            long limit,
            int slots,
            int held,
            int excess,
            long requests,
            long conflicts,
            long lost,
            long reaped) {

        /** No leases. */
        public static final LeaseStats NONE = new LeaseStats(0, 0, 0, 0, 0, 0, 0, 0, 0);

        /** The sum of both instances' own numbers, with the fleet's numbers of this one. */
        public LeaseStats plus(LeaseStats other) {
            return new LeaseStats(
                    active,
                    limit,
                    slots + other.slots,
                    held + other.held,
                    excess + other.excess,
                    requests + other.requests,
                    conflicts + other.conflicts,
                    lost + other.lost,
                    reaped + other.reaped);
        }
    }

    /**
     * The numbers of a rate limit that a fleet shares, since it was made. Immutable.
     *
     * @param granted the permits that were given to connects
     * @param requests the requests to the store
     * @param contended of these, the ones in which another was faster
     * @param wasted the permits that were not used in time
     * @param postponed the times a connect had to wait
     * @param fallbackPerSecond the connections a second this process opens while the store is lost
     */
    public record PermitStats(
            long granted, long requests, long contended, long wasted, long postponed, double fallbackPerSecond) {

        /** No permits. */
        public static final PermitStats NONE = new PermitStats(0, 0, 0, 0, 0, 0);
    }
}
