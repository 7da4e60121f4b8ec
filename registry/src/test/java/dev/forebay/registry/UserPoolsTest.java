// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Refusal;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Behaviour;
import dev.forebay.testkit.SimServer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The pools of a server's users, in virtual time. The numbers of faults are those of docs/remote-pools.md. */
class UserPoolsTest {

    private static final Duration MOMENT = Duration.ofMillis(500);

    private final World world = new World(1);

    private World.Server server(String... options) {
        return world.server("s", 100, options);
    }

    private List<World.Attempt> acquire(World.Server server, String user, int count) {
        List<World.Attempt> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(server.acquire(user, MOMENT));
        }
        world.advance(MOMENT);
        return all;
    }

    /** Fault 1: in the first design each acquire loses its slot for good. */
    @Test
    void aPoolOfTwoServesAThousandOneAfterTheOther() {
        World.Server server = server("max_connections", "2");
        for (int i = 0; i < 1_000; i++) {
            World.Attempt attempt = server.acquire("ann", MOMENT);
            world.advance(Duration.ofMillis(50));
            assertTrue(attempt.holds(), "number " + i);
            attempt.release();
        }
        assertEquals(1, server.sim().connectsAt().size());
    }

    /** Fault 2: eviction in the first design moves connections under the indices of others. */
    @Test
    void evictingSomeLeavesTheOthersWhereTheyAre() {
        World.Server server = server("min_connections", "0");
        List<World.Attempt> all = acquire(server, "ann", 6);
        for (int i : new int[] {0, 2, 4}) {
            all.get(i).release();
        }
        assertEquals(3, server.pool().evictIdle());
        world.advance(MOMENT);
        for (int i : new int[] {1, 3, 5}) {
            assertFalse(all.get(i).session().isClosed());
            all.get(i).release();
        }
        Set<Integer> had = new TreeSet<>();
        acquire(server, "ann", 3).forEach(attempt -> had.add(attempt.session().id()));
        assertEquals(Set.of(1, 3, 5), had);
    }

    /** Fault 3: between its look and its push, the first design lets others in. */
    @Test
    void manyAtOnceStayWithinTheMaximum() {
        World.Server server = server("max_connections", "3");
        acquire(server, "ann", 50);
        assertEquals(3, server.sim().mostOpen());
        assertEquals(2, server.sim().mostConnecting(), "one proves the password first");
    }

    /** Fault 4: connecting is bound by no deadline, and its failure wakes nobody. */
    @Test
    void aConnectThatHangsHoldsNobodyBeyondHisDeadline() {
        World.Server server = server("max_connections", "1", "connect_timeout", "60000");
        server.sim().behave(Behaviour.HANG);
        World.Attempt attempt = server.acquire("ann", Duration.ofMillis(200));
        world.advance(Duration.ofMillis(199));
        assertTrue(attempt.isWaiting());
        world.advance(Duration.ofMillis(1));
        assertEquals(Refusal.TIMED_OUT, attempt.refusal());
    }

    @Test
    void aWrongPasswordIsToldAtOnceToAllWhoWait() {
        World.Server server = server();
        world.lockedOut.add("app");
        World.Attempt first = server.acquire("ann", Duration.ofHours(1));
        World.Attempt second = server.acquire("ann", Duration.ofHours(1));
        world.advance(Duration.ofMillis(20));
        assertEquals(Refusal.HOPELESS, first.refusal());
        assertEquals(Refusal.HOPELESS, second.refusal());
    }

    @Test
    void aWrongPasswordIsNotTriedAgainUnlessSomeoneAsks() {
        World.Server server = server("min_connections", "3", "user_pool_timeout", "0");
        world.lockedOut.add("app");
        server.acquire("ann", MOMENT);
        world.advance(Duration.ofMinutes(5));
        assertTrue(
                server.pool().stats().connectionErrors() <= 3,
                server.pool().stats().toString());
    }

    @Test
    void aRefusedConnectIsTriedAgainWithinTheDeadline() {
        World.Server server = server();
        server.sim().next(Behaviour.REFUSE, Behaviour.REFUSE);
        World.Attempt attempt = server.acquire("ann", Duration.ofSeconds(5));
        world.advance(Duration.ofSeconds(3));
        assertTrue(attempt.holds());
    }

    /** Fault 5: no order, and wake-ups that are lost. */
    @Test
    void thoseWhoWaitAreServedInTheirOrder() {
        World.Server server = server("max_connections", "1");
        World.Attempt holder = acquire(server, "ann", 1).get(0);
        List<String> order = new ArrayList<>();
        for (String name : List.of("first", "second", "third")) {
            World.Attempt attempt = server.acquire("ann", Duration.ofMinutes(1));
            attempt.whenServed(() -> {
                order.add(name);
                world.time.schedule(world.time.nanos() + 1_000_000, attempt::release);
            });
            world.advance(Duration.ofMillis(1));
        }
        holder.release();
        world.advance(MOMENT);
        assertEquals(List.of("first", "second", "third"), order);
    }

    /** Fault 9: the first design reads neither the lifetime nor the validation interval. */
    @Test
    void noConnectionOutlivesItsLifetime() {
        World.Server server = server("max_lifetime", "60000", "idle_timeout", "0", "user_pool_timeout", "0");
        acquire(server, "ann", 5).forEach(World.Attempt::release);
        for (int i = 0; i < 300; i++) {
            world.advance(Duration.ofSeconds(1));
            for (Session session : server.sim().sessions()) {
                assertTrue(session.isClosed() || session.ageNanos(world.time.nanos()) <= 61_000_000_000L);
            }
        }
    }

    @Test
    void idleConnectionsAreCheckedAtTheirInterval() {
        World.Server server = server("validation_interval_seconds", "10", "idle_timeout", "0", "min_connections", "1");
        acquire(server, "ann", 1).forEach(World.Attempt::release);
        world.advance(Duration.ofSeconds(65));
        assertEquals(6, server.sim().checks());
        server.sim().kill(1);
        world.advance(Duration.ofSeconds(11));
        World.Attempt attempt = acquire(server, "ann", 1).get(0);
        assertTrue(attempt.session().isAlive());
    }

    @Test
    void withValidationOnAcquireAnUnprovenOneIsCheckedFirst() {
        World.Server server =
                server("validate_on_acquire", "true", "validation_interval_seconds", "0", "idle_timeout", "0");
        acquire(server, "ann", 1).forEach(World.Attempt::release);
        server.sim().kill(1);
        world.advance(Duration.ofSeconds(1));
        World.Attempt attempt = acquire(server, "ann", 1).get(0);
        assertTrue(attempt.session().isAlive());
        assertEquals(1, server.pool().stats().validationFailures());
    }

    /** Fault 10: ten idle with a minimum of five leave two in the first design, and nothing refills them. */
    @Test
    void evictionLeavesTheMinimumAndWhatFallsBelowIsRefilled() {
        World.Server server = server("min_connections", "5", "max_connections", "10", "idle_timeout", "60000");
        acquire(server, "ann", 10).forEach(World.Attempt::release);
        assertEquals(5, server.pool().evictIdle());
        world.advance(MOMENT);
        assertEquals(5, server.open("ann"));
        server.pool().evictAll();
        world.advance(Duration.ofSeconds(1));
        assertEquals(5, server.open("ann"));
    }

    @Test
    void theIdleTimeoutLeavesTheMinimum() {
        World.Server server = server("min_connections", "5", "max_connections", "10", "idle_timeout", "1000");
        acquire(server, "ann", 10).forEach(World.Attempt::release);
        world.advance(Duration.ofSeconds(10));
        assertEquals(5, server.open("ann"));
        server.update("min_connections", "2");
        world.advance(Duration.ofSeconds(10));
        assertEquals(2, server.open("ann"), "a new minimum holds at once");
    }

    @Test
    void theMinimumCountsWhatIsInUse() {
        World.Server server = server("min_connections", "2");
        acquire(server, "ann", 2);
        world.advance(Duration.ofSeconds(5));
        assertEquals(2, server.open("ann"));
    }

    /** Fault 11: taking turns keeps every connection warm, and none is ever let go. */
    @Test
    void theOneReturnedLastIsUsedNextSoThatTheOthersGrowIdle() {
        World.Server server = server("min_connections", "0", "idle_timeout", "1000", "user_pool_timeout", "0");
        acquire(server, "ann", 8).forEach(World.Attempt::release);
        for (int i = 0; i < 100; i++) {
            World.Attempt attempt = server.acquire("ann", MOMENT);
            world.advance(Duration.ofMillis(50));
            attempt.release();
        }
        assertEquals(1, server.open("ann"));
    }

    /** Fault 13: pools keep the mapping they were made with. */
    @Test
    void aChangedMappingDrainsTheOldConnectionsAndThoseWhoWaitGetNewOnes() {
        World.Server server = server("max_connections", "1");
        World.Attempt old = acquire(server, "ann", 1).get(0);
        World.Attempt waiting = server.acquire("ann", Duration.ofMinutes(1));
        world.advance(MOMENT);
        server.pool().map("ann", UserMapping.of("ann", "ann_remote", Secret.of("x")));
        world.advance(MOMENT);
        assertTrue(waiting.holds(), "not behind the old one");
        assertEquals("s/ann_remote", world.openedFor.get(waiting.session()));
        assertTrue(old.holds() && !old.session().isClosed());
        old.release();
        world.advance(MOMENT);
        assertTrue(old.session().isClosed());
    }

    @Test
    void aDroppedMappingFallsBackToEveryonesAndThenToNone() {
        World.Server server = server();
        server.pool().map("ann", UserMapping.of("ann", "ann_remote", Secret.of("x")));
        acquire(server, "ann", 1).get(0).release();
        server.pool().map("ann", null);
        World.Attempt attempt = acquire(server, "ann", 1).get(0);
        assertEquals("s/app", world.openedFor.get(attempt.session()));
        server.pool().map(UserMapping.PUBLIC, null);
        World.Attempt nobody = acquire(server, "ann", 1).get(0);
        assertEquals(RegistryError.USER_MAPPING_MISSING, nobody.refusal());
    }

    @Test
    void aMappingThatStaysTheSameDisturbsNobody() {
        World.Server server = server();
        World.Attempt attempt = acquire(server, "ann", 1).get(0);
        server.pool().map(UserMapping.PUBLIC, UserMapping.ofPublic("app", Secret.of("secret")));
        attempt.release();
        world.advance(MOMENT);
        assertFalse(attempt.session().isClosed());
        server.pool().map("bob", UserMapping.of("bob", "bob", Secret.of("x")));
        world.advance(MOMENT);
        assertFalse(attempt.session().isClosed(), "another's mapping is nothing to ann");
    }

    @Test
    void aPoolThatNobodyUsesDisappearsWithItsMinimum() {
        World.Server server = server("user_pool_timeout", "60000", "min_connections", "2");
        World.Attempt held = acquire(server, "ann", 1).get(0);
        acquire(server, "bob", 1).forEach(World.Attempt::release);
        world.advance(Duration.ofMinutes(3));
        assertEquals(1, server.pool().userStats().size(), "ann's is in use");
        assertEquals(0, server.open("bob"));
        assertEquals(2, server.pool().stats().totalAcquires(), "what it counted is kept");
        held.release();
        world.advance(Duration.ofMinutes(3));
        assertEquals(0, server.pool().userStats().size());
        assertEquals(0, server.sim().open());
        World.Attempt again = acquire(server, "ann", 1).get(0);
        assertTrue(again.holds());
    }

    /** Fault 14: what is released by name after a drop ends in the wrong pool. */
    @Test
    void aConnectionOfADroppedServerIsNotHandedOutByTheNextOfThatName() {
        World.Server server = server();
        World.Attempt old = acquire(server, "ann", 1).get(0);
        server.drop();
        World.Server again = server();
        old.release();
        World.Attempt attempt = acquire(again, "ann", 1).get(0);
        assertNotEquals(old.session(), attempt.session());
        assertTrue(old.session().isClosed());
    }

    /** Fault 15: nobody says what a shutdown does to those who have a connection or wait for one. */
    @Test
    void aDropRefusesThoseWhoWaitAndLetsBorrowersFinish() {
        World.Server server = server("max_connections", "1");
        World.Attempt held = acquire(server, "ann", 1).get(0);
        World.Attempt waiting = server.acquire("ann", Duration.ofHours(1));
        world.advance(MOMENT);
        SimServer sim = server.sim();
        server.drop();
        world.advance(MOMENT);
        assertEquals(RegistryError.SERVER_NOT_FOUND, waiting.refusal());
        assertTrue(held.holds());
        assertFalse(world.events.contains("a server has ended"));
        held.release();
        world.advance(MOMENT);
        assertEquals(0, sim.open());
        assertTrue(world.events.contains("a server has ended"));
    }

    /** Fault 16: a changed host or password means nothing to living connections. */
    @Test
    void aChangedHostDrainsTheOldConnections() {
        World.Server server = server("min_connections", "2");
        SimServer before = server.sim();
        World.Attempt old = acquire(server, "ann", 1).get(0);
        server.update("host", "elsewhere");
        world.advance(MOMENT);
        assertEquals(1, before.open(), "the borrowed one");
        World.Attempt now = acquire(server, "ann", 1).get(0);
        assertEquals("elsewhere/app", world.openedFor.get(now.session()));
        old.release();
        world.advance(MOMENT);
        assertEquals(0, before.open());
    }

    @Test
    void newSizesHoldAtOnceUnderTheSameConnections() {
        World.Server server = server("max_connections", "4", "min_connections", "0");
        List<World.Attempt> all = acquire(server, "ann", 4);
        all.get(0).release();
        server.update("max_connections", "2");
        world.advance(MOMENT);
        assertEquals(3, server.sim().open(), "the idle one goes");
        all.forEach(World.Attempt::release);
        world.advance(MOMENT);
        assertEquals(2, server.sim().open(), "and one more when it comes back");
        assertEquals(4, server.sim().connectsAt().size(), "the others stay");
        acquire(server, "ann", 2);
        World.Attempt waiting = server.acquire("ann", Duration.ofMinutes(1));
        world.advance(MOMENT);
        assertTrue(waiting.isWaiting());
        server.update("max_connections", "3");
        world.advance(MOMENT);
        assertTrue(waiting.holds());
    }

    /** Fault 17: the first design warms up for nobody in particular. */
    @Test
    void aWarmUpOpensConnectionsForAUserAndTheIdleTimeoutTakesThemBack() throws RegistryException {
        World.Server server = server("min_connections", "1", "idle_timeout", "5000");
        boolean[] done = {false};
        server.pool().user("ann").warmUp(4, () -> done[0] = true);
        world.advance(MOMENT);
        assertTrue(done[0]);
        assertEquals(4, server.open("ann"));
        world.advance(Duration.ofSeconds(20));
        assertEquals(1, server.open("ann"));
    }

    @Test
    void aNewUserPoolOpensItsWarmUpBesideWhatIsAskedFor() {
        World.Server server = server("warmup_on_create", "true", "warmup_connections", "3", "min_connections", "0");
        acquire(server, "ann", 1);
        assertEquals(3, server.open("ann"));
    }

    @Test
    void aWarmUpThatFailsEnds() throws RegistryException {
        World.Server server = server();
        server.sim().behave(Behaviour.HANG);
        boolean[] done = {false};
        server.pool().user("ann").warmUp(4, () -> done[0] = true);
        world.advance(Duration.ofSeconds(6));
        assertTrue(done[0]);
    }

    @Test
    void aReservoirIsOneOptionAway() {
        World.Server server = server("supply", "RESERVOIR", "reservoir_ready", "4", "max_connections", "6");
        World.Attempt held = acquire(server, "ann", 1).get(0);
        world.advance(Duration.ofSeconds(1));
        assertTrue(held.holds());
        assertTrue(server.open("ann") >= 4, server.open("ann") + " are open");
    }

    @Test
    void failFastDoesNotWait() {
        World.Server server = server("max_connections", "1", "exhaustion_policy", "FAIL_FAST");
        acquire(server, "ann", 1);
        World.Attempt attempt = server.acquire("ann", Duration.ofHours(1));
        world.advance(Duration.ofMillis(1));
        assertEquals(Refusal.EXHAUSTED, attempt.refusal());
    }

    @Test
    void aPausedServerHandsOutNothingUntilItIsResumed() {
        World.Server server = server();
        acquire(server, "ann", 1).get(0).release();
        server.pool().pause(true);
        World.Attempt known = server.acquire("ann", Duration.ofMinutes(1));
        World.Attempt fresh = server.acquire("bob", Duration.ofMinutes(1));
        world.advance(Duration.ofSeconds(5));
        assertTrue(known.isWaiting() && fresh.isWaiting());
        server.pool().pause(false);
        world.advance(MOMENT);
        assertTrue(known.holds() && fresh.holds());
    }

    @Test
    void reconnectReplacesIdleOnesNowAndOthersWhenTheyComeBack() {
        World.Server server = server();
        List<World.Attempt> two = acquire(server, "ann", 2);
        two.get(0).release();
        server.pool().evictAll();
        world.advance(MOMENT);
        assertTrue(two.get(0).session().isClosed());
        assertFalse(two.get(1).session().isClosed());
        two.get(1).release();
        world.advance(MOMENT);
        assertTrue(two.get(1).session().isClosed());
    }

    @Test
    void statisticsAddUpAtAllThreeLevels() {
        World.Server server = server("max_connections", "2");
        List<World.Attempt> two = acquire(server, "ann", 2);
        World.Attempt late = server.acquire("ann", Duration.ofMillis(100));
        world.advance(MOMENT);
        two.get(0).release();
        two.get(1).markFailed();
        world.advance(MOMENT);
        UserPoolStats user = server.pool().userStats().get(0);
        assertEquals(2, user.totalAcquires());
        assertEquals(2, user.totalReleases());
        assertEquals(1, user.acquireTimeouts());
        assertEquals(2, user.connectionsCreated());
        assertEquals(1, user.connectionsDestroyed());
        assertEquals(30.0, user.avgAcquireWaitMs(), 0.5, "a connect takes 20 ms, and the first proves the password");
        assertEquals(1.0, user.avgConnectionLifetimeSec(), 0.1);
        ServerPoolStats stats = server.pool().stats();
        assertEquals(2, stats.totalAcquires());
        assertEquals(1, stats.totalConnections());
        assertEquals(0, stats.activeConnections());
        RegistryStats all = world.servers.stats();
        assertEquals(2, all.totalReleases());
        assertEquals(1, all.healthyServers());
        assertEquals(Refusal.TIMED_OUT, late.refusal());
        ConnectionInfo connection = server.pool().connections().get(0);
        assertEquals(ConnectionInfo.State.CONNECTED, connection.state());
        assertEquals(1, connection.useCount());
    }

    @Test
    void countersOutliveADroppedServer() {
        World.Server server = server();
        acquire(server, "ann", 3).forEach(World.Attempt::release);
        server.drop();
        world.advance(MOMENT);
        assertEquals(3, world.servers.stats().totalAcquires());
        assertEquals(0, world.servers.stats().totalConnections());
    }

    @Test
    void aRenamedServerKeepsItsConnections() throws RegistryException {
        World.Server server = server();
        World.Attempt attempt = acquire(server, "ann", 1).get(0);
        world.servers.rename("s", "t");
        attempt.release();
        World.Attempt again = world.new Server("t").acquire("ann", MOMENT);
        world.advance(MOMENT);
        assertSame(attempt.session(), again.session());
        assertEquals("t", world.servers.get("t").userStats().get(0).serverName());
    }
}
