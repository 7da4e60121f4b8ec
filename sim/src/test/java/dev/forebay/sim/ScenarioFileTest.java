// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.engine.internal.Option;
import dev.forebay.model.ClusterSettings;
import dev.forebay.model.Fault;
import dev.forebay.model.Latency;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ScenarioFileTest {

    private static final Path SHIPPED = Path.of("..", "scenarios");
    private static final String LEAST = "services: [{name: a}]\n";

    /** Every key but those of other kinds and shapes, none at its default. */
    private static final String FULL = """
            name: all of it
            description: >
              A sentence
              on two lines.
            seed: -7
            endpoint: abc.dsql.eu-west-1.on.aws
            duration: 1h
            sampleEvery: 500ms
            mode: standard
            limiterPerSec: 90
            limiterBurst: 9
            limiter: local
            leases: false
            assertMaxConnectsPerSec: 91
            assertConvergeWithin: 61s
            assertStableFor: 6s
            assertMinFill: 80%
            assertMaxClosurePerSec: 92
            assertZeroEmptyEvents: true
            assertMaxWaitP99: 1500us
            assertMaxOpen: 93
            assertLeasesCover: false
            server:
              connectsPerSec: 99.5
              burst: 999
              cap: 9999
              lifetime: 59m
              transactionGrace: 4m
              refusedConnectSpends: true
              connectLatency: exp 20ms
              statementLatency: 1ms..3ms
            store:
              latency: 5ms
              outages:
                - {at: 1m, for: 10s}
                - {at: 2m, for: 20s}
            scenario: {kind: rolling_restart, rollEvery: 40s, downtime: 3s}
            faults:
              - {at: 3m, fault: drop 50%}
              - {at: 4m, fault: delay connects 10ms..50ms for 30s}
            crashes:
              - {at: 5m, service: history, instances: 2, restartAfter: 7s}
              - {at: 6m, service: frontend}
            services:
              - name: history
                count: 3
                mode: reservoir
                targetReady: 51
                guardWindow: 44s
                baseLifetime: 10m
                jitter: 1m
                startDelay: 2s
                startEvery: 50ms
                clockSkew: 300ms
                assertZeroEmptyEvents: false
                settings:
                  forebay.connection-rate-limit: 5
                  reservoir.spare: 2
                workload:
                  enabled: true
                  maxInUse: 30
                  holdTime: 11ms
                  holdJitter: 4ms
                  spawnEvery: 201ms
                  arrivalBurst: 6
                  maxWait: 9s
                  leakEvery: 1000
                  traffic: {shape: spike, at: 10m, for: 1m, factor: 2.5}
              - name: frontend
                workload: {enabled: false, maxInUse: 3}
            """;

    @TempDir
    Path folder;

    private static Scenario parse(String text) {
        return ScenarioFile.parse(Path.of("some", "test.yaml"), text);
    }

    private static String refusal(String text) {
        return assertThrows(ScenarioException.class, () -> parse(text))
                .getMessage()
                .replace(Path.of("some", "test.yaml") + ":", "");
    }

    private static Scenario.Workload workload(String text) {
        Scenario.Workload workload = parse("services:\n- name: a\n  workload: " + text + "\n")
                .services()
                .get(0)
                .workload();
        assertTrue(workload != null);
        return workload;
    }

    @Test
    void whatIsNotWrittenHasTheReferencesDefaults() {
        Scenario.Service service = new Scenario.Service(
                "a",
                1,
                ForebayConfig.Mode.RESERVOIR,
                50,
                Duration.ofSeconds(45),
                Duration.ofMinutes(11),
                Duration.ofMinutes(2),
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                null,
                Map.of(),
                null);
        Scenario expected = new Scenario(
                "test",
                "",
                42,
                "simulated",
                Duration.ofMinutes(20),
                Duration.ofSeconds(1),
                Scenario.Server.DSQL,
                Scenario.Limits.DEFAULT,
                Scenario.Store.DEFAULT,
                Scenario.Asserts.DEFAULT,
                List.of(),
                List.of(service));
        assertEquals(expected, parse(LEAST));
        assertEquals(100, expected.limits().perSecond());
        assertEquals(Duration.ofSeconds(60), expected.asserts().convergeWithin());
        assertEquals(Duration.ofSeconds(5), expected.asserts().stableFor());
        assertNull(expected.asserts().maxConnectsPerSec());
    }

    @Test
    void aWorkloadThatIsWrittenHasTheReferencesDefaults() {
        Scenario.Workload expected = new Scenario.Workload(
                50,
                Duration.ofMillis(10),
                Duration.ZERO,
                Duration.ofMillis(200),
                5,
                Duration.ofSeconds(10),
                0,
                Traffic.STEADY);
        assertEquals(expected, workload("{enabled: true}"));
        assertEquals(expected, workload("{}"));
    }

    @Test
    void everyKeyArrivesWhereItBelongs() {
        Scenario read = parse(FULL);
        assertEquals("all of it", read.name());
        assertEquals("A sentence on two lines.", read.description());
        assertEquals(-7, read.seed());
        assertEquals("abc.dsql.eu-west-1.on.aws", read.endpoint());
        assertEquals(Duration.ofHours(1), read.duration());
        assertEquals(Duration.ofMillis(500), read.sampleEvery());
        assertEquals(new Scenario.Limits(90, 9, false, false), read.limits());
        assertEquals(
                new Scenario.Asserts(
                        91,
                        Duration.ofSeconds(61),
                        Duration.ofSeconds(6),
                        0.8,
                        92,
                        true,
                        Duration.ofNanos(1_500_000),
                        93,
                        false),
                read.asserts());
        ClusterSettings settings = new ClusterSettings(
                99.5, 999, 9999, Duration.ofMinutes(59), Duration.ofMinutes(4), true, Duration.ZERO);
        assertEquals(
                new Scenario.Server(settings, Latency.parse("exp 20ms"), Latency.parse("1ms..3ms")), read.server());
        assertEquals(
                new Scenario.Store(
                        Latency.parse("5ms"),
                        List.of(
                                new Scenario.Outage(Duration.ofMinutes(1), Duration.ofSeconds(10)),
                                new Scenario.Outage(Duration.ofMinutes(2), Duration.ofSeconds(20)))),
                read.store());
        assertEquals(
                List.of(
                        new Scenario.Roll(Duration.ofSeconds(40), Duration.ofSeconds(3)),
                        new Scenario.ClusterFault(Duration.ofMinutes(3), new Fault.Drop(0.5)),
                        new Scenario.ClusterFault(
                                Duration.ofMinutes(4), Fault.parse("delay connects 10ms..50ms for 30s")),
                        new Scenario.Crash(Duration.ofMinutes(5), "history", 2, Duration.ofSeconds(7)),
                        new Scenario.Crash(Duration.ofMinutes(6), "frontend", 1, null)),
                read.incidents());
    }

    @Test
    void everyKeyOfAServiceArrivesWhereItBelongs() {
        List<Scenario.Service> services = parse(FULL).services();
        Scenario.Workload workload = new Scenario.Workload(
                30,
                Duration.ofMillis(11),
                Duration.ofMillis(4),
                Duration.ofMillis(201),
                6,
                Duration.ofSeconds(9),
                1000,
                new Traffic.Spike(Duration.ofMinutes(10), Duration.ofMinutes(1), 2.5));
        Scenario.Service history = new Scenario.Service(
                "history",
                3,
                ForebayConfig.Mode.RESERVOIR,
                51,
                Duration.ofSeconds(44),
                Duration.ofMinutes(10),
                Duration.ofMinutes(1),
                Duration.ofSeconds(2),
                Duration.ofMillis(50),
                Duration.ofMillis(300),
                false,
                Map.of("forebay.connection-rate-limit", "5", "reservoir.spare", "2"),
                workload);
        assertEquals(2, services.size());
        assertEquals(history, services.get(0));
        assertEquals(ForebayConfig.Mode.STANDARD, services.get(1).mode());
        assertNull(services.get(1).workload());
    }

    /** With the tests of kinds and shapes below: no key is left untried. */
    @Test
    void theTestsAboveWriteEveryKey() {
        Set<String> others = Set.of("dropAt", "dropFraction", "least", "most", "period", "file");
        Set<String> missing = ScenarioKeys.ALL.stream()
                .map(Option::name)
                .filter(name -> !others.contains(name) && !FULL.matches("(?s).*\\b" + name + ":.*"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(Set.of(), missing);
    }

    @Test
    void aMassDropIsAFaultOfTheCluster() {
        assertEquals(
                List.of(new Scenario.ClusterFault(Duration.ofMinutes(5), new Fault.Drop(0.3))),
                parse(LEAST + "scenario: {kind: mass_drop}").incidents());
        assertEquals(
                List.of(new Scenario.ClusterFault(Duration.ofMinutes(6), new Fault.Drop(0.25))),
                parse(LEAST + "scenario: {kind: mass_drop, dropAt: 6m, dropFraction: 25%}")
                        .incidents());
    }

    @Test
    void aRollingRestartHasTheReferencesDefaults() {
        assertEquals(
                List.of(new Scenario.Roll(Duration.ofSeconds(60), Duration.ofSeconds(5))),
                parse(LEAST + "scenario: {kind: rolling_restart}").incidents());
    }

    @Test
    void aDayHasItsCurve() {
        assertEquals(
                new Traffic.Daily(0.1, 1, Duration.ofHours(24)),
                workload("{traffic: {shape: daily}}").traffic());
        assertEquals(
                new Traffic.Daily(0.2, 3, Duration.ofHours(1)),
                workload("{traffic: {shape: daily, least: 0.2, most: 3, period: 1h}}")
                        .traffic());
    }

    @Test
    void anAssertionThatIsOffIsNotMade() {
        Scenario.Asserts asserts = parse(
                        LEAST + "assertConvergeWithin: off\nassertStableFor: off\nassertMinFill: off\n")
                .asserts();
        assertNull(asserts.convergeWithin());
        assertNull(asserts.stableFor());
        assertNull(asserts.minFill());
    }

    @Test
    void withoutLeasesNothingIsAskedOfThem() {
        assertEquals(false, parse(LEAST + "leases: false").asserts().leasesCover());
    }

    @Test
    void anAliasStandsForItsAnchor() {
        Scenario read = parse("""
                services:
                - {name: a, workload: &work {maxInUse: 7}}
                - {name: b, workload: *work}
                """);
        assertEquals(read.services().get(0).workload(), read.services().get(1).workload());
    }

    /** The cases of a table: a file, and what is said of it after an arrow. */
    private record Wrong(String text, String message) {
        @Override
        public String toString() {
            return message;
        }
    }

    static List<Wrong> wrongs() throws IOException {
        try (InputStream table = ScenarioFileTest.class.getResourceAsStream("wrong-scenarios.txt")) {
            assertTrue(table != null);
            List<Wrong> wrongs = new ArrayList<>();
            StringBuilder text = new StringBuilder();
            StringBuilder message = new StringBuilder();
            for (String line : new String(table.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                if (line.startsWith("=> ")) {
                    message.append(message.isEmpty() ? "" : "\n").append(line.substring(3));
                } else if (!message.isEmpty()) {
                    wrongs.add(new Wrong(text.toString(), message.toString()));
                    text.setLength(0);
                    message.setLength(0);
                } else {
                    text.append(line).append('\n');
                }
            }
            wrongs.add(new Wrong(text.toString(), message.toString()));
            return wrongs;
        }
    }

    @ParameterizedTest
    @MethodSource("wrongs")
    void whatIsWrongIsSaidWithItsPlaceAndWhatIsRight(Wrong wrong) {
        assertEquals(wrong.message, refusal(wrong.text));
    }

    @Test
    void theTableOfWrongScenariosIsReadWhole() throws IOException {
        assertTrue(wrongs().size() > 80, () -> "only a part of the table was found");
    }

    @Test
    void ofManyProblemsTheFirstAreShown() {
        String text =
                LEAST + IntStream.range(0, 30).mapToObj(i -> "x" + i + ": 1\n").collect(Collectors.joining());
        List<String> lines = refusal(text).lines().toList();
        assertEquals(21, lines.size());
        assertTrue(lines.get(19).startsWith("21:1: unknown key \"x19\""), lines.get(19));
        assertEquals("and 10 more", lines.get(20));
    }

    @Test
    void aFileThatNestsTooDeepIsRefusedBeforeTheStackEnds() {
        assertEquals(
                "1:30: nested more than 20 deep", refusal("services: " + "[".repeat(100_000) + "]".repeat(100_000)));
    }

    @Test
    void aFileThatGrowsByAliasesIsRefusedAsItStands() {
        StringBuilder text = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 20; i++) {
            text.append("a" + i + ": &a" + i + " [")
                    .append(("*a" + (i - 1) + ", ").repeat(9))
                    .append("]\n");
        }
        assertEquals(
                "1:1: not YAML: Number of aliases for non-scalar nodes exceeds the specified max=50",
                refusal(text + LEAST));
    }

    @Test
    void aFileThatContainsItselfIsRefused() {
        assertEquals(
                "2:3: unknown key \"services\"; it belongs to the scenario",
                firstLine(refusal("services: &a\n- services: *a\n")));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    @Test
    void aFileThatIsNotThereIsAnErrorThatNamesItsNeighbours() throws IOException {
        Files.writeString(folder.resolve("local.yaml"), LEAST);
        assertEquals(
                "test", ScenarioFile.parse(folder.resolve("test.yaml"), LEAST).name());
        assertEquals("local", ScenarioFile.read(folder.resolve("local.yaml")).name());
        Path near = folder.resolve("locla.yaml");
        assertEquals(near + ": there is no such file; did you mean local?", failure(near));
        Path far = folder.resolve("something.yaml");
        assertEquals(far + ": there is no such file; there are: local", failure(far));
        Path lost = folder.resolve("lost").resolve("x.yaml");
        assertEquals(lost + ": there is no such file", failure(lost));
    }

    @Test
    void aFileThatIsNotTextOrTooLargeIsAnError() throws IOException {
        Path file = folder.resolve("x.yaml");
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
        assertEquals(file + ": not text in UTF-8", failure(file));
        Files.writeString(file, "#".repeat((1 << 20) + 1));
        assertEquals(file + ": larger than 1 MiB", failure(file));
    }

    private static String failure(Path file) {
        return assertThrows(ScenarioException.class, () -> ScenarioFile.read(file))
                .getMessage();
    }

    @Test
    void trafficIsReplayedFromAFileBesideTheScenario() throws IOException {
        Files.writeString(folder.resolve("day.csv"), "seconds,factor\n0,1\n1.5,2.25\n60,0\n");
        Scenario.Workload workload = ScenarioFile.parse(folder.resolve("x.yaml"), replay("day.csv"))
                .services()
                .get(0)
                .workload();
        assertTrue(workload != null);
        assertEquals(
                new Traffic.Replay(List.of(
                        new Traffic.Step(Duration.ZERO, 1),
                        new Traffic.Step(Duration.ofMillis(1500), 2.25),
                        new Traffic.Step(Duration.ofSeconds(60), 0))),
                workload.traffic());
    }

    private static String replay(String name) {
        return "services:\n- name: a\n  workload: {traffic: {shape: replay, file: " + name + "}}\n";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            seconds,factor              | @ has no line of the form seconds,factor
            0,1;x,2                     | @:2: "x" is not a number such as 100 or 0.5
            0,1;1,-2                    | @:2: "-2" is not a number such as 100 or 0.5
            0,1;1,1001                  | @:2: a factor of more than 1000: 1001
            0,1;1,2,3                   | @:2: "1,2,3" is not of the form seconds,factor
            seconds,factor;0,1;;2,1     | @:3: "" is not of the form seconds,factor
            0,1;seconds,factor          | @:2: "seconds" is not a number such as 100 or 0.5
            5,1;5,2                     | @:2: 5 s is not after the line before
            1200,1                      | 20m, the time of its first line, is not before the end; valid is less than the duration, 20m
            """)
    void aDamagedRecordingIsAnErrorWithItsLine(String lines, String message) throws IOException {
        Path csv = folder.resolve("day.csv");
        Files.writeString(csv, lines.replace(';', '\n'));
        assertEquals("3:45: file: " + message.replace("@", csv.toString()), refusedReplay("day.csv"));
    }

    @Test
    void aRecordingThatIsNotThereIsAnError() {
        assertEquals("3:45: file: there is no file " + folder.resolve("none.csv"), refusedReplay("none.csv"));
    }

    private String refusedReplay(String name) {
        Path file = folder.resolve("x.yaml");
        return assertThrows(ScenarioException.class, () -> ScenarioFile.parse(file, replay(name)))
                .getMessage()
                .replace(file + ":", "");
    }

    static List<Path> shipped() throws IOException {
        try (Stream<Path> files = Files.list(SHIPPED)) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void eachShippedScenarioReadsAndSaysWhichQuestionItAnswers(Path file) throws IOException {
        Scenario scenario = ScenarioFile.read(file);
        assertNotNull(scenario.asserts().maxConnectsPerSec());
        assertTrue(!scenario.description().isEmpty());
        List<String> comment = Files.readAllLines(file).stream()
                .takeWhile(line -> line.startsWith("# "))
                .toList();
        assertTrue(comment.size() >= 2 && comment.get(0).endsWith("?"), comment::toString);
    }

    @Test
    void theScenariosOfTheReferenceAndOursAreShipped() throws IOException {
        assertEquals(
                Set.of(
                        "local.yaml",
                        "ecs-150wps.yaml",
                        "ecs-400wps.yaml",
                        "mass-drop.yaml",
                        "workload-test.yaml",
                        "rolling-deploy.yaml",
                        "dynamodb-out.yaml",
                        "near-cap.yaml",
                        "expiry-waves.yaml",
                        "leak.yaml"),
                shipped().stream().map(file -> file.getFileName().toString()).collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @CsvSource({
        "local, 4, 200",
        "ecs-150wps, 20, 2000",
        "ecs-400wps, 44, 22000",
        "mass-drop, 4, 200",
        "workload-test, 4, 200",
        "rolling-deploy, 40, 2000",
        "near-cap, 19, 9500"
    })
    void shippedScenariosHaveTheSizesThatTheyAreKnownFor(String name, int processes, int connections) {
        Scenario scenario = ScenarioFile.read(SHIPPED.resolve(name + ".yaml"));
        assertEquals(processes, scenario.instances());
        assertEquals(
                connections,
                scenario.services().stream()
                        .mapToInt(service -> service.count() * service.targetReady())
                        .sum());
    }
}
