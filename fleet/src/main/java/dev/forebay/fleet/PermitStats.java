// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

/**
 * The numbers of a rate limit that a fleet shares, since it was made. Immutable.
 *
 * @param granted the permits that were given to connects
 * @param requests how often the store was asked
 * @param contended of these, how often another was faster
 * @param wasted the permits that nobody used in time
 * @param postponed how often a connect was told to wait
 * @param fallbackPerSecond how many connections a second this process opens while the store is lost
 */
public record PermitStats(
        long granted, long requests, long contended, long wasted, long postponed, double fallbackPerSecond) {

    /** No permits. */
    public static final PermitStats NONE = new PermitStats(0, 0, 0, 0, 0, 0);
}
