// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolStats;
import dev.forebay.engine.Supply;
import dev.forebay.testkit.Postgres;
import dev.forebay.time.SystemTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** A pool on a real server, in real time, on the connector's own threads. */
final class ServerPool implements AutoCloseable {
    final JdbcListener listener = new JdbcListener();
    final Pool<PhysicalConnection> pool;
    final Borrowing borrowing;
    private final JdbcConnector connector;

    ServerPool(ConnectionSource source, int size, SessionConfig config, UnaryOperator<PoolConfig.Builder> more) {
        connector = new JdbcConnector("it", source, config, SystemTime.shared());
        pool = new Pool<>(
                more.apply(PoolConfig.builder(Supply.reservoir(size), size)).build(),
                connector,
                List.of(),
                SystemTime.shared(),
                new SplittableRandom(1),
                listener);
        borrowing = new Borrowing(pool, SystemTime.shared(), listener, config);
        pool.start();
    }

    static ServerPool of(Postgres server, int size) {
        return of(server, size, SessionConfig.DEFAULT);
    }

    static ServerPool of(Postgres server, int size, SessionConfig config) {
        return new ServerPool(ConnectionSource.of(server.dataSource()), size, config, more -> more);
    }

    Connection borrow() throws SQLException {
        return borrowing.borrow(TimeUnit.SECONDS.toNanos(30));
    }

    /** Waits until the numbers are as wanted. */
    void await(Predicate<PoolStats> wanted) {
        long end = SystemTime.shared().nanos() + TimeUnit.SECONDS.toNanos(30);
        while (!wanted.test(pool.stats())) {
            assertTrue(SystemTime.shared().nanos() < end, () -> "still " + pool.stats());
            Thread.onSpinWait();
        }
    }

    /** Closes it and waits until nothing of it is left. */
    @Override
    public void close() {
        CountDownLatch drained = new CountDownLatch(1);
        pool.whenDrained(drained::countDown);
        pool.close();
        try {
            assertTrue(drained.await(30, TimeUnit.SECONDS), () -> "not drained: " + pool.stats());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        connector.shutdown();
    }
}
