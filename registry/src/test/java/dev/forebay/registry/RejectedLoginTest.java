// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Finding F5: a rejected password is told at once to everyone, and hardly tried again. */
class RejectedLoginTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofMillis(20);
    private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(2);

    private final World world = new World(1);
    private World.Server server;

    @BeforeEach
    void aServerThatRejectsItsUser() {
        server = world.server("s", 10, "enable_health_check", "true", "min_connections", "2");
        world.lockedOut.add("app");
        World.Attempt first = server.acquire("ann", LONG);
        world.advance(Duration.ofMillis(100));
        assertFalse(first.isWaiting());
        assertEquals(1, logins());
    }

    private int logins() {
        return world.logins.getOrDefault("app", 0);
    }

    private List<World.Attempt> everyone() {
        List<World.Attempt> attempts = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            attempts.add(server.acquire("user" + i, LONG));
            attempts.add(server.acquire("ann", LONG));
        }
        return attempts;
    }

    @Test
    void whoeverAsksNextIsToldAtOnceWithoutALogin() {
        List<World.Attempt> attempts = everyone();
        world.advance(MOMENT);
        attempts.forEach(attempt -> assertEquals(RegistryError.AUTH_FAILED, attempt.refusal()));
        assertEquals(1, logins());
    }

    @Test
    void afterTheBackoffOneLoginTellsAllWhoAsk() {
        world.advance(LONGEST_BACKOFF);
        assertEquals(1, logins(), "nobody asked");
        List<World.Attempt> attempts = everyone();
        world.advance(MOMENT);
        attempts.forEach(attempt -> assertFalse(attempt.isWaiting()));
        assertEquals(2, logins());
    }

    @Test
    void oneWhoAsksAllTheTimeMakesFewLogins() {
        for (int second = 0; second < 120; second++) {
            server.acquire("ann", LONG);
            server.acquire("bob", LONG);
            world.advance(Duration.ofSeconds(1));
        }
        assertTrue(logins() <= 12, "logins in two minutes: " + logins());
    }

    @Test
    void afterTheBackoffAPasswordThatIsRightNowServesAll() {
        world.lockedOut.clear();
        world.advance(LONGEST_BACKOFF);
        List<World.Attempt> attempts = everyone();
        world.advance(Duration.ofSeconds(1));
        attempts.forEach(attempt -> assertTrue(attempt.holds(), () -> attempt + ": " + attempt.refusal()));
    }

    @Test
    void probesDoNotLogInWithIt() {
        world.advance(Duration.ofMinutes(10));
        assertEquals(1, logins());
        assertTrue(server.pool().health().isHealthy());
        assertTrue(
                server.pool().health().status().errorMessage().orElse("").contains("rejected"),
                server.pool().health().status().toString());
    }

    @Test
    void anotherPasswordIsTriedAtOnce() {
        world.lockedOut.clear();
        server.pool().map(UserMapping.PUBLIC, UserMapping.ofPublic("app", Secret.of("another")));
        World.Attempt attempt = server.acquire("ann", LONG);
        world.advance(Duration.ofMillis(100));
        assertTrue(attempt.holds());
    }

    @Test
    void thePasswordOfAnotherDefinitionIsTriedAtOnce() {
        server.update("host", "elsewhere");
        world.lockedOut.clear();
        World.Attempt attempt = server.acquire("ann", LONG);
        world.advance(Duration.ofMillis(100));
        assertTrue(attempt.holds());
    }

    @Test
    void thoseWhoHaveAConnectionReadyStillGetIt() {
        world.lockedOut.clear();
        world.advance(LONGEST_BACKOFF);
        World.Attempt served = server.acquire("ann", LONG);
        world.advance(Duration.ofSeconds(1));
        world.lockedOut.add("app");
        World.Attempt refused = server.acquire("bob", LONG);
        world.advance(Duration.ofSeconds(1));
        assertFalse(refused.isWaiting() || refused.holds());
        served.release();
        World.Attempt again = server.acquire("ann", LONG);
        world.advance(MOMENT);
        assertTrue(again.holds());
    }

    @Test
    void aLoginThatHangsKeepsTheOthersOnlyForTheConnectTimeout() {
        world.lockedOut.clear();
        world.advance(LONGEST_BACKOFF);
        server.sim().behave(dev.forebay.testkit.SimServer.Behaviour.HANG);
        World.Attempt hung = server.acquire("ann", LONG);
        world.advance(Duration.ofSeconds(1));
        server.sim().behave(dev.forebay.testkit.SimServer.Behaviour.ACCEPT);
        World.Attempt other = server.acquire("bob", LONG);
        world.advance(Duration.ofSeconds(8));
        assertTrue(other.holds(), () -> "" + other.refusal());
        assertTrue(hung.holds() || hung.isWaiting(), () -> "" + hung.refusal());
    }
}
