// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import org.jspecify.annotations.Nullable;

/** What {@code chasm_node_maps} holds for a path. Immutable. */
public record ChasmNode(Blob metadata, @Nullable Blob data) {}
