// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** The two generations of task queues, which live in tables of their own. */
public enum TaskQueueVersion {
    /** Tasks in the order of their ids. */
    V1(Table.TASK_QUEUES, Table.TASKS),
    /** Fair ones: tasks in the order of their passes, then of their ids. */
    V2(Table.TASK_QUEUES_V2, Table.TASKS_V2);

    private final Table queues;
    private final Table tasks;

    TaskQueueVersion(Table queues, Table tasks) {
        this.queues = queues;
        this.tasks = tasks;
    }

    Table queues() {
        return queues;
    }

    Table tasks() {
        return tasks;
    }

    /** The name of an operation on this generation. */
    String named(String operation) {
        return this == V1 ? operation : operation + "V2";
    }
}
