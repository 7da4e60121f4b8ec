// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

/** The reason why a connection left the pool; the label is the value of {@code reason} in metrics and logs. */
public enum DiscardReason {
    /** Inside the guard window when it was checked out or returned. */
    INSUFFICIENT_REMAINING_LIFETIME("insufficient_remaining_lifetime"),
    /** Past its lifetime when it was to be checked out. */
    EXPIRED_ON_CHECKOUT("expired_on_checkout"),
    /** Past its lifetime when it was returned. */
    EXPIRED_ON_RETURN("expired_on_return"),
    /** Past its lifetime while it was ready. */
    EXPIRED_ON_SCAN("expired_on_scan"),
    /** Entered the guard window while it was ready. */
    EXPIRING_SOON_ON_SCAN("expiring_soon_on_scan"),
    /** Above the maximum, because the pool was made smaller or an arrival was no longer wanted. */
    RESERVOIR_FULL("reservoir_full"),
    /** Its replacement arrived before it had to go. */
    REPLACED("replaced"),
    /** The borrower met an error that says the connection is broken. */
    BAD_CONNECTION("bad_connection"),
    /** A keepalive, a validation or the clean-up on return failed. */
    FAILED_VALIDATION("failed_validation"),
    /** It was idle for longer than the idle timeout. */
    IDLE_TIMEOUT("idle_timeout"),
    /** Opened beyond the maximum for one borrower. */
    OVERFLOW("overflow"),
    /** Evicted by hand. */
    EVICTED("evicted"),
    /** The pool was closed. */
    POOL_CLOSED("pool_closed");

    private final String label;

    DiscardReason(String label) {
        this.label = label;
    }

    /** The value of the {@code reason} label. */
    public String label() {
        return label;
    }
}
