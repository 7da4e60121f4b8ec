// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import java.util.Map;

/**
 * The answer of a {@link FleetStore} to a write. Immutable.
 *
 * @param result what became of it
 * @param found for {@link Result#CONDITION_FAILED}, each item whose condition failed as it was found, by key
 */
public record Written(Result result, Map<String, Item> found) {

    /** It took effect. */
    public static final Written DONE = new Written(Result.DONE, Map.of());

    /** It met another write and had no effect; it may be tried again as it is. */
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
