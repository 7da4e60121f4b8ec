// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

/** The item from which a fleet takes its permits to connect. Takes one call at a time. */
interface PermitItem {

    /**
     * Tries once to take up to {@code most} permits; answered exactly once.
     *
     * @param emptied whether the server found fewer permits than the item shows: then it is emptied as well
     */
    void take(int most, boolean emptied, Taking taking);

    /** The receiver of the answer. */
    interface Taking {

        /** {@code count} permits are ours, the i-th from {@code fromNanos + i * everyNanos} on, for {@code goodForNanos}. */
        void taken(int count, long fromNanos, long everyNanos, long goodForNanos);

        /** Another was faster; retry soon. */
        void contended();

        /** There are none before {@code nanos}. */
        void notBefore(long nanos);

        /** The store gave no answer. */
        void failed(StoreException why);
    }
}
