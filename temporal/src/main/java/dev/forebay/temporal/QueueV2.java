// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Queues that have a name. Each has a row of metadata, which is changed after it was read FOR UPDATE by its whole key, and
 * messages in partitions with ids that begin with 0 and never go back. Thread-safe.
 */
public final class QueueV2 {

    private static final Table TABLE = Table.QUEUE_MESSAGES;
    private static final Table METADATA = Table.QUEUES;
    private static final String METADATA_COLUMNS = "metadata_payload, metadata_encoding";

    private final Database database;
    private final Tail tail = new Tail(TABLE);

    QueueV2(Database database) {
        this.database = database;
    }

    // ---- queues

    /**
     * Adds a queue.
     *
     * @throws SQLException also if it is there already
     */
    public void insert(Name queue, Blob metadata) throws SQLException {
        database.run(
                "InsertIntoQueueV2Metadata",
                c -> Database.update(
                        c, METADATA.insert(), queue.type(), queue.name(), metadata.data(), metadata.encoding()));
    }

    /** The metadata of a queue, if it is there. */
    public Optional<Blob> selectMetadata(Name queue) throws SQLException {
        return database.call(
                "SelectFromQueueV2Metadata",
                c -> Database.one(c, METADATA.select(METADATA_COLUMNS, 2), QueueV2::readMetadata, queue.key()));
    }

    /** The same; lets the transaction commit only if no other changes it meanwhile. */
    public Optional<Blob> lockMetadata(Name queue) throws SQLException {
        return database.call(
                "SelectFromQueueV2MetadataForUpdate",
                c -> Database.one(c, METADATA.lock(METADATA_COLUMNS), QueueV2::readMetadata, queue.key()));
    }

    /**
     * Applies {@code change} to the metadata of a queue.
     *
     * @throws NotFoundException if there is no such queue
     */
    public void updateMetadata(Name queue, UnaryOperator<Blob> change) throws SQLException {
        database.run("UpdateQueueV2Metadata", c -> write(c, queue, change.apply(require(c, queue))));
    }

    /** Some of the names of the queues of a type, in order. */
    public Page<String> list(int type, int pageSize, Page.@Nullable Token page) throws SQLException {
        Database.requirePageSize(pageSize);
        String after = page == null ? "" : page.key(1).get(0);
        List<String> found = database.call(
                "SelectNameFromQueueV2Metadata",
                c -> Database.query(
                        c,
                        METADATA.select("queue_name", 1) + " AND queue_name > ? ORDER BY queue_name LIMIT ?",
                        row -> row.getString(1),
                        type,
                        after,
                        pageSize));
        return Page.of(found, pageSize, name -> Page.Token.after(name));
    }

    private static Blob require(Connection c, Name queue) throws SQLException {
        return Database.one(c, METADATA.lock(METADATA_COLUMNS), QueueV2::readMetadata, queue.key())
                .orElseThrow(() -> new NotFoundException(queue.toString()));
    }

    private static void write(Connection c, Name queue, Blob metadata) throws SQLException {
        Database.update(c, METADATA.update(), metadata.data(), metadata.encoding(), queue.type(), queue.name());
    }

    // ---- messages

    /**
     * Adds a message after the last and returns its id, which is unique even if others add at the same time.
     *
     * @throws NotFoundException if there is no such queue
     */
    public long enqueue(Name queue, int partition, Blob data) throws SQLException {
        return database.call("EnqueueMessageV2", c -> {
            if (Database.one(c, METADATA.select("queue_type", 2), row -> row.getInt(1), queue.key())
                    .isEmpty()) {
                throw new NotFoundException(queue.toString());
            }
            return tail.append(c, data, queue.type(), queue.name(), partition);
        });
    }

    /**
     * Adds messages with ids.
     *
     * @throws SQLException also if one is there already
     */
    public void insert(Name queue, int partition, List<QueueV1.Message> messages) throws SQLException {
        List<@Nullable Object[]> rows = new ArrayList<>(messages.size());
        for (QueueV1.Message message : messages) {
            rows.add(new @Nullable Object[] {
                queue.type(),
                queue.name(),
                partition,
                message.id(),
                message.data().data(),
                message.data().encoding()
            });
        }
        database.run("InsertIntoQueueV2Messages", c -> Database.batch(c, TABLE.insert(), rows));
    }

    /** Some messages from an id on. */
    public Page<QueueV1.Message> select(Name queue, int partition, long from, int pageSize, Page.@Nullable Token page)
            throws SQLException {
        Database.requirePageSize(pageSize);
        long begin = page == null ? from : Long.parseLong(page.key(1).get(0));
        List<QueueV1.Message> found = database.call(
                "RangeSelectFromQueueV2Messages",
                c -> Database.query(
                        c,
                        TABLE.select(QueueV1.COLUMNS, 3) + " AND message_id " + (page == null ? ">=" : ">")
                                + " ? ORDER BY message_id LIMIT ?",
                        QueueV1::read,
                        queue.type(),
                        queue.name(),
                        partition,
                        begin,
                        pageSize));
        return Page.of(found, pageSize, message -> Page.Token.after(message.id()));
    }

    /** The id of the last message; empty if there never was one. */
    public Optional<Long> lastMessageId(Name queue, int partition) throws SQLException {
        return database.call("GetLastEnqueuedMessageIDV2", c -> tail.lastId(c, queue.type(), queue.name(), partition));
    }

    /**
     * Writes down from which message on a partition is to be read. Where the metadata has a later one, because more was deleted
     * before, that one must stay: the last message is still in the table, and would be read again.
     */
    @FunctionalInterface
    public interface NewStart {
        Blob in(Blob metadata, long firstId);
    }

    /**
     * Deletes the messages up to an id and with it, in as many transactions as it takes, and writes down in the last of them where
     * the partition begins. The last message itself stays in the table, since the next id is the one after it, but before
     * that beginning.
     *
     * @return the first id of the partition; empty if it never had a message
     * @throws NotFoundException if there is no such queue
     */
    public Optional<Long> deleteUpTo(Name queue, int partition, long upTo, NewStart newStart) throws SQLException {
        String sql = TABLE.deleteFirst(3, "message_id <= ? AND message_id < ?", "message_id");
        while (true) {
            Slice slice = database.call("RangeDeleteFromQueueV2Messages", c -> {
                Blob metadata = require(c, queue);
                Optional<Long> last = tail.lastId(c, queue.type(), queue.name(), partition);
                if (last.isEmpty()) {
                    return new Slice(true, last);
                }
                int most = Database.MOST_ROWS - 1; // and the metadata
                int deleted = Database.update(c, sql, queue.type(), queue.name(), partition, upTo, last.get(), most);
                long first = Math.min(upTo, last.get()) + 1;
                if (deleted == most) {
                    return new Slice(false, last);
                }
                write(c, queue, newStart.in(metadata, first));
                return new Slice(true, Optional.of(first));
            });
            if (slice.isLast()) {
                return slice.first();
            }
        }
    }

    private record Slice(boolean isLast, Optional<Long> first) {}

    private static Blob readMetadata(ResultSet row) throws SQLException {
        return new Blob(row.getBytes("metadata_payload"), row.getString("metadata_encoding"));
    }

    /** The key of a queue that has a name. Immutable. */
    public record Name(int type, String name) {

        Object[] key() {
            return new Object[] {type, name};
        }

        @Override
        public String toString() {
            return "queue " + name + " of type " + type;
        }
    }
}
