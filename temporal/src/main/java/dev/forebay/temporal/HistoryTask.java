// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** A task of a shard's queue. Immutable. */
public record HistoryTask(TaskKey key, Blob data) {}
