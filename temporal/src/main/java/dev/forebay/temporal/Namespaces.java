// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Namespaces. Their version is that of all of them together, which {@code namespace_metadata} holds: each change takes the version
 * that is there for its row and raises it by one, so of those who have read the same version one succeeds. A row's own
 * version says when it was changed last and fences nothing. Thread-safe.
 */
public final class Namespaces {

    /** All rows are in one partition. */
    static final int PARTITION = 54321;

    private static final Table TABLE = Table.NAMESPACES;
    private static final Table METADATA = Table.NAMESPACE_METADATA;
    private static final String COLUMNS = Table.names(TABLE.columns());
    private static final String BY_NAME = " WHERE partition_id = ? AND name = ?";

    private final Database database;

    Namespaces(Database database) {
        this.database = database;
    }

    /**
     * Adds a namespace and returns its version.
     *
     * @throws SQLException also if there is one with this id or this name
     */
    public long insert(UUID id, String name, Blob data, boolean isGlobal) throws SQLException {
        return database.call("InsertIntoNamespace", c -> {
            long version = version(c, METADATA.lock("notification_version"));
            raise(c, version);
            Database.update(c, TABLE.insert(), PARTITION, id, name, version, data.data(), data.encoding(), isGlobal);
            return version;
        });
    }

    /**
     * Changes a namespace whose {@code notificationVersion} is the one that all have, which {@link #selectMetadata} returns.
     *
     * @throws ConditionFailedException if there was a change to any namespace since
     * @throws NotFoundException if there is no such namespace
     */
    public void update(Namespace namespace) throws SQLException {
        database.run("UpdateNamespace", c -> {
            raise(c, namespace.notificationVersion());
            Blob data = namespace.data();
            int rows = Database.update(
                    c,
                    TABLE.update(),
                    namespace.name(),
                    namespace.notificationVersion(),
                    data.data(),
                    data.encoding(),
                    namespace.isGlobal(),
                    PARTITION,
                    namespace.id());
            if (rows == 0) {
                throw new NotFoundException("namespace " + namespace.id());
            }
        });
    }

    /** The namespace with this id, if it is there. */
    public Optional<Namespace> select(UUID id) throws SQLException {
        return database.call(
                "SelectFromNamespace", c -> Database.one(c, TABLE.select(COLUMNS, 2), Namespaces::read, PARTITION, id));
    }

    /** The namespace with this name, if it is there. */
    public Optional<Namespace> select(String name) throws SQLException {
        return database.call(
                "SelectFromNamespace",
                c -> Database.one(
                        c,
                        "SELECT " + COLUMNS + " FROM " + TABLE.sqlName() + BY_NAME,
                        Namespaces::read,
                        PARTITION,
                        name));
    }

    /** Some namespaces, in the order of their ids. */
    public Page<Namespace> list(int pageSize, Page.@Nullable Token page) throws SQLException {
        Database.requirePageSize(pageSize);
        String sql = TABLE.select(COLUMNS, 1) + (page == null ? "" : " AND id > ?") + " ORDER BY id LIMIT ?";
        Object[] after = page == null
                ? new Object[0]
                : new Object[] {UUID.fromString(page.key(1).get(0))};
        List<Namespace> found = database.call(
                "SelectFromNamespace",
                c -> Database.query(
                        c, sql, Namespaces::read, Database.join(new Object[] {PARTITION}, after, new Object[] {pageSize
                        })));
        return Page.of(found, pageSize, namespace -> Page.Token.after(namespace.id()));
    }

    /** Deletes the namespace with this id and returns whether it was there. */
    public boolean delete(UUID id) throws SQLException {
        return database.call("DeleteFromNamespace", c -> Database.update(c, TABLE.delete(2), PARTITION, id) == 1);
    }

    /** Deletes the namespace with this name and returns whether it was there. */
    public boolean delete(String name) throws SQLException {
        return database.call(
                "DeleteFromNamespace",
                c -> Database.update(c, "DELETE FROM " + TABLE.sqlName() + BY_NAME, PARTITION, name) == 1);
    }

    // ---- the version of all

    /** The version that the next change takes. */
    public long selectMetadata() throws SQLException {
        return database.call(
                "SelectFromNamespaceMetadata", c -> version(c, METADATA.select("notification_version", 1)));
    }

    /** The version that the next change takes; lets the transaction commit only if no other changes it meanwhile. */
    public long lockMetadata() throws SQLException {
        return database.call("LockNamespaceMetadata", c -> version(c, METADATA.lock("notification_version")));
    }

    /**
     * Raises the version by one.
     *
     * @throws ConditionFailedException if it is another than {@code expected}
     */
    public void updateMetadata(long expected) throws SQLException {
        database.run("UpdateNamespaceMetadata", c -> raise(c, expected));
    }

    private static void raise(Connection c, long expected) throws SQLException {
        int rows = Database.update(
                c, METADATA.update() + " AND notification_version = ?", expected + 1, PARTITION, expected);
        if (rows == 0) {
            long actual = version(c, METADATA.select("notification_version", 1));
            throw new ConditionFailedException("the version of all namespaces", expected, actual);
        }
    }

    private static long version(Connection c, String sql) throws SQLException {
        return Database.one(c, sql, row -> row.getLong(1), PARTITION)
                .orElseThrow(() -> new NotFoundException("the row of namespace_metadata"));
    }

    private static Namespace read(ResultSet row) throws SQLException {
        return new Namespace(
                Database.uuid(row, "id"),
                row.getString("name"),
                row.getLong("notification_version"),
                Database.blob(row, "data"),
                row.getBoolean("is_global"));
    }

    /** A row of {@code namespaces}. Immutable. */
    public record Namespace(UUID id, String name, long notificationVersion, Blob data, boolean isGlobal) {}
}
