// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.UUID;

/**
 * A row of {@code nexus_endpoints}. Immutable.
 *
 * @param version how often it was written
 */
public record NexusEndpoint(UUID id, long version, Blob data) {}
