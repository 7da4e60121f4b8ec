// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * The key of a task queue. Temporal makes it from bytes: the namespace, the name and the type. They do not fit into a UUID, so
 * there it is what is left of their SHA-256. Immutable.
 *
 * @param rangeHash the FarmHash of the bytes, by which queues are spread
 * @param uuid the UUID of the bytes
 */
public record TaskQueueId(long rangeHash, UUID uuid) {

    /** Tells a type that a subqueue follows from one that does not. */
    private static final int HAS_SUBQUEUE = 0x80;

    public TaskQueueId {
        if (rangeHash < 0 || rangeHash > 0xffff_ffffL) {
            throw new IllegalArgumentException("a range hash has 32 bits and no sign: " + rangeHash);
        }
    }

    /**
     * The key of a queue as a whole.
     *
     * @param type as Temporal counts them: 1 for workflows, 2 for activities, 3 for Nexus
     */
    public static TaskQueueId of(UUID namespaceId, String name, int type) {
        return of(namespaceId, name, type, 0);
    }

    /** The key of the tasks in one of its subqueues; 0 is the queue itself. */
    public static TaskQueueId of(UUID namespaceId, String name, int type, int subqueue) {
        byte[] bytes = bytes(namespaceId, name, type, subqueue);
        return new TaskQueueId(FarmHash.fingerprint32(bytes), uuid(bytes));
    }

    static byte[] bytes(UUID namespaceId, String name, int type, int subqueue) {
        if (type < 0 || type >= HAS_SUBQUEUE || subqueue < 0) {
            throw new IllegalArgumentException("no task queue has the type " + type + " and the subqueue " + subqueue);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(ByteBuffer.allocate(Long.BYTES * 2)
                .putLong(namespaceId.getMostSignificantBits())
                .putLong(namespaceId.getLeastSignificantBits())
                .array());
        bytes.writeBytes(name.getBytes(StandardCharsets.UTF_8));
        if (subqueue == 0) {
            bytes.write(type);
            return bytes.toByteArray();
        }
        bytes.write(type | HAS_SUBQUEUE);
        int rest = subqueue;
        for (; rest >= 0x80; rest >>>= 7) {
            bytes.write((rest & 0x7f) | 0x80);
        }
        bytes.write(rest);
        return bytes.toByteArray();
    }

    /** The first half of their SHA-256, marked as a random UUID. */
    private static UUID uuid(byte[] bytes) {
        try {
            ByteBuffer digest =
                    ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes));
            long high = (digest.getLong() & ~0xf000L) | 0x4000L;
            long low = (digest.getLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
            return new UUID(high, low);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    Object[] key() {
        return new Object[] {rangeHash, uuid};
    }
}
