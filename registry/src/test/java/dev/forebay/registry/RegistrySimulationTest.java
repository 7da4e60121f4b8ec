// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Fifty servers with twenty users each, under random load, faults and administration, one event at a time, with everything
 * that must always hold checked after every event. A failure names its seed; {@code new Run(seed).run()} replays it.
 */
class RegistrySimulationTest {

    private static final int SERVERS = 50;
    private static final int USERS = 20;

    @Test
    void whatAlwaysHoldsDoesAfterEveryEvent() {
        runAll(0, 50);
    }

    @Test
    @Tag("soak")
    void whatAlwaysHoldsDoesAfterEveryEventOfManyRuns() {
        runAll(100, 400);
    }

    private static void runAll(long from, int count) {
        for (long seed = from; seed < from + count; seed++) {
            try {
                new Run(seed).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e, e);
            }
        }
    }

    private static final class Run {
        private final SplittableRandom random;
        private final World world;
        private final List<World.Attempt> holding = new ArrayList<>();
        private int served;
        private int checked;

        Run(long seed) {
            random = new SplittableRandom(seed);
            world = new World(seed);
            for (int i = 0; i < SERVERS; i++) {
                SplittableRandom own = random.split();
                world.sim("s" + i)
                        .connectLatency(() -> Duration.ofMillis(own.nextInt(1, 60)))
                        .closeLatency(() -> Duration.ofMillis(own.nextInt(20)))
                        .checkLatency(() -> Duration.ofMillis(own.nextInt(10)))
                        .behave(() -> own.nextInt(20) == 0 ? SimServer.Behaviour.REFUSE : SimServer.Behaviour.ACCEPT);
                create("s" + i);
            }
        }

        void run() {
            for (int step = 0; step < 1_500; step++) {
                act();
                for (int events = random.nextInt(6); events > 0 && world.time.step(); events--) {
                    verify();
                }
                if (random.nextInt(4) == 0) {
                    long until = world.time.nanos() + random.nextInt(40_000_000);
                    while (world.time.nextNanos() <= until) {
                        world.time.step();
                        verify();
                    }
                }
            }
            end();
        }

        private void act() {
            int what = random.nextInt(100);
            if (what < 55) {
                Duration timeout = Duration.ofMillis(random.nextInt(10) == 0 ? 0 : random.nextInt(1, 3_000));
                new Borrower(world.new Server(server()).acquire("u" + random.nextInt(USERS), timeout));
            } else if (what < 88) {
                giveBack(random.nextInt(8) == 0);
            } else {
                administer(server());
            }
        }

        /** Few of the servers get most of the load, so that their caps are felt. */
        private String server() {
            return "s" + (random.nextInt(3) > 0 ? random.nextInt(4) : random.nextInt(SERVERS));
        }

        private final class Borrower {
            Borrower(World.Attempt attempt) {
                attempt.whenServed(() -> {
                    served++;
                    holding.add(attempt);
                });
            }
        }

        private void giveBack(boolean failed) {
            if (holding.isEmpty()) {
                return;
            }
            World.Attempt attempt = holding.remove(random.nextInt(holding.size()));
            if (failed) {
                attempt.markFailed();
            } else {
                attempt.release();
            }
            if (random.nextInt(10) == 0) {
                attempt.release(); // once more changes nothing
            }
        }

        private String[] someOptions(String name) {
            int max = random.nextInt(1, 6);
            return new String[] {
                "host",
                random.nextInt(6) == 0 ? "s" + random.nextInt(SERVERS) : name,
                "max_connections",
                Integer.toString(max),
                "min_connections",
                Integer.toString(random.nextInt(0, Math.min(3, max + 1))),
                "max_server_connections",
                Integer.toString(random.nextInt(1, 9)),
                "exhaustion_policy",
                List.of("WAIT", "WAIT", "FAIL_FAST", "OVERFLOW").get(random.nextInt(4)),
                "overflow_connections",
                "2",
                "supply",
                random.nextInt(8) == 0 ? "RESERVOIR" : "ON_DEMAND",
                "warmup_on_create",
                Boolean.toString(random.nextBoolean()),
                "enable_health_check",
                Boolean.toString(random.nextBoolean()),
                "health_check_interval",
                "300",
                "health_check_timeout",
                "200",
                "idle_timeout",
                "400",
                "user_pool_timeout",
                "1500",
                "max_lifetime",
                "5000",
                "validation_interval_seconds",
                Integer.toString(random.nextInt(2)),
                "validate_on_acquire",
                Boolean.toString(random.nextInt(4) == 0)
            };
        }

        private void create(String name) {
            try {
                world.servers.register(World.define(name, 1, someOptions(name)));
                map(name, UserMapping.PUBLIC);
            } catch (RegistryException e) {
                throw new AssertionError(e);
            }
        }

        private void map(String name, String user) throws RegistryException {
            world.servers.get(name).map(user, UserMapping.of(user, "r" + random.nextInt(4), Secret.of("secret")));
        }

        private void administer(String name) {
            try {
                ServerPool<Session> pool = world.servers.get(name);
                switch (random.nextInt(13)) {
                    case 0 -> {
                        world.servers.unregister(name);
                        if (random.nextBoolean()) {
                            create(name);
                        }
                    }
                    case 1, 2 -> world.new Server(name).update(someOptions(name));
                    case 3 -> map(name, random.nextBoolean() ? UserMapping.PUBLIC : "u" + random.nextInt(USERS));
                    case 4 -> pool.map("u" + random.nextInt(USERS), null);
                    case 5 -> pool.evictAll();
                    case 6 -> pool.evictIdle();
                    case 7 -> pool.validateAll();
                    case 8 -> pool.pause(random.nextInt(3) == 0);
                    case 9 -> pool.health().mark(random.nextInt(3) > 0, "by hand");
                    case 10 -> world.new Server(name).sim().kill(random.nextInt(4));
                    case 11 -> pool.user("u" + random.nextInt(USERS)).warmUp(random.nextInt(5), () -> {});
                    default -> {
                        String remote = "r" + random.nextInt(4);
                        if (!world.lockedOut.remove(remote) && random.nextInt(3) == 0) {
                            world.lockedOut.add(remote);
                        }
                    }
                }
            } catch (RegistryException e) {
                if (e.error() == RegistryError.SERVER_NOT_FOUND) {
                    create(name);
                } else {
                    assertTrue(
                            List.of(
                                            RegistryError.SERVER_UNAVAILABLE,
                                            RegistryError.USER_MAPPING_MISSING,
                                            RegistryError.AUTH_FAILED)
                                    .contains(e.error()),
                            e.toString());
                }
            }
        }

        /** That a session is in one hand only, and of the right place, each hand checks when it gets it. */
        private void verify() {
            checked++;
            for (Map.Entry<String, ServerPool<Session>> each :
                    world.servers.all().entrySet()) {
                verifyCap(each.getKey(), each.getValue());
            }
            if (checked % 16 == 0) {
                long now = world.time.nanos();
                for (World.Attempt attempt : world.attempts) {
                    assertTrue(
                            !attempt.isWaiting() || attempt.deadline() >= now - 1_000_000,
                            () -> attempt + " is forgotten");
                }
                world.attempts.removeIf(attempt -> !attempt.isWaiting());
            }
        }

        /** The cap holds but for what was there when it was lowered: above it nothing is granted. */
        private void verifyCap(String name, ServerPool<Session> pool) {
            int held = world.live.getOrDefault(name, 0);
            assertTrue(held <= pool.cap().held(), "a connection without a slot");
            int most = Math.max(pool.cap().limit(), lastHeld.getOrDefault(name, 0));
            assertTrue(held <= most, () -> name + " holds " + held + ", at most " + most);
            lastHeld.put(name, held);
        }

        private final Map<String, Integer> lastHeld = new HashMap<>();

        private void end() {
            while (!holding.isEmpty()) {
                giveBack(false);
            }
            boolean[] drained = {false};
            world.servers.close(() -> drained[0] = true);
            long until = world.time.nanos() + Duration.ofSeconds(30).toNanos();
            while (world.time.nextNanos() <= until) {
                world.time.step();
                while (!holding.isEmpty()) {
                    giveBack(false);
                }
            }
            assertTrue(served > 200, "only " + served + " were served");
            assertTrue(drained[0], "something is left");
            assertTrue(world.holders.isEmpty(), "something is out");
            world.attempts.forEach(attempt -> assertTrue(!attempt.isWaiting(), () -> attempt + " is forgotten"));
            for (int i = 0; i < SERVERS; i++) {
                assertEquals(0, world.sim("s" + i).open() + world.sim("s" + i).connecting(), "open at s" + i);
            }
        }
    }
}
