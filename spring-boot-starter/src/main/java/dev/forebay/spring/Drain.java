// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayDataSource;
import dev.forebay.engine.PoolStats;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Lets work in progress end at a shutdown: waits until borrowed connections are returned. Thread-safe.
 *
 * <p>It stops after the web server, the listeners and the executors, which have higher phases. It does not close the pool,
 * because beans may still need a connection while they are destroyed; the pool is destroyed after all that depend on it.
 */
final class Drain implements SmartLifecycle {

    /** Close to the lowest phase, so that all users of the pool stop before it. */
    static final int PHASE = Integer.MIN_VALUE + 1024;

    private static final Logger log = LoggerFactory.getLogger(Drain.class);
    private static final Duration LOOK = Duration.ofMillis(10);

    private final ForebayDataSource dataSource;
    private final Duration patience;
    private volatile boolean running;

    Drain(ForebayDataSource dataSource, Duration patience) {
        this.dataSource = dataSource;
        this.patience = patience;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        long deadline = System.nanoTime() + patience.toNanos();
        try {
            while (dataSource.stats().borrowed() > 0 && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        PoolStats stats = dataSource.stats();
        if (stats.borrowed() > 0) {
            log.warn(
                    "{} still has {} of its connections lent after {} ms; each is closed when it is returned",
                    dataSource,
                    stats.borrowed(),
                    patience.toMillis());
        }
    }

    /** Waits on a thread of its own, so that the others of its phase are stopped at the same time. */
    @Override
    public void stop(Runnable callback) {
        Thread thread = new Thread(
                () -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                },
                "forebay-drain");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
