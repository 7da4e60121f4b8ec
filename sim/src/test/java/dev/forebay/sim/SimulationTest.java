// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The events of a simulation, which all counters count alike. */
class SimulationTest {

    /** Two services that work, with lifetimes so short that every connection is replaced several times. */
    private static final String BUSY = """
            duration: 5m
            sampleEvery: 1s
            services:
              - name: web
                count: 3
                targetReady: 20
                guardWindow: 5s
                baseLifetime: 60s
                jitter: 20s
                workload: {maxInUse: 18, holdTime: 50ms, holdJitter: 40ms, spawnEvery: 100ms}
              - name: job
                targetReady: 10
                guardWindow: 5s
                baseLifetime: 60s
                jitter: 20s
                startDelay: 30s
                workload: {maxInUse: 3, holdTime: 2s, spawnEvery: 300ms, arrivalBurst: 1}
            """;

    /** The sum of a line of rates is what happened, in seconds of its buckets. */
    private static double total(Played played, String chart, String line) {
        double seconds = played.result().bucket().toNanos() / 1e9;
        return Arrays.stream(played.line(chart, line))
                        .filter(value -> !Double.isNaN(value))
                        .sum()
                * seconds;
    }

    private static double lastOf(double[] values) {
        return values[values.length - 1];
    }

    // ---- starting together

    /** Each process may open 100 at once, as by default, so only the stagger keeps 1,200 connects below the 1,000. */
    private static String twentyServices(String mode, boolean staggered) {
        return """
                duration: 2m
                mode: %s
                limiter: local
                leases: false
                services:
                  - name: web
                    count: 20
                    targetReady: 60
                    settings: {staggered-startup: %s, on-demand.min-idle: 60}
                """.formatted(mode, staggered);
    }

    @ParameterizedTest
    @ValueSource(strings = {"standard", "reservoir", "on_demand"})
    void twentyServicesThatStartTogetherStayBelowTheBurst(String mode) {
        Played played = Played.of(twentyServices(mode, true));
        assertEquals(List.of(), played.failed());
        assertEquals(0, played.result().totals().refusedForRate());
        assertEquals(1_200, played.sum(Sample::size));
    }

    /** The negative control: the cluster notices twenty that do not stagger. */
    @Test
    void servicesThatDoNotStaggerExceedTheBurst() {
        Played played = Played.of(twentyServices("reservoir", false));
        assertTrue(
                played.result().totals().refusedForRate() > 0, played.result().totals()::toString);
    }

    // ---- the counts add up

    @Test
    void whatTheClusterAdmittedTheProcessesOpenedAndWhatTheyOpenedTheyHaveOrLetGo() {
        Played played = Played.of(BUSY);
        assertEquals(List.of(), played.failed());
        Result.Totals totals = played.result().totals();
        long refills = played.sum(Sample::refills);
        assertTrue(refills > 300, "several lives of 70 connections: " + refills);
        assertEquals(totals.admitted(), refills, 3, "but for those on their way at the end");
        assertEquals(refills, played.sum(Sample::size) + played.sum(Sample::discards));
        assertEquals(
                played.sum(Sample::size),
                lastOf(played.line("leases", "open at the cluster")),
                3,
                "as the cluster says");
        assertEquals(0, totals.refusedForRate() + totals.refusedForCount() + totals.refusedOtherwise());
    }

    @Test
    void everyPieceOfWorkIsDoneUnderWayRefusedOrFailed() {
        Played played = Played.of(BUSY);
        for (Result.ServiceTotals service : played.result().services()) {
            long open = played.last().stream()
                    .filter(sample -> sample.service().startsWith(service.name()))
                    .mapToLong(Sample::inUse)
                    .sum();
            assertTrue(service.workStarted() > 300, service::toString);
            assertEquals(
                    service.workStarted(), service.workCompleted() + service.workFailed() + service.timeouts() + open);
            assertEquals(
                    service.checkouts() + service.timeouts(), service.waits().count());
            assertEquals(service.workCompleted() + service.workFailed() + open, service.checkouts());
        }
    }

    @Test
    void theFiguresOfAServiceAreThoseOfItsProcessesAndTheFleetsThoseOfItsServices() {
        Played played = Played.of(BUSY);
        List<Result.ServiceTotals> services = played.result().services();
        for (Result.ServiceTotals service : services) {
            List<Sample> its = played.last().stream()
                    .filter(sample -> sample.service().startsWith(service.name()))
                    .toList();
            assertEquals(service.instances(), its.size());
            assertEquals(service.target(), its.stream().mapToInt(Sample::target).sum());
            assertEquals(
                    service.refills(), its.stream().mapToLong(Sample::refills).sum());
            assertEquals(
                    service.discards(), its.stream().mapToLong(Sample::discards).sum());
            assertEquals(
                    service.checkouts(),
                    its.stream().mapToLong(Sample::checkouts).sum());
            assertEquals(
                    service.empties(),
                    its.stream().mapToLong(Sample::emptyEvents).sum());
            assertEquals(
                    service.workStarted(),
                    its.stream().mapToLong(Sample::workStarted).sum());
            assertEquals(
                    service.workCompleted(),
                    its.stream().mapToLong(Sample::workCompleted).sum());
            assertEquals(service.target(), service.lowest(), service.target() / 10.0, "its lowest");
        }
        assertEquals(
                played.result().totals().waits().count(),
                services.stream().mapToLong(service -> service.waits().count()).sum());
    }

    @Test
    void aSampleOfEachProcessIsTakenAtEachMomentAndCountersOnlyGrow() {
        Played played = Played.of(BUSY);
        assertEquals(4 * 301, played.samples().size());
        assertEquals(
                List.of("web-1", "web-2", "web-3", "job"),
                played.last().stream().map(Sample::service).toList());
        played.samples().stream()
                .collect(Collectors.groupingBy(Sample::service))
                .forEach((process, its) -> {
                    for (int i = 1; i < its.size(); i++) {
                        Sample before = its.get(i - 1);
                        Sample after = its.get(i);
                        assertEquals(before.atNanos() + 1_000_000_000L, after.atNanos());
                        assertTrue(after.refills() >= before.refills(), process);
                        assertTrue(after.discards() >= before.discards(), process);
                        assertTrue(after.limiterDenies() >= before.limiterDenies(), process);
                        assertTrue(after.discards()
                                >= after.discardExpired() + after.discardGuard() + after.discardFull());
                    }
                });
    }

    @Test
    void theEndIsSampledAlsoBetweenTwoSamples() {
        Played played = Played.of("""
                duration: 2500ms
                sampleEvery: 1s
                assertConvergeWithin: 2s
                services: [{name: web, settings: {staggered-startup: false}}]
                """);
        assertEquals(
                List.of(0L, 1_000L, 2_000L, 2_500L),
                played.samples().stream()
                        .map(sample -> sample.atNanos() / 1_000_000)
                        .toList());
        assertEquals(List.of(), played.failed());
    }

    @Test
    void whoeverWatchesTheProgressMayStopIt() {
        Scenario scenario = ScenarioFile.parse(Path.of("test.yaml"), BUSY);
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> Simulation.run(scenario, sample -> {}, nanos -> {
                    if (nanos >= 7_000_000_000L) {
                        throw new IllegalStateException("at " + nanos);
                    }
                }));
        assertEquals("at 7000000000", thrown.getMessage());
    }

    @Test
    void anotherSeedIsAnotherRunAndTheSameSeedTheSame() {
        assertEquals(Played.of(BUSY).samples(), Played.of(BUSY).samples());
        long other = Played.of("seed: 43\n" + BUSY).result().totals().events();
        assertTrue(other != Played.of(BUSY).result().totals().events());
    }

    // ---- charts

    @Test
    void everyLineHasAValueForEachBucketAndRatesSumUpToWhatHappened() {
        Played played = Played.of(BUSY.replace("duration: 5m", "duration: 20m"));
        Result result = played.result();
        assertEquals(Duration.ofSeconds(2), result.bucket());
        assertEquals(
                List.of("level", "fill", "connects", "discards", "waits", "work", "leases"),
                result.charts().stream().map(Result.Chart::id).toList());
        for (Result.Chart chart : result.charts()) {
            for (Result.Line line : chart.lines()) {
                assertEquals(600, line.values().length, chart.id() + " " + line.name());
            }
        }
        assertEquals(played.sum(Sample::workCompleted), total(played, "work", "done"), 1e-3);
        double discards = 0;
        for (Result.Line line : result.charts().get(3).lines()) {
            discards += total(played, "discards", line.name());
        }
        assertEquals(played.sum(Sample::discards), discards, 1e-3);
        assertEquals(
                result.totals().busiestSecond(),
                Arrays.stream(played.line("connects", "connects")).max().orElseThrow());
    }

    @Test
    void eachBucketHasTheWorstOfItsSamples() {
        Played played = Played.of("""
                duration: 20m
                scenario: {kind: mass_drop, dropAt: 1000500ms, dropFraction: 1}
                server: {connectLatency: 10ms}
                limiterPerSec: 100
                services: [{name: web, targetReady: 50, workload: {maxInUse: 30, holdTime: 100ms, spawnEvery: 100ms}}]
                """);
        double[] level = played.line("level", "connections");
        long atDrop = 1_001_000_000_000L;
        int bucket = (int) (atDrop / 2_000_000_000L);
        Sample worst = played.at(Duration.ofNanos(atDrop), "web");
        Sample after = played.at(Duration.ofNanos(atDrop + 1_000_000_000L), "web");
        assertTrue(level[bucket] < 48, "of the sample half a second after the drop: " + level[bucket]);
        assertTrue(after.size() >= 50, worst + " " + after);
        assertEquals(50, level[bucket - 1]);
        assertEquals(50, level[bucket + 1]);
    }

    /** A wait between two samples belongs in the second of them, however few samples a bucket has. */
    @Test
    void waitsAreDrawnForEveryBucketInWhichThereWereAny() {
        for (String duration : List.of("5m", "20m")) {
            Played played = Played.of("""
                    duration: 5m
                    services:
                      - name: web
                        mode: on_demand
                        targetReady: 2
                        workload: {maxInUse: 10, holdTime: 150ms, spawnEvery: 500ms, arrivalBurst: 5}
                    """.replace("5m", duration));
            double[] longest = played.line("waits", "longest wait");
            double[] p99 = played.line("waits", "99 of 100 waited less");
            assertEquals(0, Arrays.stream(longest).filter(Double::isNaN).count());
            assertEquals(0, Arrays.stream(p99).filter(Double::isNaN).count());
            assertEquals(
                    played.result().totals().waits().mostNanos() / 1e6,
                    Arrays.stream(longest).max().orElseThrow(),
                    1e-6);
            for (int bucket = 1; bucket < longest.length; bucket++) {
                assertEquals(300, longest[bucket], 20, "two rounds of work wait for the first, each time");
            }
        }
    }

    // ---- processes that end

    private static final String CRASH = """
            duration: 15m
            sampleEvery: 1s
            server: {cap: 70}
            assertConvergeWithin: off
            assertMinFill: off
            crashes: [{at: 5m, service: web, instances: 1}]
            services:
              - {name: web, count: 2, targetReady: 20, settings: {staggered-startup: false}}
              - {name: job, targetReady: 40, startDelay: 1m, settings: {staggered-startup: false}}
            """;

    @Test
    void aCrashEndsItsSessionsAtOnceAndOthersGetItsSlotsWithinTwoTimesToLive() {
        Played played = Played.of(CRASH);
        assertEquals(List.of("at its target of 20, 0.2 s after its start", "crashes"), played.notes("web-1"));
        Duration crash = Duration.ofMinutes(5);
        assertEquals(20, played.at(crash.minusSeconds(1), "web-1").size());
        assertEquals(0, played.at(crash, "web-1").size());
        double[] open = played.line("leases", "open at the cluster");
        double[] leased = played.line("leases", "leased");
        long bucket = played.result().bucket().toSeconds();
        int after = (int) (crash.plusSeconds(10).toSeconds() / bucket);
        assertEquals(50, open[after], 2);
        assertEquals(70, leased[after], 2, "nobody knows yet that these are gone");
        assertEquals(30, played.at(crash.plusMinutes(2), "job").size(), 2);
        assertEquals(40, played.at(crash.plusMinutes(7), "job").size(), "twice the three minutes, and a moment");
        assertTrue(
                played.result().notes().stream()
                        .anyMatch(note -> note.text().equals("ended a dead lease of 20 connections")),
                () -> played.result().notes().toString());
        assertEquals(0, played.result().totals().refusedForCount());
    }

    @Test
    void aCrashedProcessThatComesBackCountsOn() {
        Played played = Played.of("""
                duration: 5m
                crashes: [{at: 2m, service: web, instances: 2, restartAfter: 30s}]
                services:
                  - {name: web, count: 3, targetReady: 20, workload: {maxInUse: 10}}
                """);
        assertEquals(List.of(), played.failed());
        Sample before = played.at(Duration.ofSeconds(119), "web-1");
        Sample down = played.at(Duration.ofSeconds(149), "web-1");
        assertEquals(0, down.size());
        assertEquals(0, down.inUse());
        assertTrue(down.workStarted() >= before.workStarted() && down.workStarted() <= before.workStarted() + 50);
        Sample after = played.at(Duration.ofMinutes(3), "web-1");
        assertEquals(20, after.size());
        assertEquals(40, after.refills());
        assertTrue(after.workStarted() > down.workStarted());
        assertEquals(20, played.at(Duration.ofMinutes(3), "web-3").refills(), "the third did not crash");
    }

    @Test
    void aRollingRestartTakesOneAfterTheOtherAndGivesLeasesBack() {
        Played played = Played.of("""
                duration: 6m
                server: {cap: 60}
                scenario: {kind: rolling_restart, rollEvery: 60s, downtime: 5s}
                services:
                  - {name: web, count: 3, targetReady: 20, settings: {staggered-startup: false}, workload: {maxInUse: 10}}
                """);
        assertEquals(List.of(), played.failed(), "with as many slots as connections nobody may keep one");
        for (int turn = 1; turn <= 3; turn++) {
            String process = "web-" + turn;
            Duration at = Duration.ofMinutes(turn);
            assertEquals(
                    "restarts",
                    played.notes(process).get(1),
                    () -> played.notes(process).toString());
            assertEquals(0, played.at(at.plusSeconds(4), process).size());
            assertEquals(
                    played.at(at.plusSeconds(1), process).workStarted(),
                    played.at(at.plusSeconds(4), process).workStarted(),
                    "no work arrives at one that is gone");
            assertEquals(20, played.at(at.plusSeconds(8), process).size());
            Sample last = played.at(Duration.ofMinutes(6), process);
            assertEquals(40, last.refills());
            assertEquals(20, last.discards(), "those of before were let go");
        }
        int second = 64 / (int) played.result().bucket().toSeconds();
        assertEquals(40, played.line("leases", "leased")[second], "what is gone is not leased");
    }

    /** The sessions of the process that leaves are none of the one that comes. */
    @Test
    void aRestartWithoutAPauseIsNotTakenForAFullProcessThatLosesItsConnections() {
        Played played = Played.of("""
                duration: 4m
                scenario: {kind: rolling_restart, rollEvery: 60s, downtime: 0s}
                services:
                  - {name: web, count: 2, targetReady: 20, workload: {maxInUse: 10, holdTime: 3s}}
                """);
        assertEquals(List.of(), played.failed());
    }

    @Test
    void aCrashThatFindsNobodyStartsNoSecondProcess() {
        Played played = Played.of("""
                duration: 4m
                scenario: {kind: rolling_restart, rollEvery: 60s, downtime: 5s}
                crashes: [{at: 62s, service: web, restartAfter: 20s}]
                services: [{name: web, targetReady: 20}]
                """);
        assertEquals(40, played.sum(Sample::refills));
        assertEquals(20, lastOf(played.line("leases", "open at the cluster")));
    }

    @Test
    void processesStartWhenTheyAreToldTo() {
        Played played = Played.of("""
                duration: 1m
                services:
                  - {name: web, count: 3, targetReady: 5, startDelay: 10s, startEvery: 20s, settings: {staggered-startup: false}}
                """);
        for (int copy = 0; copy < 3; copy++) {
            Duration start = Duration.ofSeconds(10 + 20L * copy);
            assertEquals(0, played.at(start, "web-" + (copy + 1)).size());
            assertEquals(5, played.at(start.plusSeconds(2), "web-" + (copy + 1)).size());
        }
    }

    // ---- the store

    private static String outage(String whatThen) {
        return """
                duration: 12m
                assertConvergeWithin: off
                assertMinFill: off
                store: {outages: [{at: 1m, for: 8m}]}
                services:
                  - name: web
                    count: 2
                    targetReady: 20
                    guardWindow: 5s
                    baseLifetime: 60s
                    jitter: 20s
                    settings: {fleet.rate-limiter.outage: WHAT, fleet.lease.outage: WHAT}
                """.replace("WHAT", whatThen);
    }

    @Test
    void withoutTheStoreAProcessFallsBackOnItsOwnLimitIfItMay() {
        Played played = Played.of(outage("local"));
        assertEquals(List.of(), played.failed());
        assertEquals(List.of("out of reach", "in reach again"), played.notes("store"));
        for (int minute = 2; minute <= 12; minute++) {
            assertEquals(20, played.at(Duration.ofMinutes(minute), "web-1").size(), 2, "after " + minute + " minutes");
        }
        assertTrue(played.notes("web-1").stream().anyMatch(note -> note.startsWith("the store is lost")));
        assertTrue(played.notes("web-1").contains("the store answers again"));
    }

    @Test
    void withoutTheStoreNothingIsOpenedIfItMayNot() {
        Played played = Played.of(outage("block"));
        assertEquals(List.of(), played.failed());
        Sample during = played.at(Duration.ofSeconds(119), "web-1");
        for (int minute = 4; minute <= 9; minute++) {
            Sample sample = played.at(Duration.ofMinutes(minute), "web-1");
            assertEquals(0, sample.size(), "its last connection expired long ago");
            assertTrue(sample.refills() <= during.refills(), "none was opened");
        }
        assertEquals(20, played.at(Duration.ofMinutes(11), "web-1").size());
    }

    @Test
    void whatIsOpenedWithoutTheStoreNeedsNoLeaseBeforeItIsBack() {
        Played played = Played.of(outage("local") + "  - {name: late, startDelay: 3m, targetReady: 20}\n");
        assertEquals(List.of(), played.failed());
        assertEquals(20, played.at(Duration.ofMinutes(4), "late").size(), "opened without a lease");
    }

    /** The first one's excuse ends within the second one. */
    @Test
    void aSecondOutageExcusesWhatTheFirstDid() {
        Played played = Played.of(outage("local")
                        .replace("[{at: 1m, for: 8m}]", "[{at: 1m, for: 1m}, {at: 90s, for: 10s}, {at: 3m, for: 8m}]")
                + "  - {name: late, startDelay: 9m, targetReady: 20}\n");
        assertEquals(List.of(), played.failed());
        assertEquals(20, played.at(Duration.ofMinutes(10), "late").size(), "opened without a lease");
    }

    @Test
    void wallClocksThatAreWrongBreakNothingAndChangeTheRun() {
        String yaml = """
                duration: 15m
                server: {cap: 70}
                assertMaxConnectsPerSec: 110
                assertMinFill: 0.8 # a permit may come a moment late for three that go at once
                services: [{name: web, count: 3, targetReady: 20, guardWindow: 5s, baseLifetime: 60s, jitter: 20s, clockSkew: SKEW}]
                """;
        Played wrong = Played.of(yaml.replace("SKEW", "1s"));
        assertEquals(List.of(), wrong.failed());
        assertTrue(wrong.result().totals().events()
                != Played.of(yaml.replace("SKEW", "0s")).result().totals().events());
        assertTrue(
                wrong.result().notes().stream().noneMatch(note -> note.text().contains("dead lease")),
                "nobody is given up for dead for a wrong clock");
    }

    // ---- modes and work

    @Test
    void onDemandOpensWhatIsWantedAndExpectsNoLevel() {
        Played played = Played.of("""
                mode: on_demand
                duration: 2m
                services: [{name: web, targetReady: 20, workload: {maxInUse: 3, holdTime: 300ms, arrivalBurst: 1}}]
                """);
        assertEquals(List.of(), played.failed());
        assertEquals(3, played.result().totals().mostOpen(), 1);
        assertEquals(0, played.result().totals().convergedNanos(), "nobody has to");
        assertEquals(-1, played.result().services().get(0).lowest());
    }

    @Test
    void standardModeOpensAllAtItsStartAndThemAgainAtTheirEnd() {
        Played played = Played.of("""
                mode: standard
                duration: 70m
                assertMinFill: off
                services: [{name: web, targetReady: 20}]
                """);
        assertEquals(List.of(), played.failed());
        assertEquals(20, played.at(Duration.ofMinutes(49), "web").refills(), "lifetimes are at least 49.5 minutes");
        assertEquals(40, played.at(Duration.ofMinutes(60), "web").refills());
    }

    @Test
    void workArrivesAsTheTrafficSays() {
        Played played = Played.of("""
                duration: 60s
                services:
                  - name: web
                    targetReady: 20
                    settings: {staggered-startup: false}
                    workload: {maxInUse: 20, spawnEvery: 100ms, arrivalBurst: 1, traffic: {shape: spike, at: 30s, for: 10s, factor: 3}}
                """);
        long before = played.at(Duration.ofSeconds(30), "web").workStarted();
        long until = played.at(Duration.ofSeconds(40), "web").workStarted();
        long after = played.at(Duration.ofSeconds(60), "web").workStarted();
        assertEquals(10 * 29.5, before, 10);
        assertEquals(3 * 10 * 10, until - before, 5);
        assertEquals(10 * 20, after - until, 5);
    }

    @Test
    void fractionsOfWorkAddUp() {
        Played played = Played.of("""
                duration: 100s
                services:
                  - name: web
                    targetReady: 20
                    workload: {maxInUse: 20, spawnEvery: 100ms, arrivalBurst: 1, traffic: {shape: spike, at: 0s, for: 99s, factor: 0.25}}
                """);
        assertEquals(0.25 * 10 * 99, played.sum(Sample::workStarted), 10);
    }

    @Test
    void neverIsMoreWorkUnderWayThanTheMost() {
        Played played = Played.of("""
                duration: 30s
                services: [{name: web, targetReady: 20, workload: {maxInUse: 7, holdTime: 5s}}]
                """);
        assertEquals(7, played.samples().stream().mapToInt(Sample::inUse).max().orElseThrow());
    }

    @Test
    void oneInSoManyNeverComesBack() {
        Played played = Played.of("""
                duration: 60s
                assertConvergeWithin: off
                services:
                  - name: web
                    targetReady: 20
                    settings: {leak-detection-threshold: 5s}
                    workload: {maxInUse: 5, spawnEvery: 100ms, arrivalBurst: 1, leakEvery: 100, holdTime: 1ms}
                """);
        Sample last = played.last().get(0);
        assertEquals(last.checkouts() / 100, last.inUse(), 1);
        assertTrue(last.inUse() >= 5, last::toString);
        assertEquals(last.workStarted(), last.workCompleted(), 1);
        assertTrue(played.notes("web").contains("a connection has not come back: a leak?"));
    }

    // ---- faults of the cluster

    private static Played fault(String fault) {
        return Played.of("""
                duration: 4m
                assertConvergeWithin: 10s
                faults: [{at: 2m, fault: FAULT}]
                services:
                  - {name: web, targetReady: 20, guardWindow: 5s, baseLifetime: 60s, jitter: 20s, workload: {maxInUse: 5}}
                """.replace("FAULT", fault));
    }

    @Test
    void aClusterThatRefusesIsExcusedUntilItAdmitsAgain() {
        for (String fault : List.of("refuse connects 30s", "waking up 30s")) {
            Played played = fault(fault);
            assertEquals(List.of(), played.failed(), fault);
            assertTrue(played.result().totals().refusedOtherwise() > 0, fault);
            assertEquals(
                    played.sum(Sample::refillFailures), played.result().totals().refusedOtherwise());
            assertEquals(List.of(fault), played.notes("cluster"));
            assertTrue(played.notes("web").stream().anyMatch(note -> note.startsWith("could not open a connection:")));
        }
    }

    @Test
    void nobodyHasToConvergeWhileTheClusterRefusesFromTheStart() {
        Played played = Played.of("""
                duration: 4m
                assertConvergeWithin: 40s
                faults: [{at: 0s, fault: refuse connects 90s}]
                services: [{name: web, targetReady: 20}]
                """);
        assertEquals(List.of(), played.failed());
        assertTrue(played.result().totals().convergedNanos() > 90_000_000_000L);
    }

    @Test
    void aDropIsNoticedByThoseWhoWorkAndMadeGood() {
        Played played = fault("drop 50%");
        assertEquals(List.of(), played.failed());
        assertEquals(10, played.at(Duration.ofMinutes(2), "web").size(), 10);
        assertEquals(20, played.at(Duration.ofSeconds(130), "web").size());
        assertEquals(10, played.line("level", "connections")[120], 12);
        long failed = played.result().services().get(0).workFailed();
        assertTrue(failed >= 1 && failed <= 5, "the first that fails has the others checked: " + failed);
        assertTrue(played.notes("web").stream().anyMatch(note -> note.contains("after 10 connections dropped")));
    }

    @Test
    void whatIsDelayedTakesLonger() {
        double calm = fault("clear").result().totals().waits().mostNanos();
        assertEquals(0, calm);
        Played slow = Played.of("""
                mode: on_demand
                duration: 3m
                faults: [{at: 1m, fault: delay connects 2s for 1m}]
                services: [{name: web, targetReady: 20, settings: {max-lifetime: 20s, max-lifetime-jitter: 0s}, workload: {maxInUse: 5}}]
                """);
        assertEquals(List.of(), slow.failed());
        assertEquals(2_000, slow.result().totals().waits().mostNanos() / 1e6, 150);
    }

    @Test
    void aFrozenClusterIsExcusedAndThawsAgain() {
        Played played = fault("freeze 20s");
        assertEquals(
                List.of(), played.failed(), () -> played.result().verdicts().toString());
        assertEquals(20, played.at(Duration.ofMinutes(3), "web").size());
    }

    @Test
    void sessionsThatNobodyClosesAreClosedAtTheEndOfTheirTime() {
        Played played = Played.of("""
                mode: standard
                duration: 4m
                assertMinFill: off
                server: {lifetime: 2m}
                services: [{name: web, targetReady: 20}]
                """);
        assertTrue(played.notes("cluster").stream().anyMatch(note -> note.endsWith("at the end of their time")));
        assertTrue(played.result().totals().mostOpen() <= 20);
    }
}
