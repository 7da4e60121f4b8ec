// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.testkit.Browser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The report in a real browser. The pictures that it takes are left in target/report, for people to look at. */
@EnabledIf(value = "isThereABrowser", disabledReason = "there is no chromium")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReportInBrowserIT {

    private static final Path PICTURES = Path.of("target", "report");

    private static Browser browser;

    @TempDir
    private Path directory;

    static boolean isThereABrowser() {
        return Browser.executable() != null;
    }

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        browser = new Browser();
        Files.createDirectories(PICTURES);
    }

    @AfterAll
    static void stop() throws IOException, InterruptedException {
        if (browser != null) {
            browser.close();
        }
    }

    /** The captions of tables that are wider than the place they have. */
    private static final String CLIPPED = "Array.from(document.querySelectorAll('.scroll'))"
            + ".filter(e => e.scrollWidth > e.clientWidth).map(e => e.querySelector('caption').textContent)";

    private static final String CHART_ON_FIRST_SCREEN =
            "document.querySelector('figure.chart .plot').getBoundingClientRect().bottom < 768";

    private Path page(List<Run> runs) throws IOException {
        return Files.writeString(directory.resolve("report.html"), HtmlReport.of(runs));
    }

    @ParameterizedTest
    @CsvSource({"375, false", "375, true", "1280, false", "1280, true", "1366, false"})
    void itIsWholeAtEveryWidthInTheLightAndInTheDark(int width, boolean dark) throws Exception {
        for (List<Run> runs : List.of(List.of(Samples.run("local")), Samples.two())) {
            Path page = page(runs);
            browser.open(page.toUri(), width, dark);
            assertEquals(
                    Integer.toString(Plot.multiples(runs).size()),
                    browser.ask("document.querySelectorAll('figure.chart svg[role=img]').length"));
            assertEquals(
                    "true",
                    browser.ask("Array.from(document.querySelectorAll('.data path[data-line=\"0\"]'))"
                            + ".every(path => path.getBoundingClientRect().width > 20)"));
            assertEquals(Integer.toString(width), browser.ask("innerWidth"));
            assertEquals(
                    "",
                    browser.ask("Array.from(document.querySelectorAll('body *'))"
                            + ".filter(e => !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth + 0.5)"
                            + ".map(e => e.tagName + '.' + e.getAttribute('class'))"));
            assertTrue(Double.parseDouble(browser.ask("document.documentElement.scrollWidth")) <= width);
            if (width >= 1366) {
                assertEquals("", browser.ask(CLIPPED), "no table has to be moved to be read");
                assertEquals("true", browser.ask(CHART_ON_FIRST_SCREEN), "charts come first");
            }
            assertEquals(
                    dark ? "rgb(20, 24, 29)" : "rgb(255, 255, 255)",
                    browser.ask("getComputedStyle(document.body).backgroundColor"));
            assertEquals(List.of(), browser.troubles(page.toUri()));
            Files.write(
                    PICTURES.resolve(runs.size() + "-" + width + (dark ? "-dark" : "-light") + ".png"),
                    browser.screenshot());
        }
    }

    @Test
    void itFitsAPrintedPageAndIsPrintedOnWhite() throws Exception {
        browser.open(page(Samples.two()).toUri(), 720, true);
        browser.print();
        assertEquals("rgb(255, 255, 255)", browser.ask("getComputedStyle(document.body).backgroundColor"));
        assertEquals("rgb(0, 114, 178)", browser.ask("getComputedStyle(document.querySelector('.line.a0')).stroke"));
        assertEquals(
                "true", browser.ask("document.documentElement.scrollWidth <= document.documentElement.clientWidth"));
        assertEquals("none", browser.ask("getComputedStyle(document.querySelector('.readout')).display"));
        Files.write(PICTURES.resolve("printed.png"), browser.screenshot());
    }

    @Test
    void theValuesUnderThePointerAreSaid() throws Exception {
        browser.open(page(List.of(Samples.run("local"))).toUri(), 1280, false);
        assertEquals("Point at the chart for its values", readout("level"));
        point("level", 0.25);
        assertEquals("2.50s · open local 50 · in use 3", readout("level"));
        point("level", 0.65); // where one of the lines has a gap
        assertEquals("6.50s · in use 1", readout("level"));
        point("discards", 0.25);
        assertEquals("2.50s · expired 2 · broken 1", readout("discards"));
        point("discards", 0.45);
        assertEquals("4.50s · expired 0 · broken 3", readout("discards"));
    }

    private static String readout(String chart) throws InterruptedException {
        return browser.ask("document.querySelector('#chart-" + chart + " .readout').textContent");
    }

    private static void point(String chart, double share) throws InterruptedException {
        String plot = "document.querySelector('#chart-" + chart + " .plot > svg')";
        browser.ask(plot + ".scrollIntoView({block: 'center'})");
        double left = Double.parseDouble(browser.ask(plot + ".getBoundingClientRect().left"));
        double width = Double.parseDouble(browser.ask(plot + ".getBoundingClientRect().width"));
        double top = Double.parseDouble(browser.ask(plot + ".getBoundingClientRect().top"));
        browser.point(left + share * width, top + 30);
    }

    @Test
    void aHostileScenarioRunsNothingAndALongNameBreaksNothing() throws Exception {
        String hostile =
                "<script>document.title='owned'</script><img src=http://example.com/x onerror=document.title='owned'>";
        Path page = page(List.of(Samples.run(hostile + "n".repeat(3_600))));
        browser.open(page.toUri(), 375, false);
        assertTrue(browser.ask("document.title").startsWith("<script>document"));
        assertEquals("0", browser.ask("document.images.length"));
        assertTrue(Double.parseDouble(browser.ask("document.documentElement.scrollWidth")) <= 375);
        assertEquals(List.of(), browser.troubles(page.toUri()));
    }

    @Test
    void thePolicyHoldsEvenIfMarkupGotIn() throws Exception {
        String html = HtmlReport.of(List.of(Samples.run("local")));
        Path page = Files.writeString(
                directory.resolve("broken.html"),
                html.replace(
                        "<main>", "<main><script>document.title='owned'</script><img src='http://example.com/x'>"));
        browser.open(page.toUri(), 375, false);
        assertEquals("local – Forebay simulation", browser.ask("document.title"));
        assertTrue(browser.troubles(page.toUri()).size() >= 2, "what looks for trouble finds it");
    }

    @Test
    void thePictureStandsAlone() throws Exception {
        Path picture = Files.writeString(directory.resolve("picture.svg"), SvgChart.picture(Samples.two()));
        browser.open(picture.toUri(), 900, false);
        assertEquals("2", browser.ask("document.querySelectorAll('svg.data').length"));
        assertEquals(List.of(), browser.troubles(picture.toUri()));
        Files.write(PICTURES.resolve("picture.png"), browser.screenshot());
    }
}
