// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/**
 * A row of {@code executions}. Immutable.
 *
 * @param info WorkflowExecutionInfo, serialized: the column {@code data}
 * @param state WorkflowExecutionState, serialized
 * @param dbRecordVersion how often the row was written; 0 if it was written by a Temporal that did not count yet
 */
public record Execution(
        ExecutionKey key, long nextEventId, long lastWriteVersion, Blob info, Blob state, long dbRecordVersion) {}
