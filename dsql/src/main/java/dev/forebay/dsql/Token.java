// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import java.time.Instant;

/**
 * A password that expires. Immutable; its text does not show it.
 *
 * @param value the password
 * @param expiresAt the time from which the server refuses it
 */
public record Token(String value, Instant expiresAt) {

    @Override
    public String toString() {
        return "Token[***, expiresAt=" + expiresAt + "]";
    }
}
