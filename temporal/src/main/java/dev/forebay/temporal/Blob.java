// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Something serialized, and how. Treat the bytes as immutable; they are not copied. Thread-safe if they are.
 *
 * @param data the bytes
 * @param encoding as Temporal names it, at most 16 characters
 */
@SuppressWarnings("ArrayRecordComponent") // equals and hashCode look at the bytes
public record Blob(byte[] data, String encoding) {

    /** Temporal's own encoding. */
    public static final String PROTO3 = "Proto3";

    public Blob {
        Objects.requireNonNull(data);
        Objects.requireNonNull(encoding);
    }

    /** Bytes of a protocol buffer. */
    public static Blob proto3(byte[] data) {
        return new Blob(data, PROTO3);
    }

    /** The blob in two columns that may be null. */
    static @Nullable Blob orNull(byte @Nullable [] data, @Nullable String encoding) {
        return data == null ? null : new Blob(data, encoding == null ? "" : encoding);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Blob that && Arrays.equals(data, that.data) && encoding.equals(that.encoding);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(data) + encoding.hashCode();
    }

    /** Its size and encoding; the bytes may be confidential. */
    @Override
    public String toString() {
        return data.length + " bytes of " + encoding;
    }
}
