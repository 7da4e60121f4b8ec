// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import java.util.function.IntSupplier;

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
 * @param spare how many extras may exist beside that
 * @param opened how many have been opened since the start
 * @param givenUp how often a connection was given up after all its tries
 * @param horizon when connections have to go, and how fast new ones come
 */
public record Census(
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

    /** In a borrower's hands; takes longer the more connections there are, so ask only if it matters. */
    public int borrowed() {
        return countBorrowed.getAsInt();
    }

    /** Open and not in a borrower's hands; takes as long as {@link #borrowed}. */
    public int ready() {
        return open - borrowed();
    }

    /** How many more may exist without touching the spare. */
    public int room() {
        return maxOpen - open - closing;
    }

    /** The past and the future of the connections, as far as a supply may know them. Valid only during the call. */
    public interface Horizon {

        /** How many open connections have a time to go. */
        int size();

        /** When the {@code index}-th of them, in that order, enters its guard window. */
        long dueAtNanos(int index);

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
