// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import java.sql.SQLException;
import java.util.Optional;

/** Tokens of rows: which way they may go, and why a statement with one changed no row. */
final class Tokens {

    private Tokens() {}

    /** The exception to throw if a token would become smaller: an earlier owner may still have that one. */
    static IllegalArgumentException back(String entity, long expected, long changed) {
        return new IllegalArgumentException(
                entity + " would go back from " + expected + " to " + changed + ", which an earlier owner may have");
    }

    /** The exception to throw: there is no row, or it has another token. */
    static SQLException failed(String entity, long expected, Optional<Long> actual) {
        return actual.isEmpty()
                ? new NotFoundException(entity)
                : new ConditionFailedException(entity, expected, actual.get());
    }
}
