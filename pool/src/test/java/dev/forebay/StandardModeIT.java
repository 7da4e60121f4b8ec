// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.DiscardReason;
import dev.forebay.testkit.Postgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The default mode over JDBC, with a hundred connections to a real PostgreSQL. */
@Timeout(120)
class StandardModeIT {

    private static final int SIZE = 100;

    /** More than there are connections, so that all are busy. */
    private static final int WORKERS = 120;

    private static Postgres server;

    private final ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
    private final AtomicLong done = new AtomicLong();
    private final AtomicInteger timedOut = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicLong oldestMillis = new AtomicLong();
    private volatile @Nullable Awaited awaited;
    private volatile boolean ending;

    /** A condition that the workers look at, and who waits for it. */
    private record Awaited(BooleanSupplier condition, CountDownLatch met) {}

    @BeforeAll
    static void startServer() {
        server = Postgres.start(Map.of("max_connections", "110"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    private static ForebayDataSource pool(ForebayConfig.Builder config) throws SQLException {
        return ForebayDataSource.builder()
                .dataSource(server.dataSource())
                .config(config.maxOpen(SIZE)
                        .staggeredStartup(false)
                        .connectionTimeout(Duration.ofSeconds(10))
                        .build())
                .build();
    }

    /** Borrows and asks the server how old the session is, until told to end. */
    private void work(ForebayDataSource pool) {
        while (!ending) {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet age = statement.executeQuery("select pg_sleep(0.05), extract(epoch from"
                            + " clock_timestamp() - backend_start) * 1000 from pg_stat_activity"
                            + " where pid = pg_backend_pid()")) {
                age.next();
                oldestMillis.accumulateAndGet(age.getLong(2), Math::max);
                if (done.incrementAndGet() % 10 == 0) {
                    look();
                }
            } catch (SQLTransientConnectionException e) {
                timedOut.incrementAndGet();
            } catch (SQLException e) {
                lost.incrementAndGet(); // what was cut off in the middle
            }
        }
    }

    private List<Future<?>> workers(ForebayDataSource pool) {
        List<Future<?>> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            workers.add(threads.submit(() -> work(pool)));
        }
        return workers;
    }

    private void end(List<Future<?>> workers) throws Exception {
        ending = true;
        for (Future<?> worker : workers) {
            worker.get(60, TimeUnit.SECONDS);
        }
    }

    private void look() {
        Awaited current = awaited;
        if (current != null && current.condition().getAsBoolean()) {
            current.met().countDown();
        }
    }

    /** Waits until a worker sees that {@code condition} is met; the test's own time-out bounds it. */
    private void await(BooleanSupplier condition) throws InterruptedException {
        CountDownLatch met = new CountDownLatch(1);
        awaited = new Awaited(condition, met);
        met.await();
    }

    /** With a keeper that never comes, so that whatever is opened is opened for those who wait. */
    @Test
    void aDropOfAllUnderLoadTimesNobodyOut() throws Exception {
        try (ForebayDataSource pool =
                pool(ForebayConfig.builder().connectionRateLimit(50).keeperTick(Duration.ofHours(1)))) {
            assertEquals(SIZE, pool.stats().open());
            List<Future<?>> workers = workers(pool);
            await(() -> done.get() > 2_000);
            String killed = server.ask("select count(pg_terminate_backend(pid)) from pg_stat_activity"
                    + " where backend_type = 'client backend' and pid <> pg_backend_pid()");
            assertEquals(Integer.toString(SIZE), killed);
            await(() -> pool.stats().opened() >= 2 * SIZE && pool.stats().open() == SIZE);
            long before = done.get();
            await(() -> done.get() > before + 2_000);
            end(workers);
            assertEquals(0, timedOut.get());
            assertTrue(lost.get() <= SIZE, "each connection fails one caller at most: " + lost);
        }
    }

    @Test
    void anExpiryOfAllUnderLoadTimesNobodyOut() throws Exception {
        Duration lifetime = Duration.ofSeconds(4);
        try (ForebayDataSource pool =
                pool(ForebayConfig.builder().maxLifetime(lifetime).connectionRateLimit(100))) {
            List<Future<?>> workers = workers(pool);
            await(() -> pool.stats().opened() >= 4 * SIZE);
            end(workers);
            assertEquals(0, timedOut.get());
            assertEquals(0, lost.get());
            long expired = pool.stats().discards().entrySet().stream()
                    .filter(entry -> entry.getKey() != DiscardReason.POOL_CLOSED)
                    .mapToLong(Map.Entry::getValue)
                    .sum();
            assertTrue(expired >= 3 * SIZE, "all of them have ended three times: " + expired);
            assertTrue(
                    oldestMillis.get() < 2 * lifetime.toMillis(),
                    "none was handed out past its lifetime, slow statements allowed for: " + oldestMillis);
        }
    }

    /** The pool grows because someone waits, not because the keeper's turn has come. */
    @Test
    void aPoolThatWasEmptiedServesAllWhoAskAtOnce() throws Exception {
        try (ForebayDataSource pool =
                pool(ForebayConfig.builder().connectionRateLimit(100).keeperTick(Duration.ofHours(1)))) {
            pool.evictAll();
            assertEquals(0, pool.stats().open());
            List<Connection> held = new ArrayList<>();
            for (int i = 0; i < SIZE; i++) {
                held.add(pool.getConnection());
            }
            assertEquals(SIZE, pool.stats().borrowed());
            for (Connection connection : held) {
                connection.close();
            }
        }
    }
}
