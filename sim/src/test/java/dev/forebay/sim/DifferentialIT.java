// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.PoolListener;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.fleet.FleetLimits;
import dev.forebay.fleet.FleetListener;
import dev.forebay.fleet.MemoryStore;
import dev.forebay.local.LocalDsql;
import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * The simulator against reality: the scenario {@code local} with all its times divided by 40, run in virtual time and, by
 * the same settings, by four pools with real threads on a local DSQL.
 *
 * <p>A connect of the local DSQL costs some 10 ms of processor time, and on a busy machine a second goes by until it is
 * done. So there are fewer of them: 4 processes of 10 connections at 10 connects a second, which take four seconds to
 * fill. Lifetimes are 15 to 18 s, and the counts are taken after 25 s, between the first wave of replacements and the
 * second, where a delay of a second or two changes none.
 *
 * <p>What has to agree, and why no closer:
 *
 * <ul>
 *   <li>Refills, and the discards of what had been replaced or had come to its end, each to a quarter. A busy machine is
 *       late with a connect, and a pool that has seen connects take long begins earlier with the next; it loses none.
 *   <li>No other discards than the simulator has, but for a quarter of a generation: a check that took too long.
 *   <li>The connects that the server had admitted by each second: as many as the simulator's, to a quarter of a
 *       generation, at some moment at most 8 s before or after: slack for a machine whose cores are shared by many.
 *   <li>The connects of the first second, to one and a half times what the limiter grants in it: a stall leaves out
 *       all of them, and more there are only if the second is read late.
 * </ul>
 *
 * <p>A simulator whose connections never end, and one whose limiter does not limit, are outside these bounds.
 */
class DifferentialIT {

    private static final Path LOCAL = Path.of("..", "scenarios", "local.yaml");
    private static final int SECONDS = 25;
    private static final int LAG = 8;
    private static final int GENERATION = 40;
    private static final int RATE = 10;
    private static final long SECOND = 1_000_000_000;

    private static final Set<DiscardReason> OF_AGE = EnumSet.of(
            DiscardReason.INSUFFICIENT_REMAINING_LIFETIME,
            DiscardReason.EXPIRED_ON_CHECKOUT,
            DiscardReason.EXPIRED_ON_RETURN,
            DiscardReason.EXPIRED_ON_SCAN,
            DiscardReason.EXPIRING_SOON_ON_SCAN,
            DiscardReason.RESERVOIR_FULL, // its replacement came early
            DiscardReason.REPLACED);

    /**
     * The outcome of a run.
     *
     * @param admitted how many connects the server had admitted after each second
     */
    private record Outcome(long refills, long ofAge, long others, List<Long> admitted) {

        /** The differences between reality and this simulation. */
        List<String> differences(Outcome real) {
            List<String> differences = new ArrayList<>();
            if (Math.abs(real.refills - refills) > refills / 4) {
                differences.add("refills");
            }
            if (Math.abs(real.ofAge - ofAge) > Math.max(ofAge, GENERATION) / 4) {
                differences.add("discards of age");
            }
            if (Math.abs(real.others - others) > GENERATION / 4) {
                differences.add("other discards");
            }
            for (int second = 0; second < SECONDS; second++) {
                long least = second < LAG ? 0 : admitted.get(second - LAG);
                long most = admitted.get(second + LAG);
                long told = real.admitted.get(second);
                if (told < least - GENERATION / 4 || told > most + GENERATION / 4) {
                    differences.add("connects by second " + (second + 1));
                    break;
                }
            }
            if (Math.abs(real.admitted.get(0) - admitted.get(0)) > RATE * 3 / 2) {
                differences.add("connects of the first second");
            }
            return differences;
        }
    }

    private static String scaled() throws Exception {
        String yaml = Files.readString(LOCAL)
                .replace("duration: 20m", "duration: " + (SECONDS + LAG) + "s\nserver: {connectLatency: 20ms}")
                .replace("limiterPerSec: 100", "limiterPerSec: " + RATE)
                .replace("targetReady: 50", "targetReady: 10")
                .replace("guardWindow: 45s", "guardWindow: 1125ms")
                .replace("baseLifetime: 11m", "baseLifetime: 16500ms")
                .replace("jitter: 2m", "jitter: 3s")
                .replace("startDelay: 0s", "startDelay: 0s\n    settings: {staggered-startup: false}");
        assertEquals(4, yaml.split("baseLifetime: 16500ms", -1).length - 1, "the scenario is another: " + LOCAL);
        return yaml;
    }

    // ---- in virtual time

    private static Outcome simulate(String yaml) {
        Played played = Played.of(yaml);
        assertEquals(SECOND, played.result().bucket().toNanos());
        long ofAge = 0;
        long all = 0;
        for (Result.Chart chart : played.result().charts()) {
            for (Result.Line line : chart.id().equals("discards") ? chart.lines() : List.<Result.Line>of()) {
                long count =
                        Math.round(Arrays.stream(line.values()).limit(SECONDS).sum());
                all += count;
                ofAge += OF_AGE.stream().anyMatch(reason -> reason.label().equals(line.name())) ? count : 0;
            }
        }
        List<Long> admitted = new ArrayList<>();
        long sum = 0;
        for (double connects : played.line("connects", "connects")) {
            sum += Math.round(connects);
            admitted.add(sum);
        }
        assertEquals(played.result().totals().admitted(), sum, 2, "the chart has them all");
        long refills = played.samples().stream()
                .filter(sample -> sample.atNanos() == SECONDS * SECOND)
                .mapToLong(Sample::refills)
                .sum();
        return new Outcome(refills, ofAge, all - ofAge, admitted);
    }

    // ---- on a real server

    private static final class Heard implements PoolListener {
        private final LongAdder refills = new LongAdder();
        private final LongAdder ofAge = new LongAdder();
        private final LongAdder others = new LongAdder();

        @Override
        public void opened(int open, long connectNanos) {
            refills.increment();
        }

        @Override
        public void discarded(DiscardReason reason, long remainingNanos) {
            (OF_AGE.contains(reason) ? ofAge : others).increment();
        }
    }

    private static ForebayDataSource pool(
            LocalDsql dsql, MemoryStore table, ForebayConfig config, FleetConfig fleet, Heard heard) throws Exception {
        Time time = SystemTime.shared();
        RandomGenerator random = new SecureRandom();
        FleetLimits limits = new FleetLimits(
                fleet,
                "simulated",
                config.serviceName(),
                name -> table,
                time,
                SystemTime.wallClock(),
                random,
                random,
                FleetListener.NONE);
        return ForebayDataSource.builder()
                .config(config)
                .dataSource(dsql.dataSource("admin"))
                .admission(limits.leases())
                .rateLimit(limits.rateLimit())
                .afterDrain(limits::close)
                .listener(heard)
                .build();
    }

    private static Outcome play(Scenario scenario) throws Exception {
        Heard heard = new Heard();
        MemoryStore table = new MemoryStore();
        List<Future<ForebayDataSource>> pools = new ArrayList<>();
        ExecutorService starters = Executors.newCachedThreadPool();
        try (LocalDsql dsql = LocalDsql.builder().start()) {
            try (Connection first = dsql.dataSource("admin").getConnection()) {
                assertTrue(first.isValid(10), "what is loaded once is loaded");
            }
            try {
                Watch watch = new Watch(dsql);
                for (Scenario.Service service : scenario.services()) {
                    ForebayConfig config = ServiceConfig.of(scenario, service, service.name());
                    FleetConfig fleet = ServiceConfig.fleet(scenario, service);
                    Callable<ForebayDataSource> start = () -> pool(dsql, table, config, fleet, heard);
                    pools.add(starters.submit(start));
                }
                List<Long> admitted = watch.await();
                return new Outcome(heard.refills.sum(), heard.ofAge.sum(), heard.others.sum(), admitted);
            } finally {
                for (Future<ForebayDataSource> pool : pools) {
                    pool.get(30, TimeUnit.SECONDS).close();
                }
            }
        } finally {
            starters.shutdown();
        }
    }

    /** Reads the server's count at the end of each second from now on. */
    private static final class Watch {
        private final LocalDsql dsql;
        private final long before;
        private final long begun = SystemTime.shared().nanos();
        private final List<Long> admitted = new ArrayList<>();
        private final CountDownLatch done = new CountDownLatch(1);

        Watch(LocalDsql dsql) {
            this.dsql = dsql;
            this.before = dsql.counts().admitted();
            next();
        }

        private void next() {
            SystemTime.shared().schedule(begun + (admitted.size() + 1) * SECOND, () -> {
                admitted.add(dsql.counts().admitted() - before);
                if (admitted.size() < SECONDS) {
                    next();
                } else {
                    done.countDown();
                }
            });
        }

        List<Long> await() throws InterruptedException {
            assertTrue(done.await(2L * SECONDS, TimeUnit.SECONDS), "the clock stands still");
            return admitted;
        }
    }

    @Test
    void theSimulatorAgreesWithFourRealPoolsAndOneThatForgetsALimitDoesNot() throws Exception {
        String yaml = scaled();
        Outcome simulated = simulate(yaml);
        Outcome real = play(ScenarioFile.parse(LOCAL, yaml));
        String both = "simulated " + simulated + "\nreal      " + real;
        assertEquals(List.of(), simulated.differences(real), both);
        Outcome withoutExpiry = simulate(yaml.replace("baseLifetime: 16500ms", "baseLifetime: 11m"));
        List<String> missing = withoutExpiry.differences(real);
        assertTrue(missing.contains("refills") && missing.contains("discards of age"), missing::toString);

        Outcome withoutLimiter = simulate(yaml.replace("limiterPerSec: " + RATE, "limiterPerSec: 1000"));
        List<String> tooFast = withoutLimiter.differences(real);
        assertTrue(tooFast.contains("connects of the first second"), tooFast::toString);
    }
}
