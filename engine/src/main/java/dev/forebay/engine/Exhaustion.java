// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

/** The answer to a checkout when every connection is in use and no more may be opened. */
public enum Exhaustion {
    /** Waits for a return. */
    WAIT,
    /** Fails at once. */
    FAIL_FAST,
    /** Opens one more, up to the spare of the pool, and closes it when it is returned. */
    OVERFLOW
}
