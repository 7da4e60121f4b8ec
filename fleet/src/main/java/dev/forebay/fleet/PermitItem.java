// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

/** The item from which a fleet takes its permits to connect. Called by one at a time. */
interface PermitItem {

    /**
     * Tries once to take up to {@code most} permits; answered exactly once.
     *
     * @param emptied whether the server said that there are fewer than the item says: then it is emptied as well
     */
    void take(int most, boolean emptied, Taking taking);

    /** Where the answer goes. */
    interface Taking {

        /** {@code count} permits are ours, the i-th from {@code fromNanos + i * everyNanos} on, until {@code untilNanos}. */
        void taken(int count, long fromNanos, long everyNanos, long goodForNanos);

        /** Another was faster; try again soon. */
        void contended();

        /** There are none before {@code nanos}. */
        void notBefore(long nanos);

        /** The store gave no answer. */
        void failed(StoreException why);
    }
}
