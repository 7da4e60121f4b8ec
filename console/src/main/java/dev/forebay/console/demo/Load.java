// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxListener;
import dev.forebay.tx.TxRetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions that begin at a fixed rate, whatever becomes of earlier ones: a pool that makes them wait does not thereby get
 * fewer. Each holds its connection for a while, then reads a counter and writes it back, one higher. One that does so at the same time
 * as another conflicts, and an update that is lost shows in the sum. Thread-safe.
 */
final class Load {

    private static final Logger log = LoggerFactory.getLogger(Load.class);

    /** The number of counters: so many that two transactions seldom meet, even on a slow machine. */
    private static final int COUNTERS = 1_000;

    private static final int HOT_COUNTERS = 3;

    /** Far more than the checkout timeout lets pile up; beyond, a transaction does not begin and counts as without a connection. */
    private static final int MOST_AT_ONCE = 3_000;

    /** A policy more patient than the default, for a load that conflicts on purpose. */
    private static final TxRetryPolicy RETRY =
            new TxRetryPolicy(30, Duration.ofMillis(10), Duration.ofMillis(300), TxRetryPolicy.Jitter.FULL);

    private final Plan plan;
    private final Tally tally;
    private final ThreadPoolExecutor workers = new ThreadPoolExecutor(
            0,
            MOST_AT_ONCE,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> daemon(task, "forebay-demo-worker"));
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean isHot;

    Load(Plan plan, Tally tally) {
        this.plan = plan;
        this.tally = tally;
    }

    /** Makes the counters. */
    static void prepare(DataSource admin) throws SQLException {
        try (Connection connection = admin.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE counter (id int PRIMARY KEY, n bigint NOT NULL)");
            statement.execute("INSERT INTO counter SELECT id, 0 FROM generate_series(1, " + COUNTERS + ") AS id");
        }
    }

    /** The sum of the counters. */
    static long sum(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT sum(n) FROM counter")) {
            result.next();
            return result.getLong(1);
        }
    }

    /** Begins to work on {@code services}. */
    void begin(List<DataSource> services, List<TxListener> listeners) {
        List<Transactions> all = new ArrayList<>();
        for (DataSource service : services) {
            Transactions.Builder builder = Transactions.builder(service).policy(RETRY);
            listeners.forEach(builder::listener);
            all.add(builder.build());
        }
        daemon(() -> dispatch(all, (long) (1e9 / plan.arrivalsPerSecond() / all.size())), "forebay-demo-load")
                .start();
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Sets whether all work is on a few counters, so that much of it conflicts. */
    void hot(boolean hot) {
        isHot = hot;
    }

    /** Ends it, and waits for the work in progress. */
    void end(Duration patience) throws InterruptedException {
        over.countDown();
        workers.shutdown();
        if (!workers.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            workers.shutdownNow();
        }
    }

    /** Ends it; nothing is waited for. */
    void stop() {
        over.countDown();
        workers.shutdownNow();
    }

    /** Begins transactions, one service after the other, each when it is due. */
    private void dispatch(List<Transactions> services, long intervalNanos) {
        long due = System.nanoTime();
        try {
            for (int i = 0; !over.await(due - System.nanoTime(), TimeUnit.NANOSECONDS); i = (i + 1) % services.size()) {
                Transactions service = services.get(i);
                begin(service);
                due += intervalNanos;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the end
        }
    }

    private void begin(Transactions service) {
        try {
            workers.execute(() -> work(service));
        } catch (RejectedExecutionException e) {
            if (over.getCount() > 0) { // otherwise it is the end
                tally.checkouts.increment();
                tally.checkoutFailed(e);
            }
        }
    }

    private void work(Transactions transactions) {
        int id = ThreadLocalRandom.current().nextInt(isHot ? HOT_COUNTERS : COUNTERS) + 1;
        AtomicBoolean hasHeld = new AtomicBoolean();
        try {
            transactions.run("count", connection -> {
                if (!hasHeld.getAndSet(true)) { // the other service has answered, and need not be called again
                    hold();
                }
                count(connection, id);
            });
        } catch (SQLException e) {
            log.debug("a transaction failed, which the tally has heard", e);
        }
    }

    private void hold() throws SQLException {
        try {
            over.await(plan.hold().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("the load was stopped", e);
        }
    }

    private static void count(Connection connection, int id) throws SQLException {
        try (PreparedStatement read = connection.prepareStatement("SELECT n FROM counter WHERE id = ?");
                PreparedStatement write = connection.prepareStatement("UPDATE counter SET n = ? WHERE id = ?")) {
            read.setInt(1, id);
            long n;
            try (ResultSet result = read.executeQuery()) {
                result.next();
                n = result.getLong(1);
            }
            write.setLong(1, n + 1);
            write.setInt(2, id);
            write.executeUpdate();
        }
    }
}
