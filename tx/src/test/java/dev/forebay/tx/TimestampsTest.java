// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times as columns hold them: in UTC, whole microseconds, with a stand-in for the zero time. */
class TimestampsTest {

    private static final LocalDateTime STORED_ZERO = LocalDateTime.parse("1000-01-01T00:00:00");

    @Test
    void theZeroTimeIsStoredAsTheYear1000AndComesBack() {
        assertEquals(STORED_ZERO, Timestamps.toTimestamp(Timestamps.ZERO));
        assertEquals(STORED_ZERO.atOffset(ZoneOffset.UTC), Timestamps.toTimestamptz(Timestamps.ZERO));
        assertEquals(Timestamps.ZERO, Timestamps.fromTimestamp(STORED_ZERO));
        assertEquals(Timestamps.ZERO, Timestamps.fromTimestamptz(STORED_ZERO.atOffset(ZoneOffset.UTC)));
    }

    @Test
    void noTimeIsTheZeroTime() {
        assertEquals(STORED_ZERO, Timestamps.toTimestamp(null));
        assertEquals(STORED_ZERO.atOffset(ZoneOffset.UTC), Timestamps.toTimestamptz(null));
        assertEquals(Timestamps.ZERO, Timestamps.fromTimestamp(null));
        assertEquals(Timestamps.ZERO, Timestamps.fromTimestamptz(null));
    }

    @ParameterizedTest
    @CsvSource({
        "2026-03-01T12:00:00.123456789Z, 2026-03-01T12:00:00.123456",
        "1970-01-01T00:00:00.000000999Z, 1970-01-01T00:00:00",
        "1969-12-31T23:59:59.999999999Z, 1969-12-31T23:59:59.999999",
        "1969-12-31T23:59:59.999999001Z, 1969-12-31T23:59:59.999999",
        "1000-01-01T00:00:00.000001999Z, 1000-01-01T00:00:00.000001",
        "+294276-12-31T23:59:59.999999999Z, +294276-12-31T23:59:59.999999",
    })
    void microsecondsAreCutOffTowardThePast(Instant time, LocalDateTime stored) {
        assertEquals(stored, Timestamps.toTimestamp(time));
        assertEquals(stored.atOffset(ZoneOffset.UTC), Timestamps.toTimestamptz(time));
    }

    @Test
    void anOffsetOfTheSessionDoesNotMatter() {
        Instant time = Instant.parse("2026-03-01T12:00:00Z");
        assertEquals(time, Timestamps.fromTimestamptz(OffsetDateTime.parse("2026-03-01T17:30:00+05:30")));
        OffsetDateTime zero = STORED_ZERO.atOffset(ZoneOffset.UTC).withOffsetSameInstant(ZoneOffset.ofHours(-8));
        assertEquals(Timestamps.ZERO, Timestamps.fromTimestamptz(zero));
    }

    @Test
    void timesKeepTheirOrderAndLoseLessThanAMicrosecond() {
        for (long seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            Instant early = Instant.ofEpochSecond(random.nextLong(-30_000_000_000L, 30_000_000_000L), random.nextInt());
            Instant late = early.plusNanos(random.nextInt(3_000));
            Instant storedEarly = Timestamps.fromTimestamp(Timestamps.toTimestamp(early));
            Instant storedLate = Timestamps.fromTimestamptz(Timestamps.toTimestamptz(late));
            assertTrue(!storedEarly.isAfter(storedLate), "seed " + seed + ": " + early + " and " + late);
            assertTrue(!storedEarly.isAfter(early), "seed " + seed + ": later than it was: " + early);
            assertTrue(storedEarly.plusNanos(1_000).isAfter(early), "seed " + seed + ": lost more: " + early);
            assertEquals(storedEarly.truncatedTo(ChronoUnit.MICROS), storedEarly, "seed " + seed);
        }
    }

    /** The stand-in itself, and what would become it, would come back as the zero time. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0001-01-01T00:00:00.000000001Z",
                "0999-12-31T23:59:59.999999999Z",
                "1000-01-01T00:00:00Z",
                "1000-01-01T00:00:00.000000999Z",
                "+294277-01-01T00:00:00Z",
                "+1000000000-12-31T23:59:59.999999999Z",
                "-1000000000-01-01T00:00:00Z"
            })
    void aTimeOutOfRangeIsRefused(Instant time) {
        String said = assertThrows(IllegalArgumentException.class, () -> Timestamps.toTimestamp(time))
                .getMessage();
        assertTrue(
                said.startsWith("a timestamp must lie after 1000-01-01T00:00:00Z and not after +294276-12-31"), said);
        assertThrows(IllegalArgumentException.class, () -> Timestamps.toTimestamptz(time));
    }

    /** The driver reads infinity as these. */
    @Test
    void infinityIsRefusedWhenRead() {
        assertThrows(IllegalArgumentException.class, () -> Timestamps.fromTimestamp(LocalDateTime.MAX));
        assertThrows(IllegalArgumentException.class, () -> Timestamps.fromTimestamp(LocalDateTime.MIN));
        assertThrows(IllegalArgumentException.class, () -> Timestamps.fromTimestamptz(OffsetDateTime.MAX));
        assertThrows(IllegalArgumentException.class, () -> Timestamps.fromTimestamptz(OffsetDateTime.MIN));
    }
}
