// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.cold;

import dev.forebay.bench.driver.Server;
import dev.forebay.bench.driver.StubConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server on which a connect takes a while, and the first may hang. Thread-safe.
 *
 * <p>As with a driver that reads from a socket, no interrupt ends the connect that hangs; {@link #close} does.
 */
final class ColdServer implements Server, AutoCloseable {

    private final Duration connectTime;
    private final int goal;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final boolean firstHangs;
    private volatile long reachedAtNanos;

    /** A server that notes when {@code goal} connections are open. */
    ColdServer(Duration connectTime, boolean firstHangs, int goal) {
        this.connectTime = connectTime;
        this.firstHangs = firstHangs;
        this.goal = goal;
    }

    @Override
    public Connection connect() throws SQLException {
        if (asked.incrementAndGet() == 1 && firstHangs) {
            hang();
        }
        try {
            TimeUnit.NANOSECONDS.sleep(connectTime.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while connecting", "08001", e);
        }
        if (open.incrementAndGet() == goal && reached.getCount() > 0) {
            reachedAtNanos = System.nanoTime();
            reached.countDown();
        }
        return new StubConnection() {
            private final AtomicInteger closes = new AtomicInteger();

            @Override
            public void close() {
                if (closes.incrementAndGet() == 1) {
                    open.decrementAndGet();
                }
            }

            @Override
            public boolean isClosed() {
                return closes.get() > 0;
            }
        };
    }

    private void hang() throws SQLException {
        boolean interrupted = false;
        while (ended.getCount() > 0) {
            try {
                ended.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        throw new SQLException("the connect that hung has ended", "08001");
    }

    int open() {
        return open.get();
    }

    /** Waits until the goal is reached, at most {@code most}; returns when it was, by the machine's clock, or -1. */
    long awaitGoal(Duration most) throws InterruptedException {
        return reached.await(most.toNanos(), TimeUnit.NANOSECONDS) ? reachedAtNanos : -1;
    }

    @Override
    public void close() {
        ended.countDown();
    }
}
