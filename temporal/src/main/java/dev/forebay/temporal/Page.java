// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.List;
import java.util.Optional;

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
}
