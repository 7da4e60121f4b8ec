// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The hosts of the cluster. Each writes its own row, so there is no fence; who falls silent expires. Thread-safe. */
public final class ClusterMembers {

    private static final int PARTITION = 0;
    private static final Table TABLE = Table.CLUSTER_MEMBERSHIP;

    private final Database database;

    ClusterMembers(Database database) {
        this.database = database;
    }

    /** Writes a host's row, whether it is there or not. */
    public void upsert(ClusterMember member) throws SQLException {
        database.run(
                "UpsertClusterMembership",
                c -> Database.update(
                        c,
                        TABLE.replace(),
                        PARTITION,
                        member.hostId(),
                        member.rpcAddress(),
                        member.rpcPort(),
                        member.role(),
                        member.sessionStart(),
                        member.lastHeartbeat(),
                        member.recordExpiry()));
    }

    /** Some hosts, in the order of their ids. */
    public Page<ClusterMember> get(MemberFilter filter, int pageSize, @Nullable PageToken page) throws SQLException {
        Database.requirePageSize(pageSize);
        List<Object> arguments = new ArrayList<>(List.of(PARTITION));
        String conditions = filter.conditions(arguments);
        if (page != null) {
            conditions += " AND host_id > ?";
            arguments.add(UUID.fromString(page.key(1).get(0)));
        }
        arguments.add(pageSize);
        String sql = TABLE.select(Table.names(TABLE.columns()), 1) + conditions + " ORDER BY host_id LIMIT ?";
        List<ClusterMember> found = database.call(
                "GetClusterMembers", c -> Database.query(c, sql, ClusterMembers::read, arguments.toArray()));
        return Page.of(found, pageSize, member -> PageToken.after(member.hostId()));
    }

    /**
     * Deletes hosts that expired before a time, and tells how many there were.
     *
     * @param most how many at most, up to the 3,000 that one transaction may change
     */
    public int prune(Instant expiredBefore, int most) throws SQLException {
        if (most < 1 || most > Database.MOST_ROWS) {
            throw new IllegalArgumentException(
                    "1 to " + Database.MOST_ROWS + " hosts can be deleted at once, not " + most);
        }
        String sql = "DELETE FROM cluster_membership WHERE (membership_partition, host_id) IN ("
                + TABLE.select("membership_partition, host_id", 1)
                + " AND record_expiry < ? ORDER BY host_id LIMIT ?)";
        return database.call("PruneClusterMembership", c -> Database.update(c, sql, PARTITION, expiredBefore, most));
    }

    private static ClusterMember read(ResultSet row) throws SQLException {
        return new ClusterMember(
                Database.uuid(row, "host_id"),
                row.getString("rpc_address"),
                row.getInt("rpc_port"),
                row.getInt("role"),
                Database.time(row, "session_start"),
                Database.time(row, "last_heartbeat"),
                Database.time(row, "record_expiry"));
    }
}
