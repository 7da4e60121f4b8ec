// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

/**
 * The numbers of a {@link FleetRateLimit}, since it was made. Immutable.
 *
 * @param granted the permits that were given to connects
 * @param requests how often the store was asked
 * @param contended of these, how often another was faster
 * @param wasted the permits that nobody used in time
 */
public record PermitStats(long granted, long requests, long contended, long wasted) {}
