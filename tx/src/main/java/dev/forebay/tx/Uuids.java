// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.UUID;

/**
 * Conversions between the forms of a UUID: 16 bytes, text and {@link UUID}.
 *
 * <p>Aurora DSQL takes no BYTEA in a composite key, so identifiers that are bytes elsewhere are UUID columns there. Bind
 * and read them as {@link UUID}; its {@link UUID#toString() text} is the canonical one, in lower case. Thread-safe.
 */
public final class Uuids {

    private static final int BYTES = 16;
    private static final int CHARACTERS = 36;

    private Uuids() {}

    /** Returns the UUID of 16 bytes, the highest first. */
    public static UUID of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a UUID has " + BYTES + " bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    /**
     * Returns the UUID written as {@code xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}, in either case. Unlike {@link
     * UUID#fromString} it takes no shorter form.
     */
    public static UUID of(String text) {
        if (text.length() != CHARACTERS) {
            throw new IllegalArgumentException("a UUID has " + CHARACTERS + " characters, not " + text.length());
        }
        for (int i = 0; i < CHARACTERS; i++) {
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            if (dash ? text.charAt(i) != '-' : !HexFormat.isHexDigit(text.charAt(i))) {
                throw new IllegalArgumentException("not a UUID, at index " + i
                        + (dash ? " should be a dash: " : " should be a hex digit: ") + text);
            }
        }
        return UUID.fromString(text);
    }

    /** Returns the 16 bytes of {@code uuid}, the highest first. */
    public static byte[] bytes(UUID uuid) {
        return ByteBuffer.allocate(BYTES)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }
}
