// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

/** Names the items of one endpoint's leases. */
record LeaseKeys(String endpoint) {

    /** The key of the item that counts the slots of all instances, {@code active}. */
    String counter() {
        return "dsqllease_counter#" + endpoint;
    }

    /** The key of the item that lists the leases: an attribute for each. */
    String index() {
        return "dsqllease_index#" + endpoint;
    }

    String lease(String id) {
        return "dsqllease#" + endpoint + "#" + id;
    }

    /** Adds {@code more} slots to the counter within the limit, or takes some off, never below zero. */
    Write counting(int more, long limit, long counted, long wallMillis) {
        Write counter = Write.to(counter()).set("updated_ms", wallMillis).add("changes", 1);
        if (more > 0) {
            return counter.ifAbsentOrAtMost("active", limit - more).add("active", more);
        }
        long fewer = Math.min(-more, counted);
        return fewer == 0 ? counter : counter.ifAtLeast("active", fewer).add("active", -fewer);
    }
}
