// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

/**
 * A connection that could not be opened. Immutable.
 *
 * @param cause the kind of failure
 * @param error the error; its message must hold no secret
 */
public record OpenFailure(Cause cause, Throwable error) {

    /** The cause of a failed open; each backs off on its own. */
    public enum Cause {
        /** The rate limiter could not be asked, or the server refused the connect as too fast. */
        RATE_LIMIT("rate_limit", Admission.Outcome.THROTTLED),
        /** No lease was available: the limit is reached or its store is out of reach. */
        LEASE_ACQUIRE("lease_acquire", Admission.Outcome.FAILED),
        /** The password or token could not be obtained. */
        TOKEN_PROVIDER("token_provider", Admission.Outcome.FAILED),
        /** The server has as many connections as it takes. */
        CONNECTION_COUNT("connection_count", Admission.Outcome.FULL),
        /** The connect itself failed or took too long. */
        CONNECT("connect", Admission.Outcome.FAILED);

        private final String label;
        private final Admission.Outcome outcome;

        Cause(String label, Admission.Outcome outcome) {
            this.label = label;
            this.outcome = outcome;
        }

        /** The value of the {@code reason} label. */
        public String label() {
            return label;
        }

        /** The outcome of an open that was tried and failed for this cause. */
        public Admission.Outcome outcome() {
            return outcome;
        }
    }
}
