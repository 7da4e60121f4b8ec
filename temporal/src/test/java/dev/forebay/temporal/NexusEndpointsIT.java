// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.tx.ConditionFailedException;
import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class NexusEndpointsIT extends OnBothDatabases {

    private static final UUID ONE = new UUID(0x4000, 1);
    private static final UUID TWO = new UUID(0x4000, 2);
    private static final Blob DATA = Blob.proto3(new byte[] {1});
    private static final Blob OTHER = Blob.proto3(new byte[] {2});

    @Test
    void everyChangeRaisesTheVersionOfTheTable() throws SQLException {
        NexusEndpoints endpoints = temporal.nexusEndpoints();
        assertEquals(0, endpoints.tableVersion());
        assertEquals(1, endpoints.save(new NexusEndpoints.Endpoint(ONE, 0, DATA), 0));
        assertEquals(1, endpoints.save(new NexusEndpoints.Endpoint(TWO, 0, DATA), 1));
        assertEquals(2, endpoints.save(new NexusEndpoints.Endpoint(ONE, 1, OTHER), 2));
        assertEquals(3, endpoints.tableVersion());
        endpoints.delete(TWO, 3);
        assertEquals(4, endpoints.tableVersion());
        assertEquals(Optional.of(new NexusEndpoints.Endpoint(ONE, 2, OTHER)), endpoints.get(ONE));
        assertEquals(Optional.empty(), endpoints.get(TWO));
    }

    @Test
    void aChangeNeedsBothVersionsAndElseChangesNothing() throws SQLException {
        NexusEndpoints endpoints = temporal.nexusEndpoints();
        endpoints.save(new NexusEndpoints.Endpoint(ONE, 0, DATA), 0);
        endpoints.save(new NexusEndpoints.Endpoint(ONE, 1, DATA), 1);
        for (long wrong : new long[] {0, 1, 3}) {
            assertThrows(
                    ConditionFailedException.class,
                    () -> endpoints.save(new NexusEndpoints.Endpoint(ONE, 2, OTHER), wrong),
                    "table version " + wrong);
            assertThrows(
                    ConditionFailedException.class,
                    () -> endpoints.save(new NexusEndpoints.Endpoint(ONE, wrong, OTHER), 2),
                    "version " + wrong);
            assertThrows(ConditionFailedException.class, () -> endpoints.delete(ONE, wrong));
        }
        assertThrows(NotFoundException.class, () -> endpoints.save(new NexusEndpoints.Endpoint(TWO, 1, OTHER), 2));
        assertThrows(NotFoundException.class, () -> endpoints.delete(TWO, 2));
        assertEquals(Optional.of(new NexusEndpoints.Endpoint(ONE, 2, DATA)), endpoints.get(ONE));
        assertEquals(2, endpoints.tableVersion());
    }

    @Test
    void theVersionOfTheTableIsBegunOnceAndRaisedByOne() throws SQLException {
        NexusEndpoints endpoints = temporal.nexusEndpoints();
        assertThrows(ConditionFailedException.class, () -> endpoints.incrementTableVersion(1));
        endpoints.initializeTableVersion();
        assertThrows(ConditionFailedException.class, endpoints::initializeTableVersion);
        endpoints.incrementTableVersion(1);
        assertThrows(ConditionFailedException.class, () -> endpoints.incrementTableVersion(1));
        assertEquals(2, endpoints.tableVersion());
    }

    @Test
    void endpointsAreListedPageByPageAsLongAsTheTableStaysAsItIs() throws SQLException {
        NexusEndpoints endpoints = temporal.nexusEndpoints();
        assertTrue(endpoints.list(0, 2, null).page().rows().isEmpty());
        for (int i = 0; i < 5; i++) {
            endpoints.save(new NexusEndpoints.Endpoint(new UUID(0x4000, i), 0, DATA), i);
        }
        NexusEndpoints.Listed first = endpoints.list(0, 2, null);
        assertEquals(5, first.tableVersion());
        assertEquals(
                List.of(0L, 1L, 2L, 3L, 4L),
                Pages.all(page -> endpoints.list(first.tableVersion(), 2, page).page()).stream()
                        .map(endpoint -> endpoint.id().getLeastSignificantBits())
                        .toList());
        endpoints.delete(ONE, 5);
        assertFalse(first.page().next().isEmpty());
        assertThrows(
                ConditionFailedException.class,
                () -> endpoints.list(5, 2, first.page().next().get()));
    }

    @Test
    void aListLacksNoChangeOfTheVersionItIsToldWith() throws SQLException {
        temporal.nexusEndpoints().save(new NexusEndpoints.Endpoint(ONE, 0, DATA), 0);
        int[] statements = {0};
        NexusEndpoints interrupted = Temporal.on(
                        Transactions.of(Intercepted.of(dataSource, (sql, connection) -> {
                            if (sql.startsWith("SELECT") && ++statements[0] == 2) {
                                temporal.nexusEndpoints().save(new NexusEndpoints.Endpoint(TWO, 0, DATA), 1);
                            }
                        })),
                        SnowflakeIds.forNode(3))
                .nexusEndpoints();
        NexusEndpoints.Listed listed = interrupted.list(0, 10, null);
        assertTrue(statements[0] >= 2, "the change came in between");
        assertTrue(listed.page().rows().size() >= listed.tableVersion(), listed::toString);
    }

    @Test
    void ofManyWhoHaveReadTheSameTableOneWins() throws Exception {
        NexusEndpoints endpoints = temporal.nexusEndpoints();
        for (long version = 0; version < 3; version++) {
            long read = version;
            Contenders.Outcome<Long> outcome = Contenders.run(
                    8, i -> endpoints.save(new NexusEndpoints.Endpoint(new UUID(0x4000 + read, i), 0, DATA), read));
            assertEquals(List.of(1L), outcome.won());
            assertEquals(7, outcome.lost());
        }
        assertEquals(3, endpoints.list(3, 100, null).page().rows().size());
    }
}
