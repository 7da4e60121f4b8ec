// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** A message in a queue. Immutable. */
public record QueueMessage(long id, Blob data) {}
