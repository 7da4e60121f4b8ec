// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.PoolConfig.ReuseOrder;
import dev.forebay.testkit.ConnectionCap;
import dev.forebay.time.SystemTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The engine under real threads and in real time: what one thread in virtual time cannot show. */
@Timeout(180)
class PoolThreadsTest {

    private static final int THREADS = 8;
    private static final int OPERATIONS = 3_000;
    private static final long PATIENCE_SECONDS = 30;

    private final SystemTime time = SystemTime.shared();
    private final Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
    private final Lines lines = new Lines();
    private final ConnectionCap leases = new ConnectionCap(1_000_000);

    /** A connection that knows who uses it. */
    private static final class Line {
        private final AtomicInteger users = new AtomicInteger();
        private final AtomicBoolean closed = new AtomicBoolean();
    }

    /** Answers everything from threads of its own; now and then an open fails or a check finds a corpse. */
    private static final class Lines implements Connector<Line> {
        private final ExecutorService threads = Executors.newFixedThreadPool(3);
        private final AtomicInteger opened = new AtomicInteger();
        private final AtomicInteger closed = new AtomicInteger();
        private final AtomicInteger calls = new AtomicInteger();
        private volatile boolean reliable;

        @Override
        public void open(Opening<Line> opening) {
            threads.execute(() -> {
                if (!reliable && calls.incrementAndGet() % 50 == 0) {
                    opening.failed(new OpenFailure(OpenFailure.Cause.CONNECT, new IOException("refused by a test")));
                } else {
                    opened.incrementAndGet();
                    opening.opened(new Line());
                }
            });
        }

        @Override
        public void check(Line value, Checking checking) {
            threads.execute(() -> checking.checked(reliable || calls.incrementAndGet() % 20 != 0));
        }

        @Override
        public void close(Line value, DiscardReason reason, Runnable done) {
            threads.execute(() -> {
                if (!value.closed.compareAndSet(false, true)) {
                    throw new AssertionError("closed twice");
                }
                closed.incrementAndGet();
                done.run();
            });
        }
    }

    @AfterEach
    void endThreads() {
        lines.threads.shutdownNow();
    }

    private Pool<Line> pool(PoolConfig.Builder config) {
        Pool<Line> pool = new Pool<>(
                config.backoff(new Backoff(Duration.ofMillis(1), Duration.ofMillis(2), 6))
                        .build(),
                lines,
                List.of(leases),
                time,
                new SplittableRandom(1),
                PoolListener.NONE);
        pool.start();
        return pool;
    }

    /** The pools that threads meet in. */
    enum Kind {
        RESERVOIR(Supply.reservoir(4), Exhaustion.WAIT, 1),
        KEEPER(Supply.keeper(4, Duration.ofMillis(1), 1), Exhaustion.WAIT, 0),
        ON_DEMAND(Supply.onDemand(1, 4, Exhaustion.WAIT), Exhaustion.WAIT, 0),
        FAILING_FAST(Supply.onDemand(0, 4, Exhaustion.FAIL_FAST), Exhaustion.FAIL_FAST, 0),
        OVERFLOWING(Supply.onDemand(0, 4, Exhaustion.OVERFLOW), Exhaustion.OVERFLOW, 2);

        private final Supply supply;
        private final Exhaustion exhaustion;
        private final int spare;

        Kind(Supply supply, Exhaustion exhaustion, int spare) {
            this.supply = supply;
            this.exhaustion = exhaustion;
            this.spare = spare;
        }
    }

    @ParameterizedTest
    @EnumSource
    void noConnectionIsInTwoHandsNobodyIsForgottenAndNothingIsLeft(Kind kind) throws InterruptedException {
        Pool<Line> pool = pool(PoolConfig.builder(kind.supply, 4)
                .spare(kind.spare)
                .exhaustion(kind.exhaustion)
                .reuseOrder(kind.ordinal() % 2 == 0 ? ReuseOrder.SPREAD : ReuseOrder.NEWEST_FIRST)
                .lifetime(Duration.ofMillis(200), Duration.ofMillis(100), Duration.ofMillis(20)));
        AtomicInteger inHands = new AtomicInteger();
        AtomicInteger served = new AtomicInteger();
        run(THREADS, number -> {
            Random random = new Random(number);
            for (int i = 0; i < OPERATIONS; i++) {
                Checkout<Line> checkout = new Checkout<>();
                boolean got = random.nextInt(3) == 0 ? waitInLine(pool, checkout) : pool.tryCheckout(checkout, number);
                if (got) {
                    served.incrementAndGet();
                    use(checkout, inHands, 4 + kind.spare, random);
                }
                if (random.nextInt(500) == 0) {
                    disturb(pool, random);
                }
            }
        });
        assertTrue(served.get() > 0);
        assertDrains(pool);
    }

    /** Waits in line without a time limit of its own: if the pool forgets it, the latch tells. */
    private boolean waitInLine(Pool<Line> pool, Checkout<Line> checkout) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        AtomicInteger turns = new AtomicInteger();
        AtomicBoolean served = new AtomicBoolean();
        pool.checkout(checkout, Thread.currentThread().getId(), Long.MAX_VALUE, new Waiter.Turn() {
            @Override
            public void served() {
                served.set(true);
                turns.incrementAndGet();
                ended.countDown();
            }

            @Override
            public void refused(Refusal refusal) {
                turns.incrementAndGet();
                ended.countDown();
            }
        });
        assertTrue(ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "forgotten: " + pool.stats());
        assertEquals(1, turns.get(), "a turn comes once");
        return served.get();
    }

    private static void use(Checkout<Line> checkout, AtomicInteger inHands, int most, Random random) {
        Line line = checkout.value();
        assertTrue(line != null, "a checkout that was served holds something");
        assertEquals(1, line.users.incrementAndGet(), "one connection in two hands");
        int held = inHands.incrementAndGet();
        assertTrue(held <= most, held + " in hands at once");
        assertTrue(!line.closed.get(), "closed in its borrower's hands");
        if (random.nextInt(8) == 0) {
            Thread.onSpinWait();
        }
        inHands.decrementAndGet();
        line.users.decrementAndGet();
        boolean mine =
                random.nextInt(40) == 0 ? checkout.discard(DiscardReason.BAD_CONNECTION) : checkout.returnToPool();
        assertTrue(mine, "nobody else can have returned it");
        assertTrue(checkout.value() == null && !checkout.returnToPool(), "spent");
    }

    private static void disturb(Pool<Line> pool, Random random) {
        switch (random.nextInt(4)) {
            case 0 -> pool.evictAll();
            case 1 -> pool.checkAll();
            case 2 -> pool.evictIdle(2);
            default -> {
                pool.suspend();
                pool.resume();
            }
        }
    }

    private interface Work {
        void run(int number) throws InterruptedException;
    }

    private void run(int count, Work work) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            threads.add(new Thread(() -> {
                try {
                    work.run(number);
                } catch (InterruptedException | RuntimeException | AssertionError e) {
                    wrong.add(e);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(2 * PATIENCE_SECONDS));
            assertTrue(!thread.isAlive(), "a thread never ended");
        }
        for (Throwable e : wrong) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    private void assertDrains(Pool<Line> pool) throws InterruptedException {
        CountDownLatch drained = new CountDownLatch(1);
        pool.close();
        pool.whenDrained(drained::countDown);
        assertTrue(drained.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "something is left: " + pool.stats());
        assertEquals(lines.opened.get(), lines.closed.get(), "closed as many as were opened");
        assertEquals(0, leases.held(), "leases");
    }

    /**
     * One connection, one return, one who comes to wait, at the same moment and nothing else: if neither sees the other,
     * no later return helps, and the wait never ends.
     */
    @Test
    void aReturnAndAWaitAtTheSameMomentFindEachOther() throws InterruptedException {
        lines.reliable = true;
        int rounds = 20_000;
        long enough = time.nanos() + TimeUnit.SECONDS.toNanos(5); // on a busy machine each round takes its time
        Pool<Line> pool = pool(PoolConfig.builder(Supply.reservoir(1), 1));
        AtomicInteger round = new AtomicInteger();
        AtomicReference<Checkout<Line>> held = new AtomicReference<>(new Checkout<>());
        assertTrue(waitInLine(pool, held.get()));
        run(2, number -> {
            Random random = new Random(number);
            for (int i = 0; i < rounds; i++) {
                // The returner waits until the last round has ended, the other until this one has begun.
                while (round.get() < 2 * i + (number == 0 ? 0 : 1)) {
                    if (time.nanos() > enough) {
                        return;
                    }
                    Thread.onSpinWait();
                }
                Checkout<Line> before = held.get();
                if (number == 0) {
                    round.incrementAndGet();
                }
                for (int spin = random.nextInt(100); spin > 0; spin--) {
                    Thread.onSpinWait();
                }
                if (number == 0) {
                    assertTrue(before.returnToPool());
                } else {
                    Checkout<Line> next = new Checkout<>();
                    assertTrue(waitInLine(pool, next));
                    held.set(next);
                    round.incrementAndGet();
                }
            }
        });
        held.get().returnToPool();
        assertDrains(pool);
    }

    @Test
    void closingWhileEveryoneIsBusyLeavesNothingAndNobody() throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            Pool<Line> pool = pool(PoolConfig.builder(Supply.reservoir(4), 4));
            AtomicInteger begun = new AtomicInteger();
            run(THREADS, number -> {
                AtomicInteger inHands = new AtomicInteger();
                Random random = new Random(number);
                for (int i = 0; i < 300 && !pool.isClosed(); i++) {
                    Checkout<Line> checkout = new Checkout<>();
                    if (waitInLine(pool, checkout)) {
                        use(checkout, inHands, 4, random);
                    }
                    if (begun.incrementAndGet() == 600) {
                        pool.close();
                    }
                }
            });
            assertDrains(pool);
        }
    }

    /** The table of slots doubles several times while others claim and publish in it: none may get lost. */
    @Test
    void whileThePoolGrowsNoConnectionGetsLost() throws InterruptedException {
        lines.reliable = true;
        int most = 2_000;
        for (int round = 0; round < 5; round++) {
            Pool<Line> pool = pool(PoolConfig.builder(Supply.reservoir(4), 4).inFlightLimit(1_000));
            AtomicBoolean growing = new AtomicBoolean(true);
            run(THREADS, number -> {
                if (number == 0) {
                    for (int size = 4; size <= most; size = Math.min(size * 2, size == most ? most + 1 : most)) {
                        pool.resize(Supply.reservoir(size), size, 0);
                        awaitOpen(pool, size);
                    }
                    growing.set(false);
                }
                while (growing.get()) {
                    Checkout<Line> checkout = new Checkout<>();
                    if (pool.tryCheckout(checkout, number)) {
                        assertEquals(1, checkout.value().users.incrementAndGet(), "one connection in two hands");
                        checkout.value().users.decrementAndGet();
                        checkout.returnToPool();
                    }
                }
            });
            List<Checkout<Line>> all = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                Checkout<Line> checkout = new Checkout<>();
                assertTrue(pool.tryCheckout(checkout, i % 7), "number " + i + " of " + most + " is lost");
                all.add(checkout);
            }
            all.forEach(Checkout::returnToPool);
            assertDrains(pool);
        }
    }

    private void awaitOpen(Pool<Line> pool, int size) {
        long patience = time.nanos() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (pool.openCount() < size) {
            assertTrue(time.nanos() < patience, "it does not grow: " + pool.stats());
            Thread.onSpinWait();
        }
    }
}
