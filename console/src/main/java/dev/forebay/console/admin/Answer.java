// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a statement: rows, if it has columns, and the tag that ends it. Immutable.
 *
 * @param columns none for a statement that gives no rows
 * @param rows values as Java has them, in the columns' order: String, Boolean, Integer, Long, Double, Instant or null
 * @param tag as in {@code CREATE SERVER} or {@code SELECT 3}
 */
record Answer(List<Column> columns, List<List<@Nullable Object>> rows, String tag) {

    /** The end of a statement that gives no rows. */
    static Answer done(String tag) {
        return new Answer(List.of(), List.of(), tag);
    }

    /** A column of an answer. */
    record Column(String name, Type type) {}

    /** The types that a client sees, with PostgreSQL's numbers for them. */
    enum Type {
        BOOL(16, 1),
        INT8(20, 8),
        INT4(23, 4),
        TEXT(25, -1),
        FLOAT8(701, 8),
        TIMESTAMPTZ(1184, 8);

        final int oid;

        /** The bytes of a value; -1 if their number varies. */
        final int size;

        Type(int oid, int size) {
            this.oid = oid;
            this.size = size;
        }
    }
}
