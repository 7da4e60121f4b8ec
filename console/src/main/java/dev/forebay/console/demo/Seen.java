// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What was seen of a {@link Contender} until its load had ended. Immutable.
 *
 * @param checkouts checkouts that were asked for
 * @param failedCheckouts those that got no connection
 * @param admitted connects that the cluster took
 * @param refused connects that the cluster refused because they came too fast
 * @param leastLevel the lowest level before the drop
 * @param expired connections that the cluster ended because their time was over
 * @param dropped connections that the cluster dropped
 * @param recoveredAfter how long after the drop all connections were there again; null if they never were
 * @param broken transactions that lost their connection before COMMIT
 * @param unknown transactions that lost it during COMMIT, so that they may have taken place or not
 * @param unexpected failures that nothing in the script explains
 * @param conflicts attempts that met a conflict
 * @param givenUp transactions that met nothing but conflicts
 * @param commits transactions that were committed
 * @param sum what the counters in the database come to, one for each commit
 */
record Seen(
        long checkouts,
        long failedCheckouts,
        long admitted,
        long refused,
        int leastLevel,
        long expired,
        long dropped,
        @Nullable Duration recoveredAfter,
        long broken,
        long unknown,
        long unexpected,
        long conflicts,
        long givenUp,
        long commits,
        long sum) {}
