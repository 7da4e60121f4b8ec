// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Conversions between an {@link Instant} and the value of a timestamp column: UTC, whole microseconds, and a stand-in
 * for the zero time. Thread-safe.
 *
 * <p>The zero time, {@link #ZERO} or null, is stored as the first moment of the year 1000, so that columns need not be
 * nullable and it sorts before all others; reading gives {@link #ZERO}. Anything else must lie after that stand-in and
 * within the range of PostgreSQL. Microseconds are cut off toward the past, before 1970 too: rounding toward 1970 would
 * map two microseconds to one there. So times never change their order, and never lie later than they were.
 *
 * <p>The two forms are not alike. The driver sets the session's time zone to the JVM's default, and PostgreSQL converts a
 * time with an offset to that zone before it is put into a {@code timestamp} column. A {@code timestamp} column needs the
 * form without one, and a {@code timestamptz} column the form with one.
 */
public final class Timestamps {

    /** The zero time, 0001-01-01T00:00:00Z: no time at all. */
    public static final Instant ZERO = Instant.parse("0001-01-01T00:00:00Z");

    private static final Instant STORED_ZERO = Instant.parse("1000-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("+294276-12-31T23:59:59.999999Z");

    private Timestamps() {}

    /** Returns the value to bind to a {@code timestamp} column: the time in UTC. */
    public static LocalDateTime toTimestamp(@Nullable Instant time) {
        return LocalDateTime.ofInstant(stored(time), ZoneOffset.UTC);
    }

    /** Returns the value to bind to a {@code timestamptz} column. */
    public static OffsetDateTime toTimestamptz(@Nullable Instant time) {
        return OffsetDateTime.ofInstant(stored(time), ZoneOffset.UTC);
    }

    /** Returns the time read from a {@code timestamp} column; {@link #ZERO} for null. */
    public static Instant fromTimestamp(@Nullable LocalDateTime column) {
        return column == null ? ZERO : read(column.toInstant(ZoneOffset.UTC));
    }

    /** Returns the time read from a {@code timestamptz} column, whatever its offset; {@link #ZERO} for null. */
    public static Instant fromTimestamptz(@Nullable OffsetDateTime column) {
        return column == null ? ZERO : read(column.toInstant());
    }

    private static Instant stored(@Nullable Instant time) {
        return time == null || time.equals(ZERO) ? STORED_ZERO : inRange(time.truncatedTo(ChronoUnit.MICROS));
    }

    private static Instant read(Instant stored) {
        return stored.equals(STORED_ZERO) ? ZERO : inRange(stored);
    }

    private static Instant inRange(Instant time) {
        if (time.compareTo(STORED_ZERO) <= 0 || time.isAfter(LAST)) {
            throw new IllegalArgumentException(
                    "a timestamp must lie after " + STORED_ZERO + " and not after " + LAST + ": " + time);
        }
        return time;
    }
}
