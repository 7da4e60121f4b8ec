// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which run a workflow's name stands for: a row of {@code current_executions}, or with an archetype of {@code
 * current_chasm_executions}. Immutable.
 *
 * @param archetypeId 0 for a workflow
 * @param state as Temporal numbers WorkflowExecutionState
 * @param status as Temporal numbers WorkflowExecutionStatus
 * @param lastWriteVersion of the execution, where it was locked together with it
 * @param data the execution's state, serialized
 */
public record CurrentExecution(
        WorkflowName workflow,
        long archetypeId,
        UUID runId,
        String createRequestId,
        int state,
        int status,
        long startVersion,
        @Nullable Instant startTime,
        long lastWriteVersion,
        @Nullable Blob data) {

    /** The number of the state COMPLETED. */
    public static final int COMPLETED = 3;

    CurrentExecution withLastWriteVersion(long version) {
        return new CurrentExecution(
                workflow, archetypeId, runId, createRequestId, state, status, startVersion, startTime, version, data);
    }
}
