// SPDX-License-Identifier: Apache-2.0
package dev.forebay.pool;

/**
 * The pool counted at one moment, under its lock. Immutable, but for the horizon, which serves one call.
 *
 * @param ready open and not in a borrower's hands
 * @param leased in a borrower's hands
 * @param opening on the way, from the first admission to the end of the driver's call
 * @param closing on the way out, until the other side no longer counts it
 * @param waiting checkouts that wait
 * @param maxOpen the most that may be open, but for the spare
 * @param spare how many extras may exist beside that
 * @param opened how many have been opened since the start
 * @param abandoned how often a connection was given up after all its tries
 * @param horizon when connections have to go, and how fast new ones come
 */
public record Census(
        int ready,
        int leased,
        int opening,
        int closing,
        int waiting,
        int maxOpen,
        int spare,
        long opened,
        long abandoned,
        Horizon horizon) {

    /** Ready or leased. */
    public int open() {
        return ready + leased;
    }

    /** How many more may exist without touching the spare. */
    public int room() {
        return maxOpen - ready - leased - closing;
    }

    /** What a supply may know of the past and the future of the connections. Valid only during the call. */
    public interface Horizon {

        /** How many open connections have a time to go. */
        int size();

        /** When the {@code index}-th of them, in that order, enters its guard window. */
        long retireAtNanos(int index);

        /** How many opens started at {@code nanos} or later, counted up to a small number. */
        int startedSince(long nanos);

        /** How many opens a second were granted lately while there was demand. */
        double grantsPerSecond();

        /** How long a connect takes lately. */
        long connectNanos();

        /** When the pool was started. */
        long startedAtNanos();
    }
}
