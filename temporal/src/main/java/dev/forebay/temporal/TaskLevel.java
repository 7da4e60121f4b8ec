// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/**
 * A place in a task queue. Immutable.
 *
 * @param pass the fair order's; 0 in queues of the first generation
 * @param id the task's
 */
public record TaskLevel(long pass, long id) {

    /** Before all tasks. */
    public static final TaskLevel FIRST = new TaskLevel(0, Long.MIN_VALUE);

    /** After all tasks. */
    public static final TaskLevel LAST = new TaskLevel(Long.MAX_VALUE, Long.MAX_VALUE);

    /** A place in a queue of the first generation. */
    public static TaskLevel of(long id) {
        return new TaskLevel(0, id);
    }
}
