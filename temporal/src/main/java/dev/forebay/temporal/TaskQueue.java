// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** A row of {@code task_queues}: who owns it has the latest {@code rangeId}. Immutable. */
public record TaskQueue(TaskQueueId id, long rangeId, Blob data) {}
