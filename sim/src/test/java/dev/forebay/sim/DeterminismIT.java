// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.sim.report.HtmlReport;
import dev.forebay.sim.report.Run;
import dev.forebay.sim.report.SampleCsv;
import dev.forebay.sim.report.Summary;
import dev.forebay.sim.report.SvgChart;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same scenario and seed give the same bytes, whatever JVM they come from. Each run is a fresh one, since the order of
 * the JDK's immutable maps and sets differs from one to the next.
 */
class DeterminismIT {

    private static final String EVERYTHING = """
            seed: 7
            duration: 12m
            assertMaxConnectsPerSec: 60
            assertZeroEmptyEvents: true
            assertMaxWaitP99: 1ms
            assertMaxClosurePerSec: 10
            assertMaxOpen: 100
            server: {cap: 140, burst: 200, connectLatency: exp 40ms, statementLatency: 1ms..4ms}
            store:
              latency: exp 5ms
              outages: [{at: 4m, for: 1m}]
            scenario: {kind: rolling_restart, rollEvery: 70s, downtime: 3s}
            faults:
              - {at: 2m, fault: drop 40%}
              - {at: 3m, fault: refuse connects 5s}
              - {at: 6m, fault: freeze 3s}
              - {at: 7m, fault: delay statements exp 20ms for 1m}
              - {at: 9m, fault: waking up 4s}
            crashes:
              - {at: 5m, service: web, instances: 2, restartAfter: 20s}
            services:
              - name: web
                count: 4
                targetReady: 20
                guardWindow: 5s
                baseLifetime: 90s
                jitter: 30s
                startEvery: 700ms
                clockSkew: 2s
                settings: {fleet.lease.ttl: 60s, fleet.lease.renewal: 15s, leak-detection-threshold: 3s}
                workload:
                  maxInUse: 25
                  holdTime: 80ms
                  holdJitter: 60ms
                  traffic: {shape: daily, period: 6m}
              - name: job
                mode: standard
                targetReady: 15
                settings: {max-lifetime: 3m}
                workload: {leakEvery: 1000, traffic: {shape: spike, at: 2m, for: 1m, factor: 4}}
              - name: batch
                count: 2
                mode: on_demand
                targetReady: 15
                assertZeroEmptyEvents: false
                workload: {maxWait: 300ms, holdTime: 400ms, traffic: {shape: replay, file: traffic.csv}}
            """;

    /** Writes all there is to write of the scenario in the directory that it is given. */
    static final class Writing {

        private Writing() {}

        public static void main(String[] arguments) throws IOException {
            Path directory = Path.of(arguments[0]);
            Scenario scenario = ScenarioFile.read(directory.resolve("everything.yaml"));
            List<Run> runs = new ArrayList<>();
            try (Writer out = Files.newBufferedWriter(directory.resolve("samples.csv"));
                    SampleCsv csv = new SampleCsv(out)) {
                runs.add(new Run("as it is", Simulation.run(scenario, csv, nanos -> {}), "sim everything"));
            }
            Result other = Simulation.run(scenario.withMode(ForebayConfig.Mode.STANDARD), sample -> {}, nanos -> {});
            runs.add(new Run("standard", other, "sim everything --mode standard"));
            Files.writeString(directory.resolve("report.html"), HtmlReport.of(runs));
            Files.writeString(directory.resolve("summary.txt"), Summary.of(runs));
            Files.writeString(directory.resolve("picture.svg"), SvgChart.picture(runs));
        }
    }

    @TempDir
    private Path directory;

    /** The output of a JVM. */
    private List<String> written(Path java, String name) throws Exception {
        Path own = Files.createDirectory(directory.resolve(name));
        Files.writeString(own.resolve("everything.yaml"), EVERYTHING);
        Files.writeString(own.resolve("traffic.csv"), "seconds,factor\n0,0.5\n120,2\n300,0.1\n");
        Path said = own.resolve("said");
        Process process = new ProcessBuilder(
                        java.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writing.class.getName(),
                        own.toString())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "it runs for ever");
        assertEquals(0, process.exitValue(), () -> read(said));
        return Stream.of("samples.csv", "report.html", "summary.txt", "picture.svg")
                .map(file -> read(own.resolve(file)))
                .toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError("cannot read " + file, e);
        }
    }

    private static void assertSame(List<String> expected, List<String> found) {
        for (int file = 0; file < expected.size(); file++) {
            String[] before = expected.get(file).split("\n", -1);
            String[] after = found.get(file).split("\n", -1);
            int line = Arrays.mismatch(before, after);
            if (line >= 0) {
                assertEquals(
                        line < before.length ? before[line] : "the end",
                        line < after.length ? after[line] : "the end",
                        "line " + (line + 1));
            }
        }
    }

    private static Path running() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    @Test
    void twoFreshProcessesWriteTheSameBytes() throws Exception {
        List<String> first = written(running(), "first");
        assertTrue(first.get(0).lines().count() > 7 * 720, "a line for each process and second");
        assertTrue(first.get(2).contains("FAIL"), "failures are told too: " + first.get(2));
        assertSame(first, written(running(), "second"));
    }

    @Test
    void anotherJdkWritesTheSameBytes() throws Exception {
        List<Path> others = otherJdks();
        assumeTrue(!others.isEmpty(), "there is no other JDK of 17 or later in JAVA_HOME_25 or /usr/lib/jvm");
        List<String> here = written(running(), "here");
        for (Path other : others) {
            assertSame(here, written(other.resolve("bin/java"), "there-" + feature(other)));
        }
    }

    /** One of each version that is not the running one's. */
    private static List<Path> otherJdks() throws IOException {
        List<Path> homes = new ArrayList<>();
        String named = System.getenv("JAVA_HOME_25");
        if (named != null) {
            homes.add(Path.of(named));
        }
        Path folder = Path.of("/usr/lib/jvm");
        if (Files.isDirectory(folder)) {
            try (Stream<Path> all = Files.list(folder)) {
                homes.addAll(all.sorted().toList());
            }
        }
        List<Integer> seen = new ArrayList<>(List.of(Runtime.version().feature()));
        List<Path> others = new ArrayList<>();
        for (Path home : homes) {
            int feature = feature(home);
            if (feature >= 17 && !seen.contains(feature)) {
                seen.add(feature);
                others.add(home);
            }
        }
        return others;
    }

    /** The version of the JDK at {@code home}, 0 if there is none. */
    private static int feature(Path home) throws IOException {
        Path release = home.resolve("release");
        if (!Files.isExecutable(home.resolve("bin/java")) || !Files.isRegularFile(release)) {
            return 0;
        }
        Properties properties = new Properties();
        try (var in = Files.newInputStream(release)) {
            properties.load(in);
        }
        String version = properties.getProperty("JAVA_VERSION", "\"0\"").replace("\"", "");
        return Runtime.Version.parse(version).feature();
    }
}
