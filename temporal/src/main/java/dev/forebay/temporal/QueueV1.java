// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Queues that have a number: each is messages in the order of their ids, and how far they were read. Ids begin with 0 and
 * have no gaps until messages are deleted. Ranges are after an id, up to another and with it. Thread-safe.
 */
public final class QueueV1 {

    private static final Table TABLE = Table.QUEUE;
    private static final Table METADATA = Table.QUEUE_METADATA;
    static final String COLUMNS = "message_id, message_payload, message_encoding";

    private final Database database;
    private final Tail tail = new Tail(TABLE);

    QueueV1(Database database) {
        this.database = database;
    }

    /** The queue of what could not be delivered from {@code type}. */
    public static int deadLetters(int type) {
        return -type;
    }

    // ---- messages

    /** Adds a message after the last and returns its id, which is unique even if others add at the same time. */
    public long enqueue(int type, Blob data) throws SQLException {
        return database.call("EnqueueMessage", c -> tail.append(c, data, type));
    }

    /**
     * Adds messages with ids.
     *
     * @throws SQLException also if one is there already
     */
    public void insert(int type, List<Message> messages) throws SQLException {
        List<@Nullable Object[]> rows = new ArrayList<>(messages.size());
        for (Message message : messages) {
            rows.add(new @Nullable Object[] {
                type, message.id(), message.data().data(), message.data().encoding()
            });
        }
        database.run("InsertIntoQueue", c -> Database.batch(c, TABLE.insert(), rows));
    }

    /** The message, if it is there. */
    public Optional<Message> select(int type, long id) throws SQLException {
        return database.call(
                "SelectFromQueue", c -> Database.one(c, TABLE.select(COLUMNS, 2), QueueV1::read, type, id));
    }

    /** Some messages after an id. */
    public Page<Message> select(int type, long after, long upTo, int pageSize, Page.@Nullable Token page)
            throws SQLException {
        Database.requirePageSize(pageSize);
        long begin = page == null ? after : Long.parseLong(page.key(1).get(0));
        List<Message> found = database.call(
                "SelectFromQueue",
                c -> Database.query(
                        c,
                        TABLE.select(COLUMNS, 1)
                                + " AND message_id > ? AND message_id <= ? ORDER BY message_id LIMIT ?",
                        QueueV1::read,
                        type,
                        begin,
                        upTo,
                        pageSize));
        return Page.of(found, pageSize, message -> Page.Token.after(message.id()));
    }

    /** The id of the last message; empty if there is none. */
    public Optional<Long> lastMessageId(int type) throws SQLException {
        return database.call("GetLastEnqueuedMessageID", c -> tail.lastId(c, type));
    }

    /** Deletes a message and returns whether it was there. */
    public boolean delete(int type, long id) throws SQLException {
        return database.call("DeleteFromQueue", c -> Database.update(c, TABLE.delete(2), type, id) == 1);
    }

    /**
     * Deletes messages after an id, in as many transactions as it takes, and returns how many there were. The last message of the
     * queue is better left in it, since the next id is the one after it.
     */
    public long deleteRange(int type, long after, long upTo) throws SQLException {
        String sql = TABLE.deleteFirst(1, "message_id > ? AND message_id <= ?", "message_id");
        return Database.inSlices(
                most -> database.call("RangeDeleteFromQueue", c -> Database.update(c, sql, type, after, upTo, most)));
    }

    // ---- how far they were read

    /**
     * Begins with version 0.
     *
     * @throws SQLException also if it is there already
     */
    public void insertMetadata(int type, Blob data) throws SQLException {
        database.run(
                "InsertIntoQueueMetadata",
                c -> Database.update(c, METADATA.insert(), type, data.data(), data.encoding(), 0L));
    }

    /**
     * Changes what still has {@code expectedVersion}, which is raised by one.
     *
     * @throws ConditionFailedException if it has another
     * @throws NotFoundException if it is not there
     */
    public void updateMetadata(int type, Blob data, long expectedVersion) throws SQLException {
        database.run(
                "UpdateQueueMetadata",
                c -> Tokens.raise(c, METADATA, "metadata of queue " + type, expectedVersion, data, type));
    }

    /** The progress of the queue's reader, if it is known. */
    public Optional<Metadata> selectMetadata(int type) throws SQLException {
        return database.call(
                "SelectFromQueueMetadata",
                c -> Database.one(c, METADATA.select("data, data_encoding, version", 1), QueueV1::readMetadata, type));
    }

    /** The same; lets the transaction commit only if no other changes it meanwhile. */
    public Optional<Metadata> lockMetadata(int type) throws SQLException {
        return database.call(
                "LockQueueMetadata",
                c -> Database.one(c, METADATA.lock("data, data_encoding, version"), QueueV1::readMetadata, type));
    }

    static Message read(ResultSet row) throws SQLException {
        return new Message(
                row.getLong("message_id"),
                new Blob(row.getBytes("message_payload"), row.getString("message_encoding")));
    }

    private static Metadata readMetadata(ResultSet row) throws SQLException {
        return new Metadata(Database.blob(row, "data"), row.getLong("version"));
    }

    /** A message in a queue. Immutable. */
    public record Message(long id, Blob data) {}

    /** A row of {@code queue_metadata}: how far a queue was read. Immutable. */
    public record Metadata(Blob data, long version) {}
}
