// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Where a task stands in its queue: by its time, then by its id. Immutable.
 *
 * @param time when it is due, in whole microseconds; {@link Instant#EPOCH} if it is of a category without times
 */
public record TaskKey(Instant time, long taskId) implements Comparable<TaskKey> {

    public TaskKey {
        time = time.truncatedTo(ChronoUnit.MICROS);
    }

    /** The key of a task to be done at once. */
    public static TaskKey of(long taskId) {
        return new TaskKey(Instant.EPOCH, taskId);
    }

    @Override
    public int compareTo(TaskKey other) {
        int byTime = time.compareTo(other.time);
        return byTime != 0 ? byTime : Long.compare(taskId, other.taskId);
    }
}
