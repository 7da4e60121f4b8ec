// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Admission;
import dev.forebay.engine.Admission.Grant;
import dev.forebay.engine.Admission.Outcome;
import dev.forebay.engine.Checkout;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.Supply;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What every {@link Admission} has to keep. A subclass says how to make one that grants {@code limit} at once, and what
 * kind of limit it is: one on how many there are at the same time, or one on how many begin within a time.
 */
@Timeout(120)
public abstract class AdmissionContract {

    private static final int LIMIT = 5;
    private static final long PATIENCE_SECONDS = 60;

    /** Longer than an answer takes, shorter than a new permit. */
    private static final Duration ANSWERED = Duration.ofMillis(20);

    /** One that has {@code limit} to grant now. */
    protected abstract Admission admission(Time time, int limit);

    /** Whether what it grants is taken from others until it is released. */
    protected abstract boolean holdsSlots();

    /** How many it grants again in each second without a release; 0 for a limit on how many there are. */
    protected abstract double perSecond();

    /** Whether it may refuse by failing: what keeps it from granting is worth an operator's attention. */
    protected boolean refusesByFailing() {
        return false;
    }

    /** How long a permit may be used after it has become valid. */
    protected double lateSeconds() {
        return 0;
    }

    private final VirtualTime time = new VirtualTime();

    /** One who asked. */
    private class Asker implements Admission.Answer {
        private final AtomicInteger answers = new AtomicInteger();
        private volatile Grant grant;
        private volatile long notBefore;
        private final CountDownLatch answered = new CountDownLatch(1);

        @Override
        public void granted(Grant granted) {
            answers.incrementAndGet();
            grant = granted;
            answered.countDown();
        }

        @Override
        public void notBefore(long nanos) {
            answers.incrementAndGet();
            notBefore = nanos;
            answered.countDown();
        }

        @Override
        public void failed(OpenFailure failure) {
            if (!refusesByFailing()) {
                throw new AssertionError(failure.toString());
            }
            notBefore(Long.MAX_VALUE);
        }

        void end(Outcome outcome) {
            grant.openEnded(outcome);
            grant.release();
        }
    }

    private void end(Asker holder, Outcome outcome) {
        holder.end(outcome);
        time.advance(ANSWERED);
    }

    private Asker ask(Admission admission) {
        Asker asker = new Asker();
        admission.ask(time.nanos(), asker);
        time.advance(ANSWERED);
        assertEquals(1, asker.answers.get(), "one answer");
        return asker;
    }

    private List<Asker> takeAll(Admission admission) {
        List<Asker> askers = new ArrayList<>();
        for (int i = 0; i < LIMIT; i++) {
            Asker asker = new Asker();
            admission.ask(time.nanos(), asker);
            askers.add(asker);
        }
        time.advance(ANSWERED);
        askers.forEach(asker -> assertTrue(asker.grant != null, "within the limit"));
        return askers;
    }

    @Test
    void grantsItsLimitAndAnswersEveryoneOnce() {
        Admission admission = admission(time, LIMIT);
        List<Asker> askers = new ArrayList<>();
        for (int i = 0; i < LIMIT + 3; i++) {
            Asker asker = new Asker();
            admission.ask(time.nanos(), asker);
            askers.add(asker);
        }
        time.advance(ANSWERED);
        time.advance(Duration.ofMinutes(1));
        askers.forEach(asker -> assertEquals(1, asker.answers.get()));
        assertEquals(LIMIT, askers.stream().filter(asker -> asker.grant != null).count());
    }

    @Test
    void aRefusalNamesATimeToComeAndKeepsItsWord() {
        Admission admission = admission(time, LIMIT);
        takeAll(admission);
        Asker refused = ask(admission);
        assertTrue(refused.grant == null && refused.notBefore > time.nanos() - ANSWERED.toNanos());
        if (refused.notBefore < Long.MAX_VALUE) {
            time.advanceTo(refused.notBefore);
            assertTrue(ask(admission).grant != null, "granted at the time that was named");
        }
    }

    @Test
    void aConnectionThatEndsGivesBackASlotButNoPermit() {
        Admission admission = admission(time, LIMIT);
        end(takeAll(admission).get(2), Outcome.OPENED);
        assertEquals(holdsSlots(), ask(admission).grant != null);
        assertTrue(ask(admission).grant == null, "what was given back is had once");
    }

    @Test
    void anOpenThatFailedGivesBackASlotButNoPermit() {
        Admission admission = admission(time, LIMIT);
        end(takeAll(admission).get(2), Outcome.FAILED);
        assertEquals(holdsSlots(), ask(admission).grant != null);
    }

    @Test
    void whatWasNotUsedIsGivenBack() {
        Admission admission = admission(time, LIMIT);
        end(takeAll(admission).get(2), Outcome.NOT_TRIED);
        assertTrue(ask(admission).grant != null);
        assertTrue(ask(admission).grant == null, "what was given back is had once");
    }

    @Test
    void whoeverWasRefusedIsWokenWhenThereIsSomethingToBeHad() {
        Admission admission = admission(time, LIMIT);
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        admission.whenFreed(first::incrementAndGet);
        admission.whenFreed(second::incrementAndGet);
        List<Asker> holders = takeAll(admission);
        assertTrue(ask(admission).grant == null);
        int before = first.get();
        end(holders.get(0), Outcome.NOT_TRIED);
        assertTrue(first.get() > before, "woken");
        assertEquals(first.get(), second.get(), "everyone who shares it is woken");
        assertTrue(ask(admission).grant != null);
    }

    @Test
    void aWakeThatThrowsKeepsNobodyElseAsleep() {
        Admission admission = admission(time, LIMIT);
        AtomicInteger woken = new AtomicInteger();
        admission.whenFreed(() -> {
            throw new AssertionError(NothingFailedUnseen.EXPECTED + ", as a pool's mistake");
        });
        admission.whenFreed(woken::incrementAndGet);
        List<Asker> holders = takeAll(admission);
        assertTrue(ask(admission).grant == null);
        int before = woken.get();
        end(holders.get(0), Outcome.NOT_TRIED);
        assertTrue(woken.get() > before, "woken");
    }

    /** Two pools that open, discard and are closed as it comes, before one admission. */
    @Test
    void twoPoolsThatShareItStayWithinTheLimit() {
        for (long seed = 0; seed < 20; seed++) {
            try {
                new Sharing(seed).run();
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private final class Sharing {
        private final Random random;
        private final VirtualTime time = new VirtualTime();
        private final Admission shared = admission(time, LIMIT);
        private final List<SimServer> servers = new ArrayList<>();
        private final List<Pool<Session>> pools = new ArrayList<>();
        private int connectsChecked;

        Sharing(long seed) {
            random = new Random(seed);
            for (int i = 0; i < 2; i++) {
                SimServer server = new SimServer(time)
                        .connectLatency(() -> Duration.ofMillis(random.nextInt(50)))
                        .behave(() -> random.nextInt(5) == 0 ? SimServer.Behaviour.REFUSE : SimServer.Behaviour.ACCEPT);
                PoolConfig config = PoolConfig.builder(Supply.reservoir(4), 4)
                        .lifetime(Duration.ofSeconds(20), Duration.ofSeconds(5), Duration.ofSeconds(1))
                        .spare(1)
                        .build();
                servers.add(server);
                pools.add(new Pool<>(config, server, List.of(shared), time, random, PoolListener.NONE));
            }
        }

        void run() {
            pools.forEach(Pool::start);
            for (int step = 0; step < 400; step++) {
                Pool<Session> pool = pools.get(random.nextInt(2));
                Checkout<Session> checkout = new Checkout<>();
                if (pool.tryCheckout(checkout, 0)) {
                    if (random.nextBoolean()) {
                        checkout.discard(DiscardReason.EVICTED);
                    } else {
                        checkout.returnToPool();
                    }
                }
                for (int events = random.nextInt(10); events > 0 && time.step(); events--) {
                    verify();
                }
                time.advance(Duration.ofMillis(random.nextInt(100)));
                verify();
            }
            pools.get(0).close();
            servers.get(1).behave(SimServer.Behaviour.ACCEPT);
            time.advance(Duration.ofSeconds(30));
            verify();
            assertEquals(4, pools.get(1).openCount(), "the other has what the first gave up");
            pools.get(1).close();
            time.advance(Duration.ofSeconds(30));
            for (int i = 0; i < LIMIT; i++) {
                Asker asker = new Asker();
                shared.ask(time.nanos(), asker);
                time.advance(ANSWERED);
                assertTrue(asker.grant != null, "in the end all of it is there again");
            }
        }

        private void verify() {
            if (holdsSlots()) {
                int there = 0;
                for (SimServer server : servers) {
                    there += server.open() + server.connecting();
                }
                assertTrue(there <= LIMIT, there + " at once");
            }
            if (perSecond() > 0) {
                verifyRate();
            }
        }

        private void verifyRate() {
            List<Long> connects = new ArrayList<>(servers.get(0).connectsAt());
            connects.addAll(servers.get(1).connectsAt());
            if (connects.size() == connectsChecked) {
                return;
            }
            connectsChecked = connects.size();
            connects.sort(Long::compare);
            for (int from = 0; from < connects.size(); from++) {
                double seconds = (time.nanos() - connects.get(from)) / 1e9;
                int begun = connects.size() - from;
                assertTrue(
                        begun <= LIMIT + perSecond() * (seconds + lateSeconds()) + 1e-6,
                        begun + " within " + seconds + " s");
            }
        }
    }

    /** A pool that takes its time over an answer must not make the others wait for it. */
    @Test
    void anAnswerThatTakesItsTimeHoldsUpNobodyElsesQuestion() throws InterruptedException {
        Admission admission = admission(SystemTime.shared(), LIMIT);
        CountDownLatch inAnswer = new CountDownLatch(1);
        CountDownLatch othersDone = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Asker slow = new Asker() {
            @Override
            public void granted(Grant granted) {
                inAnswer.countDown();
                await(othersDone);
                super.granted(granted);
                ended.countDown();
            }
        };
        new Thread(() -> admission.ask(SystemTime.shared().nanos(), slow)).start();
        await(inAnswer);
        for (int i = 0; i < 3 * LIMIT; i++) {
            admission.ask(SystemTime.shared().nanos(), new Asker());
        }
        othersDone.countDown();
        await(ended);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "it did not come to that");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void manyThreadsStayWithinTheLimitAndGiveEverythingBack() throws InterruptedException {
        Time real = SystemTime.shared();
        long start = real.nanos();
        Admission admission = admission(real, LIMIT);
        AtomicInteger held = new AtomicInteger();
        AtomicInteger mostHeld = new AtomicInteger();
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int number = i;
            threads.add(new Thread(() -> {
                Random random = new Random(number);
                int later = 0;
                for (int n = 0; n < 20_000 && later < 300; n++) {
                    Asker asker = new Asker();
                    admission.ask(real.nanos(), asker);
                    if (asker.answers.get() == 0) {
                        later++;
                        await(asker.answered);
                    }
                    if (asker.grant != null) {
                        granted.incrementAndGet();
                        mostHeld.accumulateAndGet(held.incrementAndGet(), Math::max);
                        boolean unused = random.nextInt(3) == 0;
                        if (unused) {
                            granted.decrementAndGet();
                        }
                        held.decrementAndGet();
                        asker.end(unused ? Outcome.NOT_TRIED : Outcome.OPENED);
                    }
                    if (asker.answers.get() != 1) {
                        wrong.incrementAndGet();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            assertTrue(!thread.isAlive(), "a thread waits for ever");
        }
        assertEquals(0, wrong.get(), "answered other than once");
        if (holdsSlots()) {
            assertTrue(mostHeld.get() <= LIMIT, mostHeld.get() + " held at once");
            takeAllAgain(admission, real);
        } else {
            double seconds = (real.nanos() - start) / 1e9;
            assertTrue(granted.get() <= LIMIT + perSecond() * seconds, granted.get() + " in " + seconds + " s");
        }
    }

    /** What was released last may still be on its way. */
    private void takeAllAgain(Admission admission, Time real) {
        long patience = real.nanos() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        int taken = 0;
        while (taken < LIMIT) {
            assertTrue(real.nanos() < patience, "only " + taken + " are there again");
            Asker asker = new Asker();
            admission.ask(real.nanos(), asker);
            await(asker.answered);
            taken += asker.grant != null ? 1 : 0;
        }
        Asker oneMore = new Asker();
        admission.ask(real.nanos(), oneMore);
        await(oneMore.answered);
        assertTrue(oneMore.grant == null, "more is there than there was");
    }
}
