// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.Supply;
import dev.forebay.spi.NoConnection;
import dev.forebay.testkit.CapturedLog;
import dev.forebay.time.SystemTime;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Waiting is done by real threads in real time here, since that is the point; nothing is slept away. */
@Timeout(120)
class BorrowingTest {

    @RegisterExtension
    private final CapturedLog logged = new CapturedLog(JdbcListener.class);

    private static final long LONG = TimeUnit.SECONDS.toNanos(30);
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(50);

    private final FakeDatabase database = new FakeDatabase();
    private final JdbcListener listener = new JdbcListener();
    private final List<Pool<?>> pools = new ArrayList<>();

    @AfterEach
    void closePools() {
        pools.forEach(Pool::close);
    }

    private record Fixture(Pool<PhysicalConnection> pool, Borrowing borrowing) {}

    private Fixture pool(int size, SessionConfig config, UnaryOperator<PoolConfig.Builder> more) {
        JdbcConnector connector = new JdbcConnector("test", ConnectionSource.of(database), config, SystemTime.shared());
        Supply supply = Supply.onDemand(0, size, Exhaustion.WAIT);
        Pool<PhysicalConnection> pool = new Pool<>(
                more.apply(PoolConfig.builder(supply, size)).build(),
                connector,
                List.of(),
                SystemTime.shared(),
                new SplittableRandom(1),
                listener);
        pools.add(pool);
        pool.start();
        return new Fixture(pool, new Borrowing(pool, SystemTime.shared(), listener, config));
    }

    private Fixture pool(int size) {
        return pool(size, SessionConfig.DEFAULT, config -> config);
    }

    /** Runs {@code borrow} on a thread of its own, once that thread waits in the queue. */
    private static CompletableFuture<Connection> waiting(Fixture pool, Thread[] thread) {
        CompletableFuture<Connection> borrowed = new CompletableFuture<>();
        int before = pool.pool.stats().waiting();
        thread[0] = new Thread(
                () -> {
                    try {
                        borrowed.complete(pool.borrowing.borrow(LONG));
                    } catch (SQLException | RuntimeException e) {
                        borrowed.completeExceptionally(e);
                    }
                },
                "waiter");
        thread[0].start();
        while (pool.pool.stats().waiting() == before) {
            Thread.onSpinWait();
        }
        return borrowed;
    }

    @Test
    void aWaiterGetsTheConnectionThatIsReturned() throws Exception {
        Fixture pool = pool(1);
        Connection first = pool.borrowing.borrow(LONG);
        Thread[] thread = {null};
        CompletableFuture<Connection> second = waiting(pool, thread);
        first.close();
        assertFalse(second.get(10, TimeUnit.SECONDS).isClosed());
        assertTrue(first.isClosed());
    }

    @Test
    void aTimeoutSaysWhoHoldsTheConnections() throws Exception {
        Fixture pool = pool(1);
        CompletableFuture<Connection> held = new CompletableFuture<>();
        CountDownLatch told = new CountDownLatch(1);
        Thread holder = new Thread(
                () -> {
                    try {
                        held.complete(pool.borrowing.borrow(LONG));
                        told.await();
                    } catch (SQLException | InterruptedException e) {
                        held.completeExceptionally(e);
                    }
                },
                "worker-7");
        holder.start();
        held.join();
        SQLException error = assertThrows(SQLTransientConnectionException.class, () -> pool.borrowing.borrow(SHORT));
        told.countDown();
        assertEquals("08001", error.getSQLState());
        assertEquals(NoConnection.TIMED_OUT.vendorCode(), error.getErrorCode());
        String message = error.getMessage();
        assertTrue(message.startsWith("no connection within 0."), message);
        assertTrue(message.contains("1 of 1 leased, 0 ready, 0 opening, 0 waiting"), message);
        assertTrue(
                message.matches(".*longest held: \\d+\\.\\d s by thread 'worker-7' \\(connection 1 of test\\).*"),
                message);
    }

    @Test
    void aTimeoutNamesAtMostThreeHolders() throws Exception {
        Fixture pool = pool(5);
        for (int i = 0; i < 5; i++) {
            assertFalse(pool.borrowing.borrow(LONG).isClosed());
        }
        SQLException error = assertThrows(SQLException.class, () -> pool.borrowing.borrow(0));
        assertEquals(3, error.getMessage().split("by thread", -1).length - 1, error.getMessage());
    }

    @Test
    void aTimeoutSaysWhyNothingCouldBeOpened() {
        SQLException refused = new SQLException("the server is asleep", "08001");
        database.failures.put("getConnection", refused);
        Fixture pool = pool(1);
        SQLException error = assertThrows(SQLException.class, () -> pool.borrowing.borrow(4 * SHORT));
        assertTrue(error.getMessage().contains("last open failure (connect): the server is asleep"), error::getMessage);
        assertSame(refused, error.getCause());
        database.failures.clear();
    }

    @Test
    void anInterruptEndsTheWaitAndIsKept() throws Exception {
        Fixture pool = pool(1);
        Connection first = pool.borrowing.borrow(LONG);
        CompletableFuture<SQLException> failed = new CompletableFuture<>();
        CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            failed.complete(assertThrows(SQLException.class, () -> pool.borrowing.borrow(LONG)));
            stillInterrupted.complete(Thread.currentThread().isInterrupted());
        });
        thread.start();
        while (pool.pool.stats().waiting() == 0) {
            Thread.onSpinWait();
        }
        thread.interrupt();
        SQLException error = failed.get(10, TimeUnit.SECONDS);
        assertEquals(NoConnection.INTERRUPTED.vendorCode(), error.getErrorCode());
        assertTrue(stillInterrupted.get(10, TimeUnit.SECONDS));
        assertEquals(0, pool.pool.stats().waiting());
        first.close();
        assertEquals(1, pool.pool.stats().ready());
    }

    @Test
    void anInterruptedThreadStillGetsWhatIsReady() throws Exception {
        Fixture pool = pool(1);
        pool.borrowing.borrow(LONG).close();
        Thread.currentThread().interrupt();
        try (Connection connection = pool.borrowing.borrow(LONG)) {
            assertFalse(connection.isClosed());
        }
        assertTrue(Thread.interrupted());
    }

    @Test
    void aClosedPoolSaysSo() throws Exception {
        Fixture pool = pool(1);
        Connection first = pool.borrowing.borrow(LONG);
        Thread[] thread = {null};
        CompletableFuture<Connection> second = waiting(pool, thread);
        pool.pool.close();
        thread[0].join();
        SQLException waited = assertInstanceOf(
                SQLException.class,
                assertThrows(java.util.concurrent.ExecutionException.class, second::get)
                        .getCause());
        SQLException late = assertThrows(SQLNonTransientConnectionException.class, () -> pool.borrowing.borrow(LONG));
        for (SQLException error : List.of(waited, late)) {
            assertEquals("08003", error.getSQLState());
            assertEquals(NoConnection.CLOSED.vendorCode(), error.getErrorCode());
        }
        first.close();
        assertTrue(first.isClosed());
    }

    @Test
    void anExhaustedPoolMayRefuseAtOnce() throws Exception {
        Fixture pool = pool(1, SessionConfig.DEFAULT, config -> config.exhaustion(Exhaustion.FAIL_FAST));
        assertFalse(pool.borrowing.borrow(LONG).isClosed());
        SQLException error = assertThrows(SQLTransientConnectionException.class, () -> pool.borrowing.borrow(LONG));
        assertEquals(NoConnection.EXHAUSTED.vendorCode(), error.getErrorCode());
    }

    @Test
    void tooManyWaitersAreRefused() throws Exception {
        Fixture pool = pool(1, SessionConfig.DEFAULT, config -> config.maxWaiting(1));
        Connection first = pool.borrowing.borrow(LONG);
        Thread[] thread = {null};
        CompletableFuture<Connection> second = waiting(pool, thread);
        SQLException error = assertThrows(SQLTransientConnectionException.class, () -> pool.borrowing.borrow(LONG));
        assertEquals(NoConnection.TOO_MANY_WAITING.vendorCode(), error.getErrorCode());
        first.close();
        second.join().close();
    }

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // a yield makes it more likely that two meet
    void manyThreadsOnFewConnectionsAllGetTheirTurnAndNeverShare() throws Exception {
        Fixture pool = pool(3);
        AtomicInteger shared = new AtomicInteger();
        AtomicInteger[] users = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            all.add(done);
            new Thread(() -> {
                        try {
                            for (int n = 0; n < 500; n++) {
                                try (Connection connection = pool.borrowing.borrow(LONG)) {
                                    String name = connection.toString();
                                    int which = Integer.parseInt(name.split(" ")[1]) - 1;
                                    if (users[which].incrementAndGet() != 1) {
                                        shared.incrementAndGet();
                                    }
                                    if (n % 7 == 0) {
                                        Thread.yield();
                                    }
                                    users[which].decrementAndGet();
                                }
                            }
                            done.complete(null);
                        } catch (SQLException | RuntimeException e) {
                            done.completeExceptionally(e);
                        }
                    })
                    .start();
        }
        for (CompletableFuture<Void> done : all) {
            done.get(60, TimeUnit.SECONDS);
        }
        assertEquals(0, shared.get());
        assertEquals(0, pool.pool.stats().borrowed());
        assertEquals(8000, pool.pool.stats().checkouts());
    }

    /** Each waits in the queue while it holds nothing: if one pinned its carrier, the others could not come to wait. */
    @Test
    void virtualThreadsWaitWithoutPinning() throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            Assumptions.abort("no virtual threads in this JDK");
            return;
        }
        Fixture pool = pool(1);
        Connection held = pool.borrowing.borrow(LONG);
        int threads = 200;
        CountDownLatch done = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            start.invoke(null, (Runnable) () -> {
                try {
                    pool.borrowing.borrow(LONG).close();
                    done.countDown();
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
        }
        while (pool.pool.stats().waiting() < threads) {
            Thread.onSpinWait();
        }
        held.close();
        assertTrue(done.await(30, TimeUnit.SECONDS));
    }

    // ---- leaks

    @Test
    void aLeakIsReportedWithTheBorrowersStack() throws SQLException {
        FakePool pool = new FakePool(
                new FakeDatabase(),
                1,
                SessionConfig.builder().leakDetection(true).build(),
                config -> config.heldTooLong(Duration.ofSeconds(30)));
        try (Connection connection = pool.borrow()) {
            pool.time.advance(Duration.ofSeconds(29));
            assertEquals(List.of(), logged.events());
            pool.time.advance(Duration.ofSeconds(2));
            assertEquals(1, logged.events().size());
            ILoggingEvent event = logged.events().get(0);
            assertEquals(Level.WARN, event.getLevel());
            String thread = Thread.currentThread().getName();
            assertTrue(event.getFormattedMessage().contains("connection 1 of fake"), event::getFormattedMessage);
            assertTrue(event.getFormattedMessage().contains("by thread '" + thread + "'"), event::getFormattedMessage);
            assertTrue(List.of(event.getThrowableProxy().getStackTraceElementProxyArray()).stream()
                    .anyMatch(line -> line.toString().contains("aLeakIsReportedWithTheBorrowersStack")));
        }
    }
}
