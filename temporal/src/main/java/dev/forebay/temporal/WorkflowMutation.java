// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.List;
import java.util.Map;

/**
 * A change of a mutable state, with the tasks that follow from it. Immutable.
 *
 * @param execution the row as it is to be
 * @param puts entries of the maps that are new or changed
 * @param deletes entries of the maps that go
 * @param clearsBufferedEvents whether those that are there go
 * @param newBufferedEvents those that come, after that
 */
public record WorkflowMutation(
        Execution execution,
        RunState run,
        StateMaps puts,
        MapKeys deletes,
        boolean clearsBufferedEvents,
        List<Blob> newBufferedEvents,
        Map<TaskCategory, List<HistoryTask>> tasks) {

    public WorkflowMutation {
        newBufferedEvents = List.copyOf(newBufferedEvents);
        tasks = Map.copyOf(tasks);
    }
}
