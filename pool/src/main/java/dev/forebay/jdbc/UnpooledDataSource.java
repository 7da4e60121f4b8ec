// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Admission;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import dev.forebay.tx.internal.DataSourceSkeleton;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * New connections without a pool, each of which passes the admissions that a pool's would: for tools, or under another
 * pool. The grants of a connection are given back when it is closed. Thread-safe.
 */
@SuppressWarnings("exports") // what it is built on is no promise
public final class UnpooledDataSource extends DataSourceSkeleton implements AutoCloseable {

    private final ConnectionSource source;
    private final Entrance entrance;
    private final @Nullable Duration networkTimeout;
    private final List<Runnable> onClose;
    private final List<Runnable> afterLast;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private int open;

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private boolean ended;

    /**
     * A data source that opens nothing before the first call.
     *
     * @param admissions asked before each open, in this order
     * @param timeout the longest wait for them
     * @param networkTimeout the longest wait of a borrower's call for the server, null to leave it to the driver
     * @param onClose run once when this is closed
     * @param afterLast run once when this is closed and its last connection is; may block for a moment
     */
    public UnpooledDataSource(
            ConnectionSource source,
            List<? extends Admission> admissions,
            Duration timeout,
            @Nullable Duration networkTimeout,
            List<Runnable> onClose,
            List<Runnable> afterLast,
            Time time) {
        this.source = source;
        this.entrance = new Entrance(admissions, timeout, time);
        this.networkTimeout = networkTimeout;
        this.onClose = List.copyOf(onClose);
        this.afterLast = List.copyOf(afterLast);
    }

    /**
     * Returns a new connection, once the admissions let it in.
     *
     * @throws SQLException SQLSTATE 08001 if they do not in time, 08003 if this is closed, otherwise the driver's
     */
    @Override
    public Connection getConnection() throws SQLException {
        enter();
        boolean opened = false;
        try {
            Connection connection = admitted();
            opened = true;
            return connection;
        } finally {
            if (!opened) {
                leave();
            }
        }
    }

    private Connection admitted() throws SQLException {
        List<Admission.Grant> grants = entrance.pass();
        try {
            Connection connection = connect(grants);
            grants.forEach(grant -> Actions.run(() -> grant.openEnded(Admission.Outcome.OPENED)));
            return connection;
        } catch (Throwable e) {
            Entrance.settle(grants, JdbcConnector.causeOf(e).outcome());
            throw e;
        }
    }

    private Connection connect(List<Admission.Grant> grants) throws SQLException {
        Connection connection = source.open();
        try {
            if (networkTimeout != null) {
                connection.setNetworkTimeout(
                        Runnable::run, (int) Math.min(Integer.MAX_VALUE, networkTimeout.toMillis()));
            } else if (source.limitsReads()) {
                connection.setNetworkTimeout(Runnable::run, 0);
            }
            return (Connection) Proxy.newProxyInstance(
                    UnpooledDataSource.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    new Handle(connection, grants));
        } catch (Throwable e) {
            try {
                connection.close();
            } catch (Throwable suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private void enter() throws SQLException {
        lock.lock();
        try {
            if (closed) {
                throw new SQLNonTransientConnectionException(this + " is closed", "08003");
            }
            open++;
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        lock.lock();
        try {
            open--;
        } finally {
            lock.unlock();
        }
        endIfLast();
    }

    private void endIfLast() {
        lock.lock();
        try {
            if (!closed || ended || open > 0) {
                return;
            }
            ended = true;
        } finally {
            lock.unlock();
        }
        afterLast.forEach(Actions::run);
    }

    /** Refuses further connections; open ones stay open, and keep their grants until they end. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
        } finally {
            lock.unlock();
        }
        onClose.forEach(Actions::run);
        endIfLast();
    }

    /** Gives the grants back when the connection is closed or aborted. */
    private final class Handle implements InvocationHandler {
        private final UnpooledPart connection;
        private final List<Admission.Grant> grants;
        private final AtomicBoolean gone = new AtomicBoolean();

        Handle(Connection connection, List<Admission.Grant> grants) {
            this.connection = UnpooledPart.whole(connection);
            this.grants = grants;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            boolean ends = method.getName().equals("close") || method.getName().equals("abort");
            try {
                return connection.invoke(proxy, method, arguments);
            } finally {
                if (ends && gone.compareAndSet(false, true)) {
                    Entrance.release(grants);
                    leave();
                }
            }
        }
    }

    // ---- what every data source has

    /** Not supported: the credentials are those of one user. */
    @Override
    public String toString() {
        return "UnpooledDataSource " + source;
    }
}
