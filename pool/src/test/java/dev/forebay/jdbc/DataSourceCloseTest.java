// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.Metric;
import dev.forebay.engine.Observer;
import dev.forebay.testkit.CapturedLog;
import dev.forebay.time.Actions;
import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The end of a data source, with real threads, since what must not block is one of them. */
@Timeout(120)
class DataSourceCloseTest {

    private static final long PATIENCE_SECONDS = 60;

    @RegisterExtension
    private final CapturedLog actions = new CapturedLog(Actions.class);

    @RegisterExtension
    private final CapturedLog closed = new CapturedLog(ForebayDataSource.class);

    private final FakeDatabase database = new FakeDatabase();

    private ForebayDataSource.Builder builder() {
        return ForebayDataSource.builder()
                .config(ForebayConfig.builder()
                        .mode(ForebayConfig.Mode.RESERVOIR)
                        .targetReady(2)
                        .staggeredStartup(false)
                        .connectionRateLimit(1_000)
                        .connectionBurstLimit(1_000)
                        .build())
                .dataSource(database);
    }

    /** What gives leases back waits for answers, and for retries that the clock has to run. */
    @Test
    void whatComesAfterTheLastConnectionMayWaitForTheClock() throws Exception {
        CompletableFuture<Boolean> clockWent = new CompletableFuture<>();
        ForebayDataSource pool = builder()
                .afterDrain(() -> {
                    CountDownLatch later = new CountDownLatch(1);
                    Time time = SystemTime.shared();
                    time.schedule(time.nanos() + 1_000_000, later::countDown);
                    try {
                        clockWent.complete(later.await(5, TimeUnit.SECONDS));
                    } catch (InterruptedException e) {
                        clockWent.completeExceptionally(e);
                    }
                })
                .build();
        pool.close();
        assertTrue(clockWent.get(PATIENCE_SECONDS, TimeUnit.SECONDS), "the clock stood still meanwhile");
    }

    @Test
    void anObserverThatThrowsDoesNotKeepTheConnections() throws Exception {
        class Failing implements Observer, Observer.Observation {
            @Override
            public <S> Observation observe(String owner, List<Metric<S>> metrics, Supplier<S> stats) {
                return this;
            }

            @Override
            public void record(Enum<?> event, long value) {}

            @Override
            public void count(Enum<?> event, String... labelValues) {}

            @Override
            public void close() {
                throw new IllegalStateException("thrown by a test");
            }
        }
        List<String> ended = new CopyOnWriteArrayList<>();
        ForebayDataSource pool = builder()
                .observer(new Failing())
                .afterDrain(() -> {
                    throw new AssertionError("thrown by a test");
                })
                .afterDrain(() -> ended.add("the last"))
                .build();
        pool.close();
        assertEquals(List.of("the last"), ended);
        assertTrue(database.links.stream().allMatch(link -> link.closed), "all are closed");
    }

    @Test
    void aConnectionReturnedInAMomentIsWaitedFor() throws Exception {
        CountDownLatch leaving = new CountDownLatch(1);
        List<String> order = new CopyOnWriteArrayList<>();
        ForebayDataSource pool = builder()
                .onClose(leaving::countDown)
                .afterDrain(() -> order.add("given back"))
                .build();
        Connection borrowed = pool.getConnection();
        CompletableFuture<Void> returned = CompletableFuture.runAsync(() -> {
            try {
                leaving.await();
                borrowed.close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        pool.close();
        order.add("closed");
        returned.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertEquals(List.of("given back", "closed"), order);
        assertEquals(List.of(), closed.messages());
    }

    @Test
    void aConnectionThatStaysOutIsSaidAndGivenBackLater() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        ForebayDataSource pool = builder().afterDrain(ended::countDown).build();
        Connection borrowed = pool.getConnection();
        pool.close();
        assertFalse(borrowed.isClosed(), "it is its borrower's");
        assertEquals(1, closed.messages().size());
        assertTrue(
                closed.messages().get(0).contains("1 of its connections are still borrowed"),
                () -> closed.messages().toString());
        borrowed.close();
        assertTrue(ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
}
