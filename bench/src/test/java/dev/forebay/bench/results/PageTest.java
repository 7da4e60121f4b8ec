// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The figures of docs/performance.md are those of the results. */
final class PageTest {

    private static final Path ROOT = Path.of("..");
    private static final Path SAMPLE = Path.of("src/test/resources/dev/forebay/bench/results");

    private static String page() throws IOException {
        return Files.readString(ROOT.resolve(Page.FILE));
    }

    private static List<Results> sample() throws IOException {
        return Results.last(SAMPLE);
    }

    /** Until there are three runs, the page has what was written by hand. */
    @Test
    void thePageHasTheFiguresOfTheResults() throws IOException {
        List<Results> runs = Results.last(ROOT.resolve(Results.FOLDER));
        String page = page();
        assertEquals(runs.isEmpty() ? page : Page.fill(page, runs), page, "bench/run page");
    }

    @Test
    void everyPartOfThePageIsMadeOfTheSample() throws IOException {
        String filled = Page.fill(page(), sample());
        assertEquals(filled, Page.fill(filled, sample()));
        assertFalse(filled.contains("**busy**") || filled.contains("--quick"), filled);
        assertTrue(
                filled.contains("\n| 1 thread, 32 connections, ns | 18.0 (17.5–19.0) | 36.0, 2.00× (1.89–2.17) |"),
                filled);
        assertTrue(filled.contains("\n## A cold pool\n"), filled);
        assertTrue(filled.contains("(1 January 2026, 2 January 2026)"), filled);
    }

    /** The negative control. */
    @Test
    void aFigureThatWasChangedByHandIsNoticed() throws IOException {
        String changed = Page.fill(page(), sample()).replace("36.0, ", "63.0, ");
        assertNotEquals(changed, Page.fill(changed, sample()));
    }

    @Test
    void aPageThatLacksAPartIsRefused() throws IOException {
        String torn = page().replace("<!--/storm-->", "");
        List<Results> sample = sample();
        assertThrows(IllegalArgumentException.class, () -> Page.fill(torn, sample));
    }

    @Test
    void runsOfTwoMachinesAreNotCompared() throws IOException {
        List<Results> runs = new ArrayList<>(sample());
        List<String> lines = new ArrayList<>(runs.get(0).lines());
        lines.set(0, "# 64 processors");
        runs.set(0, new Results(LocalDate.EPOCH, lines));
        String page = page();
        assertThrows(IllegalArgumentException.class, () -> Page.fill(page, runs));
    }

    @Test
    void theLastThreeRunsCountAndTrialsDoNot(@TempDir Path folder) throws IOException {
        for (String name : List.of("2026-01-01-1", "2026-01-02-2", "2026-01-02-10", "2026-01-03-1-trial")) {
            Files.writeString(folder.resolve(name + ".txt"), "# " + name);
        }
        Files.writeString(folder.resolve("unfinished.part"), "# 2");
        assertEquals(
                List.of("2026-01-01-1", "2026-01-02-2", "2026-01-02-10"),
                Results.last(folder).stream().map(Results::machine).toList());
        Files.writeString(folder.resolve("2026-01-03-2.txt"), "# 2026-01-03-2");
        assertEquals(
                List.of("2026-01-02-2", "2026-01-02-10", "2026-01-03-2"),
                Results.last(folder).stream().map(Results::machine).toList());
        Files.delete(folder.resolve("2026-01-01-1.txt"));
        Files.delete(folder.resolve("2026-01-02-2.txt"));
        assertEquals(List.of(), Results.last(folder));
    }

    @Test
    void aNameThatATrialHasIsNotUsedAgain() {
        LocalDate day = LocalDate.of(2026, 1, 1);
        Set<Path> used =
                Set.of(Results.FOLDER.resolve("2026-01-01-1-trial.txt"), Results.FOLDER.resolve("2026-01-01-2.txt"));
        assertEquals(Results.FOLDER.resolve("2026-01-01-3-trial.txt"), AllRuns.free(day, "-trial", used::contains));
    }

    @Test
    void aMachineThatOthersUseIsBusy() {
        assertTrue(new Load(0.1, 0.5).isBusy());
        assertTrue(new Load(3, 0).wasBusy());
        Load idle = new Load(0.1, 0.02);
        assertFalse(idle.isBusy() || idle.wasBusy(), idle::toString);
    }
}
