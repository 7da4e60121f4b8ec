// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

/**
 * The numbers of a {@link Ledger} at one moment. Immutable.
 *
 * @param active the slots that all instances have, as last seen
 * @param limit the most they may have
 * @param slots the slots that this one has
 * @param held the connections it opened against them
 * @param excess of these, the ones that no slot is known to cover
 * @param requests the writes sent, without those of the reaper
 * @param conflicts of these, the ones that met another write
 */
public record LedgerStats(long active, long limit, int slots, int held, int excess, long requests, long conflicts) {

    /** The sum of the own numbers of both; what is the fleet's stays. */
    LedgerStats plus(LedgerStats other) {
        return new LedgerStats(
                active,
                limit,
                slots + other.slots,
                held + other.held,
                excess + other.excess,
                requests + other.requests,
                conflicts + other.conflicts);
    }
}
