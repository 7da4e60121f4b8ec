// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads page after page to the end, with tokens that were written down in between. */
final class Pages {

    private Pages() {}

    /** Asks for one page. */
    interface Source<T> {
        Page<T> page(Page.@Nullable Token token) throws SQLException;
    }

    static <T> List<T> all(Source<T> source) throws SQLException {
        List<T> rows = new ArrayList<>();
        Page<T> page = source.page(null);
        rows.addAll(page.rows());
        while (page.next().isPresent()) {
            page = source.page(Page.Token.of(page.next().get().toString()));
            rows.addAll(page.rows());
        }
        return rows;
    }
}
