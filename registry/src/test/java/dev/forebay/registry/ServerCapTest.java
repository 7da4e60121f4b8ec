// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Admission;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.Refusal;
import dev.forebay.testkit.AdmissionContract;
import dev.forebay.testkit.SimServer.Behaviour;
import dev.forebay.time.Time;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The cap that all users of a server share. */
class ServerCapTest {

    @Nested
    class Contract extends AdmissionContract {
        @Override
        protected Admission admission(Time time, int limit) {
            return new ServerCap(limit, time).share(new ServerCap.Holder() {
                @Override
                public int waiting() {
                    return 1;
                }

                @Override
                public long idleSinceNanos() {
                    return Long.MAX_VALUE;
                }

                @Override
                public boolean evictIdle() {
                    return false;
                }

                @Override
                public boolean evictBorrowed() {
                    return false;
                }
            });
        }

        @Override
        protected boolean holdsSlots() {
            return true;
        }

        @Override
        protected double perSecond() {
            return 0;
        }
    }

    private static final Duration MOMENT = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofMinutes(10);

    private final World world = new World(1);

    private World.Server server(int cap, String... options) {
        return world.server("s", cap, options);
    }

    /** Fault 12: the limit of the first design held per user. */
    @Test
    void allUsersTogetherStayWithinTheCap() {
        World.Server server = server(5);
        for (int i = 0; i < 20; i++) {
            server.acquire("user" + i, Duration.ofSeconds(1));
        }
        world.advance(MOMENT);
        assertEquals(5, server.sim().mostOpen());
        assertEquals(5, world.held());
    }

    @Test
    void aWaiterAtTheCapMakesTheLongestIdleConnectionOfAnotherGo() {
        World.Server server = server(2);
        World.Attempt first = server.acquire("ann", MOMENT);
        World.Attempt second = server.acquire("bob", MOMENT);
        world.advance(MOMENT);
        second.release();
        world.advance(MOMENT);
        first.release();
        world.advance(MOMENT);
        World.Attempt third = server.acquire("cid", MOMENT);
        world.advance(Duration.ofMillis(100));
        assertTrue(third.holds());
        assertEquals(0, server.open("bob"), "bob's was idle longest");
        assertEquals(1, server.open("ann"));
    }

    @Test
    void whoeverIsMadeToGoDoesNotTakeItBackForItsMinimum() {
        World.Server server = server(1);
        server.acquire("ann", MOMENT).releaseAtOnce();
        world.advance(MOMENT);
        World.Attempt bob = server.acquire("bob", MOMENT);
        world.advance(Duration.ofSeconds(30));
        assertTrue(bob.holds());
        assertEquals(2, server.sim().connectsAt().size(), "one each, and no more than that");
    }

    @Test
    void aConnectionThatBecomesIdleLaterIsGivenUpAsWell() {
        World.Server server = server(2);
        World.Attempt ann = server.acquire("ann", MOMENT);
        World.Attempt bob = server.acquire("bob", MOMENT);
        world.advance(MOMENT);
        World.Attempt more = server.acquire("bob", Duration.ofSeconds(10));
        world.advance(Duration.ofSeconds(1));
        assertFalse(more.holds(), "both are in use, and bob has his share");
        ann.release();
        world.advance(Duration.ofMillis(100));
        assertTrue(more.holds());
        assertTrue(bob.holds());
    }

    /** One who always has someone waiting would otherwise hand his connections on for ever. */
    @Test
    void aUserWhoseConnectionsAreNeverIdleCannotKeepTheOthersOut() {
        World.Server server = server(4, "min_connections", "0");
        server.keepBusy("greedy", 10, Duration.ofMillis(30));
        world.advance(Duration.ofSeconds(5));
        assertEquals(4, server.open("greedy"));
        World.Attempt shy = server.acquire("shy", Duration.ofSeconds(2));
        world.advance(Duration.ofMillis(200));
        assertTrue(shy.holds(), "served in a turn, a use and a connect");
        world.advance(Duration.ofSeconds(3));
        assertTrue(shy.holds());
    }

    @Test
    void usersWhoAllWantMoreEndUpWithEqualShares() {
        World.Server server = server(12, "min_connections", "0");
        for (String user : new String[] {"a", "b", "c"}) {
            server.keepBusy(user, 10, Duration.ofMillis(30));
            world.advance(Duration.ofMillis(700));
        }
        world.advance(Duration.ofSeconds(5));
        Map<String, Integer> open = new HashMap<>();
        for (String user : new String[] {"a", "b", "c"}) {
            open.put(user, server.open(user));
        }
        open.forEach((user, count) -> assertTrue(count >= 3 && count <= 5, open.toString()));
    }

    @Test
    void moreUsersThanTheCapTakeTurns() {
        World.Server server = server(2, "min_connections", "0");
        for (int i = 0; i < 6; i++) {
            server.keepBusy("user" + i, 1, Duration.ofMillis(10));
        }
        world.advance(Duration.ofSeconds(20));
        for (int i = 0; i < 6; i++) {
            long served = server.acquires("user" + i);
            assertTrue(served > 30, "user" + i + " was served " + served + " times");
        }
        assertEquals(0, server.timeouts(), "and nobody in vain");
    }

    @Test
    void aLoweredCapIsReachedAtOnceByIdleOnesAndAsTheyComeBackByTheOthers() {
        World.Server server = server(6);
        World.Attempt[] held = new World.Attempt[6];
        for (int i = 0; i < 6; i++) {
            held[i] = server.acquire("user" + i % 2, MOMENT);
        }
        world.advance(MOMENT);
        held[0].release();
        server.update("max_server_connections", "2");
        world.advance(MOMENT);
        assertEquals(5, server.sim().open());
        for (int i = 1; i < 6; i++) {
            held[i].release();
        }
        world.advance(MOMENT);
        assertTrue(server.sim().open() <= 2, server.sim().open() + " are open");
    }

    @Test
    void aRaisedCapServesThoseWhoWait() {
        World.Server server = server(1);
        World.Attempt first = server.acquire("ann", Duration.ofSeconds(60));
        World.Attempt second = server.acquire("ann", Duration.ofSeconds(60));
        world.advance(MOMENT);
        assertTrue(first.holds() && !second.holds());
        server.update("max_server_connections", "2");
        world.advance(MOMENT);
        assertTrue(second.holds());
    }

    @Test
    void oneWhoGaveUpHoldsUpNobody() {
        World.Server server = server(1, "min_connections", "0");
        World.Attempt first = server.acquire("ann", MOMENT);
        world.advance(MOMENT);
        World.Attempt gone = server.acquire("bob", Duration.ofMillis(10));
        World.Attempt patient = server.acquire("cid", Duration.ofSeconds(10));
        world.advance(Duration.ofSeconds(1));
        assertTrue(gone.refusal() != null);
        first.release();
        world.advance(MOMENT);
        assertTrue(patient.holds());
    }

    /** Fault 22: overflow in the first design knows neither bound nor disposal. */
    @Test
    void overflowStaysWithinTheCapAndIsClosedOnReturn() {
        World.Server server = server(
                5,
                "min_connections",
                "0",
                "max_connections",
                "2",
                "exhaustion_policy",
                "OVERFLOW",
                "overflow_connections",
                "2");
        World.Attempt[] held = new World.Attempt[6];
        for (int i = 0; i < 6; i++) {
            held[i] = server.acquire("ann", Duration.ofSeconds(1));
        }
        world.advance(MOMENT);
        assertEquals(4, server.sim().open(), "two and two beyond");
        World.Attempt bob = server.acquire("bob", MOMENT);
        World.Attempt tooMany = server.acquire("bob", MOMENT);
        world.advance(Duration.ofSeconds(2));
        assertTrue(bob.holds() && !tooMany.holds());
        assertEquals(5, server.sim().mostOpen());
        for (World.Attempt one : held) {
            one.release();
        }
        world.advance(MOMENT);
        assertTrue(server.open("ann") <= 2, "what overflowed is gone");
    }

    @Test
    void aDroppedAndRecreatedServerSharesTheCapWithWhatIsStillOut() {
        World.Server server = server(2);
        World.Attempt first = server.acquire("ann", MOMENT);
        World.Attempt second = server.acquire("ann", MOMENT);
        world.advance(MOMENT);
        server.drop();
        World.Server again = server(2);
        World.Attempt third = again.acquire("ann", Duration.ofSeconds(10));
        world.advance(MOMENT);
        assertFalse(third.holds(), "two are out");
        first.release();
        world.advance(MOMENT);
        assertTrue(third.holds());
        assertTrue(first.session().isClosed(), "an old connection is not used again");
        assertTrue(second.holds() && !second.session().isClosed(), "and a borrowed one may finish");
    }

    /** Finding F6: where the server takes fewer sessions than the cap, the first users kept them for ever. */
    @Test
    void usersTakeTurnsAtTheLimitOfTheServerItself() {
        world.sessionLimits.put("s", 3);
        World.Server server = server(10, "min_connections", "0");
        for (int i = 0; i < 6; i++) {
            server.keepBusy("user" + i, 1, Duration.ofMillis(50));
        }
        world.advance(Duration.ofMinutes(2));
        for (int i = 0; i < 6; i++) {
            assertTrue(server.acquires("user" + i) > 20, "user" + i + " was served " + server.acquires("user" + i));
        }
        assertEquals(0, server.timeouts());
    }

    @Test
    void aServerThatTakesMoreAgainIsUsedAgain() {
        world.sessionLimits.put("s", 2);
        World.Server server = server(10, "min_connections", "0");
        for (int i = 0; i < 6; i++) {
            server.keepBusy("user" + i, 1, Duration.ofMillis(50));
        }
        world.advance(Duration.ofMinutes(1));
        world.sessionLimits.clear();
        world.advance(Duration.ofMinutes(2));
        assertEquals(6, server.sim().open());
    }

    @Test
    void aFullServerIsNotAskedTimeAndAgain() {
        world.sessionLimits.put("s", 2);
        World.Server server = server(10, "min_connections", "0");
        World.Attempt first = server.acquire("ann", MOMENT);
        World.Attempt second = server.acquire("bob", MOMENT);
        world.advance(MOMENT);
        server.acquire("cid", Duration.ofMinutes(10));
        int before = world.logins.get("app");
        world.advance(Duration.ofMinutes(5));
        assertTrue(first.holds() && second.holds());
        int tried = world.logins.get("app") - before;
        assertTrue(tried < 30, "connects tried in five minutes: " + tried);
    }

    /** Nothing stirs the line of those who only want their minimum: the cap has to come back to it by itself. */
    @Test
    void aMinimumIsRestoredWithoutABorrower() {
        World.Server server = server(10, "user_pool_timeout", "0");
        server.acquire("ann", MOMENT).releaseAtOnce();
        world.advance(MOMENT);
        world.sessionLimits.put("s", 1);
        server.update("min_connections", "3");
        world.advance(Duration.ofMinutes(5));
        assertEquals(1, server.open("ann"));
        world.sessionLimits.clear();
        world.advance(Duration.ofMinutes(1));
        assertEquals(3, server.open("ann"));
    }

    @Test
    void minimumsAreRestoredOneAtATime() {
        World.Server server = server(50, "user_pool_timeout", "0");
        for (int i = 0; i < 10; i++) {
            server.acquire("user" + i, MOMENT).releaseAtOnce();
        }
        world.advance(MOMENT);
        world.sessionLimits.put("s", 10);
        server.update("min_connections", "2");
        world.advance(Duration.ofMinutes(1));
        int before = world.logins.get("app");
        world.advance(Duration.ofMinutes(5));
        int tried = world.logins.get("app") - before;
        assertTrue(tried >= 5 && tried <= 15, "connects tried in five minutes: " + tried);
        world.sessionLimits.clear();
        long from = world.time.nanos();
        world.advance(Duration.ofMinutes(2));
        assertEquals(20, server.sim().open());
        List<Long> connects =
                server.sim().connectsAt().stream().filter(at -> at >= from).toList();
        assertEquals(10, connects.size());
        for (int i = 1; i < connects.size(); i++) {
            long pause = connects.get(i) - connects.get(i - 1);
            assertTrue(pause >= 900_000_000, "a pause of " + Duration.ofNanos(pause));
        }
    }

    @Test
    void minimumsAreTriedOneAtATimeWhereNothingIsOpen() {
        world.sessionLimits.put("s", 0);
        World.Server server = server(50, "user_pool_timeout", "0");
        for (int i = 0; i < 20; i++) {
            server.acquire("user" + i, MOMENT).releaseAtOnce();
        }
        world.advance(Duration.ofMinutes(1));
        int before = world.logins.get("app");
        world.advance(Duration.ofMinutes(5));
        int tried = world.logins.get("app") - before;
        assertTrue(tried >= 50 && tried <= 60, "connects tried in five minutes: " + tried);
        world.sessionLimits.clear();
        world.advance(Duration.ofMinutes(2));
        assertEquals(20, server.sim().open());
    }

    /** Those who fail fast never stand in line, so a server that was full must not be told exhausted for ever. */
    @Test
    void aFullServerIsExhaustedUntilItIsTimeToTry() throws RegistryException {
        world.sessionLimits.put("s", 0);
        World.Server server = server(10, "min_connections", "0");
        server.acquire("ann", MOMENT);
        world.advance(MOMENT);
        ServerCap.Share share = server.pool().user("ann").share();
        assertTrue(server.pool().cap().isExhaustedFor(share));
        world.advance(Duration.ofSeconds(5));
        assertFalse(server.pool().cap().isExhaustedFor(share));
    }

    /** Wakes run on other threads: whoever is woken by the slot of a refused try asks before anything else happens. */
    @Test
    void aRefusedTryAtAFullServerIsTheOnlyOne() {
        VirtualTime time = new VirtualTime();
        ServerCap cap = new ServerCap(10, time);
        List<Asker> askers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            askers.add(new Asker(cap, time));
        }
        askers.forEach(Asker::ask);
        askers.forEach(Asker::endFull);
        assertEquals(5, tries(askers), "the first round, when nothing was known");
        askers.forEach(Asker::ask);
        for (int i = 0; i < 180; i++) {
            time.advance(Duration.ofMillis(100));
            askers.forEach(Asker::endFull);
            askers.forEach(Asker::ask);
        }
        assertEquals(5 + 5, tries(askers), "after 1, 2, 4, 5 and 5 seconds");
        assertEquals(0, cap.held());
    }

    /** Between the answer and the release of its slot, the refused connect is not one too many. */
    @Test
    void aRefusedConnectCostsNobodyAConnection() {
        VirtualTime time = new VirtualTime();
        ServerCap cap = new ServerCap(10, time);
        Asker has = new Asker(cap, time);
        Asker wants = new Asker(cap, time);
        has.ask();
        wants.ask();
        has.slot.openEnded(Admission.Outcome.OPENED);
        wants.slot.openEnded(Admission.Outcome.FULL);
        time.advance(Duration.ofMillis(1));
        assertEquals(0, has.asked, "asked to give one up");
        wants.slot.release();
        assertEquals(1, cap.held());
    }

    private static int tries(List<Asker> askers) {
        return askers.stream().mapToInt(asker -> asker.tries).sum();
    }

    /** One who wants a connection, and asks again on the stack of whoever wakes it. */
    private static final class Asker implements ServerCap.Holder, Admission.Answer {
        private final ServerCap.Share share;
        private final VirtualTime time;
        private Admission.Grant slot;
        private int tries;

        /** How often it was asked to give a connection up. */
        private int asked;

        Asker(ServerCap cap, VirtualTime time) {
            this.share = cap.share(this);
            this.time = time;
            share.whenFreed(this::ask);
        }

        void ask() {
            if (slot == null) {
                share.ask(time.nanos(), this);
            }
        }

        void endFull() {
            if (slot != null) {
                Admission.Grant refused = slot;
                slot = null;
                refused.openEnded(Admission.Outcome.FULL);
                refused.release();
            }
        }

        @Override
        public void granted(Admission.Grant grant) {
            slot = grant;
            tries++;
        }

        @Override
        public void notBefore(long nanos) {
            assertEquals(Long.MAX_VALUE, nanos);
        }

        @Override
        public void failed(OpenFailure failure) {
            throw new AssertionError(failure.toString());
        }

        @Override
        public int waiting() {
            return 1;
        }

        @Override
        public long idleSinceNanos() {
            return Long.MAX_VALUE;
        }

        @Override
        public boolean evictIdle() {
            asked++;
            return false;
        }

        @Override
        public boolean evictBorrowed() {
            asked++;
            return false;
        }
    }

    @Test
    void whoeverFailsFastIsRefusedWhenTheTryHeWaitsForFails() {
        world.sessionLimits.put("s", 0);
        World.Server server = server(10, "min_connections", "0", "exhaustion_policy", "FAIL_FAST");
        server.acquire("ann", LONG);
        world.advance(Duration.ofSeconds(30));
        List<World.Attempt> all =
                List.of(server.acquire("ann", LONG), server.acquire("bob", LONG), server.acquire("cid", LONG));
        world.advance(Duration.ofMillis(100));
        assertTrue(
                all.stream().allMatch(attempt -> attempt.refusal() != null),
                all.stream().map(World.Attempt::refusal).toList().toString());
        assertEquals(2, world.logins.get("app"), "one try for all three");
    }

    @Test
    void whoeverFailsFastIsRefusedWhenAnotherGetsTheLastSlot() {
        World.Server server = server(1, "min_connections", "0", "exhaustion_policy", "FAIL_FAST");
        World.Attempt ann = server.acquire("ann", LONG);
        World.Attempt bob = server.acquire("bob", LONG);
        world.advance(Duration.ofMillis(100));
        assertTrue(ann.holds());
        assertEquals(Refusal.EXHAUSTED, bob.refusal());
    }

    /** A pool in its backoff opens nothing that would be worth a wait. */
    @Test
    void whoeverFailsFastDoesNotWaitOutTheBackoffOfItsPool() {
        world.sessionLimits.put("s", 0);
        World.Server server = server(10, "min_connections", "0", "exhaustion_policy", "FAIL_FAST");
        for (int i = 0; i < 20; i++) {
            World.Attempt attempt = server.acquire("ann", LONG);
            world.advance(Duration.ofMillis(50));
            assertTrue(attempt.refusal() != null, "attempt " + i);
            world.advance(Duration.ofMillis(i % 5 * 1_017));
        }
        world.sessionLimits.clear();
        world.advance(Duration.ofMinutes(1));
        World.Attempt attempt = server.acquire("ann", LONG);
        world.advance(Duration.ofMillis(100));
        assertTrue(attempt.holds());
    }

    @Test
    void whoeverFailsFastDoesNotWaitForAnOpenThatHangs() {
        World.Server server =
                server(1, "min_connections", "0", "connect_timeout", "1000", "exhaustion_policy", "FAIL_FAST");
        server.sim().next(Behaviour.HANG);
        World.Attempt first = server.acquire("ann", LONG);
        world.advance(Duration.ofMillis(500));
        assertTrue(first.isWaiting(), "its connect is under way");
        world.advance(Duration.ofSeconds(1));
        assertTrue(first.refusal() != null);
        World.Attempt second = server.acquire("ann", LONG);
        world.advance(Duration.ofMillis(100));
        assertTrue(second.refusal() != null);
    }

    @Test
    void whoeverFailsFastIsServedOnceTheServerTakesOneAgain() {
        world.sessionLimits.put("s", 1);
        World.Server server = server(10, "min_connections", "0", "exhaustion_policy", "FAIL_FAST");
        World.Attempt one = server.acquire("ann", LONG);
        World.Attempt two = server.acquire("ann", LONG);
        world.advance(Duration.ofMillis(100));
        assertTrue(one.holds() && two.refusal() != null);
        world.sessionLimits.clear();
        world.advance(Duration.ofMinutes(1));
        World.Attempt three = server.acquire("ann", LONG);
        world.advance(Duration.ofMillis(100));
        assertTrue(three.holds());
    }

    /** The cap is not a lease: a place that a driver's call never gives back would be lost to every user of the server. */
    @Test
    void anOpenThatNeverEndsKeepsNobodyOutForGood() {
        World.Server server = server(1, "min_connections", "0", "connect_timeout", "1000");
        server.sim().next(Behaviour.HANG);
        server.acquire("ann", MOMENT);
        world.advance(Duration.ofSeconds(9));
        World.Attempt early = server.acquire("bob", MOMENT);
        world.advance(MOMENT);
        assertFalse(early.holds(), "until then it counts: the server may count it too");
        World.Attempt later = server.acquire("bob", Duration.ofSeconds(5));
        world.advance(Duration.ofSeconds(5));
        assertTrue(later.holds());
        assertEquals(1, world.held());
        server.sim().endHung(Behaviour.ACCEPT);
        world.advance(MOMENT);
        assertEquals(1, server.sim().open(), "one that comes after all is closed");
    }
}
