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
 * Nexus endpoints. The table has a version as a whole, which every change raises, so that a reader of all of it can tell
 * whether that still holds; and each row has one. Both are fences. Thread-safe.
 */
public final class NexusEndpoints {

    private static final Table TABLE = Table.NEXUS_ENDPOINTS;
    private static final Table STATUS = Table.NEXUS_ENDPOINTS_PARTITION_STATUS;
    private static final int ONLY_ROW = 0;
    private static final String COLUMNS = "id, data, data_encoding, version";

    private final Database database;

    NexusEndpoints(Database database) {
        this.database = database;
    }

    /**
     * Writes an endpoint.
     *
     * @param endpoint with the version that it had when it was read; 0 if it was not there
     * @param tableVersion the version that the table had; 0 if it was never written
     * @return the version that the endpoint has now
     * @throws ConditionFailedException if the endpoint or the table has another version
     * @throws NotFoundException if the endpoint is not there and its version is not 0
     */
    public long save(Endpoint endpoint, long tableVersion) throws SQLException {
        boolean isNew = endpoint.version() == 0;
        return database.call(isNew ? "InsertIntoNexusEndpoints" : "UpdateNexusEndpoint", c -> {
            raise(c, tableVersion);
            return Tokens.save(
                    c, TABLE, "Nexus endpoint " + endpoint.id(), endpoint.version(), endpoint.data(), endpoint.id());
        });
    }

    /** The endpoint, if it is there. */
    public Optional<Endpoint> get(UUID id) throws SQLException {
        return database.call(
                "GetNexusEndpointById", c -> Database.one(c, TABLE.select(COLUMNS, 1), NexusEndpoints::read, id));
    }

    /** Some endpoints, and the version of the table that they are in. Immutable. */
    public record Listed(long tableVersion, Page<Endpoint> page) {}

    /**
     * Some endpoints, in the order of their ids.
     *
     * @param tableVersion the version that the table must have, so that the pages fit each other; 0 for any
     * @throws ConditionFailedException if it has another
     */
    public Listed list(long tableVersion, int pageSize, Page.@Nullable Token page) throws SQLException {
        Database.requirePageSize(pageSize);
        String sql = "SELECT " + COLUMNS + " FROM nexus_endpoints" + (page == null ? "" : " WHERE id > ?")
                + " ORDER BY id LIMIT ?";
        Object[] arguments = page == null
                ? new Object[] {pageSize}
                : new Object[] {UUID.fromString(page.key(1).get(0)), pageSize};
        return database.call("ListNexusEndpoints", c -> {
            // first the version: on PostgreSQL a change may come between the two, and what was read must not lack it
            long version = version(c, STATUS.select("version", 1)).orElse(0L);
            if (tableVersion != 0 && tableVersion != version) {
                throw tableChanged(tableVersion, version);
            }
            List<Endpoint> found = Database.query(c, sql, NexusEndpoints::read, arguments);
            return new Listed(version, Page.of(found, pageSize, endpoint -> Page.Token.after(endpoint.id())));
        });
    }

    /**
     * Deletes an endpoint.
     *
     * @throws ConditionFailedException if the table has another version
     * @throws NotFoundException if the endpoint is not there
     */
    public void delete(UUID id, long tableVersion) throws SQLException {
        database.run("DeleteFromNexusEndpoints", c -> {
            raise(c, tableVersion);
            if (Database.update(c, TABLE.delete(1), id) == 0) {
                throw new NotFoundException("Nexus endpoint " + id);
            }
        });
    }

    // ---- the version of the table

    /** The version of the table; 0 if it was never written. */
    public long tableVersion() throws SQLException {
        return database.call(
                "GetNexusEndpointsTableVersion",
                c -> version(c, STATUS.select("version", 1)).orElse(0L));
    }

    /**
     * Begins with version 1.
     *
     * @throws ConditionFailedException if there is one already
     */
    public void initializeTableVersion() throws SQLException {
        database.run("InitializeNexusEndpointsTableVersion", c -> raise(c, 0));
    }

    /**
     * Raises the version of the table by one.
     *
     * @throws ConditionFailedException if it is another than {@code expected}
     */
    public void incrementTableVersion(long expected) throws SQLException {
        if (expected < 1) {
            throw new IllegalArgumentException("a version is at least 1, not " + expected);
        }
        database.run("IncrementNexusEndpointsTableVersion", c -> raise(c, expected));
    }

    private static void raise(Connection c, long expected) throws SQLException {
        int rows = expected == 0
                ? Database.update(c, STATUS.insert() + " ON CONFLICT (id) DO NOTHING", ONLY_ROW, 1L)
                : Database.update(c, STATUS.update() + " AND version = ?", expected + 1, ONLY_ROW, expected);
        if (rows == 0) {
            throw tableChanged(expected, version(c, STATUS.select("version", 1)).orElse(0L));
        }
    }

    private static ConditionFailedException tableChanged(long expected, long actual) {
        return new ConditionFailedException("the table of Nexus endpoints", expected, actual);
    }

    private static Optional<Long> version(Connection c, String sql) throws SQLException {
        return Database.one(c, sql, row -> row.getLong(1), ONLY_ROW);
    }

    private static Endpoint read(ResultSet row) throws SQLException {
        return new Endpoint(Database.uuid(row, "id"), row.getLong("version"), Database.blob(row, "data"));
    }

    /**
     * A row of {@code nexus_endpoints}. Immutable.
     *
     * @param version the number of times it was written
     */
    public record Endpoint(UUID id, long version, Blob data) {}
}
