// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class TaskQueueIdTest {

    private static final UUID NAMESPACE = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    @Test
    void itsBytesAreTheNamespaceTheNameAndTheType() {
        assertEquals(
                "00112233445566778899aabbccddeeff" + "71c3bc" + "02", hex(TaskQueues.Id.bytes(NAMESPACE, "qü", 2, 0)));
    }

    @Test
    void aSubqueueMarksTheTypeAndFollowsInSevensOfBits() {
        assertEquals(
                "00112233445566778899aabbccddeeff" + "71" + "81" + "01",
                hex(TaskQueues.Id.bytes(NAMESPACE, "q", 1, 1)));
        assertEquals(
                "00112233445566778899aabbccddeeff" + "71" + "81" + "ac02",
                hex(TaskQueues.Id.bytes(NAMESPACE, "q", 1, 300)));
    }

    @Test
    void itsUuidIsMadeOfASha256AndLooksRandom() {
        TaskQueues.Id id = TaskQueues.Id.of(NAMESPACE, "q", 1);
        assertEquals(UUID.fromString("66ce1c2c-8b48-4068-8dbd-702e8cf033ff"), id.uuid());
        assertEquals(4, id.uuid().version());
        assertEquals(2, id.uuid().variant());
        assertEquals(FarmHash.fingerprint32(TaskQueues.Id.bytes(NAMESPACE, "q", 1, 0)), id.rangeHash());
        assertTrue(id.rangeHash() >= 0);
        assertNotEquals(id, TaskQueues.Id.of(NAMESPACE, "q", 2));
        assertNotEquals(id, TaskQueues.Id.of(NAMESPACE, "q", 1, 1));
    }

    @Test
    void aTypeThatHidesTheMarkIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> TaskQueues.Id.of(NAMESPACE, "q", 0x80));
        assertThrows(IllegalArgumentException.class, () -> TaskQueues.Id.of(NAMESPACE, "q", 1, -1));
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
