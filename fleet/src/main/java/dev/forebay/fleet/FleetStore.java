// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A table of small items that a whole fleet writes to, with conditions and small transactions. Thread-safe; never blocks.
 *
 * <p>Every call is answered exactly once, on the calling stack or later, on any thread. A failure says nothing about
 * whether a write took effect, and one that is still under way may take effect after its failure was reported: whoever
 * writes puts a version into the item, requires the one it knows, and reads again to learn what happened.
 */
public interface FleetStore {

    /** Reads items, each as it is now and not as it was a moment ago; those that do not exist are left out. */
    void read(Collection<String> keys, Reply<Map<String, Item>> reply);

    /** Writes all or nothing; no two writes are for one item. */
    void write(List<Write> writes, Reply<Written> reply);

    /** Where an answer goes. */
    interface Reply<R> {

        /** The store answered. */
        void answered(R result);

        /** No answer, or one that decides nothing. */
        void failed(StoreException why);
    }
}
