// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Tokens of rows: how they are raised, which way they may go, and why a statement with one changed no row. */
final class Tokens {

    private Tokens() {}

    /**
     * Writes the row of {@code table} with {@code key}, whose other columns are data and a version, and returns the new version.
     *
     * @param version the version that it had when it was read; 0 if it was not there
     */
    static long save(Connection c, Table table, String entity, long version, Blob data, Object... key)
            throws SQLException {
        if (version != 0) {
            return raise(c, table, entity, version, data, key);
        }
        String sql = table.insert() + " ON CONFLICT (" + Table.names(table.keyColumns()) + ") DO NOTHING";
        if (Database.update(c, sql, Database.join(key, new Object[] {data.data(), data.encoding(), 1L})) == 0) {
            throw failed(c, table, entity, 0, key);
        }
        return 1;
    }

    /** Writes such a row if it still has {@code version}, and returns the new version. */
    static long raise(Connection c, Table table, String entity, long version, Blob data, Object... key)
            throws SQLException {
        Object[] changed = {data.data(), data.encoding(), version + 1};
        String sql = table.update() + " AND version = ?";
        if (Database.update(c, sql, Database.join(changed, key, new Object[] {version})) == 0) {
            throw failed(c, table, entity, version, key);
        }
        return version + 1;
    }

    private static SQLException failed(Connection c, Table table, String entity, long expected, Object[] key)
            throws SQLException {
        return failed(
                entity, expected, Database.one(c, table.select("version", key.length), row -> row.getLong(1), key));
    }

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
