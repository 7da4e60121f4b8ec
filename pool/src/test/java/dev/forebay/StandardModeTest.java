// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Checkout;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.Refusal;
import dev.forebay.engine.Waiter;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The default mode with its defaults, a hundred connections, in virtual time. */
class StandardModeTest {

    private static final int SIZE = 100;
    private static final Duration LIFETIME = Duration.ofMinutes(55);

    private final VirtualTime time = new VirtualTime();
    private final SimServer server = new SimServer(time);
    private ConfiguredPool<Session> standard;
    private int served;
    private int refused;
    private long longestWaitNanos;

    private void start(Map<String, String> variables) {
        ForebayConfig config = ForebayConfig.fromEnvironment(variables);
        standard = new ConfiguredPool<>(
                config, server, List.of(), ConfiguredPool.localRateLimit(config, time), List.of(), time, new Random(1));
        standard.start(ended -> {});
        time.advance(Duration.ofSeconds(10));
        assertEquals(SIZE, standard.pool().openCount());
    }

    /** A worker that borrows for {@code hold}, again and again, until {@code endNanos}. */
    private void work(Duration hold, long endNanos) {
        if (time.nanos() >= endNanos) {
            return;
        }
        Checkout<Session> checkout = new Checkout<>();
        long since = time.nanos();
        Duration patience = standard.config().connectionTimeout();
        standard.pool().checkout(checkout, 0, since + patience.toNanos(), new Waiter.Turn() {
            @Override
            public void served() {
                served++;
                longestWaitNanos = Math.max(longestWaitNanos, time.nanos() - since);
                time.schedule(time.nanos() + hold.toNanos(), () -> {
                    if (checkout.value().isAlive()) {
                        checkout.returnToPool();
                    } else {
                        checkout.discard(DiscardReason.BAD_CONNECTION);
                    }
                    work(hold, endNanos);
                });
            }

            @Override
            public void refused(Refusal why) {
                refused++;
                work(hold, endNanos);
            }
        });
    }

    @Test
    void aDropOfAllUnderLoadIsRefilledAtTheLimitersPace() {
        start(Map.of());
        time.advance(Duration.ofMinutes(1)); // the burst is saved up again
        long end = time.nanos() + Duration.ofSeconds(30).toNanos();
        for (int i = 0; i < SIZE; i++) {
            work(Duration.ofMillis(20), end);
        }
        time.advance(Duration.ofSeconds(1));
        server.sessions().forEach(Session::kill);
        time.advance(Duration.ofSeconds(3));
        assertEquals(SIZE, standard.pool().openCount());
        time.advance(Duration.ofSeconds(30));
        assertEquals(0, refused);
        assertTrue(longestWaitNanos < Duration.ofSeconds(3).toNanos(), "longest wait " + longestWaitNanos);
    }

    @Test
    void connectionsOpenedTogetherDoNotEndTogether() {
        start(Map.of());
        int lowest = SIZE;
        long oldest = 0;
        for (int second = 0; second < Duration.ofHours(3).toSeconds(); second++) {
            time.advance(Duration.ofSeconds(1));
            lowest = Math.min(lowest, standard.pool().openCount());
            oldest = Math.max(
                    oldest,
                    standard.pool().inventory().stream()
                            .mapToLong(one -> time.nanos() - one.bornAtNanos())
                            .max()
                            .orElse(0));
        }
        assertTrue(lowest >= SIZE * 95 / 100, "the level fell to " + lowest);
        assertTrue(oldest < LIFETIME.toNanos(), "one lived for " + Duration.ofNanos(oldest));
        assertTrue(oldest > LIFETIME.toNanos() * 95 / 100, "the longest lived for " + Duration.ofNanos(oldest));
    }

    /** Lifetimes that end within a short time need a keeper that keeps pace, before anybody waits. */
    @Test
    void theKeeperKeepsPaceWithConnectionsThatEnd() {
        start(Map.of("DSQL_MAX_CONN_LIFETIME", "1m", "DSQL_MAX_CONN_LIFETIME_JITTER", "20s"));
        int lowest = SIZE;
        for (int second = 0; second < Duration.ofMinutes(5).toSeconds(); second++) {
            time.advance(Duration.ofSeconds(1));
            lowest = Math.min(lowest, standard.pool().openCount());
        }
        assertTrue(lowest >= SIZE * 85 / 100, "the level fell to " + lowest);
    }

    @Test
    void noneTimesOutWhileAllExpireUnderLoad() {
        start(Map.of("DSQL_MAX_CONN_LIFETIME", "1m", "DSQL_CONNECTION_TIMEOUT", "5s"));
        long end = time.nanos() + Duration.ofMinutes(10).toNanos();
        for (int i = 0; i < SIZE; i++) {
            work(Duration.ofSeconds(2), end);
        }
        time.advance(Duration.ofMinutes(10));
        assertEquals(0, refused);
        assertTrue(served > 28_000, served + " served of the 30,000 that could be");
        assertTrue(standard.pool().stats().opened() > 10L * SIZE, "all of them ended ten times");
    }
}
