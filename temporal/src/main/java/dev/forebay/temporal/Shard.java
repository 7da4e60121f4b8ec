// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** A row of {@code shards}: who owns it has the latest {@code rangeId}. Immutable. */
public record Shard(int id, long rangeId, Blob data) {}
