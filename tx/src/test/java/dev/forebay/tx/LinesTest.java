// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.SimDatabase;
import dev.forebay.testkit.Turns;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lanes and queues: who runs, who waits, and how a wait ends. */
class LinesTest {

    /** A lane that is never handed over must fail a test, not hang it. */
    private static final long PATIENCE_SECONDS = 60;

    private final Turns turns = new Turns(11);
    private final SimDatabase database = new SimDatabase(turns, SimDatabase.Mode.DSQL)
            .table("accounts", "id", "balance")
            .row("accounts", 1, 100);
    private final Lines lines = new Lines();
    private final Transactions tx = Transactions.builder(database.dataSource(8))
            .time(turns.time())
            .random(new Random(7))
            .lines(lines)
            .pause((at, cancellation) -> turns.await("pauses", cancellation::isCancelled, at))
            .build();
    private final List<String> done = new ArrayList<>();

    @AfterEach
    void noLineIsLeftAndEveryConnectionWasGivenBack() {
        assertEquals(0, lines.size());
        assertEquals(List.of(), database.complaints());
    }

    /** Begins {@code call} at {@code millis}. */
    private Turns.Actor at(int millis, String name, Turns.Body call) {
        return turns.actor(name, () -> {
            turns.delayUntil(Duration.ofMillis(millis).toNanos());
            call.run();
        });
    }

    /** Keeps the lane of {@code key} from 0 to {@code millis}. */
    private void hold(String key, int millis) {
        at(0, "holder", () -> tx.lane(key).run("hold", c -> turns.delayUntil(millis * 1_000_000L)));
    }

    private GivenUpException stopped(Transactions in) {
        return assertThrows(GivenUpException.class, () -> in.run("add", c -> done.add("ran")));
    }

    private long millis() {
        return Duration.ofNanos(turns.time().nanos()).toMillis();
    }

    // ---- lanes

    @Test
    void transactionsInALaneRunInTheOrderInWhichTheyCame() {
        hold("a", 100);
        for (int i = 1; i <= 6; i++) {
            String name = "w" + i;
            at(
                    10 * i,
                    name,
                    () -> tx.lane("a").run("add", c -> {
                        done.add(name + " at " + millis());
                        turns.delayUntil(turns.time().nanos() + 5_000_000);
                    }));
        }
        turns.run();
        assertEquals(List.of("w1 at 100", "w2 at 105", "w3 at 110", "w4 at 115", "w5 at 120", "w6 at 125"), done);
    }

    @Test
    void anotherKeyAndNoKeyWaitForNobody() {
        hold("a", 100);
        at(1, "other", () -> tx.lane("b").run("add", c -> done.add("other at " + millis())));
        at(2, "none", () -> tx.run("add", c -> done.add("none at " + millis())));
        turns.run();
        assertEquals(List.of("other at 1", "none at 2"), done);
    }

    @Test
    void aConflictKeepsTheLane() {
        at(
                0,
                "loser",
                () -> tx.lane("a").run("lose", c -> {
                    done.add("attempt " + c.attempt());
                    turns.delayUntil(turns.time().nanos() + 1_000_000);
                    if (c.attempt() < 4) {
                        throw OneAccount.conflict();
                    }
                }));
        at(1, "next", () -> tx.lane("a").run("add", c -> done.add("next")));
        turns.run();
        assertEquals(List.of("attempt 1", "attempt 2", "attempt 3", "attempt 4", "next"), done);
    }

    @Test
    void aWaitForALaneHoldsNoConnection() {
        Transactions one = Transactions.builder(database.dataSource(1))
                .time(turns.time())
                .lines(lines)
                .pause((at, cancellation) -> turns.await("pauses", cancellation::isCancelled, at))
                .build();
        Transactions elsewhere =
                Transactions.builder(database.dataSource(1)).time(turns.time()).build();
        at(
                0,
                "holder",
                () -> elsewhere.retry("hold", () -> {
                    Lines.Place place = lines.lane("a");
                    turns.delayUntil(100_000_000);
                    place.leave(true);
                    return done.add("left");
                }));
        at(1, "waiter", () -> one.lane("a").run("add", c -> done.add("waiter")));
        at(2, "other", () -> one.run("add", c -> done.add("other")));
        turns.run();
        assertEquals(List.of("other", "left", "waiter"), done);
    }

    @Test
    void aWaitCountsAgainstTheDeadline() {
        hold("a", 100);
        at(10, "late", () -> {
            GivenUpException e = stopped(tx.lane("a").within(Duration.ofMillis(50)));
            assertEquals(GivenUpException.Reason.DEADLINE, e.reason());
            assertEquals(List.of(), e.attempts());
            assertEquals(60, millis());
        });
        at(20, "next", () -> tx.lane("a").run("add", c -> done.add("next at " + millis())));
        turns.run();
        assertEquals(List.of("next at 100"), done);
    }

    @Test
    void aCancelledWaitEndsAtOnce() {
        Cancellation cancellation = new Cancellation();
        hold("a", 100);
        at(10, "cancelled", () -> {
            assertEquals(
                    GivenUpException.Reason.CANCELLED,
                    stopped(tx.lane("a").cancelledBy(cancellation)).reason());
            assertEquals(30, millis());
        });
        at(20, "next", () -> tx.lane("a").run("add", c -> done.add("next at " + millis())));
        at(30, "canceller", cancellation::cancel);
        turns.run();
        assertEquals(List.of("next at 100"), done);
    }

    @Test
    void anInterruptedWaitEndsAtOnceAndTheThreadStaysInterrupted() {
        hold("a", 100);
        Turns.Actor waiter = at(10, "interrupted", () -> {
            assertEquals(
                    GivenUpException.Reason.INTERRUPTED, stopped(tx.lane("a")).reason());
            assertEquals(30, millis());
            assertTrue(Thread.interrupted());
        });
        at(20, "next", () -> tx.lane("a").run("add", c -> done.add("next at " + millis())));
        at(30, "interrupter", () -> turns.interrupt(waiter));
        turns.run();
        assertEquals(List.of("next at 100"), done);
    }

    @Test
    void aFailureLeavesTheLane() throws SQLException {
        assertThrows(
                IllegalStateException.class,
                () -> tx.lane("a").run("fail", c -> {
                    throw new IllegalStateException("body");
                }));
        assertThrows(
                StackOverflowError.class,
                () -> tx.lane("a").run("fail", c -> {
                    throw new StackOverflowError();
                }));
        tx.lane("a").run("add", c -> done.add("next"));
        assertEquals(List.of("next"), done);
    }

    @Test
    void anActionAfterTheCommitMayUseTheSameLane() throws SQLException {
        tx.lane("a")
                .run(
                        "first",
                        c -> c.afterCommit(() -> {
                            try {
                                tx.lane("a").run("second", d -> done.add("second"));
                            } catch (SQLException e) {
                                throw new IllegalStateException(e);
                            }
                        }));
        assertEquals(List.of("second"), done);
    }

    @Test
    void aLaneInsideABodyIsRefusedOrJoinsWithoutALane() throws SQLException {
        assertThrows(
                IllegalStateException.class,
                () -> tx.lane("a").run("outer", c -> tx.lane("b").run("inner", d -> done.add("refused"))));
        tx.lane("a")
                .run(
                        "outer",
                        c -> tx.lane("a").joining().run("inner", d -> {
                            assertEquals(1, lines.size());
                            done.add("joined");
                        }));
        assertEquals(List.of("joined"), done);
    }

    @Test
    void aLaneInsideWorkThatHasALaneIsRefused() {
        IllegalStateException e = assertThrows(
                IllegalStateException.class,
                () -> tx.lane("a").<Boolean, SQLException>retry("outer", () -> {
                    tx.lane("a").run("inner", d -> done.add("refused"));
                    return true;
                }));
        assertTrue(e.getMessage().contains("is in a lane"), e.getMessage());
        assertEquals(List.of(), done);
    }

    // ---- queues

    /** Takes a place on a thread of its own, since a thread has one at most. */
    private static Lines.Place elsewhere(Callable<Lines.Place> take) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            return thread.submit(take).get();
        } finally {
            thread.shutdown();
        }
    }

    @Test
    void aQueueNarrowsWithConflictsAndWidensWithCommits() throws Exception {
        List<Lines.Place> places = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            places.add(elsewhere(() -> lines.queue("add")));
            assertTrue(places.get(i).isAdmitted(), "a new queue is wide");
        }
        Lines.Place newcomer = elsewhere(() -> lines.queue("add"));
        assertFalse(newcomer.isAdmitted());
        for (int i = 15; i > 0; i--) { // each conflict narrows it by two, and the loser waits
            assertFalse(places.get(i).conflicted(), "others were in its way");
            assertFalse(places.get(i).isAdmitted());
        }
        assertTrue(places.get(0).isAdmitted());
        assertTrue(places.get(0).conflicted(), "nobody else was admitted");
        assertTrue(places.get(0).isAdmitted(), "the first to come is the first again");
        places.get(0).leave(true);
        assertTrue(places.get(1).isAdmitted() && places.get(2).isAdmitted(), "two wide after a commit");
        assertFalse(places.get(3).isAdmitted() || newcomer.isAdmitted());
        places.get(5).leave(false);
        assertFalse(places.get(3).isAdmitted(), "one that waited made no room");
        places.get(1).leave(false);
        assertTrue(places.get(3).isAdmitted());
        assertFalse(places.get(4).isAdmitted());
        for (int i = 2; i < 16; i++) {
            if (i != 5) {
                places.get(i).leave(true);
            }
        }
        assertTrue(newcomer.isAdmitted());
        newcomer.leave(true);
    }

    @Test
    void newcomersQueueOnlyBehindOthersWhoWait() throws Exception {
        assertNull(lines.queueBehindOthers("add"));
        Lines.Place first = elsewhere(() -> lines.queue("add"));
        assertNull(lines.queueBehindOthers("add"), "nobody waits");
        for (int i = 0; i < 8; i++) {
            first.conflicted();
        }
        Lines.Place second = elsewhere(() -> lines.queue("add"));
        Lines.Place third = lines.queueBehindOthers("add");
        assertFalse(second.isAdmitted() || third.isAdmitted());
        assertNull(lines.queueBehindOthers("other"), "another name");
        assertNull(lines.queue("other"), "a thread has one place");
        first.leave(false);
        second.leave(false);
        third.leave(false);
    }

    @Test
    void aHotRowIsSharedInTurnsWithoutGivingUp() {
        Transactions fair = tx.policy(TxRetryPolicy.FAIR);
        AtomicInteger attempts = new AtomicInteger();
        int threads = 8;
        int each = 25;
        for (int i = 0; i < threads; i++) {
            at(i, "adder " + i, () -> {
                for (int n = 0; n < each; n++) {
                    fair.run("add", c -> {
                        attempts.incrementAndGet();
                        OneAccount.add(c, 1);
                        turns.delayUntil(turns.time().nanos() + 10_000_000);
                    });
                }
            });
        }
        turns.run();
        assertEquals(100 + threads * each, database.number("accounts", 1, "balance"));
        assertTrue(attempts.get() < 2 * threads * each, () -> attempts + " attempts: the queue has learned nothing");
    }

    @Test
    void aFairTransactionRetriesUntilItsTimeIsOver() {
        AtomicInteger attempts = new AtomicInteger();
        GivenUpException e = assertThrows(
                GivenUpException.class,
                () -> tx.policy(TxRetryPolicy.FAIR)
                        .within(Duration.ofSeconds(60))
                        .run("add", c -> {
                            attempts.incrementAndGet();
                            turns.time().advance(Duration.ofMillis(1));
                            throw OneAccount.conflict();
                        }));
        assertEquals(GivenUpException.Reason.DEADLINE, e.reason());
        assertTrue(attempts.get() > 2_000, attempts::toString);
        assertEquals(1_000, e.attempts().size(), "the last thousand");
        assertTrue(e.getMessage().contains(" after " + attempts + " attempts "), e.getMessage());
        assertEquals(
                GivenUpException.Reason.RETRIES_EXHAUSTED,
                assertThrows(
                                GivenUpException.class,
                                () -> tx.policy(TxRetryPolicy.FAIR).run("add", c -> {
                                    throw OneAccount.conflict();
                                }))
                        .reason());
    }

    /** Bodies that wait for each other through queues go on, because nobody waits in one for ever. */
    @Test
    void aQueueHoldsNobodyForEver() {
        Transactions fair = tx.policy(TxRetryPolicy.FAIR);
        at(0, "first", () -> {
            Lines.Place place = lines.queue("add");
            for (int i = 0; i < 8; i++) {
                place.conflicted();
            }
            turns.delayUntil(Duration.ofMinutes(1).toNanos());
            place.leave(false);
        });
        at(1, "waits", () -> {
            Lines.Place place = lines.queue("add");
            turns.delayUntil(Duration.ofMinutes(1).toNanos());
            place.leave(false);
        });
        at(2, "goes on", () -> fair.run("add", c -> done.add("at " + millis())));
        turns.run();
        assertEquals(List.of("at 5002"), done);
    }

    // ---- threads

    @Test
    void oneThreadAtATimeIsInALaneAndNoLaneIsLeft() throws Exception {
        int threads = 8;
        int keys = 3;
        int each = 2_000;
        int[] counts = new int[keys]; // plain: two at a time would lose an update, or be seen
        AtomicInteger[] inside = new AtomicInteger[keys];
        for (int k = 0; k < keys; k++) {
            inside[k] = new AtomicInteger();
        }
        Transactions real =
                Transactions.builder(new OneConnection(null)).lines(lines).build();
        CyclicBarrier together = new CyclicBarrier(threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<Integer>> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Random random = new Random(t);
            all.add(pool.submit(() -> {
                together.await();
                int stoppedCount = 0;
                for (int n = 0; n < each; n++) {
                    int key = random.nextInt(keys);
                    Transactions mine = real.lane("key " + key);
                    if (random.nextInt(4) == 0) {
                        mine = mine.within(Duration.ofNanos(1 + random.nextInt(200_000)));
                    }
                    try {
                        mine.<Integer, SQLException>retry("count", () -> {
                            assertEquals(1, inside[key].incrementAndGet(), "alone in the lane");
                            int seen = counts[key];
                            Thread.yield();
                            counts[key] = seen + 1;
                            return inside[key].decrementAndGet();
                        });
                    } catch (GivenUpException e) {
                        stoppedCount++;
                    }
                }
                return stoppedCount;
            }));
        }
        int stoppedCount = 0;
        for (Future<Integer> one : all) {
            stoppedCount += one.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        pool.shutdown();
        assertEquals(threads * each - stoppedCount, counts[0] + counts[1] + counts[2]);
    }

    @Test
    void aMillionKeysLeaveNothing() throws SQLException {
        Transactions real =
                Transactions.builder(new OneConnection(null)).lines(lines).build();
        for (int i = 0; i < 1_000_000; i++) {
            real.lane("key " + i).<Integer, SQLException>retry("count", () -> 1);
        }
        assertEquals(0, lines.size());
    }

    @Test
    void aWaitOnRealThreadsEndsWithTheTurnAndWithAnInterrupt() throws Exception {
        Transactions real =
                Transactions.builder(new OneConnection(null)).lines(lines).build();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        ExecutorService pool = Executors.newFixedThreadPool(3);
        Future<?> holder = pool.submit(() -> real.lane("a").<Boolean, Exception>retry("hold", () -> {
            held.countDown();
            release.await();
            return true;
        }));
        held.await();
        Future<Boolean> next = pool.submit(() -> real.lane("a").<Boolean, SQLException>retry("next", () -> true));
        Thread[] waiting = new Thread[1];
        CountDownLatch begun = new CountDownLatch(1);
        Future<?> interrupted = pool.submit(() -> {
            waiting[0] = Thread.currentThread();
            begun.countDown();
            return real.lane("a").<Boolean, SQLException>retry("interrupted", () -> true);
        });
        begun.await();
        waiting[0].interrupt();
        Exception e = assertThrows(ExecutionException.class, () -> interrupted.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertInstanceOf(GivenUpException.class, e.getCause());
        assertFalse(next.isDone());
        release.countDown();
        assertTrue(next.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        holder.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        pool.shutdown();
    }
}
