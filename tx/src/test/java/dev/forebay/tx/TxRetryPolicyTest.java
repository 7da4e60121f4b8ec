// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.tx.TxRetryPolicy.Jitter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TxRetryPolicyTest {

    private static final SQLException CONFLICT = new SQLException("conflict", "40001");

    private final Random random = new Random(3);

    @ParameterizedTest
    @CsvSource({"1, 75, 125", "2, 150, 250", "3, 300, 500", "4, 600, 1000", "5, 1200, 2000"})
    void theDefaultDoublesAndSpreadsByAQuarter(int attempt, long leastMillis, long mostMillis) {
        LongSummaryStatistics drawn = drawn(TxRetryPolicy.PATIENT, attempt);
        assertWithin(drawn, leastMillis, mostMillis);
        assertEquals(Optional.empty(), TxRetryPolicy.PATIENT.after(6, CONFLICT, random), "five retries, no sixth");
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "2, 8", "6, 128", "7, 250", "100, 250"})
    void theBriefOneIsSpreadFromNothing(int attempt, long mostMillis) {
        assertWithin(drawn(TxRetryPolicy.BRIEF, attempt), 0, mostMillis);
        assertEquals(Optional.empty(), TxRetryPolicy.BRIEF.after(101, CONFLICT, random));
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2", "4, 4", "5, 8", "6, 4", "7, 2", "8, 1", "9, 1", "1000, 1"})
    void theFairOneGoesByTheTimeOfAnAttempt(int attempt, long times) {
        assertWithin(drawn(TxRetryPolicy.FAIR, attempt), 0, 4 * times);
        assertWithin(drawn(TxRetryPolicy.FAIR, attempt, Duration.ofMillis(30)), 0, 30 * times);
    }

    @Test
    void theFairOneRetriesAtOnceFirstAndWithoutLimitBeforeADeadline() {
        assertEquals(Optional.of(Duration.ZERO), TxRetryPolicy.FAIR.after(1, CONFLICT, random));
        assertEquals(Optional.empty(), TxRetryPolicy.FAIR.after(1001, CONFLICT, random));
        assertTrue(TxRetryPolicy.FAIR.mayFollow(1001, true));
        assertFalse(TxRetryPolicy.FAIR.withMaxRetries(7).mayFollow(8, true), "a limit that was asked for stays");
        assertFalse(TxRetryPolicy.PATIENT.mayFollow(6, true));
        Duration longest = TxRetryPolicy.FAIR.maxDelay();
        assertTrue(drawn(TxRetryPolicy.FAIR, 5, Duration.ofDays(400_000)).getMax() <= longest.toNanos());
    }

    @Test
    void noWaitIsLongerThanTheLongestJitterIncluded() {
        TxRetryPolicy policy = new TxRetryPolicy(1000, Duration.ofSeconds(1), Duration.ofSeconds(5), Jitter.of(0.25));
        for (int attempt : new int[] {3, 4, 10, 63, 64, 65, 1000}) {
            long most = Duration.ofSeconds(5).toNanos();
            assertTrue(drawn(policy, attempt).getMax() <= most, "after attempt " + attempt);
        }
    }

    @Test
    void onlyAConflictIsTriedAgain() {
        assertTrue(TxRetryPolicy.PATIENT
                .after(1, new IllegalStateException(CONFLICT), random)
                .isPresent());
        assertEquals(Optional.empty(), TxRetryPolicy.PATIENT.after(1, new SQLException("deadlock", "40P01"), random));
        assertEquals(
                Optional.empty(),
                TxRetryPolicy.PATIENT.after(1, new ConditionFailedException("shard 7", 1, null), random));
    }

    @Test
    void withoutRetriesThereIsOneAttempt() {
        assertEquals(Optional.empty(), TxRetryPolicy.PATIENT.withMaxRetries(0).after(1, CONFLICT, random));
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> TxRetryPolicy.PATIENT.withMaxRetries(-1));
        assertThrows(IllegalArgumentException.class, () -> TxRetryPolicy.PATIENT.withMaxRetries(1001));
        assertThrows(
                IllegalArgumentException.class,
                () -> new TxRetryPolicy(1, Duration.ofSeconds(2), Duration.ofSeconds(1), Jitter.FULL));
        assertThrows(
                IllegalArgumentException.class,
                () -> new TxRetryPolicy(1, Duration.ofNanos(-1), Duration.ofSeconds(1), Jitter.FULL));
        assertThrows(IllegalArgumentException.class, () -> Jitter.of(1.1));
        assertThrows(IllegalArgumentException.class, () -> Jitter.of(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> new Jitter(0.5, 0.4));
        assertThrows(IllegalArgumentException.class, () -> TxRetryPolicy.PATIENT.after(0, CONFLICT, random));
        Duration negative = Duration.ofNanos(-1);
        assertThrows(IllegalArgumentException.class, () -> TxRetryPolicy.FAIR.after(1, negative, CONFLICT, random));
    }

    private LongSummaryStatistics drawn(TxRetryPolicy policy, int attempt) {
        return drawn(policy, attempt, policy.baseDelay());
    }

    private LongSummaryStatistics drawn(TxRetryPolicy policy, int attempt, Duration took) {
        return LongStream.generate(() -> policy.after(attempt, took, CONFLICT, random)
                        .orElseThrow()
                        .toNanos())
                .limit(1000)
                .summaryStatistics();
    }

    /** Within the range, and nearly from end to end of it. */
    private static void assertWithin(LongSummaryStatistics drawn, long leastMillis, long mostMillis) {
        double width = mostMillis - leastMillis;
        double least = drawn.getMin() / 1e6;
        double most = drawn.getMax() / 1e6;
        assertTrue(least >= leastMillis && most <= mostMillis, drawn::toString);
        assertTrue(least < leastMillis + 0.05 * width && most > mostMillis - 0.05 * width, drawn::toString);
    }
}
