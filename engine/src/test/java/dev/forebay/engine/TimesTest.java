// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Metric.Distribution;
import dev.forebay.engine.PoolStats.Times;
import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The times of checkouts and uses: counts are exact, sums are right, and no number ever falls. */
@Timeout(180)
class TimesTest {

    private static final int THREADS = 32;

    private static final PoolListener TIMED = new PoolListener() {
        @Override
        public boolean wantsTimes() {
            return true;
        }
    };

    private static final Connector<Object> AT_ONCE = new Connector<>() {
        @Override
        public void open(Opening<Object> opening) {
            opening.opened(new Object());
        }

        @Override
        public void check(Object value, Checking checking) {
            checking.checked(true);
        }

        @Override
        public void close(Object value, DiscardReason reason, Runnable done) {
            done.run();
        }
    };

    /** A pool in real time that has filled. */
    private static Pool<Object> filled(int size) {
        Pool<Object> pool =
                new Pool<>(Pools.ageless(size).build(), AT_ONCE, List.of(), SystemTime.shared(), new Random(1), TIMED);
        pool.start();
        while (pool.openCount() < size) {
            Thread.onSpinWait();
        }
        return pool;
    }

    /** Threads that outnumber the connections, so that some checkouts wait, and some are tried again. */
    @Test
    void aMillionCheckoutsFromManyThreadsAreAllCounted() throws InterruptedException {
        int each = 1_000_000 / THREADS;
        Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
        try (Pool<Object> pool = filled(THREADS - 4)) {
            CountDownLatch done = new CountDownLatch(THREADS);
            for (int number = 0; number < THREADS; number++) {
                new Thread(() -> {
                            try {
                                for (int i = 0; i < each; i++) {
                                    takeAndReturn(pool);
                                }
                            } catch (Throwable e) {
                                wrong.add(e);
                            } finally {
                                done.countDown();
                            }
                        })
                        .start();
            }
            Times before = Times.NONE;
            while (done.getCount() > 0) {
                Times now = pool.stats().times();
                assertGrown(before, now);
                before = now;
            }
            assertEquals(List.of(), List.copyOf(wrong));
            PoolStats last = pool.stats();
            assertEquals(THREADS * each, last.checkouts());
            assertEquals(THREADS * each, last.times().checkouts().count());
            assertEquals(THREADS * each, last.times().uses());
            assertGrown(before, last.times());
        }
    }

    private static void takeAndReturn(Pool<Object> pool) throws InterruptedException {
        Checkout<Object> checkout = new Checkout<>();
        long thread = Thread.currentThread().getId();
        if (!pool.claim(checkout, thread)) {
            long since = SystemTime.shared().nanos();
            Thread.yield();
            if (!pool.claim(checkout, thread, since)) {
                CountDownLatch turn = new CountDownLatch(1);
                pool.checkout(checkout, thread, since, Long.MAX_VALUE, new Waiter.Turn() {
                    @Override
                    public void served() {
                        turn.countDown();
                    }

                    @Override
                    public void refused(Refusal refusal) {
                        throw new AssertionError(refusal);
                    }
                });
                turn.await();
            }
        }
        assertTrue(checkout.returnToPool());
    }

    private static void assertGrown(Times before, Times now) {
        assertTrue(now.uses() >= before.uses(), "uses fell");
        assertTrue(now.usedNanos() >= before.usedNanos(), "the time of uses fell");
        Distribution added = now.checkouts().minus(before.checkouts());
        for (int i = 0; i <= Distribution.times().length; i++) {
            assertTrue(added.count(i) >= 0, "a bucket fell");
        }
        assertTrue(added.sum() >= 0, "the time of checkouts fell");
    }

    /** The truth is between the time from the end of getting to the begin of giving back, and that around both. */
    @ParameterizedTest
    @CsvSource({"5000, 20_000, 1", "1_000_000, 300, 1", "1_000_000_000, 1, 8"})
    void theSumOfUsesIsRight(String holdNanos, String rounds, int connections) {
        long hold = Long.parseLong(holdNanos.replace("_", ""));
        SystemTime time = SystemTime.shared();
        long least = 0;
        long most = 0;
        try (Pool<Object> pool = filled(connections)) {
            for (int i = 0; i < Integer.parseInt(rounds.replace("_", "")); i++) {
                List<Checkout<Object>> taken = new ArrayList<>();
                long asked = time.nanos();
                for (int c = 0; c < connections; c++) {
                    Checkout<Object> checkout = new Checkout<>();
                    assertTrue(pool.claim(checkout, c));
                    taken.add(checkout);
                }
                long got = time.nanos();
                while (time.nanos() - got < hold) {
                    Thread.onSpinWait();
                }
                long kept = time.nanos();
                taken.forEach(Checkout::returnToPool);
                least += (kept - got) * connections;
                most += (time.nanos() - asked) * connections;
            }
            double sum = pool.stats().times().usedNanos();
            assertTrue(sum >= least * 0.98 && sum <= most * 1.02, sum + " is not " + least + " to " + most);
        }
    }

    /** Uses too short to be timed each, of two lengths by turns: a sample that follows their rhythm would see one of them only. */
    @ParameterizedTest
    @CsvSource({"200, 200", "100, 3000", "50, 1050"})
    void theSumOfShortUsesIsRightWhateverTheirRhythm(long oneNanos, long otherNanos) {
        Rig rig = Rig.of(Pools.ageless(1).build(), TIMED).filled();
        int pairs = 100_000;
        for (int i = 0; i < pairs; i++) {
            use(rig, oneNanos);
            use(rig, otherNanos);
        }
        double truth = (double) pairs * (oneNanos + otherNanos);
        assertEquals(truth, rig.stats().times().usedNanos(), truth * 0.02);
    }

    /** One long use among many short ones is most of the time, and must not depend on luck. */
    @Test
    void aLongUseAmongShortOnesCountsOnce() {
        Rig rig = Rig.of(Pools.ageless(1).build(), TIMED).filled();
        for (int i = 0; i < 10_000; i++) {
            use(rig, i % 100 == 50 ? 1_000_000_000 : 100);
        }
        double truth = 100 * 1e9 + 9_900 * 100;
        assertEquals(truth, rig.stats().times().usedNanos(), truth * 0.02);
        assertEquals(1e9, rig.stats().times().longestUseNanos(), 1e7, "off the coarse clock");
    }

    private static void use(Rig rig, long nanos) {
        Checkout<Session> checkout = new Checkout<>();
        assertTrue(rig.pool.claim(checkout, 0));
        rig.advance(Duration.ofNanos(nanos));
        assertTrue(checkout.returnToPool());
    }

    @Test
    void aCheckoutThatWaitsIsTimedFromTheMomentItWasAskedFor() {
        Rig rig = Rig.of(Pools.ageless(1).build(), TIMED).filled();
        Checkout<Session> first = rig.take();
        Rig.Queued waiting = rig.queue(Duration.ofMinutes(1));
        rig.advance(Duration.ofMillis(700));
        first.returnToPool();
        assertTrue(waiting.served);
        Distribution times = rig.stats().times().checkouts();
        assertEquals(2, times.count());
        assertEquals(700_000_000, times.sum());
        assertEquals(700_000_000, times.max());
        assertEquals(1, times.countUpTo(630_000_000));
        assertEquals(2, times.countUpTo(800_000_000));
    }

    /** A connection that is found to be too old at checkout was not used. */
    @Test
    void aConnectionThatWasNotHandedOutWasNotUsed() {
        Rig rig = Rig.of(Pools.reservoir(1).spare(0).build(), TIMED).filled();
        AtomicBoolean got = new AtomicBoolean(rig.pool.tryCheckout(new Checkout<>(), 0));
        assertTrue(got.get());
        rig.pool.evictAll();
        rig.returnAll();
        PoolStats stats = rig.stats();
        assertEquals(stats.checkouts(), stats.times().checkouts().count());
        assertEquals(stats.checkouts() - stats.borrowed(), stats.times().uses());
    }

    @Test
    void theLongestIsForgottenAfterAWhile() {
        Rig rig = Rig.of(Pools.ageless(1).build(), TIMED).filled();
        use(rig, 5_000_000_000L);
        assertEquals(5_000_000_000L, rig.stats().times().longestUseNanos());
        rig.advance(Duration.ofMinutes(2));
        use(rig, 10_000);
        assertEquals(10_000, rig.stats().times().longestUseNanos());
    }

    @Test
    void nothingIsTimedUnlessSomebodyWantsIt() {
        Rig rig = Rig.of(Pools.ageless(1).build()).filled();
        use(rig, 1_000_000);
        assertEquals(Times.NONE, rig.stats().times());
    }
}
