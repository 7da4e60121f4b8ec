// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
        LongSummaryStatistics drawn = drawn(TxRetryPolicy.DEFAULT, attempt);
        assertWithin(drawn, leastMillis, mostMillis);
        assertEquals(Optional.empty(), TxRetryPolicy.DEFAULT.after(6, CONFLICT, random), "five retries, no sixth");
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "2, 8", "6, 128", "7, 250", "100, 250"})
    void theBriefOneIsSpreadFromNothing(int attempt, long mostMillis) {
        assertWithin(drawn(TxRetryPolicy.BRIEF, attempt), 0, mostMillis);
        assertEquals(Optional.empty(), TxRetryPolicy.BRIEF.after(101, CONFLICT, random));
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
        assertTrue(TxRetryPolicy.DEFAULT
                .after(1, new IllegalStateException(CONFLICT), random)
                .isPresent());
        assertEquals(Optional.empty(), TxRetryPolicy.DEFAULT.after(1, new SQLException("deadlock", "40P01"), random));
        assertEquals(
                Optional.empty(),
                TxRetryPolicy.DEFAULT.after(1, new ConditionFailedException("shard 7", 1, null), random));
    }

    @Test
    void withoutRetriesThereIsOneAttempt() {
        assertEquals(Optional.empty(), TxRetryPolicy.DEFAULT.withMaxRetries(0).after(1, CONFLICT, random));
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> TxRetryPolicy.DEFAULT.withMaxRetries(-1));
        assertThrows(IllegalArgumentException.class, () -> TxRetryPolicy.DEFAULT.withMaxRetries(1001));
        assertThrows(
                IllegalArgumentException.class,
                () -> new TxRetryPolicy(1, Duration.ofSeconds(2), Duration.ofSeconds(1), Jitter.FULL));
        assertThrows(
                IllegalArgumentException.class,
                () -> new TxRetryPolicy(1, Duration.ofNanos(-1), Duration.ofSeconds(1), Jitter.FULL));
        assertThrows(IllegalArgumentException.class, () -> Jitter.of(1.1));
        assertThrows(IllegalArgumentException.class, () -> Jitter.of(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> new Jitter(0.5, 0.4));
        assertThrows(IllegalArgumentException.class, () -> TxRetryPolicy.DEFAULT.after(0, CONFLICT, random));
    }

    private LongSummaryStatistics drawn(TxRetryPolicy policy, int attempt) {
        return LongStream.generate(() ->
                        policy.after(attempt, CONFLICT, random).orElseThrow().toNanos())
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
