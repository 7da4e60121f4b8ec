// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.engine.Admission;
import dev.forebay.engine.LocalRateLimits;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.TokenBucket;
import dev.forebay.jdbc.Endpoint;
import dev.forebay.testkit.SimServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The process's limit on connects to a cluster, kept by all users of a server and its probes, in virtual time. */
class RegistryRateLimitTest {

    private static final int RATE = ForebayConfig.builder().build().connectionRateLimit();
    private static final int BURST = ForebayConfig.builder().build().connectionBurstLimit();
    private static final Duration MOMENT = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final World world = new World(1);

    private World.Server cluster(String... options) {
        return world.server(DatabaseType.AURORA_DSQL, "c", 1_000, options);
    }

    /** Another pool of this process on the endpoint of {@code host}, with limits so high that they change nothing. */
    private LocalRateLimits.Share another(String host) {
        String endpoint = Endpoint.of("jdbc:postgresql://" + host + "/postgres");
        return LocalRateLimits.PROCESS.join(endpoint, new TokenBucket(1_000, 10_000), world.time);
    }

    /** Takes all permits there are; how many. */
    private int drain(Admission limit) {
        int[] granted = {0};
        boolean[] more = {true};
        while (more[0]) {
            limit.ask(world.time.nanos(), new Admission.Answer() {
                @Override
                public void granted(Admission.Grant grant) {
                    granted[0]++;
                }

                @Override
                public void notBefore(long nanos) {
                    more[0] = false;
                }

                @Override
                public void failed(OpenFailure failure) {
                    throw new AssertionError(failure.toString());
                }
            });
        }
        return granted[0];
    }

    private static void assertLimited(List<Long> connects) {
        for (int from = 0; from < connects.size(); from++) {
            for (int to = from; to < connects.size(); to++) {
                double seconds = (connects.get(to) - connects.get(from)) / 1e9;
                int begun = to - from + 1;
                assertTrue(begun <= BURST + RATE * seconds + 1e-6, begun + " within " + seconds + " s");
            }
        }
    }

    @Test
    void allUsersOfAClusterStayWithinOneLimit() {
        World.Server cluster = cluster("enable_health_check", "true", "health_check_interval", "1000");
        List<World.Attempt> all = new ArrayList<>();
        for (int i = 0; i < 2 * BURST; i++) {
            all.add(cluster.acquire("user" + i % 40, LONG));
        }
        world.advance(Duration.ofSeconds(BURST / RATE * 2));
        assertTrue(all.stream().allMatch(World.Attempt::holds));
        assertLimited(cluster.sim().connectsAt());
    }

    @Test
    void serversOfOtherTypesAreNotLimited() {
        World.Server server = world.server("c", 1_000);
        for (int i = 0; i < 2 * BURST; i++) {
            server.acquire("user" + i % 40, LONG);
        }
        world.advance(Duration.ofSeconds(2));
        assertEquals(2 * BURST, server.sim().open());
    }

    @Test
    void itIsTheLimitOfAllPoolsOfTheProcess() {
        LocalRateLimits.Share other = another("C:5432");
        World.Server cluster = cluster("min_connections", "0");
        assertEquals(BURST, drain(other));
        World.Attempt attempt = cluster.acquire("ann", LONG);
        world.advance(Duration.ofMillis(1_000 / RATE - 1));
        assertEquals(0, cluster.sim().connectsAt().size());
        world.advance(MOMENT);
        assertTrue(attempt.holds());
        other.leave();
    }

    @Test
    void aDroppedClusterLimitsTheOthersNoMore() {
        LocalRateLimits.Share other = another("c");
        World.Server cluster = cluster();
        World.Attempt attempt = cluster.acquire("ann", MOMENT);
        world.advance(MOMENT);
        cluster.drop();
        world.advance(MOMENT);
        assertEquals(RATE, other.sustainedPerSecond(), "a connection is still out");
        attempt.release();
        world.advance(MOMENT);
        assertEquals(1_000, other.sustainedPerSecond());
        other.leave();
    }

    @Test
    void aClusterThatMovesTakesTheLimitOfItsNewPlace() {
        LocalRateLimits.Share before = another("c");
        LocalRateLimits.Share after = another("d");
        World.Server cluster = cluster("min_connections", "0");
        cluster.update("host", "d");
        assertEquals(1_000, before.sustainedPerSecond());
        assertEquals(RATE, after.sustainedPerSecond());
        drain(after);
        cluster.acquire("ann", LONG);
        world.advance(Duration.ofMillis(1_000 / RATE - 1));
        assertEquals(0, cluster.sim().connectsAt().size());
        before.leave();
        after.leave();
    }

    @Test
    void aTypeThatChangesTakesOrLeavesTheLimit() {
        LocalRateLimits.Share other = another("c");
        World.Server server = world.server("c", 1_000);
        assertEquals(1_000, other.sustainedPerSecond());
        server.become(DatabaseType.AURORA_DSQL);
        assertEquals(RATE, other.sustainedPerSecond());
        server.become(DatabaseType.POSTGRESQL);
        assertEquals(1_000, other.sustainedPerSecond());
        other.leave();
    }

    /** Those who wait for the limit, and whoever writes the warning, may be slow: meanwhile others use the registry. */
    @Test
    void whatFollowsFromTheLimitIsDoneUnderNoLock() {
        LocalRateLimits.Share other = another("c");
        List<Integer> seen = new ArrayList<>();
        other.whenFreed(() -> seen.add(
                CompletableFuture.supplyAsync(() -> world.servers.stats().totalServers())
                        .orTimeout(5, TimeUnit.SECONDS)
                        .join()));
        World.Server server = cluster();
        server.become(DatabaseType.POSTGRESQL);
        server.become(DatabaseType.AURORA_DSQL);
        server.update("host", "d");
        assertEquals(List.of(1, 1, 1, 1), seen);
        other.leave();
    }

    /** The cluster's rate was spent elsewhere; how many it takes is another matter. */
    @Test
    void aThrottledConnectSaysNothingAboutRoom() {
        World.Server cluster = cluster("min_connections", "0");
        world.throttling.add("c");
        cluster.acquire("ann", LONG);
        world.advance(Duration.ofMillis(20));
        world.throttling.clear();
        List<World.Attempt> all = new ArrayList<>();
        for (int i = 0; i < 2 * RATE; i++) {
            all.add(cluster.acquire("user" + i, LONG));
        }
        world.advance(Duration.ofSeconds(4));
        assertEquals(2 * RATE, all.stream().filter(World.Attempt::holds).count());
    }

    /** One that may not log in says nothing about the server. */
    @Test
    void aProbeWithoutAPermitIsUnknownAndDoesNotConnect() {
        LocalRateLimits.Share other = another("c");
        World.Server cluster = cluster("health_check_timeout", "50");
        drain(other);
        List<HealthStatus> told = new ArrayList<>();
        cluster.pool().health().checkNow(told::add);
        world.advance(Duration.ofMillis(50));
        assertEquals(1, told.size());
        HealthStatus status = told.get(0);
        assertTrue(status.healthy() && !status.known(), status.toString());
        assertEquals(1, status.unknowns(), status.toString());
        world.advance(MOMENT);
        assertEquals(0, cluster.sim().connectsAt().size());
        cluster.pool().health().checkNow(told::add);
        world.advance(MOMENT);
        assertTrue(told.get(1).known(), told.toString());
        other.leave();
    }

    @Test
    void theWaitForAPermitIsNotTakenFromAProbesTime() {
        LocalRateLimits.Share other = another("c");
        World.Server cluster = cluster("health_check_timeout", "110");
        drain(other);
        List<HealthStatus> told = new ArrayList<>();
        cluster.pool().health().checkNow(told::add);
        world.advance(Duration.ofMillis(100));
        assertEquals(1, cluster.sim().connectsAt().size());
        world.advance(MOMENT);
        assertEquals(1, told.get(0).consecutiveSuccesses(), told.toString());
        cluster.sim().behave(SimServer.Behaviour.HANG);
        drain(other);
        cluster.pool().health().checkNow(told::add);
        world.advance(MOMENT);
        assertEquals(1, told.get(1).failures(), told.toString());
        cluster.sim().endHung(SimServer.Behaviour.REFUSE);
        other.leave();
    }

    @Test
    void aProbeThatWaitsForAPermitKeepsNoDroppedServer() {
        LocalRateLimits.Share other = another("c");
        World.Server cluster = cluster("enable_health_check", "true", "health_check_interval", "1000");
        world.advance(Duration.ofMillis(999));
        drain(other);
        world.advance(Duration.ofMillis(1));
        cluster.drop();
        world.time.runDue();
        assertTrue(world.events.contains("a server has ended"), world.events.toString());
        world.advance(MOMENT);
        assertEquals(0, world.sim("c").connectsAt().size());
        assertFalse(world.time.nextNanos() < world.time.nanos() + LONG.toNanos(), "nothing is left to do");
        other.leave();
    }
}
