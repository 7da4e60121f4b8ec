// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static dev.forebay.tx.OneAccount.add;
import static dev.forebay.tx.OneAccount.balance;
import static dev.forebay.tx.OneAccount.conflict;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.Faults.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionsTest {

    private final OneAccount world = new OneAccount();
    private final Transactions tx = world.tx;
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void everyConnectionWasGivenBackAsItWas() {
        assertEquals(List.of(), world.database.complaints());
    }

    // ---- committing and rolling back

    @Test
    void aBodyIsCommittedAndItsValueReturned() throws SQLException {
        long after = tx.call("deposit", c -> {
            add(c, 5);
            return balance(c);
        });
        assertEquals(105, after);
        assertEquals(105, world.committed());
        assertEquals(List.of("began deposit", "ended COMMITTED 1"), world.heard);
    }

    @Test
    void whatTheBodyThrowsIsThrownAsItIsAfterARollback() {
        IOException thrown = new IOException("disk");
        IOException got = assertThrows(
                IOException.class,
                () -> tx.run("deposit", c -> {
                    add(c, 5);
                    throw thrown;
                }));
        assertSame(thrown, got);
        assertEquals(100, world.committed());
        assertEquals(List.of("began deposit", "failed permanent ", "ended FAILED 1"), world.heard);
    }

    @Test
    void anErrorOfTheVirtualMachineRollsBackToo() {
        assertThrows(
                StackOverflowError.class,
                () -> tx.run("deposit", c -> {
                    add(c, 5);
                    throw new StackOverflowError();
                }));
        assertEquals(100, world.committed());
    }

    // ---- trying again

    @Test
    void theWholeBodyRunsAgainAfterAConflict() throws SQLException {
        tx.run("deposit", c -> {
            add(c, 5);
            assertEquals(runs.incrementAndGet(), c.attempt());
            if (c.attempt() < 3) {
                throw conflict();
            }
        });
        assertEquals(105, world.committed());
        assertEquals(
                List.of(
                        "began deposit",
                        "failed retryable 40001",
                        "retrying 1",
                        "failed retryable 40001",
                        "retrying 2",
                        "ended COMMITTED 3"),
                world.heard);
    }

    @ParameterizedTest
    @EnumSource(names = {"CONFLICT_AT_COMMIT", "SCHEMA_CHANGED_AT_COMMIT", "CONFLICT_AT_STATEMENT"})
    void aConflictIsTheSameWhereverItComesToLight(Kind kind) throws SQLException {
        world.strike(kind);
        tx.run("deposit", c -> {
            if (runs.incrementAndGet() == 3) {
                world.calm();
            }
            add(c, 5);
        });
        assertEquals(3, runs.get());
        assertEquals(105, world.committed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"40P01", "40000", "40002", "23505", "25P02", "54000", "57014", "XX000", "55P03", "08006"})
    void nothingElseIsTriedAgain(String state) {
        SQLException thrown = new SQLException("no", state);
        SQLException got = assertThrows(
                SQLException.class,
                () -> tx.run("deposit", c -> {
                    runs.incrementAndGet();
                    add(c, 5);
                    throw thrown;
                }));
        assertSame(thrown, got);
        assertEquals(1, runs.get());
        assertEquals(100, world.committed());
    }

    @Test
    void aConflictIsFoundBelowWhatAFrameworkMadeOfIt() throws SQLException {
        tx.run("deposit", c -> {
            if (runs.incrementAndGet() == 1) {
                SQLException batch = new SQLException("batch", "HY000");
                batch.setNextException(conflict());
                throw new IllegalStateException("could not execute", batch);
            }
        });
        assertEquals(2, runs.get());
    }

    @Test
    void aSwallowedConflictIsNotCommitted() throws SQLException {
        tx.run("deposit", c -> {
            if (runs.incrementAndGet() == 1) {
                world.strike(Kind.CONFLICT_AT_STATEMENT);
                assertThrows(SQLException.class, () -> add(c, 5));
                world.calm();
            } else {
                add(c, 5);
            }
        });
        assertEquals(2, runs.get());
        assertEquals(105, world.committed());
    }

    @Test
    void anErrorThatEndedTheTransactionIsNotLostIfTheBodySwallowsIt() {
        SQLException error = assertThrows(
                SQLException.class,
                () -> tx.run("deposit", c -> {
                    world.strike(Kind.DUPLICATE);
                    assertThrows(SQLException.class, () -> add(c, 5));
                    world.calm();
                }));
        assertEquals("23505", ((SQLException) error.getCause()).getSQLState());
        assertEquals(100, world.committed());
    }

    // ---- giving up

    @Test
    void withoutAnotherPolicyItIsFair() {
        assertEquals(
                TxRetryPolicy.FAIR,
                Transactions.of(world.database.dataSource(1)).policy());
    }

    @Test
    void exhaustionTellsOfEveryAttempt() {
        List<SQLException> thrown = new ArrayList<>();
        GivenUpException e = assertThrows(
                GivenUpException.class,
                () -> tx.run("deposit", c -> {
                    world.turns.time().advance(Duration.ofMillis(10));
                    thrown.add(conflict());
                    throw thrown.get(thrown.size() - 1);
                }));
        assertEquals(GivenUpException.Reason.RETRIES_EXHAUSTED, e.reason());
        assertEquals("40001", e.getSQLState());
        assertEquals(6, thrown.size(), "the first and five retries");
        assertEquals(
                thrown,
                e.attempts().stream().map(GivenUpException.Attempt::cause).toList());
        assertSame(thrown.get(5), e.getCause());
        Duration began = Duration.ZERO;
        for (int i = 0; i < 6; i++) {
            GivenUpException.Attempt attempt = e.attempts().get(i);
            assertEquals(i + 1, attempt.number());
            assertEquals(began, attempt.began());
            assertEquals(Duration.ofMillis(10), attempt.took());
            began = i == 5 ? began : began.plus(attempt.took()).plus(world.waits.get(i));
        }
        assertTrue(e.getMessage().startsWith("transaction deposit was given up after 6 attempts in "), e.getMessage());
        assertEquals("ended EXHAUSTED 6", world.heard.get(world.heard.size() - 1));
    }

    @Test
    void anExhaustedTransactionIsNotTriedAgainByTheOneAroundIt() {
        Transactions outer = world.transactions(world.database.dataSource(2));
        assertThrows(
                GivenUpException.class,
                () -> outer.run(
                        "outer",
                        d -> tx.run("inner", c -> {
                            runs.incrementAndGet();
                            throw conflict();
                        })));
        assertEquals(6, runs.get());
    }

    @Test
    void theWaitsAreThoseOfThePolicy() {
        assertThrows(
                GivenUpException.class,
                () -> tx.run("deposit", c -> {
                    throw conflict();
                }));
        assertEquals(5, world.waits.size());
        for (int i = 0; i < 5; i++) {
            double nominal = 100 * Math.pow(2, i);
            double wait = world.waits.get(i).toNanos() / 1e6;
            assertTrue(wait >= 0.75 * nominal && wait <= 1.25 * nominal, "wait " + (i + 1) + " was " + wait + " ms");
        }
    }

    @Test
    void noConnectionIsHeldDuringAWait() throws SQLException {
        Transactions one = world.transactions(world.database.dataSource(1));
        Transactions during = Transactions.builder(world.database.dataSource(1))
                .time(world.turns.time())
                .build();
        Connection[] seen = new Connection[1];
        one.run("deposit", c -> {
            if (c.attempt() == 1) {
                seen[0] = c;
                throw conflict();
            }
            during.run("meanwhile", d -> add(d, 1));
        });
        assertTrue(seen[0].isClosed());
        assertEquals(101, world.committed());
    }

    // ---- outcome unknown

    @ParameterizedTest
    @EnumSource(names = {"UNAVAILABLE_APPLIED", "UNAVAILABLE_UNDONE", "LOST_APPLIED", "LOST_UNDONE"})
    void aCommitWithoutAnAnswerIsReportedAsThatAndNotTriedAgain(Kind kind) {
        world.strike(kind);
        OutcomeUnknownException e = assertThrows(
                OutcomeUnknownException.class,
                () -> tx.run("deposit", c -> {
                    runs.incrementAndGet();
                    add(c, 5);
                    c.afterCommit(() -> {
                        throw new AssertionError("nobody knows whether it is committed");
                    });
                }));
        assertEquals("08007", e.getSQLState());
        assertEquals(1, runs.get());
        assertEquals(kind.isApplied() ? 105 : 100, world.committed());
        assertEquals(List.of("began deposit", "failed outcome_unknown 08007", "ended FAILED 1"), world.heard);
    }

    @ParameterizedTest
    @EnumSource(names = {"UNAVAILABLE_AT_STATEMENT", "LOST_AT_STATEMENT"})
    void theSameTroubleBeforeTheCommitHasAKnownOutcome(Kind kind) {
        world.strike(kind);
        SQLException e = assertThrows(SQLException.class, () -> tx.run("deposit", c -> add(c, 5)));
        assertEquals(kind.sqlState(), e.getSQLState());
        assertEquals(100, world.committed());
    }

    @Test
    void anIdempotentBodyIsTriedAgainAfterAnUnknownOutcome() throws SQLException {
        world.strike(Kind.LOST_APPLIED);
        tx.idempotent().run("deposit", c -> {
            runs.incrementAndGet();
            if (balance(c) == 100) {
                add(c, 5);
            }
            if (runs.get() == 2) {
                world.calm();
            }
        });
        assertEquals(2, runs.get());
        assertEquals(105, world.committed());
    }

    @Test
    void anOutcomeOnceUnknownStaysUnknownHoweverTheLaterAttemptsFail() {
        world.strike(Kind.LOST_APPLIED);
        OutcomeUnknownException e = assertThrows(
                OutcomeUnknownException.class,
                () -> tx.idempotent().run("deposit", c -> {
                    if (runs.incrementAndGet() > 1) {
                        throw conflict();
                    }
                    add(c, 5);
                }));
        assertEquals(6, runs.get());
        assertEquals(GivenUpException.class, e.getSuppressed()[e.getSuppressed().length - 1].getClass());
        assertEquals(105, world.committed());
    }

    @Test
    void anErrorAfterAnUnknownOutcomeDoesNotPassForTheOutcome() {
        world.strike(Kind.LOST_APPLIED);
        SQLException later = new SQLException("canceling statement", "57014");
        OutcomeUnknownException e = assertThrows(
                OutcomeUnknownException.class,
                () -> tx.idempotent().run("deposit", c -> {
                    if (runs.incrementAndGet() > 1) {
                        throw later;
                    }
                    add(c, 5);
                }));
        assertEquals(2, runs.get());
        assertEquals(later, e.getSuppressed()[e.getSuppressed().length - 1]);
        assertEquals(105, world.committed());
    }

    // ---- stopping

    @Test
    void theDeadlineEndsTheAttemptsBeforeAWaitThatWouldPassIt() {
        GivenUpException e = assertThrows(
                GivenUpException.class,
                () -> tx.within(Duration.ofMillis(250)).run("deposit", c -> {
                    runs.incrementAndGet();
                    throw conflict();
                }));
        assertEquals(GivenUpException.Reason.DEADLINE, e.reason());
        assertEquals(2, runs.get(), "100 ms and 200 ms, give or take a quarter, are too long together");
        assertTrue(world.turns.time().nanos() < Duration.ofMillis(250).toNanos());
        assertEquals("ended STOPPED 2", world.heard.get(world.heard.size() - 1));
    }

    @Test
    void nothingIsCommittedAfterTheDeadline() {
        GivenUpException e = assertThrows(
                GivenUpException.class,
                () -> tx.within(Duration.ofMillis(250)).run("deposit", c -> {
                    add(c, 5);
                    world.turns.time().advance(Duration.ofMillis(250));
                }));
        assertEquals(GivenUpException.Reason.DEADLINE, e.reason());
        assertEquals(100, world.committed());
    }

    @Test
    void aCancelledTransactionIsNotBegunNotContinuedAndNotCommitted() {
        Cancellation before = new Cancellation();
        before.cancel();
        GivenUpException never = assertThrows(
                GivenUpException.class, () -> tx.cancelledBy(before).run("deposit", c -> runs.incrementAndGet()));
        assertEquals(GivenUpException.Reason.CANCELLED, never.reason());
        assertEquals(List.of(), never.attempts());
        assertEquals(0, runs.get());

        Cancellation during = new Cancellation();
        GivenUpException stopped = assertThrows(
                GivenUpException.class,
                () -> tx.cancelledBy(during).run("deposit", c -> {
                    add(c, 5);
                    during.cancel();
                    add(c, 5);
                    runs.incrementAndGet();
                }));
        assertEquals(GivenUpException.Reason.CANCELLED, stopped.reason());
        assertEquals(0, runs.get(), "the statement after the cancellation failed");

        Cancellation atTheEnd = new Cancellation();
        assertThrows(
                GivenUpException.class,
                () -> tx.cancelledBy(atTheEnd).run("deposit", c -> {
                    add(c, 5);
                    atTheEnd.cancel();
                }));
        assertEquals(100, world.committed());
    }

    @Test
    void anInterruptStopsItAndStaysForTheCaller() {
        GivenUpException e = assertThrows(
                GivenUpException.class,
                () -> tx.run("deposit", c -> {
                    add(c, 5);
                    Thread.currentThread().interrupt();
                }));
        assertEquals(GivenUpException.Reason.INTERRUPTED, e.reason());
        assertTrue(Thread.interrupted());
        assertEquals(100, world.committed());
    }

    @Test
    void anErrorThatIsNoStopIsThrownAsItIsEvenAfterTheDeadline() {
        SQLException error = assertThrows(
                SQLException.class,
                () -> tx.within(Duration.ofMillis(250)).run("deposit", c -> {
                    world.turns.time().advance(Duration.ofSeconds(1));
                    throw new SQLException("duplicate", "23505");
                }));
        assertEquals("23505", error.getSQLState());
    }

    // ---- what the body may do

    @Test
    void theBodyMustNotEndTheTransactionItself() throws SQLException {
        tx.run("deposit", c -> {
            add(c, 5);
            for (Statement statement = c.createStatement(); !statement.isClosed(); statement.close()) {
                assertSame(c, statement.getConnection());
            }
            assertEquals("2D000", assertThrows(SQLException.class, c::commit).getSQLState());
            assertEquals("2D000", assertThrows(SQLException.class, c::rollback).getSQLState());
            assertEquals(
                    "2D000",
                    assertThrows(SQLException.class, () -> c.setAutoCommit(true))
                            .getSQLState());
            c.setAutoCommit(false);
            c.close();
            assertFalse(c.isClosed());
            add(c, 5);
        });
        assertEquals(110, world.committed());
    }

    @Test
    void whatTheBodyKeptDoesNotWorkAfterwards() throws SQLException {
        Connection[] kept = new Connection[1];
        tx.run("deposit", c -> kept[0] = c);
        assertTrue(kept[0].isClosed());
        assertThrows(IllegalStateException.class, () -> ((Transaction) kept[0]).afterCommit(() -> {}));
        assertEquals(
                "08003",
                assertThrows(SQLException.class, () -> kept[0].createStatement())
                        .getSQLState());
    }

    @Test
    void settingsThatTheBodyChangesAreRestored() throws SQLException {
        tx.run("report", c -> {
            c.setReadOnly(true);
            c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            c.setSchema("other");
        });
        // the check after each test looks at the connection
    }

    @Test
    void aPoolWithoutAutocommitGetsItsConnectionsBackThatWay() throws SQLException {
        world.database.sessionsAutoCommit(false);
        Transactions other = world.transactions(world.database.dataSource(1));
        other.run("deposit", c -> add(c, 5));
        assertThrows(
                IllegalStateException.class,
                () -> other.run("deposit", c -> {
                    add(c, 5);
                    throw new IllegalStateException();
                }));
        assertEquals(105, world.committed());
    }

    @Test
    void aConnectionThatCannotBeRolledBackIsNotSetToAutocommitWhichWouldCommit() {
        world.strike(Kind.LOST_AT_ROLLBACK);
        IllegalStateException e = assertThrows(
                IllegalStateException.class,
                () -> tx.run("deposit", c -> {
                    add(c, 5);
                    throw new IllegalStateException("no");
                }));
        assertEquals("08006", ((SQLException) e.getSuppressed()[0]).getSQLState());
        assertEquals(100, world.committed());
    }

    @Test
    void aDataSourceWithoutConnectionsSaysSoOnce() {
        world.strike(Kind.REFUSED);
        assertThrows(SQLTransientConnectionException.class, () -> tx.run("deposit", c -> runs.incrementAndGet()));
        assertEquals(0, runs.get());
        assertEquals(List.of("began deposit", "failed permanent 08001", "ended FAILED 1"), world.heard);
    }

    @Test
    void aWaitForAConnectionThatHadToStopEndsAsThat() {
        Cancellation cancellation = new Cancellation();
        Transactions none = world.transactions(new OneConnection(null) {
            @Override
            public Connection getConnection() throws SQLException {
                cancellation.cancel();
                throw new SQLTransientConnectionException("none in time", "08001");
            }
        });
        GivenUpException e = assertThrows(
                GivenUpException.class, () -> none.cancelledBy(cancellation).run("deposit", c -> {}));
        assertEquals(GivenUpException.Reason.CANCELLED, e.reason());
    }

    @Test
    void causesThatLeadInACircleComeToAnEnd() {
        SQLException one = new SQLException("one", "22012");
        SQLException other = new SQLException("other", "22012", one);
        one.initCause(other);
        assertSame(
                one,
                assertThrows(
                        SQLException.class,
                        () -> tx.run("deposit", c -> {
                            throw one;
                        })));
    }

    @Test
    void givingUpSurvivesBeingWrittenAndRead() throws Exception {
        GivenUpException e = assertThrows(
                GivenUpException.class,
                () -> tx.run("deposit", c -> {
                    throw conflict();
                }));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(e);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertEquals(6, ((GivenUpException) in.readObject()).attempts().size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void aNameIsNeeded(String name) {
        assertThrows(IllegalArgumentException.class, () -> tx.run(name, c -> {}));
    }

    // ---- after the commit

    @Test
    void actionsAfterTheCommitRunOnceInOrderWithoutAConnection() throws SQLException {
        Transactions one = world.transactions(world.database.dataSource(1));
        List<String> done = new ArrayList<>();
        one.run("deposit", c -> {
            c.afterCommit(() -> done.add("first of attempt " + c.attempt() + " at " + world.committed()));
            c.afterCommit(() -> done.add("second"));
            add(c, 5);
            if (c.attempt() == 1) {
                throw conflict();
            }
        });
        assertEquals(List.of("first of attempt 2 at 105", "second"), done);
    }

    @Test
    void anActionMayBeginATransaction() throws SQLException {
        tx.run(
                "deposit",
                c -> c.afterCommit(() -> {
                    try {
                        tx.run("next", d -> add(d, 1));
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                }));
        assertEquals(101, world.committed());
    }

    @Test
    void anActionThatFailsKeepsNoOtherFromRunningAndDoesNotLookLikeAConflict() {
        List<String> done = new ArrayList<>();
        IllegalStateException broken = new IllegalStateException(conflict());
        AfterCommitException e = assertThrows(
                AfterCommitException.class,
                () -> tx.run("deposit", c -> {
                    add(c, 5);
                    c.afterCommit(() -> {
                        throw broken;
                    });
                    c.afterCommit(() -> done.add("second"));
                }));
        assertSame(broken, e.getCause());
        assertEquals(ErrorMeaning.OTHER, ErrorMeaning.of(e));
        assertEquals(List.of("second"), done);
        assertEquals(105, world.committed());
    }

    // ---- one inside the other

    @Test
    void aTransactionInsideAnotherIsRefused() {
        IllegalStateException e = assertThrows(
                IllegalStateException.class, () -> tx.run("outer", c -> tx.run("inner", d -> runs.incrementAndGet())));
        assertTrue(e.getMessage().contains("transaction inner was begun inside transaction outer"), e.getMessage());
        assertThrows(IllegalStateException.class, () -> tx.run("outer", c -> tx.retry("inner", runs::incrementAndGet)));
        assertEquals(0, runs.get());
    }

    @Test
    void soIsOneOnTheConnectionOfAnother() {
        assertThrows(
                IllegalStateException.class,
                () -> tx.run("outer", c -> {
                    Transactions same = world.transactions(new OneConnection(c));
                    same.run("inner", d -> runs.incrementAndGet());
                }));
        assertEquals(0, runs.get());
    }

    @Test
    void oneThatJoinsIsPartOfTheOther() throws SQLException {
        List<String> done = new ArrayList<>();
        tx.run("outer", c -> {
            add(c, 5);
            tx.joining().run("inner", d -> {
                assertSame(c, d);
                add(d, 5);
                d.afterCommit(() -> done.add("after " + world.committed()));
            });
            assertEquals(100, world.committed());
        });
        assertEquals(110, world.committed());
        assertEquals(List.of("after 110"), done);
        assertEquals(List.of("began outer", "ended COMMITTED 1"), world.heard);
    }

    @Test
    void oneThatJoinsNobodyBeginsItsOwn() throws SQLException {
        tx.joining().run("alone", c -> add(c, 5));
        assertEquals(105, world.committed());
    }

    @Test
    void aConflictOfOneThatJoinedRunsTheOtherAgain() throws SQLException {
        tx.run("outer", c -> {
            runs.incrementAndGet();
            add(c, 5);
            tx.joining().run("inner", d -> {
                if (c.attempt() == 1) {
                    throw conflict();
                }
            });
        });
        assertEquals(2, runs.get());
        assertEquals(105, world.committed());
    }

    @Test
    void theOtherIsNotCommittedWithoutTheOneThatJoinedEvenIfItSwallowsTheError() {
        SQLException e = assertThrows(
                SQLException.class,
                () -> tx.run("outer", c -> {
                    add(c, 5);
                    assertThrows(
                            IllegalStateException.class,
                            () -> tx.joining().run("inner", d -> {
                                throw new IllegalStateException("inner");
                            }));
                }));
        assertEquals("inner", e.getCause().getMessage());
        assertEquals(100, world.committed());
    }

    // ---- code that has a transaction loop of its own

    @Test
    void workWithATransactionOfItsOwnIsTriedAgainOnAConflictOnly() throws Exception {
        assertEquals(3, tx.<Integer, SQLException>retry("save", () -> {
            if (runs.incrementAndGet() < 3) {
                throw conflict();
            }
            return runs.get();
        }));
        assertThrows(
                IOException.class,
                () -> tx.retry("save", () -> {
                    runs.incrementAndGet();
                    throw new IOException();
                }));
        assertEquals(4, runs.get());
    }
}
