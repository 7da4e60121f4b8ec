// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Some of the rows there are, and how to go on. Immutable.
 *
 * @param rows in the order of the key
 * @param next to be given back for the page after this one; empty after the last
 */
public record Page<T>(List<T> rows, Optional<PageToken> next) {

    public Page {
        rows = List.copyOf(rows);
    }

    /** The page of what was found when {@code pageSize} rows were asked for; {@code token} tells where one ends with a row. */
    static <T> Page<T> of(List<T> found, int pageSize, Function<T, PageToken> token) {
        return new Page<>(
                found,
                found.size() < pageSize ? Optional.empty() : Optional.of(token.apply(found.get(found.size() - 1))));
    }
}
