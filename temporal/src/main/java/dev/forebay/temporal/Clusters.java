// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The metadata of clusters, fenced by the version of a row. Thread-safe. */
public final class Clusters {

    private static final int PARTITION = 0;
    private static final Table TABLE = Table.CLUSTER_METADATA_INFO;
    private static final String COLUMNS = "cluster_name, data, data_encoding, version";

    private final Database database;

    Clusters(Database database) {
        this.database = database;
    }

    /**
     * Writes the metadata of a cluster.
     *
     * @param cluster with the version that it had when it was read; 0 if it was not there
     * @return the version that it has now
     * @throws ConditionFailedException if it has another version
     * @throws NotFoundException if it is not there and the version is not 0
     */
    public long save(Cluster cluster) throws SQLException {
        String operation = cluster.version() == 0 ? "InsertIntoClusterMetadata" : "UpdateClusterMetadata";
        return database.call(
                operation,
                c -> Tokens.save(
                        c,
                        TABLE,
                        "cluster " + cluster.name(),
                        cluster.version(),
                        cluster.data(),
                        PARTITION,
                        cluster.name()));
    }

    /** The metadata of a cluster, if there is any. */
    public Optional<Cluster> get(String name) throws SQLException {
        return database.call(
                "SelectFromClusterMetadata",
                c -> Database.one(c, TABLE.select(COLUMNS, 2), Clusters::read, PARTITION, name));
    }

    /** The same; lets the transaction commit only if no other changes it meanwhile. */
    public Optional<Cluster> writeLock(String name) throws SQLException {
        return database.call(
                "WriteLockGetClusterMetadata",
                c -> Database.one(c, TABLE.lock(COLUMNS), Clusters::read, PARTITION, name));
    }

    /** Some clusters, in the order of their names. */
    public Page<Cluster> list(int pageSize, Page.@Nullable Token page) throws SQLException {
        Database.requirePageSize(pageSize);
        String after = page == null ? "" : page.key(1).get(0);
        List<Cluster> found = database.call(
                "SelectFromClusterMetadata",
                c -> Database.query(
                        c,
                        TABLE.select(COLUMNS, 1) + " AND cluster_name > ? ORDER BY cluster_name LIMIT ?",
                        Clusters::read,
                        PARTITION,
                        after,
                        pageSize));
        return Page.of(found, pageSize, cluster -> Page.Token.after(cluster.name()));
    }

    /** Deletes a cluster and returns whether it was there. */
    public boolean delete(String name) throws SQLException {
        return database.call(
                "DeleteFromClusterMetadata", c -> Database.update(c, TABLE.delete(2), PARTITION, name) == 1);
    }

    private static Cluster read(ResultSet row) throws SQLException {
        return new Cluster(row.getString("cluster_name"), row.getLong("version"), Database.blob(row, "data"));
    }

    /**
     * A row of {@code cluster_metadata_info}. Immutable.
     *
     * @param name the cluster's
     * @param version the number of times it was written
     * @param data its metadata
     */
    public record Cluster(String name, long version, Blob data) {}
}
