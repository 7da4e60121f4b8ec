// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.NothingFailedUnseen;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Fault 18: when a server counts as unhealthy, and when again as healthy. */
class HealthWatchTest {

    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final World world = new World(1);

    private World.Server server(String name, String... more) {
        String[] options = new String[more.length + 2];
        options[0] = "enable_health_check";
        options[1] = "true";
        System.arraycopy(more, 0, options, 2, more.length);
        return world.server(name, 10, options);
    }

    private static boolean isHealthy(World.Server server) {
        return server.pool().health().isHealthy();
    }

    private static HealthStatus status(World.Server server) {
        return server.pool().health().status();
    }

    @Test
    void threeFailuresInARowMakeItUnhealthyAndTwoSuccessesHealthyAgain() {
        World.Server server = server("s");
        server.sim().behave(Behaviour.REFUSE);
        world.advance(INTERVAL.multipliedBy(2).plus(MOMENT));
        assertTrue(isHealthy(server), "two are not enough");
        world.advance(INTERVAL);
        assertFalse(isHealthy(server));
        assertEquals(List.of("s is unhealthy: connection refused"), world.events);
        server.sim().behave(Behaviour.ACCEPT);
        world.advance(INTERVAL);
        assertFalse(isHealthy(server), "one is not enough");
        world.advance(INTERVAL);
        assertTrue(isHealthy(server));
        assertEquals(0, server.sim().open(), "a probe leaves nothing open");
    }

    @Test
    void aSuccessBetweenFailuresBeginsTheCountAnew() {
        World.Server server = server("s");
        server.sim().next(Behaviour.REFUSE, Behaviour.REFUSE, Behaviour.ACCEPT, Behaviour.REFUSE, Behaviour.REFUSE);
        world.advance(INTERVAL.multipliedBy(5).plus(MOMENT));
        assertTrue(isHealthy(server));
        assertEquals(2, status(server).consecutiveFailures());
        assertEquals(4, status(server).failures());
    }

    @Test
    void thresholdsIntervalAndTimeoutAreTheServersOwn() {
        World.Server server =
                server("s", "failure_threshold", "1", "recovery_threshold", "1", "health_check_interval", "1000");
        server.sim().behave(Behaviour.REFUSE);
        world.advance(Duration.ofMillis(1_100));
        assertFalse(isHealthy(server));
        server.sim().behave(Behaviour.ACCEPT);
        world.advance(Duration.ofMillis(1_100));
        assertTrue(isHealthy(server));
        server.update("health_check_interval", "100");
        world.advance(Duration.ofMillis(550));
        assertTrue(status(server).checks() >= 5, "the new interval holds at once");
    }

    @Test
    void anUnhealthyServerFailsFastAndThoseWhoWaitHearOfIt() {
        World.Server server = server("s");
        World.Attempt held = server.acquire("ann", MOMENT);
        world.advance(MOMENT);
        server.sim().behave(Behaviour.REFUSE);
        world.advance(INTERVAL.multipliedBy(2));
        World.Attempt waiting = server.acquire("bob", Duration.ofHours(1));
        world.advance(INTERVAL);
        assertFalse(isHealthy(server));
        assertTrue(!waiting.isWaiting() && !waiting.holds());
        World.Attempt late = server.acquire("cid", Duration.ofHours(1));
        world.advance(Duration.ofMillis(1));
        assertEquals(RegistryError.SERVER_UNAVAILABLE, late.refusal());
        assertTrue(held.holds(), "whoever has a connection goes on");
    }

    @Test
    void anUnhealthyServerIsNotHammeredForMinimums() {
        World.Server server = server("s", "min_connections", "2");
        for (int i = 0; i < 10; i++) {
            server.acquire("user" + i, MOMENT).releaseAtOnce();
        }
        world.advance(MOMENT);
        server.sim().behave(Behaviour.REFUSE);
        server.pool().evictAll();
        world.advance(INTERVAL.multipliedBy(3).plus(MOMENT));
        assertFalse(isHealthy(server));
        int before = server.sim().connectsAt().size();
        world.advance(INTERVAL.multipliedBy(10));
        assertEquals(10, server.sim().connectsAt().size() - before, "probes and nothing else");
    }

    @Test
    void norForAReservoir() {
        World.Server server = server("s", "supply", "RESERVOIR", "reservoir_ready", "3");
        server.acquire("ann", MOMENT).releaseAtOnce();
        world.advance(MOMENT);
        server.sim().behave(Behaviour.REFUSE);
        server.pool().evictAll();
        world.advance(INTERVAL.multipliedBy(3).plus(MOMENT));
        int before = server.sim().connectsAt().size();
        world.advance(INTERVAL.multipliedBy(10));
        assertEquals(10, server.sim().connectsAt().size() - before, "probes and nothing else");
        server.sim().behave(Behaviour.ACCEPT);
        world.advance(INTERVAL.multipliedBy(3));
        assertTrue(server.open("ann") >= 3, "filled again");
    }

    @Test
    void idleConnectionsOfAServerThatRecoveredAreCheckedFirst() {
        World.Server server = server("s", "validation_interval_seconds", "0");
        server.acquire("ann", MOMENT).releaseAtOnce();
        world.advance(MOMENT);
        server.sim().behave(Behaviour.REFUSE);
        world.advance(INTERVAL.multipliedBy(3).plus(MOMENT));
        server.sim().kill(1);
        server.sim().behave(Behaviour.ACCEPT);
        world.advance(INTERVAL.multipliedBy(2));
        World.Attempt attempt = server.acquire("ann", MOMENT);
        world.advance(MOMENT);
        assertTrue(attempt.holds() && attempt.session().isAlive());
    }

    @Test
    void aWrongPasswordIsNotAnUnhealthyServer() {
        World.Server server = server("s");
        world.lockedOut.add("app");
        world.advance(INTERVAL.multipliedBy(10));
        assertTrue(isHealthy(server));
        assertEquals(0, status(server).failures());
        assertTrue(
                status(server).errorMessage().orElse("").contains("rejected"),
                status(server).toString());
    }

    @Test
    void aServerThatHangsCostsOneProbeAndDelaysNoOther() {
        World.Server hung = server("hung");
        World.Server well = server("well");
        hung.sim().behave(Behaviour.HANG);
        world.advance(INTERVAL.multipliedBy(10));
        assertFalse(isHealthy(hung));
        assertEquals(1, hung.sim().connecting(), "no second probe beside one that hangs");
        assertTrue(isHealthy(well));
        assertTrue(status(well).checks() >= 9, status(well).toString());
        hung.sim().behave(Behaviour.ACCEPT);
        hung.sim().endHung(Behaviour.ACCEPT);
        world.advance(INTERVAL.multipliedBy(3));
        assertTrue(isHealthy(hung));
    }

    @Test
    void whatWasSaidByHandHoldsUntilItIsTakenBackByHand() {
        World.Server server = server("s");
        server.pool().health().mark(false, "maintenance");
        world.advance(INTERVAL.multipliedBy(10));
        assertFalse(isHealthy(server));
        assertEquals("maintenance", status(server).errorMessage().orElseThrow());
        server.pool().health().mark(true, null);
        World.Attempt attempt = server.acquire("ann", MOMENT);
        world.advance(MOMENT);
        assertTrue(attempt.holds());
    }

    @Test
    void oneProbeIsBesideTheCapAndTakesNobodysConnection() {
        World.Server server = server("s", "max_server_connections", "2", "min_connections", "0");
        World.Attempt first = server.acquire("ann", MOMENT);
        World.Attempt second = server.acquire("bob", MOMENT);
        world.advance(INTERVAL.multipliedBy(6));
        assertEquals(3, server.sim().mostOpen(), "two users and a probe");
        assertTrue(first.holds() && second.holds());
        assertTrue(status(server).consecutiveSuccesses() > 4, status(server).toString());
        first.release();
        world.advance(INTERVAL.multipliedBy(2));
        assertEquals(1, server.open("ann"), "an idle connection does not give way either");
    }

    @Test
    void aServerThatHasNoRoomForAProbeSaysNothingEitherWay() {
        World.Server server = server("s", "min_connections", "0");
        world.sessionLimits.put("s", 0);
        world.advance(INTERVAL.multipliedBy(5));
        assertTrue(isHealthy(server), "nothing is known against it");
        assertFalse(status(server).known(), status(server).toString());
        assertEquals(status(server).checks(), status(server).unknowns());
    }

    @Test
    void aCheckByHandRunsAtOnceAndCounts() {
        World.Server server = server("s");
        List<HealthStatus> told = new ArrayList<>();
        server.sim().behave(Behaviour.REFUSE);
        server.pool().health().checkNow(told::add);
        world.advance(MOMENT);
        assertEquals(1, told.size());
        assertEquals(1, told.get(0).consecutiveFailures());
    }

    @Test
    void withoutAMappingThereIsNothingToProbeWith() throws RegistryException {
        world.servers.register(World.define("s", 10, "enable_health_check", "true"));
        List<HealthStatus> told = new ArrayList<>();
        ServerPool<SimServer.Session> pool = world.servers.get("s");
        pool.health().checkNow(told::add);
        world.advance(INTERVAL.multipliedBy(4));
        assertTrue(pool.health().isHealthy());
        assertEquals(0, told.get(0).checks());
    }

    /** Its probes are not repeated with a rejected user, so nothing else would ever say that it lives. */
    @Test
    void anUnhealthyServerThatRejectsAUserIsAlive() {
        World.Server server = server("s");
        server.sim().behave(Behaviour.REFUSE);
        world.advance(INTERVAL.multipliedBy(3).plusMillis(58)); // each probe takes 20 ms: the third fails at 60
        assertTrue(isHealthy(server));
        world.lockedOut.add("app");
        server.acquire("ann", INTERVAL);
        world.advance(Duration.ofMillis(3));
        assertFalse(isHealthy(server));
        world.advance(INTERVAL.multipliedBy(10));
        assertTrue(isHealthy(server), world.events.toString());
        assertTrue(world.events.contains("s is unhealthy: connection refused"), world.events.toString());
    }

    /** Without probes only users can tell, and after their failures nobody knows that it is well. */
    @Test
    void aServerWithoutProbesThatFailsItsUsersIsUnknown() {
        World.Server server = world.server("s", 10, "enable_health_check", "false");
        server.acquire("ann", MOMENT).releaseAtOnce();
        world.advance(MOMENT);
        assertTrue(status(server).known(), status(server).toString());
        server.sim().behave(Behaviour.REFUSE);
        server.sim().sessions().forEach(SimServer.Session::kill);
        for (int i = 0; i < 4; i++) {
            server.acquire("user" + i, MOMENT);
            world.advance(INTERVAL);
        }
        assertFalse(status(server).known(), status(server).toString());
        server.sim().behave(Behaviour.ACCEPT);
        server.acquire("bob", INTERVAL).releaseAtOnce();
        world.advance(INTERVAL);
        assertTrue(status(server).known(), status(server).toString());
    }

    @Test
    void aConfiguredMappingProbes() {
        World.Server server = server("s", "health_check_user", "prober");
        server.pool().map("prober", UserMapping.of("prober", "monitor", Secret.of("x")));
        world.lockedOut.add("app");
        world.advance(INTERVAL.plus(MOMENT));
        assertEquals(1, status(server).consecutiveSuccesses());
        assertTrue(status(server).errorMessage().isEmpty(), status(server).toString());
    }

    @Test
    void aDroppedServerHasEndedWhenItsLastProbeIsGone() {
        World.Server server = server("s", "max_server_connections", "1");
        server.sim().behave(Behaviour.HANG);
        world.advance(INTERVAL.plus(MOMENT));
        SimServer sim = server.sim();
        server.drop();
        world.advance(MOMENT);
        assertFalse(world.events.contains("a server has ended"), "the probe's connect is still in progress");
        sim.endHung(Behaviour.ACCEPT);
        world.advance(MOMENT);
        assertTrue(world.events.contains("a server has ended"), world.events.toString());
        assertEquals(0, sim.open());
    }

    @Test
    void aDroppedServerIsProbedNoMore() {
        World.Server server = server("s");
        SimServer sim = server.sim();
        server.drop();
        world.advance(INTERVAL.multipliedBy(4));
        assertEquals(0, sim.connectsAt().size());
    }

    /** Finding C1: probes waited for a slot of the cap, so a frozen server stayed healthy as long as it was in use. */
    @Test
    void aFrozenServerWhoseCapIsInUseIsFoundOut() {
        World.Server server = server("s", "max_server_connections", "2", "min_connections", "0");
        World.Attempt first = server.acquire("ann", MOMENT);
        World.Attempt second = server.acquire("bob", MOMENT);
        world.advance(MOMENT);
        server.sim().behave(Behaviour.HANG);
        world.advance(INTERVAL.multipliedBy(4));
        assertFalse(isHealthy(server), status(server).toString());
        assertTrue(first.holds() && second.holds(), "nobody lost a connection to a probe");
    }

    @Test
    void connectsThatFailInARowTriggerACheckAtOnce() {
        World.Server server = server("s");
        server.sim().behave(Behaviour.REFUSE);
        World.Attempt waiting = server.acquire("ann", Duration.ofSeconds(20));
        world.advance(Duration.ofSeconds(5));
        assertFalse(isHealthy(server), status(server).toString());
        assertFalse(waiting.isWaiting(), "told without waiting for its timeout");
        assertEquals(1, status(server).checks());
    }

    @Test
    void brokenConnectionsTriggerACheckAtOnce() {
        World.Server server = server("s");
        List<World.Attempt> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(server.acquire("user" + i, MOMENT));
        }
        world.advance(MOMENT);
        server.sim().behave(Behaviour.HANG);
        held.forEach(World.Attempt::markFailed);
        world.advance(Duration.ofSeconds(6));
        assertFalse(isHealthy(server), status(server).toString());
    }

    @Test
    void aListenerThatThrowsAnErrorStopsNoProbe() {
        World.Server server = server("s");
        world.listenerThrows = true;
        server.sim().behave(Behaviour.REFUSE);
        world.advance(INTERVAL.multipliedBy(3).plus(MOMENT));
        assertFalse(isHealthy(server), status(server).toString());
        server.sim().behave(Behaviour.ACCEPT);
        world.advance(INTERVAL.multipliedBy(2));
        assertTrue(isHealthy(server), status(server).toString());
        assertEquals(5, status(server).checks());
        assertEquals(List.of("s is unhealthy: connection refused", "s is healthy"), world.events);
    }

    @Test
    void oneWhoAskedAndThrowsKeepsTheAnswerFromNobody() {
        World.Server server = server("s");
        List<HealthStatus> told = new ArrayList<>();
        server.pool().health().checkNow(status -> {
            throw new AssertionError(NothingFailedUnseen.EXPECTED + ", as the mistake of one who asked");
        });
        server.pool().health().checkNow(told::add);
        world.advance(INTERVAL.plus(MOMENT.multipliedBy(2)));
        assertEquals(1, told.size());
        assertEquals(2, status(server).checks(), "probes go on");
        assertEquals(0, server.sim().open());
    }

    @Test
    void aProbeThatThrowsBeforeItTriesHasFailed() {
        World.Server server = server(World.UNTRIED);
        List<HealthStatus> told = new ArrayList<>();
        server.pool().health().checkNow(told::add);
        world.advance(Duration.ofMillis(1));
        assertEquals(1, told.size(), "told at once, not at the timeout");
        world.advance(INTERVAL.multipliedBy(2).plus(MOMENT));
        assertFalse(isHealthy(server));
        assertEquals(
                "java.lang.LinkageError: a driver's mistake",
                status(server).errorMessage().orElseThrow());
    }

    @Test
    void failuresOfUsersAloneMakeNoServerUnhealthy() {
        World.Server server = server("s");
        List<World.Attempt> held = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            held.add(server.acquire("user" + i, MOMENT));
        }
        world.advance(MOMENT);
        held.forEach(World.Attempt::markFailed);
        world.advance(Duration.ofSeconds(2));
        assertTrue(isHealthy(server), "the probe that they triggered succeeded");
        assertEquals(1, status(server).checks());
    }
}
