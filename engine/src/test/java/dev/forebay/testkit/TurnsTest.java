// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.Turns.Actor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Actors that take turns. */
@Timeout(60)
class TurnsTest {

    private static List<String> story(long seed) {
        Turns turns = new Turns(seed);
        List<String> story = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            turns.actor(name, () -> {
                for (int i = 0; i < 5; i++) {
                    story.add(name + i + "@" + turns.time().nanos());
                    turns.yield();
                    turns.pauseUntil(turns.time().nanos() + i * 10);
                }
            });
        }
        turns.run();
        return story;
    }

    @Test
    void theSameSeedGivesTheSameRunAndAnotherSeedAnother() {
        Set<List<String>> stories = new HashSet<>();
        for (long seed = 0; seed < 50; seed++) {
            assertEquals(story(seed), story(seed));
            stories.add(story(seed));
        }
        assertTrue(stories.size() > 40, "only " + stories.size() + " different runs");
    }

    @Test
    void onlyOneRunsAtATime() {
        for (long seed = 0; seed < 20; seed++) {
            Turns turns = new Turns(seed);
            AtomicInteger inside = new AtomicInteger();
            for (int i = 0; i < 4; i++) {
                turns.actor("a" + i, () -> {
                    for (int n = 0; n < 50; n++) {
                        assertEquals(1, inside.incrementAndGet());
                        inside.decrementAndGet();
                        turns.yield();
                    }
                });
            }
            turns.run();
        }
    }

    @Test
    void timeMovesOnlyWhenNobodyCanGoOn() {
        Turns turns = new Turns(1);
        AtomicInteger worked = new AtomicInteger();
        turns.actor("sleeper", () -> {
            turns.pauseUntil(100);
            assertEquals(100, turns.time().nanos());
            assertEquals(30, worked.get());
        });
        turns.actor("worker", () -> {
            for (int i = 0; i < 30; i++) {
                worked.incrementAndGet();
                turns.yield();
                assertEquals(0, turns.time().nanos());
            }
        });
        turns.run();
    }

    @Test
    void anInterruptEndsAPauseAndIsKeptForTheNextOne() {
        Turns turns = new Turns(1);
        List<String> heard = new ArrayList<>();
        Actor sleeper = turns.actor("sleeper", () -> {
            assertThrows(InterruptedException.class, () -> turns.pauseUntil(Long.MAX_VALUE));
            heard.add("first at " + turns.time().nanos());
            turns.delayUntil(50);
            assertTrue(Thread.currentThread().isInterrupted(), "kept");
            assertThrows(InterruptedException.class, () -> turns.pauseUntil(1_000));
            heard.add("second at " + turns.time().nanos());
            assertFalse(Thread.currentThread().isInterrupted(), "once");
            turns.pauseUntil(60);
        });
        turns.actor("interrupter", () -> {
            turns.pauseUntil(10);
            turns.interrupt(sleeper);
            turns.pauseUntil(20);
            turns.interrupt(sleeper);
        });
        turns.run();
        assertEquals(List.of("first at 10", "second at 50"), heard);
        assertEquals(60, turns.time().nanos());
    }

    @Test
    void aDeadlockIsReportedWithThePositionsAndEndsTheThreads() {
        Turns turns = new Turns(7);
        List<Thread> threads = new ArrayList<>();
        for (String name : List.of("left", "right")) {
            turns.actor(name, () -> {
                threads.add(Thread.currentThread());
                turns.await("waits for the other", () -> false, Long.MAX_VALUE);
            });
        }
        AssertionError error = assertThrows(AssertionError.class, turns::run);
        assertTrue(error.getMessage().startsWith("seed 7: "), error::getMessage);
        assertTrue(error.getMessage().contains("left waits for the other"), error::getMessage);
        assertTrue(error.getMessage().contains("right waits for the other"), error::getMessage);
        assertEquals(2, threads.size());
        threads.forEach(thread -> assertFalse(thread.isAlive()));
    }

    @Test
    void theFirstFailureIsToldWithItsSeedAndEndsTheOthers() {
        Turns turns = new Turns(3);
        List<Thread> threads = new ArrayList<>();
        turns.actor("patient", () -> {
            threads.add(Thread.currentThread());
            turns.pauseUntil(1_000_000);
            throw new AssertionError("must not go on");
        });
        turns.actor("faulty", () -> {
            turns.pauseUntil(10);
            throw new IllegalStateException("the fault");
        });
        AssertionError error = assertThrows(AssertionError.class, turns::run);
        assertEquals("seed 3: faulty: java.lang.IllegalStateException: the fault", error.getMessage());
        threads.forEach(thread -> assertFalse(thread.isAlive()));
    }

    @Test
    void outsideAnActorWaitingMovesTheTime() throws InterruptedException {
        Turns turns = new Turns(1);
        turns.yield();
        turns.pauseUntil(500);
        assertEquals(500, turns.time().nanos());
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> turns.pauseUntil(600));
        assertNotEquals(600, turns.time().nanos());
    }
}
