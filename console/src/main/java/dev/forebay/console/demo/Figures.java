// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

/**
 * The live figures of a {@link Contender}. Immutable.
 *
 * @param name its name
 * @param level connections that it has
 * @param target connections that it aims at
 * @param stalls checkouts that took longer than {@link Plan#STALL}, ever
 * @param longestMillis the longest checkout
 * @param refused connects that the cluster refused, ever
 * @param conflicts attempts that met a conflict, ever
 */
record Figures(String name, int level, int target, long stalls, long longestMillis, long refused, long conflicts) {}
