// SPDX-License-Identifier: Apache-2.0
package dev.forebay.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.forebay.event.TxListener.Failure;
import dev.forebay.event.TxListener.Outcome;
import dev.forebay.time.VirtualTime;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TxLogTest {

    private static final SQLException CONFLICT = new SQLException("change conflicts", "40001");

    private final Logger logger = (Logger) LoggerFactory.getLogger(TxLog.class);
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
    private final VirtualTime time = new VirtualTime();
    private final TxLog log = new TxLog(100, time);

    @BeforeEach
    void listen() {
        appender.start();
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(appender);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(appender);
        logger.setLevel(null);
        logger.setAdditive(true);
    }

    private List<String> lines() {
        List<String> lines = new ArrayList<>();
        appender.list.forEach(event -> lines.add(event.getLevel() + " " + event.getFormattedMessage()));
        appender.list.clear();
        return lines;
    }

    private static void conflicts(TxLog log, String operation, int count) {
        for (int i = 0; i < count; i++) {
            log.attemptFailed(operation, Failure.RETRYABLE, "40001", CONFLICT);
        }
    }

    @Test
    void asManyConflictsInAMinuteAsTheThresholdAreAWarning() {
        conflicts(log, "save", 40);
        time.advance(Duration.ofSeconds(59));
        conflicts(log, "transfer", 59);
        assertEquals(List.of(), lines());
        conflicts(log, "transfer", 1);
        assertEquals(
                List.of("WARN Transaction conflicts reached the threshold  conflicts_per_minute=100 threshold=100"
                        + " busiest_operation=transfer busiest_conflicts=60"),
                lines());
    }

    @Test
    void conflictsThatAreFurtherApartAreNot() {
        for (int i = 0; i < 10; i++) {
            conflicts(log, "save", 99);
            time.advance(Duration.ofSeconds(60));
        }
        assertEquals(List.of(), lines());
    }

    @Test
    void thatWarningComesOnceAMinute() {
        for (int second = 0; second < 121; second++) {
            conflicts(log, "save", 100);
            time.advance(Duration.ofSeconds(1));
        }
        assertEquals(
                List.of(
                        "WARN Transaction conflicts reached the threshold  conflicts_per_minute=100 threshold=100"
                                + " busiest_operation=save busiest_conflicts=100",
                        "WARN Transaction conflicts reached the threshold  conflicts_per_minute=5901 threshold=100"
                                + " busiest_operation=save busiest_conflicts=5901",
                        "WARN Transaction conflicts reached the threshold  conflicts_per_minute=5901 threshold=100"
                                + " busiest_operation=save busiest_conflicts=5901"),
                lines());
    }

    @Test
    void aThresholdOfZeroNeverWarns() {
        conflicts(new TxLog(0, time), "save", 10_000);
        assertEquals(List.of(), lines());
        assertThrows(IllegalArgumentException.class, () -> new TxLog(-1, time));
    }

    @Test
    void aTransactionGivenUpIsAWarningOnceInTenSeconds() {
        for (int i = 0; i < 3; i++) {
            log.ended("save", Outcome.EXHAUSTED, 6, 3_210_400_000L);
        }
        String line = "WARN Transaction given up after a conflict in every attempt  operation=save attempts=6"
                + " elapsed=3.21s";
        assertEquals(List.of(line), lines());
        time.advance(Duration.ofSeconds(10));
        log.ended("save", Outcome.EXHAUSTED, 6, 3_210_400_000L);
        assertEquals(List.of(line), lines());
    }

    @Test
    void everyUnknownOutcomeIsAWarning() {
        for (int i = 0; i < 2; i++) {
            log.attemptFailed("save", Failure.OUTCOME_UNKNOWN, "XX000", new SQLException("server unavailable"));
        }
        String line = "WARN Transaction may or may not have committed  operation=save sqlstate=XX000";
        assertEquals(List.of(line, line), lines());
    }

    @Test
    void anUnsupportedStatementIsAnErrorOnceInTenSeconds() {
        SQLException error = new SQLException("ERROR: unsupported transaction statement: SAVEPOINT", "0A000");
        for (int i = 0; i < 3; i++) {
            log.attemptFailed("save", Failure.UNSUPPORTED_FEATURE, "0A000", error);
        }
        String line = "ERROR Transaction failed: the database does not support the statement  operation=save"
                + " sqlstate=0A000 feature=savepoint";
        assertEquals(List.of(line), lines());
        time.advance(Duration.ofSeconds(10));
        log.attemptFailed("save", Failure.UNSUPPORTED_FEATURE, "0A000", error);
        assertEquals(List.of(line), lines());
    }

    @Test
    void retriesAndOrdinaryFailuresAreForDebugging() {
        ordinary();
        assertEquals(List.of(), lines());
        logger.setLevel(Level.DEBUG);
        ordinary();
        assertEquals(
                List.of(
                        "DEBUG Transaction is tried again  operation=save sqlstate=40001 attempt=2 delay=213ms",
                        "DEBUG Transaction failed: a fence had moved on  operation=save",
                        "DEBUG Transaction failed  operation=save sqlstate=23505"),
                lines());
    }

    private void ordinary() {
        log.began("save");
        conflicts(log, "save", 1);
        log.retrying("save", "40001", 2, 213_000_000);
        log.attemptFailed("save", Failure.CONDITION_FAILED, "", new SQLException("moved"));
        log.attemptFailed("save", Failure.PERMANENT, "23505", new SQLException("duplicate"));
        log.ended("save", Outcome.COMMITTED, 1, 1);
        log.ended("save", Outcome.FAILED, 1, 1);
        log.ended("save", Outcome.STOPPED, 1, 1);
    }

    @Test
    void noMessageOfAnErrorIsLogged() {
        logger.setLevel(Level.TRACE);
        SQLException error = new SQLException("password=hunter2", "0A000");
        for (Failure failure : Failure.values()) {
            log.attemptFailed("save", failure, "0A000", error);
        }
        for (String line : lines()) {
            assertEquals(-1, line.indexOf("hunter2"), line);
        }
    }
}
