// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code forebay sim}: its exit codes, its errors and its files. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimCommandTest {

    private static final String GOOD = """
            duration: 20s
            services:
              - name: history
                targetReady: 5
                workload: {maxInUse: 2}
            """;

    @TempDir
    private Path directory;

    private Path good;
    private Path bad;

    @BeforeEach
    void write() throws IOException {
        good = Files.writeString(directory.resolve("good.yaml"), GOOD);
        bad = Files.writeString(directory.resolve("bad.yaml"), GOOD + "assertMaxOpen: 1\n");
    }

    private record End(int code, String out, String err) {

        End ends(int expected) {
            assertEquals(expected, code, toString());
            return this;
        }

        End says(String text) {
            assertTrue(out.contains(text), toString());
            return this;
        }

        void complains(String text) {
            assertEquals(2, code, toString());
            assertTrue(err.contains(text), toString());
            assertEquals("", out);
        }
    }

    /** {@code @} stands for the directory. */
    private End sim(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine commands = Forebay.commands();
        commands.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        List<String> all = new ArrayList<>(List.of("sim"));
        Arrays.stream(arguments)
                .map(word -> word.replace("@", directory.toString()))
                .forEach(all::add);
        int code = commands.execute(all.toArray(String[]::new));
        commands.getOut().flush();
        commands.getErr().flush();
        return new End(code, out.toString(), err.toString());
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void whatHoldsEndsWithZeroAndWhatDoesNotWithOne() {
        sim("@/good.yaml")
                .ends(0)
                .says("good  (seed 42, 20s, 1 service, 1 process, reservoir)")
                .says("assertions held\n");
        End failed = sim("@/bad.yaml", "--seed", "7").ends(1);
        failed.says("FAIL assertMaxOpen").says("     again: ./forebay sim " + bad + " --seed 7\n");
        assertEquals("", failed.err());
    }

    @Test
    void whatReplaysARunHasAllThatMadeIt() {
        sim("@/bad.yaml", "--seed=-3", "--mode", "standard", "--duration", "30s")
                .ends(1)
                .says("(seed -3, 30s, 1 service, 1 process, standard)")
                .says("again: ./forebay sim " + bad + " --mode standard --duration 30s --seed -3\n");
    }

    @Test
    void quietSaysWhatFailedOnly() {
        assertEquals("", sim("@/good.yaml", "--quiet").ends(0).out());
        String failed = sim("@/bad.yaml", "--quiet").ends(1).out();
        assertTrue(failed.startsWith("bad\nFAIL assertMaxOpen"), failed);
        assertFalse(failed.contains("PASS"), failed);
    }

    @Test
    void severalScenariosRunOneAfterTheOther() {
        sim("@/good.yaml", "@/bad.yaml").ends(1).says("good  (").says("bad  (").says("1 of 2 scenarios failed: bad\n");
        sim("@/good.yaml", "@/good.yaml").ends(0).says("all 2 scenarios held\n");
    }

    @Test
    void filesAreWrittenWholeAndNothingIsLeftBeside() throws IOException {
        Files.writeString(directory.resolve("page.html"), "what was there before");
        sim("@/good.yaml", "--html", "@/page.html", "--csv", "@/out.csv", "--svg", "@/picture.svg")
                .ends(0)
                .says("wrote " + directory.resolve("page.html"));
        assertEquals(List.of("bad.yaml", "good.yaml", "out.csv", "page.html", "picture.svg"), files());
        assertTrue(Files.readString(directory.resolve("page.html")).startsWith("<!DOCTYPE html>"));
        assertTrue(Files.readString(directory.resolve("picture.svg")).startsWith("<svg "));
        List<String> rows = Files.readAllLines(directory.resolve("out.csv"));
        assertEquals(22, rows.size());
        assertTrue(rows.get(21).startsWith("2026-01-01T00:00:20.000Z,history,5,5,"), rows.get(21));
    }

    @Test
    void theSameRunWritesTheSameBytes() throws IOException {
        for (String name : List.of("one", "two")) {
            sim("@/good.yaml", "--html", "@/" + name + ".html", "--csv", "@/" + name + ".csv")
                    .ends(0);
        }
        for (String extension : List.of(".html", ".csv")) {
            assertEquals(
                    -1, Files.mismatch(directory.resolve("one" + extension), directory.resolve("two" + extension)));
        }
    }

    @Test
    void aModeOrAnotherScenarioIsDrawnBesideIt() throws IOException {
        sim("@/good.yaml", "--compare", "standard", "--html", "@/page.html")
                .ends(0)
                .says("reservoir: good  (")
                .says("standard: good  (")
                .says("ratio");
        assertTrue(Files.readString(directory.resolve("page.html")).contains("class=\"line b0 dashed\""));
        sim("@/good.yaml", "--compare", "on-demand").says("on_demand: good  (");
        sim("@/good.yaml", "--compare", "@/bad.yaml")
                .ends(0)
                .says("good: good  (")
                .says("bad: bad  (");
        sim("@/bad.yaml", "--compare", "@/good.yaml").ends(1);
    }

    @Test
    void comparedRunsAreBothInTheSamples() throws IOException {
        sim("@/good.yaml", "--compare", "standard", "--csv", "@/out.csv").ends(0);
        List<String> rows = Files.readAllLines(directory.resolve("out.csv"));
        assertTrue(rows.get(0).startsWith("run,t_rfc3339,service,"), rows.get(0));
        assertEquals(1 + 2 * 21, rows.size());
        assertTrue(rows.get(21).startsWith("reservoir,2026-01-01T00:00:20.000Z,history,5,5,"), rows.get(21));
        assertTrue(rows.get(42).startsWith("standard,2026-01-01T00:00:20.000Z,history,5,5,"), rows.get(42));
    }

    @Test
    void withoutAScenarioThoseAreListedThatThereAre() {
        End end = sim().ends(0);
        assertEquals("", end.err());
        end.says("There are these scenarios");
    }

    @Test
    void manySeedsSayWhichOfThemFail() {
        assertEquals(
                "good: seeds 1 to 4, 4 held, 0 failed\n",
                sim("@/good.yaml", "--seeds", "1..4").ends(0).out());
        End failed = sim("@/bad.yaml", "--seeds", "-1..1").ends(1);
        assertEquals(
                List.of("bad: seeds -1 to 1, 0 held, 3 failed", "FAIL seed -1  ", "FAIL seed 0  a", "FAIL seed 1  a"),
                failed.out()
                        .lines()
                        .limit(4)
                        .map(line -> line.startsWith("FAIL") ? line.substring(0, 14) : line)
                        .toList());
        failed.says("  assertMaxOpen: ").says("     again: ./forebay sim " + bad + " --seed -1\n");
        assertEquals(
                "", sim("@/good.yaml", "--seeds", "1..2", "--quiet").ends(0).out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--quiet | which scenario? ",
                "nowhere | there is no scenario nowhere",
                "@ | is a directory, not a scenario",
                "@/good.yaml --mode fast | --mode: fast is not a mode; there are reservoir, standard and on_demand",
                "@/good.yaml --duration soon | --duration: not a duration: soon",
                "@/good.yaml --duration 0 | --duration: must lie between 0 and 31 days: 0",
                "@/good.yaml --duration 800h | --duration: must lie between 0 and 31 days: 800h",
                "../scenarios/mass-drop.yaml --duration 5m | dropAt: 5m is not before the end; valid is less than the duration, 5m",
                "@/good.yaml --duration 500ms | sampleEvery: 1s is longer than the duration",
                "@/good.yaml --seed x | --seed",
                "@/good.yaml --seeds 5 | \"5\" is not a range of seeds such as 1..1000",
                "@/good.yaml --seeds 5..1 | is not a range of seeds",
                "@/good.yaml --seeds 1..99999999999 | is not a range of seeds",
                "@/good.yaml --seeds 1..2 --seed 1 | use --seed to look at one of them",
                "@/good.yaml --seeds 1..2 --csv @/x.csv | --csv has the samples of one run, and --seeds makes many",
                "@/good.yaml --seeds 1..2 --html @/x.html | --seeds only says which seeds fail",
                "@/good.yaml --compare reservoir | --compare: good is in the mode reservoir already",
                "@/good.yaml --compare @/good.yaml | --compare: @/good.yaml is the scenario itself",
                "@/good.yaml --compare sideways | there is no scenario sideways",
                "@/good.yaml @/bad.yaml --html @/x.html | are about one scenario, and there are 2",
                "@/good.yaml --html @/none/x.html | there is no directory @/none",
                "@/good.yaml --csv @ | --csv: @ is a directory",
                "@/good.yaml --csv @/good.yaml/x | there is no directory @/good.yaml",
                "@/good.yaml --csv @/x --svg @/./x | is to be written twice",
                "@/good.yaml --compare @/bad.yaml --svg @/bad.yaml | is the scenario itself and would be overwritten",
                "@/good.yaml --csv @/good.yaml | is the scenario itself and would be overwritten"
            })
    void wrongArgumentsAreNamedBeforeAnythingRuns(String arguments, String word) throws IOException {
        sim(arguments.isEmpty() ? new String[0] : arguments.split(" "))
                .complains(word.replace("@", directory.toString()));
        assertEquals(List.of("bad.yaml", "good.yaml"), files());
    }

    @Test
    void aBadScenarioIsNamedWithItsPlaceAndNothingRuns() throws IOException {
        Path wrong = Files.writeString(directory.resolve("wrong.yaml"), GOOD + "limiterPerSecond: 3\n");
        End end = sim("@/good.yaml", "@/wrong.yaml");
        end.complains(wrong + ":6:1: unknown key \"limiterPerSecond\"; did you mean limiterPerSec?");
    }

    @Test
    void aDeviceIsWrittenToAsItIs() throws IOException {
        sim("@/good.yaml", "--csv", "/dev/null").ends(0);
        assertFalse(Files.isRegularFile(Path.of("/dev/null")));
    }
}
