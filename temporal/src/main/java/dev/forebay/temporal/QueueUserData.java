// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/**
 * A row of {@code task_queue_user_data}. Immutable.
 *
 * @param taskQueue the queue's name
 * @param version how often it was written
 * @param data what users said of the queue
 */
public record QueueUserData(String taskQueue, long version, Blob data) {}
