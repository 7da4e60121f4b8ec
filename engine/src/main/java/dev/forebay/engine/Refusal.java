// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

/** Why a checkout that waited got nothing. */
public enum Refusal {
    /** Its deadline passed. */
    TIMED_OUT,
    /** The pool is closed. */
    CLOSED,
    /** Every connection is in use and the pool is told not to wait. */
    EXHAUSTED,
    /** As many wait already as may. */
    TOO_MANY_WAITING,
    /** The one who waited took it back. */
    CANCELLED,
    /** The pool's owner knows that waiting is of no use, because none can be opened. */
    HOPELESS
}
