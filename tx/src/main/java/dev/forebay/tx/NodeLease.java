// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.time.Instant;

/**
 * The right to make the ids of one node for a stretch of time, the time written in the ids.
 *
 * <p>The same moment of a node is never granted twice: the next holder begins where the last one ended, be
 * it in the future of the clock. So no two holders make the same id, whatever their clocks say and however long one of
 * them was paused. A holder that cannot extend its stretch makes no more ids once it has reached the end.
 * Implementations are thread-safe.
 */
public interface NodeLease {

    /** The node, 0 to {@value SnowflakeIds#MOST_NODE}; never changes. */
    int node();

    /** The first moment of the stretch; never changes. */
    Instant from();

    /** The end of the stretch, exclusive, as far as it has been granted; moves on as the lease is extended, never back. */
    Instant until();
}
