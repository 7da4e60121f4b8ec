// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.tx.ConditionFailedException;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class NamespacesIT extends OnBothDatabases {

    private static final UUID ONE = UUID.fromString("00000000-0000-4000-8000-000000000001");
    private static final UUID TWO = UUID.fromString("00000000-0000-4000-8000-000000000002");
    private static final Blob DATA = Blob.proto3(new byte[] {1});
    private static final Blob OTHER = Blob.proto3(new byte[] {2});

    @Test
    void eachChangeTakesTheVersionOfAllAndRaisesIt() throws SQLException {
        Namespaces namespaces = temporal.namespaces();
        assertEquals(1, namespaces.selectMetadata());
        assertEquals(1, namespaces.insert(ONE, "one", DATA, true));
        assertEquals(2, namespaces.insert(TWO, "two", DATA, false));
        assertEquals(3, namespaces.lockMetadata());
        assertEquals(Optional.of(new Namespaces.Namespace(ONE, "one", 1, DATA, true)), namespaces.select(ONE));
        assertEquals(Optional.of(new Namespaces.Namespace(TWO, "two", 2, DATA, false)), namespaces.select("two"));
        assertEquals(Optional.empty(), namespaces.select("three"));
    }

    /** The version is that of all, so a fence on the row's own would let only the last written one be changed. */
    @Test
    void anyNamespaceCanBeUpdatedNotOnlyTheLastWritten() throws SQLException {
        Namespaces namespaces = temporal.namespaces();
        namespaces.insert(ONE, "one", DATA, true);
        namespaces.insert(TWO, "two", DATA, true);
        namespaces.update(new Namespaces.Namespace(ONE, "uno", namespaces.selectMetadata(), OTHER, false));
        assertEquals(Optional.of(new Namespaces.Namespace(ONE, "uno", 3, OTHER, false)), namespaces.select(ONE));
        assertEquals(4, namespaces.selectMetadata());
    }

    @Test
    void anUpdateWithAVersionThatHasPassedChangesNothing() throws SQLException {
        Namespaces namespaces = temporal.namespaces();
        namespaces.insert(ONE, "one", DATA, true);
        namespaces.insert(TWO, "two", DATA, true);
        ConditionFailedException e = assertThrows(
                ConditionFailedException.class,
                () -> namespaces.update(new Namespaces.Namespace(ONE, "uno", 2, OTHER, true)));
        assertEquals(2L, e.expected());
        assertEquals(3L, e.actual());
        assertEquals(Optional.of(new Namespaces.Namespace(ONE, "one", 1, DATA, true)), namespaces.select(ONE));
        assertEquals(3, namespaces.selectMetadata());
        assertThrows(ConditionFailedException.class, () -> namespaces.updateMetadata(2));
        namespaces.updateMetadata(3);
        assertEquals(4, namespaces.selectMetadata());
    }

    @Test
    void anUpdateOfWhatIsNotThereLeavesTheVersionAlone() throws SQLException {
        Namespaces namespaces = temporal.namespaces();
        assertThrows(
                NotFoundException.class, () -> namespaces.update(new Namespaces.Namespace(ONE, "one", 1, DATA, true)));
        assertEquals(1, namespaces.selectMetadata());
    }

    @Test
    void aNameAndAnIdAreTakenOnce() throws SQLException {
        Namespaces namespaces = temporal.namespaces();
        namespaces.insert(ONE, "one", DATA, true);
        assertThrows(SQLException.class, () -> namespaces.insert(TWO, "one", DATA, true));
        assertThrows(SQLException.class, () -> namespaces.insert(ONE, "two", DATA, true));
        assertEquals(2, namespaces.selectMetadata());
        assertEquals(1, namespaces.list(10, null).rows().size());
    }

    @Test
    void namespacesAreListedPageByPageAndDeletedByIdOrName() throws SQLException {
        Namespaces namespaces = temporal.namespaces();
        List<UUID> ids = IntStream.range(0, 7).mapToObj(i -> UUID.randomUUID()).toList();
        for (UUID id : ids) {
            namespaces.insert(id, "name of " + id, DATA, true);
        }
        assertEquals(
                ids.stream().sorted(Comparator.comparing(UUID::toString)).toList(),
                Pages.all(page -> namespaces.list(3, page)).stream()
                        .map(Namespaces.Namespace::id)
                        .toList());
        assertTrue(namespaces.delete(ids.get(0)));
        assertFalse(namespaces.delete(ids.get(0)));
        assertTrue(namespaces.delete("name of " + ids.get(1)));
        assertFalse(namespaces.delete("name of " + ids.get(1)));
        assertEquals(5, namespaces.list(10, null).rows().size());
    }

    @Test
    void ofSixteenUpdatesWithOneVersionExactlyOneWins() throws Exception {
        Namespaces namespaces = temporal.namespaces();
        for (int i = 0; i < 16; i++) {
            namespaces.insert(new UUID(0x4000, i), "namespace " + i, DATA, true);
        }
        long version = namespaces.selectMetadata();
        Contenders.Outcome<Integer> outcome = Contenders.run(16, i -> {
            namespaces.update(new Namespaces.Namespace(new UUID(0x4000, i), "won by " + i, version, OTHER, true));
            return i;
        });
        assertEquals(1, outcome.won().size());
        assertEquals(15, outcome.lost());
        assertEquals(version + 1, namespaces.selectMetadata());
        List<Namespaces.Namespace> changed = namespaces.list(100, null).rows().stream()
                .filter(namespace -> namespace.data().equals(OTHER))
                .toList();
        assertEquals(1, changed.size());
        assertEquals("won by " + outcome.won().get(0), changed.get(0).name());
    }
}
