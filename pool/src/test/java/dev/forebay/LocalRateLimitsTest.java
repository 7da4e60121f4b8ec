// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Admission;
import dev.forebay.engine.LocalRateLimits;
import dev.forebay.engine.TokenBucket;
import dev.forebay.testkit.AdmissionContract;
import dev.forebay.testkit.CapturedLog;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.Time;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limit that pools of one process share, in virtual time. */
class LocalRateLimitsTest {

    private static final String ENDPOINT = "cluster:5432";

    @RegisterExtension
    private final CapturedLog log = new CapturedLog(LocalRateLimits.class);

    private final VirtualTime time = new VirtualTime();
    private final SimServer server = new SimServer(time);
    private final LocalRateLimits limits = new LocalRateLimits();

    private static ForebayConfig config(int rate, int burst) {
        return ForebayConfig.builder()
                .mode(ForebayConfig.Mode.RESERVOIR)
                .targetReady(50)
                .staggeredStartup(false)
                .connectionRateLimit(rate)
                .connectionBurstLimit(burst)
                .build();
    }

    private LocalRateLimits.Share join(int rate, int burst) {
        return limits.join(ENDPOINT, new TokenBucket(rate, burst), time);
    }

    private ConfiguredPool<Session> pool(ForebayConfig config, Admission limit) {
        ConfiguredPool<Session> pool =
                new ConfiguredPool<>(config, server, List.of(), limit, List.of(), time, new Random(1));
        pool.start(outcome -> {});
        return pool;
    }

    /** The number of permits that {@code share} grants now. */
    private int drain(Admission share) {
        int[] granted = {0};
        boolean[] more = {true};
        while (more[0]) {
            share.ask(time.nanos(), new Admission.Answer() {
                @Override
                public void granted(Admission.Grant grant) {
                    granted[0]++;
                }

                @Override
                public void notBefore(long nanos) {
                    more[0] = false;
                }

                @Override
                public void failed(dev.forebay.engine.OpenFailure failure) {
                    throw new AssertionError(failure.error());
                }
            });
        }
        return granted[0];
    }

    /** In no window are there more connects than the burst and what flowed in meanwhile. */
    private static void assertWithin(List<Long> connects, int rate, int burst) {
        for (int from = 0; from < connects.size(); from++) {
            for (int to = from; to < connects.size(); to++) {
                double window = (connects.get(to) - connects.get(from)) / 1e9;
                assertTrue(to - from + 1 <= burst + rate * window + 1e-6, (to - from + 1) + " within " + window + " s");
            }
        }
    }

    @Test
    void twoPoolsStayWithinOneLimitInEveryWindow() {
        ForebayConfig config = config(10, 20);
        LocalRateLimits.Share first = join(10, 20);
        LocalRateLimits.Share second = join(10, 20);
        ConfiguredPool<Session> one = pool(config, first);
        ConfiguredPool<Session> two = pool(config, second);
        time.advance(Duration.ofSeconds(4));
        assertEquals(60, server.connectsAt().size(), "all that flows in is used");
        time.advance(Duration.ofMinutes(30)); // through expiries
        one.pool().evictAll();
        two.pool().evictAll();
        time.advance(Duration.ofMinutes(1));
        assertEquals(50, one.pool().openCount());
        assertEquals(50, two.pool().openCount());
        assertWithin(server.connectsAt(), 10, 20);
    }

    @Test
    void anotherEndpointHasALimitOfItsOwn() {
        assertEquals(5, drain(join(1, 5)));
        assertEquals(5, drain(limits.join("other:5432", new TokenBucket(1, 5), time)));
    }

    @Test
    void theLowestHoldsForAllWhileItsPoolIsThere() {
        LocalRateLimits.Share fast = join(100, 50);
        assertEquals(List.of(), log.messages());
        LocalRateLimits.Share slow = join(1, 10);
        assertEquals(
                List.of(
                        "Pools of this process limit connects to cluster:5432 differently: 100 a second with a burst of 50,"
                                + " and 1 with 10; the lowest of each holds for all"),
                log.messages());
        assertEquals(1, fast.sustainedPerSecond());
        assertEquals(10, drain(fast));
        time.advance(Duration.ofSeconds(3));
        assertEquals(3, drain(slow));
        slow.leave();
        assertEquals(0, drain(fast), "a change mints no permits");
        time.advance(Duration.ofMillis(100));
        assertEquals(10, drain(fast));
    }

    @Test
    void thoseToldToWaitAreWokenWhenALowerLimitGoes() {
        LocalRateLimits.Share fast = join(100, 1);
        LocalRateLimits.Share slow = join(1, 1);
        List<String> woken = new ArrayList<>();
        Runnable undo = fast.whenFreed(() -> woken.add("fast"));
        slow.leave();
        assertEquals(List.of("fast"), woken);
        undo.run();
        fast.leave();
        assertEquals(List.of("fast"), woken);
    }

    @Test
    void aPoolBuiltAgainHasNoSecondBurst() {
        LocalRateLimits.Share first = join(1, 5);
        assertEquals(5, drain(first));
        first.leave();
        first.leave();
        assertEquals(0, drain(join(1, 5)));
    }

    @Test
    void aLimitWithoutPoolsGoesWhenItsBucketIsFull() {
        LocalRateLimits.Share first = join(1, 5);
        first.leave();
        assertEquals(0, limits.size(), "it was full");
        LocalRateLimits.Share second = join(1, 5);
        drain(second);
        second.leave();
        time.advance(Duration.ofMillis(4_999));
        assertEquals(1, limits.size());
        time.advance(Duration.ofMillis(1));
        assertEquals(0, limits.size());
    }

    @Test
    void aLimitTakenUpAgainStays() {
        LocalRateLimits.Share first = join(1, 5);
        drain(first);
        first.leave();
        LocalRateLimits.Share second = join(1, 5);
        time.advance(Duration.ofSeconds(10));
        assertEquals(1, limits.size());
        assertEquals(5, drain(second));
    }

    /** Pools come and go with limits of their own, and never are there more connects than the loosest would allow. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void comingAndGoingMintsNoPermits(long seed) {
        Random random = new Random(seed);
        List<LocalRateLimits.Share> shares = new ArrayList<>();
        List<Long> grants = new ArrayList<>();
        for (int step = 0; step < 300; step++) {
            if (shares.isEmpty() || random.nextInt(3) == 0) {
                shares.add(join(1 + random.nextInt(10), 1 + random.nextInt(20)));
            } else if (random.nextInt(3) == 0) {
                shares.remove(random.nextInt(shares.size())).leave();
            }
            if (!shares.isEmpty()) {
                int granted = drain(shares.get(random.nextInt(shares.size())));
                for (int i = 0; i < granted; i++) {
                    grants.add(time.nanos());
                }
            }
            time.advance(Duration.ofMillis(random.nextInt(500)));
        }
        assertTrue(grants.size() > 50, "coming and going starves nobody: " + grants.size());
        assertWithin(grants, 10, 20);
    }

    @Nested
    class OfAShare extends AdmissionContract {
        @Override
        protected Admission admission(Time clock, int limit) {
            return new LocalRateLimits().join(ENDPOINT, new TokenBucket(1, limit), clock);
        }

        @Override
        protected boolean holdsSlots() {
            return false;
        }

        @Override
        protected double perSecond() {
            return 1;
        }
    }
}
