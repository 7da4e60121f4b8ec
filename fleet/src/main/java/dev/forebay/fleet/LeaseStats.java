// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

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
 * @param lost how often this one was given up for dead and was not
 * @param reaped how many slots of dead ones it gave back
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

    /** The sum of the own numbers of both; what is the fleet's stays. */
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
