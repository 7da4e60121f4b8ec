// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.tx.ConditionFailedException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ClustersIT extends OnBothDatabases {

    private static final Blob DATA = Blob.proto3(new byte[] {1});
    private static final Blob OTHER = Blob.proto3(new byte[] {2});
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    // ---- what is known of clusters

    @Test
    void aVersionIsRaisedWithEachWriteAndFencesIt() throws SQLException {
        Clusters clusters = temporal.clusters();
        assertEquals(1, clusters.save(new Clusters.Cluster("active", 0, DATA)));
        assertEquals(2, clusters.save(new Clusters.Cluster("active", 1, OTHER)));
        for (long wrong : new long[] {0, 1, 3}) {
            assertThrows(
                    ConditionFailedException.class,
                    () -> clusters.save(new Clusters.Cluster("active", wrong, DATA)),
                    "version " + wrong);
        }
        assertEquals(Optional.of(new Clusters.Cluster("active", 2, OTHER)), clusters.get("active"));
        assertEquals(Optional.of(new Clusters.Cluster("active", 2, OTHER)), clusters.writeLock("active"));
        assertThrows(NotFoundException.class, () -> clusters.save(new Clusters.Cluster("none", 1, DATA)));
        assertEquals(Optional.empty(), clusters.get("none"));
    }

    @Test
    void clustersAreListedPageByPageAndDeleted() throws SQLException {
        Clusters clusters = temporal.clusters();
        for (int i = 0; i < 5; i++) {
            clusters.save(new Clusters.Cluster("cluster " + i, 0, DATA));
        }
        assertTrue(clusters.delete("cluster 3"));
        assertFalse(clusters.delete("cluster 3"));
        assertEquals(
                List.of("cluster 0", "cluster 1", "cluster 2", "cluster 4"),
                Pages.all(page -> clusters.list(2, page)).stream()
                        .map(Clusters.Cluster::name)
                        .toList());
    }

    @Test
    void ofManyWhoWriteTheSameVersionOneWins() throws Exception {
        Clusters clusters = temporal.clusters();
        for (long version = 0; version < 3; version++) {
            Clusters.Cluster cluster = new Clusters.Cluster("active", version, DATA);
            Contenders.Outcome<Long> outcome = Contenders.run(8, i -> clusters.save(cluster));
            assertEquals(List.of(version + 1), outcome.won());
            assertEquals(7, outcome.lost());
        }
    }

    // ---- hosts

    @Test
    void aHostIsWrittenAgainWithItsHeartbeat() throws SQLException {
        ClusterMembers members = temporal.clusterMembers();
        ClusterMembers.Member first = member(1, 1, NOON);
        members.upsert(first);
        ClusterMembers.Member again = new ClusterMembers.Member(
                first.hostId(), "10.0.0.9", 7_234, 2, first.sessionStart(), NOON.plusSeconds(9), NOON.plusSeconds(99));
        members.upsert(again);
        assertEquals(
                List.of(again), members.get(ClusterMembers.Filter.ALL, 10, null).rows());
    }

    @Test
    void eachFilterLeavesOutThoseThatDoNotMeetIt() throws SQLException {
        ClusterMembers members = temporal.clusterMembers();
        List<ClusterMembers.Member> all = IntStream.range(0, 6)
                .mapToObj(i -> member(i, i % 2 + 1, NOON.plusSeconds(i)))
                .toList();
        for (ClusterMembers.Member member : all) {
            members.upsert(member);
        }
        assertEquals(all, Pages.all(page -> members.get(ClusterMembers.Filter.ALL, 4, page)));
        assertEquals(List.of(all.get(1), all.get(3), all.get(5)), found(ClusterMembers.Filter.ALL.withRole(2)));
        assertEquals(
                List.of(all.get(2)),
                found(ClusterMembers.Filter.ALL.withHostId(all.get(2).hostId())));
        assertEquals(List.of(all.get(4)), found(ClusterMembers.Filter.ALL.withRpcAddress("10.0.0.4")));
        assertEquals(all.subList(4, 6), found(ClusterMembers.Filter.ALL.withHeartbeatAfter(NOON.plusSeconds(3))));
        assertEquals(all.subList(4, 6), found(ClusterMembers.Filter.ALL.withExpiryAfter(NOON.plusSeconds(63))));
        assertEquals(all.subList(3, 6), found(ClusterMembers.Filter.ALL.withSessionStartedFrom(NOON.plusSeconds(3))));
        assertEquals(
                List.of(all.get(5)),
                found(ClusterMembers.Filter.ALL.withRole(2).withHeartbeatAfter(NOON.plusSeconds(3))));
    }

    @Test
    void thoseThatExpiredArePrunedUpToSoMany() throws SQLException {
        ClusterMembers members = temporal.clusterMembers();
        for (int i = 0; i < 6; i++) {
            members.upsert(member(i, 1, NOON.plusSeconds(i)));
        }
        assertEquals(2, members.prune(NOON.plusSeconds(64), 2));
        assertEquals(2, members.prune(NOON.plusSeconds(64), 100));
        assertEquals(2, found(ClusterMembers.Filter.ALL).size());
        assertThrows(IllegalArgumentException.class, () -> members.prune(NOON, 3_001));
    }

    @Test
    void aPortThatTheColumnCannotHoldIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new ClusterMembers.Member(UUID.randomUUID(), "h", 40_000, 1, NOON, NOON, NOON));
    }

    private List<ClusterMembers.Member> found(ClusterMembers.Filter filter) throws SQLException {
        return temporal.clusterMembers().get(filter, 100, null).rows();
    }

    private static ClusterMembers.Member member(int number, int role, Instant time) {
        return new ClusterMembers.Member(
                new UUID(0x4000, number), "10.0.0." + number, 7_233, role, time, time, time.plusSeconds(60));
    }
}
