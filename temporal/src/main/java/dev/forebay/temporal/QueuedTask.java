// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** A row of {@code tasks}: something that waits for a worker. Immutable. */
public record QueuedTask(TaskLevel level, Blob data) {}
