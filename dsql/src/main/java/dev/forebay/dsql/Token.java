// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import java.time.Instant;

/**
 * A password that ends. Immutable; it does not show itself.
 *
 * @param value the password
 * @param expiresAt when the server no longer takes it
 */
public record Token(String value, Instant expiresAt) {

    @Override
    public String toString() {
        return "Token[***, expiresAt=" + expiresAt + "]";
    }
}
