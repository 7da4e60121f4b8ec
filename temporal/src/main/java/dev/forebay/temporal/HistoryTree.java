// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** A row of {@code history_tree}: what is known of a branch. Immutable. */
public record HistoryTree(HistoryBranch branch, Blob data) {}
