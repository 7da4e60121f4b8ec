// SPDX-License-Identifier: Apache-2.0
package dev.forebay.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** The machine's clock and its one thread, waited for with latches. */
@Timeout(120)
class SystemTimeTest {

    private static final long PATIENCE_SECONDS = 60;

    private final SystemTime time = new SystemTime();

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertTrue(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void tasksRunInTheOrderOfTheirTimeHoweverTheyWereScheduled() throws InterruptedException {
        List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(3);
        long base = time.nanos() + 50_000_000;
        for (int i : new int[] {3, 1, 2}) {
            time.schedule(base + i * 1_000_000L, () -> {
                ran.add(i);
                done.countDown();
            });
        }
        await(done);
        assertEquals(List.of(1, 2, 3), ran);
    }

    @Test
    void aTaskRunsAtItsTimeAtTheEarliestOnAnotherThread() throws Exception {
        CompletableFuture<Long> ranAt = new CompletableFuture<>();
        CompletableFuture<Thread> ranOn = new CompletableFuture<>();
        long at = time.nanos() + 30_000_000;
        time.schedule(at, () -> {
            ranAt.complete(time.nanos());
            ranOn.complete(Thread.currentThread());
        });
        assertTrue(ranAt.get(PATIENCE_SECONDS, TimeUnit.SECONDS) >= at);
        assertNotSame(Thread.currentThread(), ranOn.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertTrue(ranOn.join().isDaemon(), "it keeps no process alive");
    }

    @Test
    void anEarlierTaskIsNotHeldUpByOneScheduledBefore() throws InterruptedException {
        CountDownLatch early = new CountDownLatch(1);
        Time.Scheduled late = time.schedule(time.nanos() + TimeUnit.HOURS.toNanos(1), () -> {});
        time.schedule(0, early::countDown);
        await(early);
        late.cancel();
    }

    @Test
    void whatIsCancelledDoesNotRun() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        boolean[] ran = {false};
        // The clock is held while the task is due and cancelled, so that it cannot have begun.
        CountDownLatch holding = new CountDownLatch(1);
        time.schedule(0, () -> {
            holding.countDown();
            join(blocked);
        });
        await(holding);
        Time.Scheduled cancelled = time.schedule(0, () -> ran[0] = true);
        cancelled.cancel();
        time.schedule(1, done::countDown);
        blocked.countDown();
        await(done);
        assertFalse(ran[0]);
    }

    @Test
    void whatIsCancelledByATaskThatIsDueWithItDoesNotRun() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch holding = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        boolean[] ran = {false};
        time.schedule(0, () -> {
            holding.countDown();
            join(blocked);
        });
        await(holding);
        Time.Scheduled[] second = {null};
        time.schedule(1, () -> second[0].cancel());
        second[0] = time.schedule(2, () -> ran[0] = true);
        time.schedule(3, done::countDown);
        blocked.countDown();
        await(done);
        assertFalse(ran[0]);
    }

    private static void join(CountDownLatch latch) {
        try {
            await(latch);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aTaskThatThrowsDoesNotStopTheClock() throws InterruptedException {
        CountDownLatch after = new CountDownLatch(1);
        time.schedule(0, () -> {
            throw new IllegalStateException("thrown by a test, to see the clock go on");
        });
        time.schedule(1, after::countDown);
        await(after);
    }

    /** As when memory is short: the task throws, and so does the appender that is to tell of it. */
    @Test
    void aLogThatThrowsDoesNotStopTheClock() throws InterruptedException {
        CountDownLatch after = new CountDownLatch(1);
        Logger root = (Logger) LoggerFactory.getLogger("dev.forebay.time");
        AppenderBase<ILoggingEvent> full = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                throw new OutOfMemoryError("thrown by a test");
            }
        };
        full.start();
        root.addAppender(full);
        try {
            time.schedule(0, () -> {
                throw new IllegalStateException("thrown by a test, to see the clock go on");
            });
            time.schedule(1, after::countDown);
            await(after);
        } finally {
            root.detachAppender(full);
        }
    }

    @Test
    void aClockWhoseThreadHasDiedStartsAgain() throws InterruptedException {
        int[] started = {0};
        SystemTime mortal = new SystemTime(task -> new Thread(started[0]++ == 0 ? () -> {} : task));
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        mortal.schedule(0, first::countDown);
        while (first.getCount() > 0) { // until the first thread is seen to be dead
            mortal.schedule(0, second::countDown);
            Thread.onSpinWait();
        }
        await(second);
        assertEquals(2, started[0]);
    }

    @Test
    void anInterruptDoesNotStopTheClock() throws InterruptedException {
        CountDownLatch after = new CountDownLatch(1);
        time.schedule(0, () -> Thread.currentThread().interrupt());
        time.schedule(time.nanos() + 20_000_000, after::countDown);
        await(after);
    }

    @Test
    void itsThreadEndsWhenNothingIsScheduledAndComesBackWhenSomethingIs() throws Exception {
        Thread first = threadOf(time);
        first.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        assertFalse(first.isAlive());
        assertNotSame(first, threadOf(time));
    }

    @Test
    void whatWasCancelledKeepsNoThread() throws Exception {
        for (int i = 0; i < 100; i++) {
            time.schedule(time.nanos() + TimeUnit.HOURS.toNanos(1), () -> {}).cancel();
        }
        Thread thread = threadOf(time);
        thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        assertFalse(thread.isAlive());
    }

    private static Thread threadOf(SystemTime time) throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        time.schedule(0, () -> thread.complete(Thread.currentThread()));
        return thread.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** A pool moves its alarm each time something happens: what is left of the old ones must not pile up. */
    @Test
    void whatIsCancelledDoesNotPileUpBehindWhatIsNot() {
        Time.Scheduled near = time.schedule(time.nanos() + TimeUnit.MINUTES.toNanos(30), () -> {});
        for (int i = 0; i < 100_000; i++) {
            time.schedule(time.nanos() + TimeUnit.HOURS.toNanos(1), () -> {}).cancel();
        }
        assertTrue(time.remembered() < 1_000, time.remembered() + " are remembered");
        near.cancel();
    }

    @Test
    void theCoarseClockFollowsTheFineOneAndNeverLeadsIt() {
        long stop = time.nanos() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        Time.Scheduled ticking = time.schedule(stop, () -> {});
        long first = time.coarseNanos();
        long coarse = first;
        int moves = 0;
        while (moves < 5) {
            long next = time.coarseNanos();
            long fine = time.nanos();
            assertTrue(next <= fine, "it leads");
            assertTrue(next >= coarse, "it runs backwards");
            assertTrue(fine < stop, "it stands still");
            moves += next > coarse ? 1 : 0;
            coarse = next;
        }
        ticking.cancel();
    }

    @Test
    void withNothingScheduledTheCoarseClockIsTheFineOne() {
        long before = time.nanos();
        assertTrue(time.coarseNanos() >= before);
    }
}
