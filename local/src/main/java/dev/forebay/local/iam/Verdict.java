// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.iam;

import java.time.Instant;

/** The verdict of a {@link TokenCheck} on a token. Immutable; carries no part of the token that is secret. */
public sealed interface Verdict {

    /** The user may connect. */
    default boolean accepted() {
        return this instanceof Accepted;
    }

    /**
     * The user may connect.
     *
     * @param accessKeyId the key that signed
     * @param issuedAt the time of its signature, to the second
     * @param expiresAt the last moment at which it is accepted
     */
    record Accepted(String accessKeyId, Instant issuedAt, Instant expiresAt) implements Verdict {}

    /**
     * The user may not connect.
     *
     * @param reason why
     * @param hint the hint for the client
     */
    record Denied(Denial reason, String hint) implements Verdict {

        /** The SQLSTATE of the error. */
        public String sqlState() {
            return reason == Denial.NO_ROLE_MAPPING ? "28000" : "08006";
        }

        /** The message of the error, the same for every reason. */
        public String message() {
            return "unable to accept connection, access denied";
        }
    }

    /** The reasons to deny a token. */
    enum Denial {
        /** It is not a token at all, or not written as one. */
        GARBAGE,
        /** It is for another host. */
        WRONG_HOST,
        /** It is for another region. */
        WRONG_REGION,
        /** It is for another service of AWS. */
        WRONG_SERVICE,
        /** The key that signed it is unknown, or its session token is not that of the key. */
        UNKNOWN_KEY,
        /** It was altered, or signed with another secret. */
        WRONG_SIGNATURE,
        /** It is too old, or tokens of its time were declared to be. */
        EXPIRED,
        /** It was signed in the future. */
        NOT_YET_VALID,
        /** It is of the kind for administrators and the user is not, or the other way round. */
        WRONG_ACTION,
        /** The token is good, but its owner may not connect as this user, or there is none. */
        NO_ROLE_MAPPING
    }
}
