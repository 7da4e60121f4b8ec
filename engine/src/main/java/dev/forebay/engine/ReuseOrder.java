// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

/** Which of the ready connections a checkout takes. */
public enum ReuseOrder {
    /** Any, spread over the threads so that they stay out of each other's way. */
    SPREAD,
    /**
     * The one returned last, so that the others grow idle and can be let go. Exact among up to 64 connections; beyond
     * that, the newest of the lowest group of 64 that has one.
     */
    NEWEST_FIRST
}
