// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The hosts of the cluster. Each writes its own row, so there is no fence; a silent one expires. Thread-safe. */
public final class ClusterMembers {

    private static final int PARTITION = 0;
    private static final Table TABLE = Table.CLUSTER_MEMBERSHIP;

    private final Database database;

    ClusterMembers(Database database) {
        this.database = database;
    }

    /** Writes a host's row, whether it is there or not. */
    public void upsert(Member member) throws SQLException {
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
    public Page<Member> get(Filter filter, int pageSize, Page.@Nullable Token page) throws SQLException {
        Database.requirePageSize(pageSize);
        List<Object> arguments = new ArrayList<>(List.of(PARTITION));
        String conditions = filter.conditions(arguments);
        if (page != null) {
            conditions += " AND host_id > ?";
            arguments.add(UUID.fromString(page.key(1).get(0)));
        }
        arguments.add(pageSize);
        String sql = TABLE.select(Table.names(TABLE.columns()), 1) + conditions + " ORDER BY host_id LIMIT ?";
        List<Member> found = database.call(
                "GetClusterMembers", c -> Database.query(c, sql, ClusterMembers::read, arguments.toArray()));
        return Page.of(found, pageSize, member -> Page.Token.after(member.hostId()));
    }

    /**
     * Deletes hosts that expired before a time, and returns how many there were.
     *
     * @param most the maximum number, up to the 3,000 that one transaction may change
     */
    public int prune(Instant expiredBefore, int most) throws SQLException {
        if (most < 1 || most > Database.MOST_ROWS) {
            throw new IllegalArgumentException(
                    "1 to " + Database.MOST_ROWS + " hosts can be deleted at once, not " + most);
        }
        String sql = TABLE.deleteFirst(1, "record_expiry < ?", "host_id");
        return database.call("PruneClusterMembership", c -> Database.update(c, sql, PARTITION, expiredBefore, most));
    }

    private static Member read(ResultSet row) throws SQLException {
        return new Member(
                Database.uuid(row, "host_id"),
                row.getString("rpc_address"),
                row.getInt("rpc_port"),
                row.getInt("role"),
                Database.time(row, "session_start"),
                Database.time(row, "last_heartbeat"),
                Database.time(row, "record_expiry"));
    }

    /**
     * A row of {@code cluster_membership}: a host of the cluster, as it described itself. Immutable.
     *
     * @param role as Temporal counts them: 1 frontend, 2 history, 3 matching, 4 worker
     * @param recordExpiry the end of its membership, unless it writes again
     */
    public record Member(
            UUID hostId,
            String rpcAddress,
            int rpcPort,
            int role,
            Instant sessionStart,
            Instant lastHeartbeat,
            Instant recordExpiry) {

        public Member {
            if (rpcPort < 0 || rpcPort > Short.MAX_VALUE) {
                throw new IllegalArgumentException("the column of ports ends at " + Short.MAX_VALUE + ": " + rpcPort);
            }
        }
    }

    /** A condition on members of the cluster; all of its parts must be met. Immutable. */
    public record Filter(
            Optional<UUID> hostId,
            Optional<String> rpcAddress,
            Optional<Integer> role,
            Optional<Instant> heartbeatAfter,
            Optional<Instant> expiryAfter,
            Optional<Instant> sessionStartedFrom) {

        /** All of them. */
        public static final Filter ALL = new Filter(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());

        public Filter withHostId(UUID id) {
            return new Filter(Optional.of(id), rpcAddress, role, heartbeatAfter, expiryAfter, sessionStartedFrom);
        }

        public Filter withRpcAddress(String address) {
            return new Filter(hostId, Optional.of(address), role, heartbeatAfter, expiryAfter, sessionStartedFrom);
        }

        public Filter withRole(int wanted) {
            return new Filter(hostId, rpcAddress, Optional.of(wanted), heartbeatAfter, expiryAfter, sessionStartedFrom);
        }

        public Filter withHeartbeatAfter(Instant time) {
            return new Filter(hostId, rpcAddress, role, Optional.of(time), expiryAfter, sessionStartedFrom);
        }

        public Filter withExpiryAfter(Instant time) {
            return new Filter(hostId, rpcAddress, role, heartbeatAfter, Optional.of(time), sessionStartedFrom);
        }

        public Filter withSessionStartedFrom(Instant time) {
            return new Filter(hostId, rpcAddress, role, heartbeatAfter, expiryAfter, Optional.of(time));
        }

        /** The conditions, each after an AND, whose parameters are put into {@code arguments}. */
        String conditions(List<Object> arguments) {
            List<String> conditions = new ArrayList<>();
            add("host_id =", hostId, conditions, arguments);
            add("rpc_address =", rpcAddress, conditions, arguments);
            add("role =", role, conditions, arguments);
            add("last_heartbeat >", heartbeatAfter, conditions, arguments);
            add("record_expiry >", expiryAfter, conditions, arguments);
            add("session_start >=", sessionStartedFrom, conditions, arguments);
            return String.join("", conditions);
        }

        private static void add(String condition, Optional<?> value, List<String> conditions, List<Object> arguments) {
            value.ifPresent(wanted -> {
                conditions.add(" AND " + condition + " ?");
                arguments.add(wanted);
            });
        }
    }
}
