// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The end of a queue, where messages get ids without gaps. The last id is read plainly, and the primary key is the fence: of two
 * who add the message after the same one, one finds the key taken, at once or at COMMIT, and retries from the new end.
 * Nothing is locked, least of all a range. Immutable.
 */
final class Tail {

    /** The first id, as in Temporal. */
    static final long FIRST_ID = 0;

    private final Table table;

    Tail(Table table) {
        this.table = table;
    }

    /** The id of the last message in the queue with this key. */
    Optional<Long> lastId(Connection c, @Nullable Object... queue) throws SQLException {
        return Database.one(
                c,
                table.select("message_id", queue.length) + " ORDER BY message_id DESC LIMIT 1",
                row -> row.getLong(1),
                queue);
    }

    /** Adds a message after the last and returns its id. */
    long append(Connection c, Blob data, @Nullable Object... queue) throws SQLException {
        long id = lastId(c, queue).map(last -> last + 1).orElse(FIRST_ID);
        try {
            Database.update(c, table.insert(), Database.join(queue, new Object[] {id, data.data(), data.encoding()}));
            return id;
        } catch (SQLException e) {
            throw Database.conflictIfDuplicate(e, "another has added message " + id);
        }
    }
}
