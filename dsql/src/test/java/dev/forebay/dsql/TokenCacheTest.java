// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Admission;
import dev.forebay.engine.OpenFailure;
import dev.forebay.time.SystemTime;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TokenCacheTest {

    private static final Instant START = Instant.parse("2026-11-16T12:00:00Z");
    private static final Duration LIFE = Duration.ofMinutes(15);

    private final VirtualTime time = new VirtualTime();
    private Duration clockIsOffBy = Duration.ZERO;
    private final InstantSource clock = () -> START.plusNanos(time.nanos()).plus(clockIsOffBy);
    private final Deque<Runnable> work = new ArrayDeque<>();
    private int made;
    private final List<Long> calls = new ArrayList<>();
    private Exception trouble;
    private Duration life = LIFE;

    private final TokenCache cache = new TokenCache(this::make, Runnable::run, time, clock, new Random(1));
    private final TokenCache later = new TokenCache(this::make, work::add, time, clock, new Random(1));

    private Token make() throws Exception {
        calls.add(time.nanos());
        if (trouble != null) {
            throw trouble;
        }
        return new Token("token " + ++made, clock.instant().plus(life));
    }

    private static final class Asker implements Admission.Answer {
        private String answer = "none";
        private Admission.Grant granted;
        private OpenFailure failure;
        private long notBefore;

        @Override
        public void granted(Admission.Grant grant) {
            assertEquals("none", answer);
            answer = "granted";
            granted = grant;
        }

        @Override
        public void notBefore(long nanos) {
            assertEquals("none", answer);
            answer = "not before";
            notBefore = nanos;
        }

        @Override
        public void failed(OpenFailure why) {
            assertEquals("none", answer);
            answer = "failed";
            failure = why;
        }
    }

    private Asker ask(TokenCache asked) {
        Asker asker = new Asker();
        asked.ask(time.nanos(), asker);
        return asker;
    }

    private void runWork() {
        while (!work.isEmpty()) {
            work.poll().run();
        }
    }

    // ---- a token at hand

    @Test
    void theFirstToAskCausesATokenThatAllOthersShare() throws Exception {
        assertEquals("token 1", cache.password());
        time.advance(Duration.ofMinutes(11));
        assertEquals("token 1", cache.password());
        assertEquals("granted", ask(cache).answer);
        assertEquals(1, made);
    }

    @Test
    void isReplacedInTheBackgroundAfterFourFifthsOfItsLife() throws Exception {
        cache.password();
        time.advanceTo(Duration.ofMinutes(12).toNanos() - 1);
        assertEquals(1, made);
        time.advanceTo(Duration.ofMinutes(12).toNanos());
        assertEquals(2, made, "without anybody asking");
        assertEquals("token 2", cache.password());
        time.advance(Duration.ofHours(24));
        assertEquals(122, made);
    }

    @Test
    void neverHandsOutOneWithLessThanAMinuteLeft() throws Exception {
        cache.password();
        trouble = new IllegalStateException("no credentials");
        time.advanceTo(Duration.ofMinutes(14).toNanos() - 1);
        assertEquals("token 1", cache.password());
        time.advanceTo(Duration.ofMinutes(14).toNanos() + 1);
        assertThrows(TokenException.class, cache::password);
        assertNotEquals("granted", ask(cache).answer);
    }

    @Test
    void aTokenThatArrivesWithLessThanAMinuteLeftIsAFailure() {
        life = Duration.ofSeconds(59);
        TokenException refused = assertThrows(TokenException.class, cache::password);
        assertTrue(refused.getMessage().contains("clock"), refused.getMessage());
        assertEquals(1, cache.failures());
    }

    @Test
    void aTokenThatSoonEndsIsReplacedWhileItIsGoodAndNotInATightLoop() throws Exception {
        life = Duration.ofSeconds(90);
        cache.password();
        time.advance(Duration.ofSeconds(30));
        assertEquals(2, made);
        life = TokenCache.LEAST_LEFT;
        time.advance(Duration.ofSeconds(30));
        int before = made;
        time.advance(Duration.ofSeconds(10));
        assertTrue(made - before <= 10, made - before + " in ten seconds");
    }

    @Test
    void aWallClockThatIsSetForwardEndsATokenAtOnce() throws Exception {
        cache.password();
        clockIsOffBy = Duration.ofMinutes(14).plusSeconds(1);
        assertEquals("token 2", cache.password());
    }

    @Test
    void aWallClockThatIsSetBackDoesNotProlongATokensLife() throws Exception {
        cache.password();
        trouble = new IllegalStateException("no credentials");
        clockIsOffBy = Duration.ofHours(-1);
        time.advance(Duration.ofMinutes(14).plusSeconds(1));
        assertThrows(TokenException.class, cache::password);
    }

    // ---- failures

    @Test
    void anOldTokenIsServedWhileTheProviderFailsAndItRecoversByItself() throws Exception {
        cache.password();
        trouble = new IllegalStateException("no credentials");
        time.advance(Duration.ofMinutes(13));
        assertEquals("token 1", cache.password());
        assertTrue(cache.failures() > 1);
        trouble = null;
        time.advance(Duration.ofSeconds(50));
        assertEquals("token 2", cache.password());
    }

    @Test
    void failuresAreBackedOffExponentiallyWithJitterWhoeverAsks() {
        trouble = new IllegalStateException("no credentials");
        for (int tenths = 0; tenths < 6000; tenths++) {
            assertThrows(TokenException.class, cache::password);
            ask(cache);
            time.advance(Duration.ofMillis(100));
        }
        List<Long> waits = new ArrayList<>();
        for (int i = 1; i < calls.size(); i++) {
            waits.add(calls.get(i) - calls.get(i - 1));
        }
        for (int i = 0; i < waits.size(); i++) {
            double nominal = Math.min(30e9, 250e6 * Math.pow(2, i));
            assertTrue(waits.get(i) >= nominal / 2 && waits.get(i) <= nominal * 1.5 + 1e8, i + ": " + waits.get(i));
        }
        assertTrue(calls.size() < 40, calls.size() + " calls in ten minutes");
        assertEquals(calls.size(), cache.failures());
        assertTrue(Set.copyOf(waits.subList(8, waits.size())).size() > 1, "no jitter");
    }

    @Test
    void theErrorSaysWhatIsWrongAndWhenItIsTriedAgain() {
        trouble = new IllegalStateException("no credentials in the environment");
        TokenException first = assertThrows(TokenException.class, cache::password);
        assertTrue(first.getMessage().contains("no credentials in the environment"), first.getMessage());
        TokenException second = assertThrows(TokenException.class, cache::password);
        assertTrue(second.getMessage().matches(".*no credentials.*tried again in \\d+ ms"), second.getMessage());
    }

    @Test
    void aProviderThatHangsIsAskedAgainWithABound() throws Exception {
        Asker first = ask(later);
        assertEquals(1, work.size());
        time.advance(TokenCache.PATIENCE);
        assertEquals("failed", first.answer);
        time.advance(Duration.ofMinutes(5));
        assertEquals(TokenCache.MOST_HANGING, work.size(), "no more than may hang at once");
        Asker second = ask(later);
        assertTrue(later.failures() > 1, "each time that patience ends is a failure");
        runWork();
        assertEquals("granted", second.answer, "a token that comes late is taken");
        assertEquals("token " + TokenCache.MOST_HANGING, later.password());
    }

    @Test
    void aProviderThatHungOnceIsAskedAgainAndAnswers() throws Exception {
        ask(later);
        Runnable hanging = work.remove();
        time.advance(TokenCache.PATIENCE.plusSeconds(1));
        Asker second = ask(later);
        runWork();
        assertEquals("granted", second.answer, "although the first call has not ended");
        assertEquals("token 1", later.password());
        hanging.run();
        assertEquals("token 2", later.password());
    }

    @Test
    void aCallThatHangsIsInterruptedAndNothingElseIs() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CompletableFuture<Boolean> interruptedLater = new CompletableFuture<>();
        TokenProvider hangs = () -> {
            called.countDown();
            new CountDownLatch(1).await();
            throw new AssertionError("it ended without an interrupt");
        };
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            TokenCache hanging = new TokenCache(hangs, executor, time, clock, new Random(1));
            Asker asker = ask(hanging);
            called.await();
            time.advance(TokenCache.PATIENCE);
            assertEquals("failed", asker.answer);
            hanging.close();
            executor.execute(() -> interruptedLater.complete(Thread.interrupted()));
            assertFalse(interruptedLater.get(60, TimeUnit.SECONDS), "the thread's next task was interrupted");
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void anErrorOfTheProviderIsToldToThoseWhoWait() {
        TokenCache broken = new TokenCache(
                () -> {
                    throw new NoClassDefFoundError("thrown by a test");
                },
                Runnable::run,
                time,
                clock,
                new Random(1));
        assertEquals("failed", ask(broken).answer);
    }

    @Test
    void anExecutorThatTakesNoWorkIsAFailureLikeAnother() {
        TokenCache refused = new TokenCache(
                this::make,
                task -> {
                    throw new RejectedExecutionException("full");
                },
                time,
                clock,
                new Random(1));
        assertThrows(TokenException.class, refused::password);
        assertEquals(1, refused.failures());
    }

    // ---- as an admission

    @Test
    void anOpenIsAdmittedWhenTheTokenArrives() {
        Asker first = ask(later);
        Asker second = ask(later);
        assertEquals("none", first.answer);
        runWork();
        assertEquals("granted", first.answer);
        assertEquals("granted", second.answer);
        assertEquals(1, calls.size());
    }

    @Test
    void anOpenFailsForTheTokenProviderAndTheNextWaitsUntilItIsTriedAgain() {
        trouble = new IllegalStateException("no credentials");
        Asker asker = ask(cache);
        assertEquals("failed", asker.answer);
        assertEquals(OpenFailure.Cause.TOKEN_PROVIDER, asker.failure.cause());
        Asker soon = ask(cache);
        assertEquals("not before", soon.answer);
        trouble = null;
        AtomicInteger woken = new AtomicInteger();
        Runnable undo = cache.whenFreed(woken::incrementAndGet);
        time.advanceTo(soon.notBefore);
        assertEquals("granted", ask(cache).answer);
        assertEquals(1, woken.get(), "those who were told a later time hear of it");
        undo.run();
        time.advance(Duration.ofHours(1));
        assertEquals(1, woken.get());
    }

    @Test
    void aTokenWithWhichAConnectFailedIsReplacedUnlessItIsNew() {
        Asker first = ask(cache);
        first.granted.openEnded(Admission.Outcome.FAILED);
        assertEquals(1, made, "a new one would be no better");
        time.advance(TokenCache.SUSPECT_AGE);
        Asker second = ask(cache);
        second.granted.openEnded(Admission.Outcome.OPENED);
        ask(cache).granted.openEnded(Admission.Outcome.THROTTLED);
        ask(cache).granted.openEnded(Admission.Outcome.NOT_TRIED);
        assertEquals(1, made);
        ask(cache).granted.openEnded(Admission.Outcome.FAILED);
        assertEquals(2, made);
        ask(cache).granted.openEnded(Admission.Outcome.FAILED);
        first.granted.openEnded(Admission.Outcome.FAILED);
        assertEquals(2, made, "once for all who met with the same");
    }

    @Test
    void failedConnectsLeaveNoTimersBehind() {
        for (int i = 0; i < 20; i++) {
            Asker asker = ask(cache);
            time.advance(TokenCache.SUSPECT_AGE);
            asker.granted.openEnded(Admission.Outcome.FAILED);
        }
        assertEquals(21, made);
        time.advance(Duration.ofHours(1));
        int withoutFailures = made - 21;
        assertTrue(withoutFailures <= 6, withoutFailures + " tokens in an hour, of a quarter of an hour each");
    }

    // ---- the end

    @Test
    void aClosedCacheMakesNoTokenAndKeepsNobodyWaiting() throws Exception {
        Asker waiting = ask(later);
        later.close();
        assertEquals("failed", waiting.answer);
        assertThrows(TokenException.class, later::password);
        assertEquals("not before", ask(later).answer);
        cache.password();
        cache.close();
        time.advance(Duration.ofMinutes(13));
        assertEquals("token 1", cache.password(), "what is there is good until it ends");
        assertEquals(1, made);
        assertTrue(!time.step(), "nothing is scheduled");
    }

    // ---- threads

    @Test
    void tenThousandConcurrentCallersCauseOneSigning() throws Exception {
        int callers = 10_000;
        AtomicInteger signings = new AtomicInteger();
        CountDownLatch asking = new CountDownLatch(callers);
        CountDownLatch served = new CountDownLatch(callers);
        Set<String> tokens = ConcurrentHashMap.newKeySet();
        ExecutorService executor = Executors.newCachedThreadPool();
        try (TokenCache shared = new TokenCache(
                () -> {
                    assertTrue(asking.await(50, TimeUnit.SECONDS), "not all callers came");
                    return new Token(
                            "token " + signings.incrementAndGet(), Instant.now().plus(LIFE));
                },
                executor,
                new VirtualTime(),
                InstantSource.system(),
                new Random(1))) {
            for (int i = 0; i < callers; i++) {
                Thread caller = new Thread(
                        null,
                        () -> {
                            asking.countDown();
                            try {
                                tokens.add(shared.password());
                            } catch (TokenException | InterruptedException e) {
                                tokens.add(e.toString());
                            }
                            served.countDown();
                        },
                        "caller",
                        64 * 1024);
                caller.setDaemon(true);
                caller.start();
            }
            assertTrue(served.await(50, TimeUnit.SECONDS), served.getCount() + " still wait");
        } finally {
            executor.shutdownNow();
        }
        assertEquals(1, signings.get());
        assertEquals(Set.of("token 1"), tokens);
    }

    @Test
    void inRealTimeNothingIsLeftRunningAfterTheEnd() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (TokenCache real = new TokenCache(
                () -> new Token("token", Instant.now().plus(LIFE)),
                executor,
                SystemTime.shared(),
                InstantSource.system(),
                new Random(1))) {
            assertEquals("token", real.password());
        } finally {
            executor.shutdown();
        }
        assertTrue(executor.awaitTermination(10, TimeUnit.SECONDS));
    }
}
