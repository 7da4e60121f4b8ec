// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A table of small items that a whole fleet writes to, with conditions and small transactions. Thread-safe; never blocks.
 *
 * <p>Every call is answered exactly once, on the calling stack or later, on any thread. A write that failed may have
 * taken effect, and one still in progress may take effect after its failure was reported: a writer puts a version into
 * the item, requires the one it knows, and reads again to learn what happened.
 */
public interface FleetStore {

    /** The longest wait for an answer; a call without one has failed. */
    Duration TIMEOUT = Duration.ofSeconds(5);

    /** Reads items, each as it is now and not as it was a moment ago; those that do not exist are left out. */
    void read(Collection<String> keys, Reply<Map<String, Item>> reply);

    /** Writes all or nothing; no two writes are for one item. */
    void write(List<Write> writes, Reply<Written> reply);

    /** The receiver of an answer. */
    interface Reply<R> {

        /** The store answered. */
        void answered(R result);

        /** No answer, or one that decides nothing. */
        void failed(StoreException why);
    }

    /**
     * The answer of a {@link FleetStore} to a write. Immutable.
     *
     * @param result the outcome
     * @param found for {@link Result#CONDITION_FAILED}, each item whose condition failed as it was found, by key
     */
    record Written(Result result, Map<String, Item> found) {

        /** It took effect. */
        public static final Written DONE = new Written(Result.DONE, Map.of());

        /** It met another write and had no effect; it may be retried as it is. */
        public static final Written CONFLICT = new Written(Result.CONFLICT, Map.of());

        public Written {
            found = Map.copyOf(found);
        }

        /** A condition did not hold, and nothing took effect. */
        public static Written conditionFailed(Map<String, Item> found) {
            return new Written(Result.CONDITION_FAILED, found);
        }

        /** The outcome of a write. */
        public enum Result {
            DONE,
            CONDITION_FAILED,
            CONFLICT
        }
    }
}
