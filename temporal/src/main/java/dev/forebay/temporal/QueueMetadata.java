// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** A row of {@code queue_metadata}: how far a queue was read. Immutable. */
public record QueueMetadata(Blob data, long version) {}
