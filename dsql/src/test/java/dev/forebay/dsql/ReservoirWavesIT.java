// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.PoolStats;
import dev.forebay.local.LocalDsql;
import dev.forebay.local.iam.AccessKey;
import dev.forebay.model.Fault;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;

/** The whole path: verified tokens, connections that the server ends, a mass drop, and nobody who is left without. */
@Timeout(180)
class ReservoirWavesIT {

    private static final int TARGET = 50;
    private static final int SPARE = 10;
    private static final long PATIENCE_SECONDS = 90;

    /** Those who use the pool all the time; the queries of which fail only when the server cut their connection. */
    private static final class Borrowers implements AutoCloseable {
        private final AtomicBoolean over = new AtomicBoolean();
        private final AtomicLong queries = new AtomicLong();
        private final AtomicInteger lost = new AtomicInteger();
        private final List<String> troubles = new java.util.concurrent.CopyOnWriteArrayList<>();
        private final List<Thread> threads = new ArrayList<>();

        Borrowers(ForebayDataSource pool, int count) {
            for (int i = 0; i < count; i++) {
                Thread thread = new Thread(() -> borrow(pool), "borrower");
                thread.start();
                threads.add(thread);
            }
        }

        private void borrow(ForebayDataSource pool) {
            CountDownLatch breath = new CountDownLatch(1);
            try {
                while (!over.get()) {
                    try (Connection connection = pool.getConnection();
                            Statement statement = connection.createStatement()) {
                        statement.execute("SELECT 1");
                        queries.incrementAndGet();
                    } catch (SQLException e) {
                        if (String.valueOf(e.getSQLState()).startsWith("08")) {
                            lost.incrementAndGet();
                        } else {
                            troubles.add(e.toString());
                        }
                    }
                    breath.await(2, TimeUnit.MILLISECONDS); // an application that does something else, too
                }
            } catch (InterruptedException e) {
                troubles.add(e.toString());
            }
        }

        @Override
        public void close() throws InterruptedException {
            over.set(true);
            for (Thread thread : threads) {
                thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            }
        }
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "it did not come to that: " + what);
            never.await(5, TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void expiryWavesAndAMassDropLeaveNobodyWithout() throws Exception {
        try (LocalDsql dsql = LocalDsql.builder().start()) {
            AccessKey key = dsql.accessKey();
            ForebayConfig config = ForebayConfig.builder()
                    .clusterEndpoint("localhost:" + dsql.port())
                    .region(dsql.region())
                    .caFile(dsql.caFile().toString())
                    .mode(ForebayConfig.Mode.RESERVOIR)
                    .targetReady(TARGET)
                    .spare(SPARE)
                    .baseLifetime(Duration.ofSeconds(10))
                    .lifetimeJitter(Duration.ofSeconds(2))
                    .guardWindow(Duration.ofSeconds(2))
                    .connectionRateLimit(80)
                    .connectionBurstLimit(100)
                    .staggeredStartup(false)
                    .serviceName("waves")
                    .build();
            try (ForebayDataSource pool = AuroraDsql.builder(config)
                    .credentials(() -> AwsBasicCredentials.create(key.id(), key.secret()))
                    .build()) {
                dsql.reconfigure(dsql.settings().with("lifetime 30s")); // a busy machine may stand still for seconds
                assertEquals(TARGET, pool.stats().ready());
                AtomicInteger least = new AtomicInteger(TARGET);
                try (Borrowers borrowers = new Borrowers(pool, 4)) {
                    await("two expiry waves", () -> {
                        least.accumulateAndGet(pool.stats().open(), Math::min);
                        return pool.stats().opened() >= 3 * TARGET;
                    });
                    assertEquals(0, borrowers.lost.get(), "the server never ended a connection in use");
                    dsql.inject(new Fault.ExpireTokens());
                    long opened = pool.stats().opened();
                    await("connects with a new token", () -> pool.stats().opened() >= opened + TARGET);
                    assertEquals(0, pool.stats().empties(), pool.stats().toString());
                    long before = pool.stats().opened();
                    dsql.inject(Fault.parse("drop 50%"));
                    await(
                            "what was dropped is replaced",
                            () -> pool.stats().opened() >= before + TARGET / 2
                                    && pool.stats().open() >= TARGET);
                    long queries = borrowers.queries.get();
                    await("work goes on", () -> borrowers.queries.get() > queries + 1_000);
                    assertEquals(List.of(), borrowers.troubles);
                }
                PoolStats stats = pool.stats();
                assertEquals(0, stats.empties(), stats.toString());
                assertEquals(0, stats.timeouts());
                assertTrue(least.get() >= TARGET - SPARE, "the level dipped to " + least + " in the expiry waves");
            }
            await("nothing is left open", () -> dsql.counts().open() == 0); // the server hears of it a little later
        }
    }
}
