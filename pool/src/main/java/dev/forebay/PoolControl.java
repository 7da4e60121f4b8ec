// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

/** The actions of an operator on a pool. Implementations are thread-safe. */
interface PoolControl {

    /** Replaces every connection: ready ones at once, borrowed ones when they are returned. */
    void evictAll();

    /** Hands out nothing until {@link #resume}; who asks waits. */
    void suspend();

    /** Hands out again. */
    void resume();
}
