// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Admission;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Each assertion fails on a scenario made to break it, there and then, and on no other for the same reason. */
class JudgeTest {

    private static final long SECOND = 1_000_000_000;

    /** All assertions at once, and nothing that breaks one. */
    private static final String SOUND = """
            duration: 5m
            limiterPerSec: 100
            limiterBurst: 1
            limiter: shared
            leases: true
            assertMaxConnectsPerSec: 104
            assertConvergeWithin: 10s
            assertStableFor: 5s
            assertMinFill: 0.9
            assertMaxClosurePerSec: 104
            assertZeroEmptyEvents: true
            assertMaxWaitP99: 1ms
            assertMaxOpen: 250
            assertLeasesCover: true
            server: {connectsPerSec: 100, burst: 1000, cap: 10000}
            services:
              - name: web
                count: 2
                targetReady: 50
                guardWindow: 5s
                baseLifetime: 60s
                jitter: 20s
                settings: {staggered-startup: false}
                workload: {maxInUse: 30, holdTime: 100ms, spawnEvery: 100ms}
              - name: job
                targetReady: 50
                guardWindow: 5s
                baseLifetime: 60s
                jitter: 20s
                settings: {staggered-startup: false}
                workload: {maxInUse: 30, holdTime: 100ms, spawnEvery: 100ms}
            """;

    private static final List<String> ALL = List.of(
            "no 53400",
            "no 53300",
            "rate + burst",
            "assertMaxConnectsPerSec",
            "assertConvergeWithin",
            "assertStableFor",
            "assertMinFill",
            "assertMaxClosurePerSec",
            "assertZeroEmptyEvents",
            "assertMaxWaitP99",
            "assertMaxOpen",
            "assertLeasesCover");

    private static String sound(String... replacements) {
        String yaml = SOUND;
        for (int i = 0; i < replacements.length; i += 2) {
            assertTrue(yaml.contains(replacements[i]), replacements[i]);
            yaml = yaml.replace(replacements[i], replacements[i + 1]);
        }
        return yaml;
    }

    private static double seconds(Result.Failure failure) {
        return failure.atNanos() / 1e9;
    }

    /** The control of all the others. */
    @Test
    void aSoundScenarioHoldsAllItAsserts() {
        Played played = Played.of(SOUND);
        assertEquals(
                ALL,
                played.result().verdicts().stream().map(Result.Verdict::name).toList());
        assertEquals(List.of(), played.failed());
        assertTrue(played.result().passed());
    }

    @Test
    void whatIsNotAskedForIsNotJudgedButTheClustersOwnLimitsAlwaysAre() {
        Played played = Played.of("""
                duration: 10s
                leases: false
                assertConvergeWithin: off
                assertStableFor: off
                assertMinFill: off
                services: [{name: web}]
                """);
        assertEquals(
                ALL.subList(0, 3),
                played.result().verdicts().stream().map(Result.Verdict::name).toList());
    }

    // ---- connects

    @Test
    void aLimiterThatIsSetTooHighIsSeenAtTheClusterInTheSecondItHappens() {
        Played played = Played.of(sound("limiterPerSec: 100", "limiterPerSec: 140"));
        assertEquals(List.of("assertMaxConnectsPerSec"), played.failed());
        Result.Failure failure = played.failure("assertMaxConnectsPerSec");
        assertEquals(0.8, seconds(failure), 0.15);
        assertEquals("cluster", failure.where());
        assertTrue(failure.what().startsWith("connect 105 of the same second, from "), failure.what());
    }

    /** The Go implementation asked its limiter whether it had limited. Here the limiter of each process keeps its word. */
    @Test
    void manyLimitersThatEachKeepTheirWordAreSeenToExceedTheClustersRate() {
        Played played = Played.of("""
                duration: 2m
                limiter: local
                assertConvergeWithin: 2m
                server: {connectsPerSec: 20, burst: 30, connectLatency: 20ms}
                services:
                  - name: web
                    count: 10
                    targetReady: 20
                    settings: {staggered-startup: false, connection-rate-limit: 10, connection-burst-limit: 5}
                """);
        assertEquals(List.of("no 53400", "rate + burst"), played.failed());
        Result.Failure rate = played.failure("no 53400");
        assertTrue(seconds(rate) < 0.2, "at the very burst: " + seconds(rate));
        assertTrue(rate.what().startsWith("53400 for web-"), rate.what());
        assertTrue(rate.what().endsWith("It was connect 31 within a second."), rate.what());
        Result.Failure sliding = played.failure("rate + burst");
        assertTrue(sliding.what().startsWith("connect 51 within a second, from web-"), sliding.what());
        assertTrue(sliding.atNanos() >= rate.atNanos());
        assertTrue(played.result().totals().refusedForRate() > 0);
        assertEquals(
                played.sum(Sample::refillFailures), played.result().totals().refusedForRate());
    }

    @Test
    void withoutLeasesTheClustersCapIsMet() {
        Played played = Played.of(
                sound("leases: true", "leases: false", "assertLeasesCover: true", "", "cap: 10000", "cap: 120"));
        Result.Failure failure = played.failure("no 53300");
        assertEquals(1.2, seconds(failure), 0.15);
        assertEquals("cluster", failure.where());
        assertTrue(failure.what().startsWith("53300 for "), failure.what());
        assertTrue(failure.what().endsWith("There are 120 sessions."), failure.what());
        assertFalse(played.failed().contains("no 53400"));
        Played leased = Played.of(sound("cap: 10000", "cap: 120"));
        assertTrue(leased.verdict("no 53300").passed(), "leases keep the fleet below it");
    }

    @Test
    void moreSessionsThanAllowedAreTold() {
        Played played = Played.of(sound("assertMaxOpen: 250", "assertMaxOpen: 149"));
        assertEquals(List.of("assertMaxOpen"), played.failed());
        assertEquals(1.5, seconds(played.failure("assertMaxOpen")), 0.15);
        assertTrue(played.failure("assertMaxOpen").what().startsWith("150 sessions, the last from "));
    }

    @Test
    void moreClosesInASecondThanAllowedAreTold() {
        Played played = Played.of(sound(
                "assertMaxClosurePerSec: 104",
                "assertMaxClosurePerSec: 20\nscenario: {kind: mass_drop, dropAt: 2m, dropFraction: 0.2}",
                "assertZeroEmptyEvents: true",
                "assertZeroEmptyEvents: false"));
        assertEquals(List.of("assertMaxClosurePerSec"), played.failed());
        Result.Failure failure = played.failure("assertMaxClosurePerSec");
        assertEquals(120 * SECOND, failure.atNanos());
        assertTrue(failure.what().startsWith("close 21 of the same second, of "), failure.what());
        List<Result.Note> before = failure.before();
        assertEquals(new Result.Note(120 * SECOND, "cluster", "drop 0.2", true), before.get(before.size() - 1));
    }

    // ---- levels

    @Test
    void aLimiterThatIsTooSlowFailsConvergence() {
        Played played = Played.of(sound("limiterPerSec: 100", "limiterPerSec: 10"));
        Result.Failure failure = played.failure("assertConvergeWithin");
        assertEquals(10 * SECOND, failure.atNanos());
        assertTrue(failure.what().matches("\\d\\d of 50 connections 10s after its start"), failure.what());
        assertTrue(List.of("web-1", "web-2", "job").contains(failure.where()));
        assertFalse(played.failed().contains("assertMaxConnectsPerSec"));
    }

    @Test
    void aProcessThatNeverFillsFailsConvergence() {
        Played played = Played.of(
                sound("assertConvergeWithin: 10s", "assertConvergeWithin: 1h", "cap: 10000", "cap: 120", "5m", "30s"));
        Result.Failure failure = played.failure("assertConvergeWithin");
        assertEquals(30 * SECOND, failure.atNanos());
        assertTrue(failure.what().endsWith(" of 50 connections at the end"), failure.what());
        assertTrue(
                failure.before().stream().anyMatch(note -> note.text().endsWith("more are wanted")),
                "the notes say why: " + failure.before());
        assertEquals(-1, played.result().totals().convergedNanos());
    }

    @Test
    void convergenceIsAskedForAgainAfterARestart() {
        Played played = Played.of(sound(
                "assertConvergeWithin: 10s",
                "assertConvergeWithin: 10s\nfaults: [{at: 121s, fault: delay connects 20s}]",
                "assertZeroEmptyEvents: true",
                "assertZeroEmptyEvents: false\ncrashes: [{at: 2m, service: job, restartAfter: 5s}]",
                "assertMinFill: 0.9",
                "assertMinFill: off"));
        Result.Failure failure = played.failure("assertConvergeWithin");
        assertEquals("job", failure.where());
        assertEquals(135 * SECOND, failure.atNanos());
        assertTrue(failure.what().matches("\\d+ of 50 connections 10s after its restart"), failure.what());
        assertTrue(failure.before().contains(new Result.Note(120 * SECOND, "job", "crashes", true)));
    }

    /** Five seconds after the fill all is well: a keeper whose connections end together loses half its level an hour later. */
    @Test
    void standardModeWithoutJitterIsSeenToLoseItsLevel() {
        Played played = Played.of("""
                mode: standard
                duration: 70m
                assertStableFor: 5s
                assertMinFill: 0.9
                services: [{name: web, targetReady: 100, settings: {max-lifetime-jitter: 0s}}]
                """);
        assertEquals(List.of("assertMinFill"), played.failed(), "it was stable at first");
        Result.Failure failure = played.failure("assertMinFill");
        assertEquals("web", failure.where());
        assertEquals(55 * 60, seconds(failure), 20);
        assertTrue(failure.what().startsWith("89 of 100 connections, "), failure.what());
    }

    @Test
    void stabilityFailsIfTheLevelIsLostSoonAfterItWasReached() {
        Played played = Played.of("""
                mode: standard
                duration: 10m
                assertStableFor: 5m
                assertMinFill: 0.1
                services: [{name: web, targetReady: 20, settings: {max-lifetime: 2m}}]
                """);
        assertEquals(List.of("assertStableFor"), played.failed());
        Result.Failure failure = played.failure("assertStableFor");
        assertTrue(failure.what().startsWith("19 of 20 connections, "), failure.what());
        assertEquals(120, seconds(failure), 15);
        Played shorter = Played.of("""
                mode: standard
                duration: 10m
                assertStableFor: 1m
                assertMinFill: 0.1
                services: [{name: web, targetReady: 20, settings: {max-lifetime: 2m}}]
                """);
        assertEquals(List.of(), shorter.failed());
    }

    @Test
    void aGuardWindowThatLeavesHardlyAnyLifetimeMakesTheLevelFall() {
        Played played = Played.of(sound("guardWindow: 5s", "guardWindow: 49s"));
        assertTrue(played.failed().contains("assertMinFill"), played.failed()::toString);
        assertFalse(played.failed().contains("no 53400"));
        String impossible = sound("guardWindow: 5s", "guardWindow: 61s");
        ScenarioException refused =
                assertThrows(ScenarioException.class, () -> ScenarioFile.parse(Path.of("test.yaml"), impossible));
        assertTrue(refused.getMessage().contains("could never be handed out"), refused.getMessage());
    }

    /** A limiter that grants for two minutes and then nothing more, as if its wakes got lost. */
    private static final class Stuck implements Admission {
        private final Admission sound;

        Stuck(Admission sound) {
            this.sound = sound;
        }

        @Override
        public void ask(long nowNanos, Answer answer) {
            if (nowNanos < 120 * SECOND) {
                sound.ask(nowNanos, answer);
            } else {
                answer.notBefore(Long.MAX_VALUE);
            }
        }

        @Override
        public void withdrawn(Answer answer) {
            sound.withdrawn(answer);
        }

        @Override
        public double sustainedPerSecond() {
            return sound.sustainedPerSecond();
        }
    }

    @Test
    void aSupplyThatStopsIsSeenByItsLevelAndByThoseWhoFindNothing() {
        UnaryOperator<Admission> stuck = sound -> isLease(sound) ? sound : new Stuck(sound);
        Played played = Played.of(SOUND, stuck);
        assertEquals(List.of("assertMinFill", "assertZeroEmptyEvents", "assertMaxWaitP99"), played.failed());
        Result.Failure fill = played.failure("assertMinFill");
        assertTrue(fill.what().startsWith("44 of 50 connections, "), fill.what());
        assertTrue(seconds(fill) > 120 && seconds(fill) < 190, "when enough have expired: " + seconds(fill));
        assertTrue(played.failure("assertZeroEmptyEvents").atNanos() > fill.atNanos());
        assertTrue(played.failure("assertZeroEmptyEvents").what().startsWith("nothing ready, with "));
    }

    // ---- work

    private static final String GREEDY = "workload: {maxInUse: 80, holdTime: 1s, spawnEvery: 50ms, maxWait: 2s}";

    @Test
    void emptyCheckoutsAreSummedOverTheServicesThatMayNotHaveAny() {
        String sober = "workload: {maxInUse: 30, holdTime: 100ms, spawnEvery: 100ms}";
        Played all = Played.of(sound(sober, GREEDY, "assertMaxWaitP99: 1ms", ""));
        assertEquals(List.of("assertZeroEmptyEvents"), all.failed());
        long sum = all.result().services().stream()
                .mapToLong(Result.ServiceTotals::empties)
                .sum();
        assertTrue(all.result().services().stream().allMatch(service -> service.empties() > 0));
        assertEquals(sum + " did", all.verdict("assertZeroEmptyEvents").measured(), "the sum, not the most");

        Played one = Played.of(sound(
                sober,
                GREEDY,
                "assertMaxWaitP99: 1ms",
                "",
                "- name: job",
                "- name: job\n    assertZeroEmptyEvents: false"));
        Result.ServiceTotals web = one.result().services().get(0);
        assertEquals(
                web.empties() + " did", one.verdict("assertZeroEmptyEvents").measured());
        assertTrue(one.failure("assertZeroEmptyEvents").where().startsWith("web-"));

        Played only = Played.of(sound(
                sober,
                GREEDY,
                "assertMaxWaitP99: 1ms",
                "",
                "assertZeroEmptyEvents: true",
                "assertZeroEmptyEvents: false",
                "- name: job",
                "- name: job\n    assertZeroEmptyEvents: true"));
        assertEquals("job", only.failure("assertZeroEmptyEvents").where());
    }

    @Test
    void longWaitsFailTheirBoundAndTheFirstOfThemIsTold() {
        Played played = Played.of(sound(
                "workload: {maxInUse: 30, holdTime: 100ms, spawnEvery: 100ms}",
                GREEDY,
                "assertZeroEmptyEvents: true",
                "assertZeroEmptyEvents: false"));
        assertEquals(List.of("assertMaxWaitP99"), played.failed());
        Result.Failure failure = played.failure("assertMaxWaitP99");
        assertTrue(failure.what().startsWith("the first longer wait took "), failure.what());
        assertTrue(seconds(failure) < 10, "soon: " + seconds(failure));
        Result.Waits waits = played.result().totals().waits();
        assertTrue(waits.p99Nanos() > 1_000_000, waits::toString);
    }

    /** One wait in more than a hundred is no reason. */
    @Test
    void aFewLongWaitsAreNotNinetyNineOfAHundred() {
        Played played = Played.of(sound(
                "assertZeroEmptyEvents: true",
                "assertZeroEmptyEvents: false\nscenario: {kind: mass_drop, dropAt: 2m, dropFraction: 1}",
                "assertMaxClosurePerSec: 104",
                ""));
        assertEquals(List.of(), played.failed());
        assertTrue(played.result().totals().waits().mostNanos() > 1_000_000);
    }

    // ---- leases

    /** Only the limit on the rate has one. */
    private static boolean isLease(Admission sound) {
        return Double.isInfinite(sound.sustainedPerSecond());
    }

    /** Opens without asking the leases: what each of them would have done with a wrong count. */
    private static final class Unleased implements Admission {
        @Override
        public void ask(long nowNanos, Answer answer) {
            answer.granted(() -> {});
        }
    }

    @Test
    void aSessionThatNoLeaseCoversIsSeenAtOnce() {
        Played played = Played.of(SOUND, sound -> isLease(sound) ? new Unleased() : sound);
        assertEquals(List.of("assertLeasesCover"), played.failed());
        Result.Failure failure = played.failure("assertLeasesCover");
        assertEquals("fleet", failure.where());
        assertTrue(failure.what().startsWith("1 sessions, 0 of them leased; last changed by "), failure.what());
        assertTrue(seconds(failure) < 0.2);
        assertEquals(
                played.result().totals().mostOpen() + " uncovered at most",
                played.verdict("assertLeasesCover").measured());
    }

    // ---- the telling

    @Test
    void onlyTheFirstTimeIsToldWithNoMoreThanTheLastSixNotesBefore() {
        Played played = Played.of(sound("limiterPerSec: 100", "limiterPerSec: 1", "5m", "20m"));
        for (Result.Verdict verdict : played.result().verdicts()) {
            Result.Failure failure = verdict.failure();
            if (failure != null) {
                assertTrue(failure.before().size() <= 6);
                assertTrue(failure.before().stream().allMatch(note -> note.atNanos() <= failure.atNanos()));
            }
        }
        assertEquals(10 * SECOND, played.failure("assertConvergeWithin").atNanos());
    }

    @Test
    void theSameSeedFailsInTheSameWayAtTheSameMoment() {
        String yaml = sound("limiterPerSec: 100", "limiterPerSec: 140");
        assertEquals(
                Played.of(yaml).failure("assertMaxConnectsPerSec"),
                Played.of(yaml).failure("assertMaxConnectsPerSec"));
        Set<Long> moments = new HashSet<>();
        for (long seed = 1; seed <= 3; seed++) {
            moments.add(Played.of("seed: " + seed + "\n" + yaml)
                    .failure("assertMaxConnectsPerSec")
                    .atNanos());
        }
        assertEquals(3, moments.size(), "another seed at another");
    }
}
