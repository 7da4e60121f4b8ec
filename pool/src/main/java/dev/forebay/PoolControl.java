// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

/** What an operator may do to a pool. Implementations are thread-safe. */
interface PoolControl {

    /** Replaces every connection: ready ones at once, leased ones when they are returned. */
    void evictAll();

    /** Hands out nothing until {@link #resume}; who asks waits. */
    void suspend();

    /** Hands out again. */
    void resume();
}
