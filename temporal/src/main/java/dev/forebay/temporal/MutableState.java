// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.List;

/** A whole mutable state as it was read. Immutable. */
public record MutableState(Execution execution, StateMaps maps, List<Blob> bufferedEvents) {

    public MutableState {
        bufferedEvents = List.copyOf(bufferedEvents);
    }

    /** By what a change of it is to be fenced. */
    public ExecutionFence fence() {
        return ExecutionFence.of(execution);
    }
}
