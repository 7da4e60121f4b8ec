// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import java.sql.SQLException;
import java.util.Optional;

/** Why a statement with a fence changed no row. */
final class Fence {

    private Fence() {}

    /** The exception to throw: there is no row, or it has another token. */
    static SQLException failed(String entity, long expected, Optional<Long> actual) {
        return actual.isEmpty()
                ? new NotFoundException(entity)
                : new ConditionFailedException(entity, expected, actual.get());
    }
}
