// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.Admission;
import dev.forebay.engine.OpenFailure;
import dev.forebay.time.Time;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections without a pool, with real threads, since callers wait on theirs. */
@Timeout(120)
class UnpooledDataSourceTest {

    private final FakeDatabase database = new FakeDatabase();
    private final Gate gate = new Gate();

    /** An admission that answers as it is told, and notes what becomes of its grants. */
    private static final class Gate implements Admission {
        final List<String> events = new CopyOnWriteArrayList<>();
        final List<Runnable> wakes = new CopyOnWriteArrayList<>();
        final CompletableFuture<Answer> asked = new CompletableFuture<>();
        volatile boolean open = true;
        volatile boolean silent;
        volatile Throwable failure;

        @Override
        public void ask(long nowNanos, Answer answer) {
            if (silent) {
                asked.complete(answer);
            } else if (failure != null) {
                answer.failed(new OpenFailure(OpenFailure.Cause.LEASE_ACQUIRE, failure));
            } else if (open) {
                answer.granted(grant());
            } else {
                answer.notBefore(Long.MAX_VALUE);
                asked.complete(answer);
            }
        }

        Grant grant() {
            events.add("granted");
            return new Grant() {
                @Override
                public void openEnded(Outcome outcome) {
                    events.add(outcome.toString());
                }

                @Override
                public void release() {
                    events.add("released");
                }
            };
        }

        @Override
        public Runnable whenFreed(Runnable wake) {
            wakes.add(wake);
            return () -> wakes.remove(wake);
        }

        @Override
        public void withdrawn(Answer answer) {
            events.add("withdrawn");
        }
    }

    private UnpooledDataSource source(Duration timeout, Runnable... afterLast) {
        ForebayDataSource.Builder builder = ForebayDataSource.builder()
                .config(ForebayConfig.builder().connectionTimeout(timeout).build())
                .dataSource(database)
                .admission(gate);
        List.of(afterLast).forEach(builder::afterDrain);
        return builder.buildUnpooled();
    }

    private UnpooledDataSource source() {
        return source(Duration.ofSeconds(60));
    }

    @Test
    void aGrantIsHeldUntilTheConnectionIsClosed() throws Exception {
        try (UnpooledDataSource source = source()) {
            Connection connection = source.getConnection();
            assertEquals(List.of("granted", "OPENED"), gate.events);
            connection.close();
            connection.close();
            assertEquals(List.of("granted", "OPENED", "released"), gate.events);
            Connection other = source.getConnection();
            assertNotEquals(connection, other);
            assertEquals(other, other);
            other.abort(Runnable::run);
            assertEquals("released", gate.events.get(5));
        }
    }

    @Test
    void anOpenThatFailsGivesItsGrantBackAndTellsWhy() {
        database.failures.put("getConnection", new SQLException("rate exceeded", "53400"));
        try (UnpooledDataSource source = source()) {
            SQLException error = assertThrows(SQLException.class, source::getConnection);
            assertEquals("53400", error.getSQLState());
            assertEquals(List.of("granted", "THROTTLED", "released"), gate.events);
        }
    }

    @Test
    void aRefusalIsToldAtOnce() {
        gate.failure = new IllegalStateException("the limit is reached");
        try (UnpooledDataSource source = source()) {
            SQLException error = assertThrows(SQLTransientConnectionException.class, source::getConnection);
            assertTrue(error.getMessage().contains("the limit is reached"), error.getMessage());
            assertTrue(database.links.isEmpty());
        }
    }

    @Test
    void aCallerWaitsUntilItIsLetIn() throws Exception {
        gate.open = false;
        try (UnpooledDataSource source = source()) {
            CompletableFuture<Connection> got = new CompletableFuture<>();
            Thread caller = new Thread(() -> {
                try {
                    got.complete(source.getConnection());
                } catch (SQLException e) {
                    got.completeExceptionally(e);
                }
            });
            caller.start();
            gate.asked.get(60, TimeUnit.SECONDS);
            assertFalse(got.isDone());
            gate.open = true;
            gate.wakes.forEach(Runnable::run);
            got.get(60, TimeUnit.SECONDS).close();
            assertTrue(gate.wakes.isEmpty(), "it is registered no longer");
        }
    }

    @Test
    void aCallerWaitsNoLongerThanItsTimeout() {
        gate.open = false;
        try (UnpooledDataSource source = source(Duration.ofMillis(20))) {
            SQLException error = assertThrows(SQLTransientConnectionException.class, source::getConnection);
            assertTrue(error.getMessage().contains("20 ms"), error.getMessage());
            assertEquals(List.of("withdrawn"), gate.events);
        }
    }

    @Test
    void aGrantThatComesTooLateIsGivenBack() throws Exception {
        gate.silent = true;
        try (UnpooledDataSource source = source(Duration.ofMillis(20))) {
            assertThrows(SQLTransientConnectionException.class, source::getConnection);
            gate.asked.get(60, TimeUnit.SECONDS).granted(gate.grant());
            assertEquals(List.of("withdrawn", "granted", "NOT_TRIED", "released"), gate.events);
        }
    }

    @Test
    void whatComesAfterTheLastWaitsForTheLast() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        UnpooledDataSource source = source(Duration.ofSeconds(60), ended::countDown);
        Connection connection = source.getConnection();
        source.close();
        assertEquals(1, ended.getCount());
        assertEquals(
                "08003", assertThrows(SQLException.class, source::getConnection).getSQLState());
        connection.close();
        assertEquals(0, ended.getCount());
    }

    @Test
    void anErrorOfALaterAdmissionGivesBackEarlierGrants() {
        Admission broken = (now, answer) -> {
            throw new AssertionError("broken");
        };
        try (UnpooledDataSource source = unpooled(new StoppedTime(), gate, broken)) {
            assertThrows(AssertionError.class, source::getConnection);
            assertEquals(List.of("granted", "NOT_TRIED", "released"), gate.events);
        }
    }

    @Test
    void anErrorAfterTheOpenClosesTheDriversConnection() {
        database.before.put("setNetworkTimeout", () -> {
            throw new AssertionError("broken");
        });
        try (UnpooledDataSource source = unpooled(new StoppedTime(), gate)) {
            assertThrows(AssertionError.class, source::getConnection);
            assertTrue(database.links.get(0).closed);
            assertEquals(List.of("granted", "FAILED", "released"), gate.events);
        }
    }

    @Test
    void aCallerTimesOutAlthoughNothingWakesIt() throws Exception {
        gate.open = false;
        StoppedTime time = new StoppedTime();
        assertTimesOutUnwoken(time, unpooled(time, gate));
    }

    @Test
    void aCallerTimesOutAlthoughNothingAnswersIt() throws Exception {
        gate.silent = true;
        StoppedTime time = new StoppedTime();
        assertTimesOutUnwoken(time, unpooled(time, gate));
    }

    private void assertTimesOutUnwoken(StoppedTime time, UnpooledDataSource source) throws Exception {
        CompletableFuture<SQLException> thrown = new CompletableFuture<>();
        Thread caller = new Thread(() -> thrown.complete(assertThrows(SQLException.class, source::getConnection)));
        caller.setDaemon(true);
        caller.start();
        gate.asked.get(60, TimeUnit.SECONDS);
        while (caller.getState() != Thread.State.WAITING && caller.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        time.now.set(TimeUnit.SECONDS.toNanos(61));
        assertEquals("08001", thrown.get(20, TimeUnit.SECONDS).getSQLState());
        source.close();
    }

    @Test
    void closingTheConnectionOfAStatementFreesTheGrant() throws Exception {
        try (UnpooledDataSource source = source()) {
            Connection connection = source.getConnection();
            PreparedStatement statement = connection.prepareStatement("select 1");
            assertEquals(connection, statement.getConnection());
            assertEquals(connection, connection.createStatement().getConnection());
            assertEquals(connection, connection.getMetaData().getConnection());
            assertEquals(statement, statement);
            assertNotEquals(statement, connection.prepareStatement("select 1"));
            statement.getConnection().close();
            assertEquals(List.of("granted", "OPENED", "released"), gate.events);
        }
    }

    @Test
    void aStatementThrowsTheDriversError() throws Exception {
        try (UnpooledDataSource source = source();
                Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            SQLException failure = new SQLException("no such table", "42P01");
            database.failures.put("executeUpdate", failure);
            assertSame(failure, assertThrows(SQLException.class, () -> statement.executeUpdate("delete from t")));
        }
    }

    private UnpooledDataSource unpooled(Time time, Admission... admissions) {
        return new UnpooledDataSource(
                ConnectionSource.of(database),
                List.of(admissions),
                Duration.ofSeconds(60),
                Duration.ofSeconds(5),
                List.of(),
                List.of(),
                time);
    }

    /** A clock that moves when it is set, and forgets what is scheduled. */
    private static final class StoppedTime implements Time {
        final AtomicLong now = new AtomicLong();

        @Override
        public long nanos() {
            return now.get();
        }

        @Override
        public long coarseNanos() {
            return now.get();
        }

        @Override
        public Scheduled schedule(long atNanos, Runnable task) {
            return () -> {};
        }
    }
}
