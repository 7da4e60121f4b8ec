// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code forebay sim} as a program of its own. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimCommandIT {

    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    private Path directory;

    @Test
    void aShippedScenarioRunsByItsName() throws Exception {
        Path page = directory.resolve("report.html");
        Path csv = directory.resolve("out.csv");
        Program.End end = new Program()
                .with("JAVA_TOOL_OPTIONS", "-Dforebay.home=" + HOME)
                .run("sim", "local", "--html", page.toString(), "--csv", csv.toString())
                .ends(0)
                .says("local  (seed 42, 20m, 4 services, 4 processes, reservoir)")
                .says("wrote " + csv);
        assertEquals(
                List.of(),
                end.err()
                        .lines()
                        .filter(line -> !line.startsWith("Picked up JAVA_TOOL_OPTIONS"))
                        .toList());
        assertTrue(Files.readString(page).contains("<h1>local</h1>"));
        assertEquals(1 + 4 * 1_201, Files.readAllLines(csv).size());
    }

    @Test
    void whatPoolsComplainOfIsInTheReportAndNotAmongTheErrors() throws Exception {
        Path full = Files.writeString(directory.resolve("full.yaml"), """
                duration: 1m
                assertConvergeWithin: off
                server: {cap: 8}
                services:
                  - {name: history, targetReady: 6}
                  - {name: worker, targetReady: 6}
                """);
        assertEquals(
                "",
                new Program().run("sim", full.toString()).says("1m, 2 services").err());
        String loud = new Program()
                .with("FOREBAY_LOG", "ERROR")
                .run("sim", full.toString())
                .err();
        assertTrue(loud.contains("the connection limit is reached"), loud);
    }

    @Test
    void anUnknownNameSaysWhichThereAre() throws Exception {
        Program.End end = new Program()
                .with("JAVA_TOOL_OPTIONS", "-Dforebay.home=" + HOME)
                .run("sim", "locl")
                .ends(2);
        assertTrue(end.err().contains("there is no scenario locl; there are dynamodb-out, ecs-150wps, "), end.err());
    }

    /** Terminated or by Ctrl-C, the way out is the same; a test may run where Ctrl-C is ignored. */
    @Test
    void stoppedItSaysWhatItKnowsAndLeavesNothingHalfWritten() throws Exception {
        Path page = directory.resolve("report.html");
        Process process = start("sim", scenario(), "--duration", "700h", "--html", page.toString());
        while (files().size() < 2) { // the file aside is there once it is about to run
            assertFalse(process.waitFor(20, TimeUnit.MILLISECONDS), "it has ended");
        }
        process.toHandle().destroy(); // which leaves its output open
        assertEquals("stopped, nothing was written", lastLine(process));
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(143, process.exitValue());
        assertEquals(List.of("s.yaml"), files());
    }

    @Test
    void stoppedAmongManySeedsItSaysHowManyThereWere() throws Exception {
        Process process = start("sim", scenario(), "--duration", "10m", "--seeds", "1..10000000");
        // It has begun once it burns more than it takes to start.
        while (process.info().totalCpuDuration().orElseThrow().toMillis() < 3_000) {
            assertFalse(process.waitFor(20, TimeUnit.MILLISECONDS), "it has ended");
        }
        process.toHandle().destroy(); // which leaves its output open
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(out.matches("s: [1-9][0-9]* of the seeds 1 to 10000000, [0-9]+ held, 0 failed\nstopped\n"), out);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(143, process.exitValue());
    }

    private String scenario() throws IOException {
        return Files.writeString(directory.resolve("s.yaml"), """
                services:
                  - name: history
                    targetReady: 5
                    workload: {maxInUse: 2}
                """).toString();
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-jar",
                                Path.of("target", "forebay.jar").toString()),
                        Stream.of(arguments))
                .toList();
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .directory(Path.of("").toAbsolutePath().toFile())
                .start();
    }

    private static String lastLine(Process process) throws IOException {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            return out.lines().reduce((first, second) -> second).orElse("");
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
