// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.Objects;
import java.util.UUID;

/** One run of a workflow. Immutable. */
public record ExecutionKey(int shardId, UUID namespaceId, String workflowId, UUID runId) {

    public ExecutionKey {
        Objects.requireNonNull(namespaceId);
        Objects.requireNonNull(workflowId);
        Objects.requireNonNull(runId);
    }

    /** The workflow of which it is a run. */
    public WorkflowName workflow() {
        return new WorkflowName(shardId, namespaceId, workflowId);
    }

    @Override
    public String toString() {
        return "run " + runId + " of " + workflow();
    }
}
