// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.tx.ConditionFailedException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class UserDataIT extends OnBothDatabases {

    private static final UUID NAMESPACE = UUID.fromString("00000000-0000-4000-8000-000000000001");
    private static final Blob DATA = Blob.proto3(new byte[] {1});
    private static final Blob OTHER = Blob.proto3(new byte[] {2});

    @Test
    void aVersionIsRaisedWithEachWriteAndFencesIt() throws SQLException {
        UserData userData = temporal.userData();
        assertEquals(Optional.empty(), userData.get(NAMESPACE, "q"));
        assertEquals(1, userData.update(NAMESPACE, new UserData.Row("q", 0, DATA), List.of(), List.of()));
        assertEquals(2, userData.update(NAMESPACE, new UserData.Row("q", 1, OTHER), List.of(), List.of()));
        assertEquals(Optional.of(new UserData.Row("q", 2, OTHER)), userData.get(NAMESPACE, "q"));
        for (long wrong : new long[] {0, 1, 3}) {
            assertThrows(
                    ConditionFailedException.class,
                    () -> userData.update(NAMESPACE, new UserData.Row("q", wrong, DATA), List.of("b"), List.of()),
                    "version " + wrong);
        }
        assertEquals(Optional.of(new UserData.Row("q", 2, OTHER)), userData.get(NAMESPACE, "q"));
        assertEquals(0, userData.countTaskQueues(NAMESPACE, "b"));
        assertThrows(
                NotFoundException.class,
                () -> userData.update(NAMESPACE, new UserData.Row("r", 1, DATA), List.of(), List.of()));
    }

    @Test
    void buildIdsAreMappedInTheSameTransaction() throws SQLException {
        UserData userData = temporal.userData();
        userData.update(NAMESPACE, new UserData.Row("q", 0, DATA), List.of("a", "b"), List.of());
        userData.update(NAMESPACE, new UserData.Row("p", 0, DATA), List.of("b"), List.of());
        assertEquals(List.of("p", "q"), userData.taskQueues(NAMESPACE, "b"));
        assertEquals(1, userData.countTaskQueues(NAMESPACE, "a"));
        userData.update(NAMESPACE, new UserData.Row("q", 1, DATA), List.of("b", "c"), List.of("a"));
        assertEquals(0, userData.countTaskQueues(NAMESPACE, "a"));
        assertEquals(List.of("q"), userData.taskQueues(NAMESPACE, "c"));
        userData.addBuildIds(NAMESPACE, "p", List.of("b", "c"));
        userData.removeBuildIds(NAMESPACE, "q", List.of("c", "none"));
        assertEquals(List.of("p"), userData.taskQueues(NAMESPACE, "c"));
        assertEquals(List.of(), userData.taskQueues(UUID.randomUUID(), "c"));
    }

    @Test
    void theQueuesOfANamespaceAreListedPageByPage() throws SQLException {
        UserData userData = temporal.userData();
        for (int i = 0; i < 7; i++) {
            userData.update(NAMESPACE, new UserData.Row("q" + i, 0, DATA), List.of(), List.of());
        }
        userData.update(UUID.randomUUID(), new UserData.Row("q9", 0, DATA), List.of(), List.of());
        assertEquals(
                List.of("q0", "q1", "q2", "q3", "q4", "q5", "q6"),
                Pages.all(page -> userData.list(NAMESPACE, 3, page)).stream()
                        .map(UserData.Row::taskQueue)
                        .toList());
    }

    @Test
    void ofManyWhoWriteTheSameVersionOneWins() throws Exception {
        UserData userData = temporal.userData();
        for (long version = 0; version < 2; version++) {
            UserData.Row row = new UserData.Row("q", version, DATA);
            Contenders.Outcome<Long> outcome =
                    Contenders.run(8, i -> userData.update(NAMESPACE, row, List.of("build " + i), List.of()));
            assertEquals(List.of(version + 1), outcome.won());
            assertEquals(7, outcome.lost());
        }
        int mapped = 0;
        for (int i = 0; i < 8; i++) {
            mapped += userData.countTaskQueues(NAMESPACE, "build " + i);
        }
        assertTrue(mapped == 1 || mapped == 2, "only the two winners may map: " + mapped);
        assertFalse(userData.get(NAMESPACE, "q").isEmpty());
    }
}
