// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.UUID;

/** Which branch of which tree of history. Immutable. */
public record HistoryBranch(int shardId, UUID treeId, UUID branchId) {

    Object[] key() {
        return new Object[] {shardId, treeId, branchId};
    }
}
