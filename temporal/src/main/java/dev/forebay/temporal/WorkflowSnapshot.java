// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.List;
import java.util.Map;

/**
 * A whole mutable state to be written, with the tasks that follow from it. Immutable.
 *
 * @param tasks may be of several categories
 */
public record WorkflowSnapshot(
        Execution execution, RunState run, StateMaps maps, Map<TaskCategory, List<HistoryTask>> tasks) {

    public WorkflowSnapshot {
        tasks = Map.copyOf(tasks);
    }
}
