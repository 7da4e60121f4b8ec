// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/**
 * A row of {@code cluster_metadata_info}. Immutable.
 *
 * @param name the cluster's
 * @param version how often it was written
 * @param data what is known of it
 */
public record Cluster(String name, long version, Blob data) {}
