// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.Objects;
import java.util.UUID;

/** A workflow, whichever of its runs. Immutable. */
public record WorkflowName(int shardId, UUID namespaceId, String workflowId) {

    public WorkflowName {
        Objects.requireNonNull(namespaceId);
        Objects.requireNonNull(workflowId);
    }

    /** One run of it. */
    public ExecutionKey run(UUID runId) {
        return new ExecutionKey(shardId, namespaceId, workflowId, runId);
    }

    @Override
    public String toString() {
        return "workflow " + workflowId + " of namespace " + namespaceId + " in shard " + shardId;
    }
}
