// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The observations of a {@link Contender} until its load had ended. Immutable.
 *
 * @param checkouts checkouts that were asked for
 * @param failedCheckouts those that got no connection
 * @param longest the longest checkout
 * @param admitted connects that the cluster took
 * @param refused connects that the cluster refused because they came too fast
 * @param wave the observations before the drop, while all connections expired
 * @param expired connections that the cluster ended because their time was over
 * @param dropped connections that the cluster dropped
 * @param stallsAfterDrop checkouts after the drop that took longer than {@link Plan#STALL}
 * @param recoveredAfter the time from the drop until all connections were there again; null if they never were
 * @param broken transactions that lost their connection before COMMIT
 * @param unknown transactions that lost it during COMMIT, so that they may have taken place or not
 * @param unexpected failures that nothing in the script explains
 * @param conflicts attempts that met a conflict
 * @param givenUp transactions that met nothing but conflicts
 * @param commits transactions that were committed
 * @param sum the sum of the counters in the database, one for each commit
 */
record Seen(
        long checkouts,
        long failedCheckouts,
        Duration longest,
        long admitted,
        long refused,
        Wave wave,
        long expired,
        long dropped,
        long stallsAfterDrop,
        @Nullable Duration recoveredAfter,
        long broken,
        long unknown,
        long unexpected,
        long conflicts,
        long givenUp,
        long commits,
        long sum) {

    /**
     * The observations while all connections expired.
     *
     * @param empties checkouts that found nothing ready
     * @param stalls checkouts that took longer than {@link Plan#STALL}
     * @param looks the number of looks at the level
     * @param highLooks those at which it was at least {@link Plan#highLevel}
     */
    record Wave(long empties, long stalls, int looks, int highLooks) {

        /** The share of the time in which the level was high, in hundredths, rounded down. */
        int highPercent() {
            return looks == 0 ? 0 : highLooks * 100 / looks;
        }
    }
}
