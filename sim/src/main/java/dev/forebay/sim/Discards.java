// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.DiscardReason;

/** The number of discarded connections, by reason. Not thread-safe. */
@SuppressWarnings("EnumOrdinal") // counted a thousand times a second, read as often
final class Discards {

    private final long[] counts = new long[DiscardReason.values().length];
    private long total;

    void count(DiscardReason reason) {
        counts[reason.ordinal()]++;
        total++;
    }

    void addAll(Discards other) {
        for (int at = 0; at < counts.length; at++) {
            counts[at] += other.counts[at];
        }
        total += other.total;
    }

    long of(DiscardReason reason) {
        return counts[reason.ordinal()];
    }

    long total() {
        return total;
    }
}
