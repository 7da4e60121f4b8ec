// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Connector;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.time.Time;
import dev.forebay.tx.ErrorMeaning;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens, checks and closes JDBC connections on threads of its own, since drivers block. Thread-safe.
 *
 * <p>Opens and checks get a thread each, as many as the engine lets run at once; closing, which the engine does not bound,
 * shares a few. The threads are daemons and end when idle.
 */
public final class JdbcConnector implements Connector<PhysicalConnection> {

    private static final Logger log = LoggerFactory.getLogger(JdbcConnector.class);
    private static final int CLOSERS = 32;
    private static final long IDLE_SECONDS = 10;

    /** The most time for a close before the connection is aborted. */
    private static final long CLOSE_PATIENCE_NANOS = 3_000_000_000L;

    private final String pool;
    private final ConnectionSource source;
    private final SessionConfig config;
    private final Time time;
    private final Executor openers;
    private final Executor closers;
    private final ThreadFactory aborters;
    private final AtomicLong connections = new AtomicLong();

    /** A connector for the pool of that name. */
    public JdbcConnector(String pool, ConnectionSource source, SessionConfig config, Time time) {
        this(pool, source, config, time, openers(pool), closers(pool));
    }

    /** A connector with executors of the caller's, which {@link #shutdown} leaves alone unless they are services. */
    JdbcConnector(
            String pool, ConnectionSource source, SessionConfig config, Time time, Executor openers, Executor closers) {
        this.pool = pool;
        this.source = source;
        this.config = config;
        this.time = time;
        this.openers = openers;
        this.closers = closers;
        this.aborters = threads("forebay-" + pool + "-abort-");
    }

    /** Returns a connector for another pool that shares the threads of this one, and ends with it. */
    public JdbcConnector sibling(String otherPool, ConnectionSource otherSource, SessionConfig otherConfig) {
        return new JdbcConnector(otherPool, otherSource, otherConfig, time, openers, closers);
    }

    private static ExecutorService openers(String pool) {
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                threads("forebay-" + pool + "-open-"));
    }

    private static ExecutorService closers(String pool) {
        ThreadPoolExecutor closers = new ThreadPoolExecutor(
                CLOSERS,
                CLOSERS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads("forebay-" + pool + "-close-"));
        closers.allowCoreThreadTimeOut(true);
        return closers;
    }

    private static ThreadFactory threads(String prefix) {
        AtomicLong number = new AtomicLong();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Runs {@code last}, which may block, on a thread of its own, and takes no further work. Call it once the pool is drained. */
    public void shutdown(Runnable last) {
        try {
            closers.execute(last);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            last.run(); // better on this thread than never
        }
        shutdown();
    }

    /** Takes no further work; work in progress ends, and the threads end with it. Call it once the pool is drained. */
    public void shutdown() {
        if (openers instanceof ExecutorService service) {
            service.shutdown();
        }
        if (closers instanceof ExecutorService service) {
            service.shutdown();
        }
    }

    // ---- open

    @Override
    public void open(Opening<PhysicalConnection> opening) {
        try {
            openers.execute(() -> open(opening, new Interruptible()));
        } catch (RejectedExecutionException | OutOfMemoryError e) { // the latter: no thread is available
            opening.failed(new OpenFailure(OpenFailure.Cause.CONNECT, e));
        }
    }

    private void open(Opening<PhysicalConnection> opening, Interruptible call) {
        PhysicalConnection connection = null;
        OpenFailure failure = null;
        call.begin();
        opening.onAbandon(call::interrupt);
        try {
            connection = connect();
        } catch (SQLException e) {
            failure = new OpenFailure(causeOf(e), e);
        } catch (RuntimeException | Error e) {
            failure = new OpenFailure(OpenFailure.Cause.CONNECT, e);
        } finally {
            call.end();
        }
        if (connection != null) {
            opening.opened(connection);
        } else if (failure != null) {
            opening.failed(failure);
        }
    }

    private PhysicalConnection connect() throws SQLException {
        Connection driver = source.open();
        try {
            setUp(driver);
            PhysicalConnection connection = new PhysicalConnection(
                    driver, config, time, "connection " + connections.incrementAndGet() + " of " + pool);
            if (config.pingOnOpen() && !connection.answers()) {
                throw new SQLException("a new connection did not answer a ping", "08006");
            }
            if (source.limitsReads() && config.networkTimeout() == null) {
                driver.setNetworkTimeout(Runnable::run, 0);
            }
            return connection;
        } catch (SQLException | RuntimeException | Error e) {
            try {
                driver.close();
            } catch (SQLException | RuntimeException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private void setUp(Connection driver) throws SQLException {
        if (config.networkTimeout() != null) {
            int millis = (int) Math.max(
                    1, Math.min(Integer.MAX_VALUE, config.networkTimeout().toMillis()));
            driver.setNetworkTimeout(Runnable::run, millis);
        }
        if (config.initSql() != null) {
            try (Statement statement = driver.createStatement()) {
                statement.execute(config.initSql());
            }
            if (!driver.getAutoCommit()) {
                driver.commit();
            }
        }
        if (config.readOnly() != null) {
            driver.setReadOnly(config.readOnly());
        }
        if (config.isolation() != null) {
            driver.setTransactionIsolation(config.isolation());
        }
        if (config.catalog() != null) {
            driver.setCatalog(config.catalog());
        }
        if (config.schema() != null) {
            driver.setSchema(config.schema());
            if (!driver.getAutoCommit()) {
                driver.commit();
            }
        }
        if (config.autoCommit() != null) { // last, so that none of the above begins a transaction
            driver.setAutoCommit(config.autoCommit());
        }
    }

    /** Returns why a connect failed with {@code error}. */
    static OpenFailure.Cause causeOf(Throwable error) {
        if (error instanceof ConnectionSource.NoPassword) {
            return OpenFailure.Cause.TOKEN_PROVIDER;
        }
        return switch (ErrorMeaning.of(error)) {
            case CONNECT_THROTTLED -> OpenFailure.Cause.RATE_LIMIT;
            case TOO_MANY_CONNECTIONS -> OpenFailure.Cause.CONNECTION_COUNT;
            default -> OpenFailure.Cause.CONNECT;
        };
    }

    /** A blocking call that can be interrupted from elsewhere, and only while it lasts. */
    private static final class Interruptible {
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private @Nullable Thread thread;

        void begin() {
            lock.lock();
            try {
                thread = Thread.currentThread();
            } finally {
                lock.unlock();
            }
        }

        void interrupt() {
            lock.lock();
            try {
                if (thread != null) {
                    thread.interrupt();
                }
            } finally {
                lock.unlock();
            }
        }

        void end() {
            lock.lock();
            try {
                thread = null;
            } finally {
                lock.unlock();
            }
            Thread.interrupted();
        }
    }

    // ---- check

    @Override
    public void check(PhysicalConnection connection, Checking checking) {
        try {
            openers.execute(() -> checking.checked(isAlive(connection)));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            checking.checked(false);
        }
    }

    private static boolean isAlive(PhysicalConnection connection) {
        try {
            return connection.answers();
        } catch (Exception | Error e) { // whatever a driver throws, the caller gets an answer
            log.debug("{} failed its check", connection, e);
            return false;
        }
    }

    // ---- close

    @Override
    public void close(PhysicalConnection connection, DiscardReason reason, Runnable closed) {
        log.debug("closing {}: {}", connection, reason.label());
        try {
            closers.execute(() -> close(connection, closed));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            close(connection, closed); // better late on this thread than never
        }
    }

    private void close(PhysicalConnection connection, Runnable closed) {
        Time.Scheduled patience = time.schedule(
                time.nanos() + CLOSE_PATIENCE_NANOS,
                () -> aborters.newThread(() -> abort(connection)).start());
        try {
            connection.driver.close();
        } catch (SQLException | RuntimeException e) {
            log.debug("{} did not close cleanly", connection, e);
        } finally {
            patience.cancel();
            closed.run();
        }
    }

    private static void abort(PhysicalConnection connection) {
        try {
            connection.driver.abort(Runnable::run);
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            log.debug("{} could not be aborted", connection, e);
        }
    }

    @Override
    public String toString() {
        return "connector of " + pool + " to " + source;
    }
}
