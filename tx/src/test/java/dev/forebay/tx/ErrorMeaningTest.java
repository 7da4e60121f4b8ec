// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorMeaningTest {

    @ParameterizedTest
    @CsvSource({
        "40001, CONFLICT",
        "0A000, UNSUPPORTED",
        "53400, CONNECT_THROTTLED",
        "53300, TOO_MANY_CONNECTIONS",
        "08000, CONNECTION_LOST",
        "08003, CONNECTION_LOST",
        "08006, CONNECTION_LOST",
        "08S01, CONNECTION_LOST",
        "08P01, CONNECTION_LOST",
        "57P01, CONNECTION_LOST",
        "57P02, CONNECTION_LOST",
        "57P03, CONNECTION_LOST",
        "57P05, CONNECTION_LOST",
        "57014, OTHER",
        "40P01, OTHER",
        "23505, OTHER",
        "25P02, OTHER",
        "54000, OTHER",
        "XX000, OTHER",
        ", OTHER",
    })
    void theStateDecides(String state, ErrorMeaning meaning) {
        assertEquals(meaning, ErrorMeaning.of(new SQLException("x", state)));
        assertEquals(meaning, ErrorMeaning.of(new IllegalStateException(new SQLException("x", state))), "as a cause");
        BatchUpdateException batch = new BatchUpdateException();
        batch.setNextException(new SQLException("x", state));
        assertEquals(meaning, ErrorMeaning.of(batch), "as the next exception");
    }

    @Test
    void aSharedPrefixOfTheMessageDecidesNothing() {
        assertEquals(
                ErrorMeaning.OTHER, ErrorMeaning.of(new SQLException("unable to accept connection, denied", "28000")));
    }

    @Test
    void whatComesFirstInTheOrderWins() {
        SQLException lost = new SQLException("lost", "08006");
        SQLException unsupported = new SQLFeatureNotSupportedException("no", "0A000");
        unsupported.initCause(lost);
        assertEquals(ErrorMeaning.UNSUPPORTED, ErrorMeaning.of(unsupported));
        SQLException conflict = new SQLException("conflict", "40001");
        conflict.setNextException(unsupported);
        assertEquals(ErrorMeaning.CONFLICT, ErrorMeaning.of(conflict));
        class FenceBroken extends RuntimeException implements ErrorMeaning.Meant {
            FenceBroken(Throwable cause) {
                super(cause);
            }

            @Override
            public ErrorMeaning meaning() {
                return ErrorMeaning.CONDITION_FAILED;
            }
        }
        assertEquals(ErrorMeaning.CONDITION_FAILED, ErrorMeaning.of(new FenceBroken(conflict)));
    }

    @Test
    void aBrokenSocketBelowIsALostConnection() {
        assertEquals(ErrorMeaning.CONNECTION_LOST, ErrorMeaning.of(new SQLException("x", new SocketException())));
        assertEquals(
                ErrorMeaning.CONNECTION_LOST,
                ErrorMeaning.of(new SQLException("x", "HY000", new UncheckedIOException(new EOFException()))));
    }

    @Test
    void theTypeDecidesWhereNoStateContradicts() {
        assertEquals(ErrorMeaning.CONNECTION_LOST, ErrorMeaning.of(new SQLRecoverableException("x")));
        assertEquals(ErrorMeaning.CONNECTION_LOST, ErrorMeaning.of(new SQLNonTransientConnectionException("x")));
        assertEquals(ErrorMeaning.OTHER, ErrorMeaning.of(new SQLRecoverableException("x", "42601")));
        assertEquals(
                ErrorMeaning.OTHER,
                ErrorMeaning.of(new SQLException("unreadable parameter", "22023", new IOException("the caller's"))));
    }

    @Test
    void aCircleOfExceptionsComesToAnEnd() {
        SQLException first = new SQLException("first");
        SQLException second = new SQLException("second", first);
        first.setNextException(second);
        assertEquals(ErrorMeaning.OTHER, ErrorMeaning.of(first));
    }

    @Test
    void aLongChainIsLookedAtInPart() {
        SQLException batch = new BatchUpdateException();
        for (int i = 0; i < 10_000; i++) {
            SQLException one = new SQLException("row " + i, "23505");
            one.setNextException(batch);
            batch = one;
        }
        assertEquals(ErrorMeaning.OTHER, ErrorMeaning.of(batch));
    }

    @ParameterizedTest
    @CsvSource({
        "40001, CONFLICT",
        "0A000, UNSUPPORTED",
        "23505, OTHER",
        "25P02, OTHER",
        "40P01, OTHER",
        "54000, OTHER",
        "53100, OTHER",
        "57014, OTHER",
        "P0001, OTHER",
        "40003, OUTCOME_UNKNOWN",
        "XX000, OUTCOME_UNKNOWN",
        "58030, OUTCOME_UNKNOWN",
        "08006, OUTCOME_UNKNOWN",
        "08007, OUTCOME_UNKNOWN",
        "57P01, OUTCOME_UNKNOWN",
        "HY000, OUTCOME_UNKNOWN",
        "70100, OUTCOME_UNKNOWN",
        ", OUTCOME_UNKNOWN",
    })
    void aCommitHasFailedOnlyIfTheServerSaysSo(String state, ErrorMeaning meaning) {
        assertEquals(meaning, ErrorMeaning.ofCommit(new SQLException("x", state)));
        assertEquals(meaning, ErrorMeaning.ofCommit(new IllegalStateException(new SQLException("x", state))));
    }

    @Test
    void aCommitThatFailsInAnyOtherWayMayHaveTakenPlace() {
        assertEquals(ErrorMeaning.OUTCOME_UNKNOWN, ErrorMeaning.ofCommit(new IllegalStateException("driver")));
        assertEquals(ErrorMeaning.OUTCOME_UNKNOWN, ErrorMeaning.ofCommit(new SQLException("x", new EOFException())));
    }

    @Test
    void theStateIsTheOneThatDecides() {
        SQLException batch = new BatchUpdateException("batch", "HY000", new int[0]);
        batch.setNextException(new SQLException("conflict", "40001"));
        assertEquals("40001", ErrorMeaning.stateOf(new IllegalStateException(batch)));
        assertEquals("23505", ErrorMeaning.stateOf(new SQLException("duplicate", "23505")));
        assertEquals("", ErrorMeaning.stateOf(new IllegalStateException()));
    }
}
