// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.UUID;

/** A row of {@code namespaces}. Immutable. */
public record Namespace(UUID id, String name, long notificationVersion, Blob data, boolean isGlobal) {}
