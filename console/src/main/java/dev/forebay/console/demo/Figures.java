// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

/**
 * The live figures of a {@link Contender}. Immutable.
 *
 * @param name its name
 * @param level connections that it has
 * @param p99Millis the time that 99 of 100 checkouts kept to lately
 * @param empties checkouts that found nothing ready, ever
 * @param conflicts attempts that met a conflict, ever
 * @param refused connects that the cluster refused, ever
 */
record Figures(String name, int level, double p99Millis, long empties, long conflicts, long refused) {}
