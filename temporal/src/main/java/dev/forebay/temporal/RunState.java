// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a run's state says that the row of the current execution repeats in columns. Immutable.
 *
 * @param state as Temporal numbers WorkflowExecutionState
 * @param status as Temporal numbers WorkflowExecutionStatus
 */
public record RunState(
        String createRequestId,
        int state,
        int status,
        long startVersion,
        @Nullable Instant startTime) {}
