// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Which members of the cluster are asked for: those that meet all that is said. Immutable. */
public record MemberFilter(
        Optional<UUID> hostId,
        Optional<String> rpcAddress,
        Optional<Integer> role,
        Optional<Instant> heartbeatAfter,
        Optional<Instant> expiryAfter,
        Optional<Instant> sessionStartedFrom) {

    /** All of them. */
    public static final MemberFilter ALL = new MemberFilter(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public MemberFilter withHostId(UUID id) {
        return new MemberFilter(Optional.of(id), rpcAddress, role, heartbeatAfter, expiryAfter, sessionStartedFrom);
    }

    public MemberFilter withRpcAddress(String address) {
        return new MemberFilter(hostId, Optional.of(address), role, heartbeatAfter, expiryAfter, sessionStartedFrom);
    }

    public MemberFilter withRole(int wanted) {
        return new MemberFilter(
                hostId, rpcAddress, Optional.of(wanted), heartbeatAfter, expiryAfter, sessionStartedFrom);
    }

    public MemberFilter withHeartbeatAfter(Instant time) {
        return new MemberFilter(hostId, rpcAddress, role, Optional.of(time), expiryAfter, sessionStartedFrom);
    }

    public MemberFilter withExpiryAfter(Instant time) {
        return new MemberFilter(hostId, rpcAddress, role, heartbeatAfter, Optional.of(time), sessionStartedFrom);
    }

    public MemberFilter withSessionStartedFrom(Instant time) {
        return new MemberFilter(hostId, rpcAddress, role, heartbeatAfter, expiryAfter, Optional.of(time));
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
