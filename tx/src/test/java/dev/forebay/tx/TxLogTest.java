// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ch.qos.logback.classic.Level;
import dev.forebay.testkit.CapturedLog;
import dev.forebay.time.VirtualTime;
import dev.forebay.tx.TxListener.Outcome;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TxLogTest {

    private static final SQLException CONFLICT = new SQLException("change conflicts", "40001");

    @RegisterExtension
    private final CapturedLog logged = new CapturedLog(TxLog.class);

    private final VirtualTime time = new VirtualTime();
    private final TxLog log = new TxLog(100, time);

    private static void conflicts(TxLog log, String operation, int count) {
        for (int i = 0; i < count; i++) {
            log.attemptFailed(operation, ErrorMeaning.CONFLICT, "40001", CONFLICT);
        }
    }

    @Test
    void asManyConflictsInAMinuteAsTheThresholdAreAWarning() {
        conflicts(log, "save", 40);
        time.advance(Duration.ofSeconds(59));
        conflicts(log, "transfer", 59);
        assertEquals(List.of(), logged.takeLines());
        conflicts(log, "transfer", 1);
        assertEquals(
                List.of("WARN Transaction conflicts reached the threshold  conflicts_per_minute=100 threshold=100"
                        + " busiest_operation=transfer busiest_conflicts=60"),
                logged.takeLines());
    }

    @Test
    void conflictsThatAreFurtherApartAreNot() {
        for (int i = 0; i < 10; i++) {
            conflicts(log, "save", 99);
            time.advance(Duration.ofSeconds(60));
        }
        assertEquals(List.of(), logged.takeLines());
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
                logged.takeLines());
    }

    @Test
    void aThresholdOfZeroNeverWarns() {
        conflicts(new TxLog(0, time), "save", 10_000);
        assertEquals(List.of(), logged.takeLines());
        assertThrows(IllegalArgumentException.class, () -> new TxLog(-1, time));
    }

    @Test
    void aTransactionGivenUpIsAWarningOnceInTenSeconds() {
        for (int i = 0; i < 3; i++) {
            log.ended("save", Outcome.EXHAUSTED, 6, 3_210_400_000L);
        }
        String line = "WARN Transaction given up after a conflict in every attempt  operation=save attempts=6"
                + " elapsed=3.21s";
        assertEquals(List.of(line), logged.takeLines());
        time.advance(Duration.ofSeconds(10));
        log.ended("save", Outcome.EXHAUSTED, 6, 3_210_400_000L);
        assertEquals(List.of(line), logged.takeLines());
    }

    @Test
    void everyUnknownOutcomeIsAWarning() {
        for (int i = 0; i < 2; i++) {
            log.attemptFailed("save", ErrorMeaning.OUTCOME_UNKNOWN, "XX000", new SQLException("server unavailable"));
        }
        String line = "WARN Transaction may or may not have committed  operation=save sqlstate=XX000";
        assertEquals(List.of(line, line), logged.takeLines());
    }

    @Test
    void anUnsupportedStatementIsAnErrorOnceInTenSeconds() {
        SQLException error = new SQLException("ERROR: unsupported transaction statement: SAVEPOINT", "0A000");
        for (int i = 0; i < 3; i++) {
            log.attemptFailed("save", ErrorMeaning.UNSUPPORTED, "0A000", error);
        }
        String line = "ERROR Transaction failed: the database does not support the statement  operation=save"
                + " sqlstate=0A000 feature=savepoint";
        assertEquals(List.of(line), logged.takeLines());
        time.advance(Duration.ofSeconds(10));
        log.attemptFailed("save", ErrorMeaning.UNSUPPORTED, "0A000", error);
        assertEquals(List.of(line), logged.takeLines());
    }

    @Test
    void retriesAndOrdinaryFailuresAreForDebugging() {
        ordinary();
        assertEquals(List.of(), logged.takeLines());
        logged.level(Level.DEBUG);
        ordinary();
        assertEquals(
                List.of(
                        "DEBUG Transaction is tried again  operation=save sqlstate=40001 attempt=2 delay=213ms",
                        "DEBUG Transaction failed: a fence had moved on  operation=save",
                        "DEBUG Transaction failed  operation=save sqlstate=23505"),
                logged.takeLines());
    }

    private void ordinary() {
        log.began("save");
        conflicts(log, "save", 1);
        log.retrying("save", "40001", 2, 213_000_000);
        log.attemptFailed("save", ErrorMeaning.CONDITION_FAILED, "", new SQLException("moved"));
        log.attemptFailed("save", ErrorMeaning.OTHER, "23505", new SQLException("duplicate"));
        log.ended("save", Outcome.COMMITTED, 1, 1);
        log.ended("save", Outcome.FAILED, 1, 1);
        log.ended("save", Outcome.STOPPED, 1, 1);
    }

    @Test
    void noMessageOfAnErrorIsLogged() {
        logged.level(Level.TRACE);
        SQLException error = new SQLException("password=hunter2", "0A000");
        for (ErrorMeaning meaning : ErrorMeaning.values()) {
            log.attemptFailed("save", meaning, "0A000", error);
        }
        for (String line : logged.takeLines()) {
            assertEquals(-1, line.indexOf("hunter2"), line);
        }
    }
}
