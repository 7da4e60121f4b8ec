// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

/** The reason why a checkout that waited got nothing. */
public enum Refusal {
    /** Its deadline passed. */
    TIMED_OUT,
    /** The pool is closed. */
    CLOSED,
    /** Every connection is in use and the pool is set not to wait. */
    EXHAUSTED,
    /** The queue is full. */
    TOO_MANY_WAITING,
    /** The caller cancelled it. */
    CANCELLED,
    /** The pool's owner knows that waiting is of no use, because none can be opened. */
    HOPELESS
}
