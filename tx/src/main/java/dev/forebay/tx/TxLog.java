// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.engine.internal.GoDuration;
import dev.forebay.engine.internal.Quiet;
import dev.forebay.time.Time;
import dev.forebay.tx.internal.UnsupportedFeature;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs transactions to SLF4J. Thread-safe.
 *
 * <p>A conflict that is retried is ordinary, and DEBUG; as many in a minute as the threshold are a WARN, once a minute.
 * A transaction that was given up is a WARN and an unsupported statement, which is a bug, an ERROR, each once in ten
 * seconds and DEBUG in between; the metrics count them all. Every COMMIT whose outcome is unknown is a WARN: the
 * application may have to look.
 *
 * <p>Messages of errors are not written, since a driver may put data into them; the caller has the error.
 */
final class TxLog implements TxListener {

    private static final Logger log = LoggerFactory.getLogger(TxLog.class);

    private static final long MINUTE_NANOS = 60_000_000_000L;
    private static final long REPEAT_NANOS = 10_000_000_000L;

    private final int conflictsPerMinute;
    private final Time time;
    private final ConflictWindow conflicts;
    private final Quiet alerts = new Quiet();
    private final Quiet exhaustions = new Quiet();
    private final Quiet bugs = new Quiet();

    /**
     * A log.
     *
     * @param conflictsPerMinute the conflicts in a minute that are worth a warning; 0 never warns
     */
    TxLog(int conflictsPerMinute, Time time) {
        if (conflictsPerMinute < 0) {
            throw new IllegalArgumentException("the threshold must not be negative: " + conflictsPerMinute);
        }
        this.conflictsPerMinute = conflictsPerMinute;
        this.time = time;
        this.conflicts = new ConflictWindow(time.coarseNanos());
    }

    @Override
    public void attemptFailed(String operation, ErrorMeaning meaning, String sqlState, Throwable error) {
        switch (meaning) {
            case CONFLICT -> conflict(operation);
            case UNSUPPORTED ->
                log.atLevel(bugs.breakAfter(REPEAT_NANOS, time.coarseNanos()) ? Level.ERROR : Level.DEBUG)
                        .log(
                                "Transaction failed: the database does not support the statement  operation={}"
                                        + " sqlstate={} feature={}",
                                operation,
                                sqlState,
                                UnsupportedFeature.of(error).label());
            case OUTCOME_UNKNOWN ->
                log.warn("Transaction may or may not have committed  operation={} sqlstate={}", operation, sqlState);
            case CONDITION_FAILED -> log.debug("Transaction failed: a fence had moved on  operation={}", operation);
            default -> log.debug("Transaction failed  operation={} sqlstate={}", operation, sqlState);
        }
    }

    private void conflict(String operation) {
        if (conflictsPerMinute == 0) {
            return;
        }
        long now = time.coarseNanos();
        int count = conflicts.add(operation, now);
        if (count >= conflictsPerMinute && alerts.breakAfter(MINUTE_NANOS, now)) {
            ConflictWindow.Busiest busiest = conflicts.busiest();
            log.warn(
                    "Transaction conflicts reached the threshold  conflicts_per_minute={} threshold={}"
                            + " busiest_operation={} busiest_conflicts={}",
                    count,
                    conflictsPerMinute,
                    busiest.operation(),
                    busiest.conflicts());
        }
    }

    @Override
    public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
        if (log.isDebugEnabled()) {
            log.debug(
                    "Transaction is tried again  operation={} sqlstate={} attempt={} delay={}",
                    operation,
                    sqlState,
                    attempt,
                    millis(delayNanos));
        }
    }

    @Override
    public void ended(String operation, Outcome outcome, int attempts, long nanos) {
        if (outcome == Outcome.EXHAUSTED) {
            log.atLevel(exhaustions.breakAfter(REPEAT_NANOS, time.coarseNanos()) ? Level.WARN : Level.DEBUG)
                    .log(
                            "Transaction given up after a conflict in every attempt  operation={} attempts={} elapsed={}",
                            operation,
                            attempts,
                            millis(nanos));
        }
    }

    private static String millis(long nanos) {
        return GoDuration.format(Duration.ofMillis(Math.round(nanos / 1e6)));
    }
}
