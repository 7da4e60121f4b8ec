// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Task queues of one generation and who owns them. An owner knows the {@code range_id}; taking a queue over raises
 * it. Thread-safe.
 */
public final class TaskQueues {

    private static final String COLUMNS = "range_hash, task_queue_id, range_id, data, data_encoding";

    private final Database database;
    private final Version version;
    private final Table table;

    TaskQueues(Database database, Version version) {
        this.database = database;
        this.version = version;
        this.table = version.queues();
    }

    /**
     * Adds a queue.
     *
     * @throws SQLException also if it is there already
     */
    public void insert(Queue queue) throws SQLException {
        Blob data = queue.data();
        database.run(
                version.named("InsertIntoTaskQueues"),
                c -> Database.update(
                        c,
                        table.insert(),
                        queue.id().rangeHash(),
                        queue.id().uuid(),
                        queue.rangeId(),
                        data.data(),
                        data.encoding()));
    }

    /** The queue, if it is there. */
    public Optional<Queue> select(Id id) throws SQLException {
        return database.call(
                version.named("SelectFromTaskQueues"),
                c -> Database.one(c, table.select(COLUMNS, 2), TaskQueues::read, id.key()));
    }

    /** Some of the queues with a range hash from {@code from} to {@code to}, both included, in the order of their keys. */
    public Page<Queue> list(long from, long to, int pageSize, Page.@Nullable Token page) throws SQLException {
        Database.requirePageSize(pageSize);
        String sql = "SELECT " + COLUMNS + " FROM " + table.sqlName()
                + " WHERE range_hash >= ? AND range_hash <= ?"
                + (page == null ? "" : " AND (range_hash, task_queue_id) > (?, ?)")
                + " ORDER BY range_hash, task_queue_id LIMIT ?";
        List<String> last = page == null ? List.of() : page.key(2);
        Object[] after =
                page == null ? new Object[0] : new Object[] {Long.parseLong(last.get(0)), UUID.fromString(last.get(1))};
        List<Queue> found = database.call(
                version.named("SelectFromTaskQueues"),
                c -> Database.query(
                        c, sql, TaskQueues::read, Database.join(new Object[] {from, to}, after, new Object[] {pageSize
                        })));
        return Page.of(
                found,
                pageSize,
                queue -> Page.Token.after(queue.id().rangeHash(), queue.id().uuid()));
    }

    /**
     * Changes a queue that still has {@code expectedRangeId}; a new owner raises it by this, and the owner keeps it.
     *
     * @throws IllegalArgumentException if the queue's new range id is smaller
     * @throws ConditionFailedException if it has another
     * @throws NotFoundException if there is no such queue
     */
    public void update(Queue queue, long expectedRangeId) throws SQLException {
        database.run(version.named("UpdateTaskQueues"), c -> {
            if (queue.rangeId() < expectedRangeId) {
                require(c, queue.id(), expectedRangeId);
                throw Tokens.back("the range_id of " + words(queue.id()), expectedRangeId, queue.rangeId());
            }
            Blob data = queue.data();
            int rows = Database.update(
                    c,
                    table.update() + " AND range_id = ?",
                    queue.rangeId(),
                    data.data(),
                    data.encoding(),
                    queue.id().rangeHash(),
                    queue.id().uuid(),
                    expectedRangeId);
            if (rows == 0) {
                throw failed(c, queue.id(), expectedRangeId);
            }
        });
    }

    /** Deletes a queue that still has {@code expectedRangeId}. Fails as {@link #update} does. */
    public void delete(Id id, long expectedRangeId) throws SQLException {
        database.run(version.named("DeleteFromTaskQueues"), c -> {
            int rows = Database.update(
                    c, table.delete(2) + " AND range_id = ?", id.rangeHash(), id.uuid(), expectedRangeId);
            if (rows == 0) {
                throw failed(c, id, expectedRangeId);
            }
        });
    }

    /**
     * Reads the {@code range_id}, and lets the transaction commit only if it is not changed meanwhile.
     *
     * @throws NotFoundException if there is no such queue
     */
    public long lock(Id id) throws SQLException {
        return database.call(
                version.named("LockTaskQueues"),
                c -> rangeId(c, id).orElseThrow(() -> new NotFoundException(words(id))));
    }

    /** Lets the transaction commit only if the queue has {@code expectedRangeId} at its end; fails as {@link #update} does. */
    void require(Connection c, Id id, long expectedRangeId) throws SQLException {
        Optional<Long> actual = rangeId(c, id);
        if (!actual.equals(Optional.of(expectedRangeId))) {
            throw Tokens.failed(words(id), expectedRangeId, actual);
        }
    }

    private Optional<Long> rangeId(Connection c, Id id) throws SQLException {
        return Database.one(c, table.lock("range_id"), row -> row.getLong(1), id.key());
    }

    private SQLException failed(Connection c, Id id, long expected) throws SQLException {
        return Tokens.failed(words(id), expected, rangeId(c, id));
    }

    private static String words(Id id) {
        return "task queue " + id.uuid();
    }

    private static Queue read(ResultSet row) throws SQLException {
        return new Queue(
                new Id(row.getLong("range_hash"), Database.uuid(row, "task_queue_id")),
                row.getLong("range_id"),
                Database.blob(row, "data"));
    }

    /** A row of {@code task_queues}: who owns it has the latest {@code rangeId}. Immutable. */
    public record Queue(Id id, long rangeId, Blob data) {}

    /**
     * The key of a task queue. Temporal makes it from bytes: the namespace, the name and the type. They do not fit into a UUID, so
     * there it is what is left of their SHA-256. Immutable.
     *
     * @param rangeHash the FarmHash of the bytes, by which queues are spread
     * @param uuid the UUID of the bytes
     */
    public record Id(long rangeHash, UUID uuid) {

        /** The mark of a type that a subqueue follows. */
        private static final int HAS_SUBQUEUE = 0x80;

        public Id {
            if (rangeHash < 0 || rangeHash > 0xffff_ffffL) {
                throw new IllegalArgumentException("a range hash has 32 bits and no sign: " + rangeHash);
            }
        }

        /**
         * The key of a queue as a whole.
         *
         * @param type as Temporal counts them: 1 for workflows, 2 for activities, 3 for Nexus
         */
        public static Id of(UUID namespaceId, String name, int type) {
            return of(namespaceId, name, type, 0);
        }

        /** The key of the tasks in one of its subqueues; 0 is the queue itself. */
        public static Id of(UUID namespaceId, String name, int type, int subqueue) {
            byte[] bytes = bytes(namespaceId, name, type, subqueue);
            return new Id(FarmHash.fingerprint32(bytes), uuid(bytes));
        }

        static byte[] bytes(UUID namespaceId, String name, int type, int subqueue) {
            if (type < 0 || type >= HAS_SUBQUEUE || subqueue < 0) {
                throw new IllegalArgumentException(
                        "no task queue has the type " + type + " and the subqueue " + subqueue);
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            bytes.writeBytes(ByteBuffer.allocate(Long.BYTES * 2)
                    .putLong(namespaceId.getMostSignificantBits())
                    .putLong(namespaceId.getLeastSignificantBits())
                    .array());
            bytes.writeBytes(name.getBytes(StandardCharsets.UTF_8));
            if (subqueue == 0) {
                bytes.write(type);
                return bytes.toByteArray();
            }
            bytes.write(type | HAS_SUBQUEUE);
            int rest = subqueue;
            for (; rest >= 0x80; rest >>>= 7) {
                bytes.write((rest & 0x7f) | 0x80);
            }
            bytes.write(rest);
            return bytes.toByteArray();
        }

        /** The first half of their SHA-256, marked as a random UUID. */
        private static UUID uuid(byte[] bytes) {
            try {
                ByteBuffer digest =
                        ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes));
                long high = (digest.getLong() & ~0xf000L) | 0x4000L;
                long low = (digest.getLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
                return new UUID(high, low);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }

        Object[] key() {
            return new Object[] {rangeHash, uuid};
        }
    }

    /** The two generations of task queues, which live in tables of their own. */
    public enum Version {
        /** Tasks in the order of their ids. */
        V1(Table.TASK_QUEUES, Table.TASKS),
        /** Fair ones: tasks in the order of their passes, then of their ids. */
        V2(Table.TASK_QUEUES_V2, Table.TASKS_V2);

        private final Table queues;
        private final Table tasks;

        Version(Table queues, Table tasks) {
            this.queues = queues;
            this.tasks = tasks;
        }

        Table queues() {
            return queues;
        }

        Table tasks() {
            return tasks;
        }

        /** The name of an operation on this generation. */
        String named(String operation) {
            return this == V1 ? operation : operation + "V2";
        }
    }
}
