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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applications that read a counter and write it back, one higher, over and over: one that does so at the same time as another
 * conflicts, and an update that is lost shows in the sum. Thread-safe.
 */
final class Load {

    private static final Logger log = LoggerFactory.getLogger(Load.class);

    private static final int COUNTERS = 20;
    private static final int HOT_COUNTERS = 3;
    private static final int LEAST_PAUSE_MILLIS = 20;
    private static final int MOST_PAUSE_MILLIS = 60;

    /** A policy more patient than the default, for a load that conflicts on purpose. */
    private static final TxRetryPolicy RETRY =
            new TxRetryPolicy(30, Duration.ofMillis(10), Duration.ofMillis(300), TxRetryPolicy.Jitter.FULL);

    private final List<Thread> workers = new ArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean isHot;

    /** Makes the counters. */
    static void prepare(DataSource admin) throws SQLException {
        try (Connection connection = admin.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE counter (id int PRIMARY KEY, n bigint NOT NULL)");
            for (int i = 0; i < COUNTERS; i++) {
                statement.execute("INSERT INTO counter VALUES (" + i + ", 0)");
            }
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
        for (DataSource service : services) {
            Transactions.Builder builder = Transactions.builder(service).policy(RETRY);
            listeners.forEach(builder::listener);
            Transactions transactions = builder.build();
            for (int i = 0; i < Plan.WORKERS; i++) {
                Thread worker = new Thread(() -> work(transactions), "forebay-demo-worker");
                worker.setDaemon(true);
                worker.start();
                workers.add(worker);
            }
        }
    }

    /** Sets whether all work is on a few counters, so that much of it conflicts. */
    void hot(boolean hot) {
        isHot = hot;
    }

    /** Ends it, and waits for the work in progress. */
    void end(Duration patience) throws InterruptedException {
        over.countDown();
        long deadline = System.nanoTime() + patience.toNanos();
        for (Thread worker : workers) {
            TimeUnit.NANOSECONDS.timedJoin(worker, Math.max(1, deadline - System.nanoTime()));
            worker.interrupt();
        }
    }

    /** Ends it; nothing is waited for. */
    void stop() {
        over.countDown();
        workers.forEach(Thread::interrupt);
    }

    private void work(Transactions transactions) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        try {
            while (!over.await(random.nextInt(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS), TimeUnit.MILLISECONDS)) {
                int id = random.nextInt(isHot ? HOT_COUNTERS : COUNTERS);
                try {
                    transactions.run("count", connection -> count(connection, id));
                } catch (SQLException e) {
                    log.debug("a transaction failed, which the tally has heard", e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the end
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
