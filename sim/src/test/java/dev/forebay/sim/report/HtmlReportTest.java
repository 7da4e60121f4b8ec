// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page. */
class HtmlReportTest {

    private static String page(String name) {
        return HtmlReport.of(List.of(Samples.run(name)));
    }

    private static List<String> all(String regex, String text) {
        return Pattern.compile(regex)
                .matcher(text)
                .results()
                .map(found -> found.group())
                .toList();
    }

    @Test
    void itBeginsWithItsChartsAndEndsWithTheCommand() {
        String page = page("local");
        assertEquals(
                List.of(
                        "<h1>local</h1>",
                        "<h2>Over time</h2>",
                        "<h2>Verdicts</h2>",
                        "<h2>Figures</h2>",
                        "<h2>What happened</h2>",
                        "<h2>The scenario</h2>",
                        "<h2>Run it again</h2>"),
                all("<h[12]>[^<]*</h[12]>", page));
        assertTrue(page.contains("<p class=\"result failed\">✗ 1 of 2 assertions failed</p>"), page);
        assertTrue(page.contains("First at <strong>5s</strong>, local: nothing ready for local"), page);
        assertTrue(page.contains("<li>4s cluster: drop 0.5 local</li>"), page);
        assertTrue(page.contains("<dt>Connects admitted</dt><dd>12,345</dd>"), page);
        assertTrue(
                page.contains("<tr><td>1</td><td class=\"when\">4s</td><td>cluster</td><td>drop 0.5 local</td></tr>"),
                page);
        assertTrue(page.contains("<dd>4s drop 0.5, 6s crash of 1 of local-service</dd>"), page);
        assertTrue(page.contains("<pre><code>./forebay sim local --seed 42</code></pre>"), page);
        assertTrue(page.contains("cap 10,000, off the chart"), page);
    }

    @Test
    void everyChartHasItsTitleItsMarksAndItsNumbersAsATable() {
        String page = page("local");
        assertEquals(
                List.of("id=\"chart-level\"", "id=\"chart-discards\"", "id=\"chart-waits\""),
                all("id=\"chart-[a-z]+\"(?= data)", page));
        assertEquals(3, all("<svg role=\"img\" aria-labelledby=\"chart-", page).size());
        assertEquals(3, all("<line class=\"mark\" x1=\"40%\"", page).size());
        assertTrue(
                page.contains("<tr><th scope=\"row\">p99</th><td class=\"number\">0</td><td class=\"number\">1.594</td>"
                        + "<td class=\"number\">12.5</td><td class=\"number\">0</td></tr>"),
                page);
    }

    @Test
    void whatIsInAScenarioIsTextWhereverItStands() {
        String page = page("<script>alert('x')</script>\"onload='y");
        assertEquals(1, all("(?i)<script", page).size(), "its own and no other");
        assertFalse(page.contains("\"onload="), page);
        assertFalse(page.contains("alert('x')"), page);
        assertTrue(page.contains("&lt;script&gt;alert(&#39;x&#39;)"), page);
        String two = HtmlReport.of(List.of(Samples.run("<img src=x onerror=a()>"), Samples.run("</title><b>")));
        assertEquals(0, all("<img|<b>", two).size());
    }

    /** A chart's id comes from the engine; if it ever came from a file, it would be no way in. */
    @Test
    void itsPolicyAllowsItsOwnScriptAndStyleOnly() throws Exception {
        String page = page("local");
        for (String element : List.of("script", "style")) {
            Matcher inside = Pattern.compile("(?s)<" + element + ">(.*?)</" + element + ">")
                    .matcher(page);
            assertTrue(inside.find());
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(inside.group(1).getBytes(StandardCharsets.UTF_8));
            assertTrue(
                    page.contains(
                            element + "-src 'sha256-" + Base64.getEncoder().encodeToString(hash) + "'"),
                    element);
        }
        assertTrue(page.contains("content=\"default-src 'none'; "), page);
        assertEquals(List.of(), all(" style=\"| on[a-z]+=\"", page), "which that policy would forbid");
    }

    @Test
    void nothingIsLoaded() {
        String page = HtmlReport.of(Samples.two());
        assertEquals(List.of(), all("(?i)(src|href|url)\\s*[=(]\\s*[\"']?+(?!data:)[^ >]+", page));
        assertEquals(List.of("http://www.w3.org/2000/svg"), all("https?://[^'\" ]+", page), "a name, not an address");
    }

    @Test
    void twoRunsHaveTheirFiguresInTwoColumnsWithRatios() {
        String page = HtmlReport.of(Samples.two());
        assertTrue(page.contains("<title>local: reservoir and standard – Forebay simulation</title>"), page);
        assertTrue(
                page.contains("<tr><th scope=\"row\">Open at once</th><td class=\"number\">202</td>"
                        + "<td class=\"number\">202</td><td class=\"number\">×1</td></tr>"),
                page);
        assertTrue(page.contains("<th scope=\"row\">mode</th><td>reservoir</td><td>standard</td>"), page);
        assertTrue(page.contains("<pre><code>./forebay sim local --mode standard --seed 42</code></pre>"), page);
        assertEquals(1, all("<caption>Incidents", page).size());
        assertFalse(page.contains("<td>2</td><td class=\"when\">4s"), "an incident of both is one");
    }

    /** Eight shades of two colours cannot be told apart. */
    @Test
    void noChartHasMoreLinesThanCanBeToldApart() {
        for (List<Run> runs : List.of(List.of(Samples.run("local")), Samples.two())) {
            for (Plot plot : Plot.multiples(runs)) {
                assertTrue(plot.stacked() || plot.lines().size() <= (runs.size() == 1 ? 4 : 2), plot.title());
            }
        }
        List<Plot> levels = Plot.multiples(Samples.two()).stream()
                .filter(plot -> plot.id().startsWith("level"))
                .toList();
        assertEquals(
                List.of("level-1", "level-2"), levels.stream().map(Plot::id).toList());
        assertEquals(1, levels.stream().map(Plot::values).distinct().count(), "one scale, to be compared");
        assertEquals(
                List.of("a0", "b0 dashed"),
                levels.get(1).lines().stream().map(Plot.Line::style).toList());
    }

    @Test
    void anEmptyRunIsAPageToo() {
        String page = HtmlReport.of(List.of(new Run("empty", Samples.empty(), "./forebay sim empty --seed 1")));
        assertTrue(page.contains("Nothing was asserted"), page);
        assertTrue(page.contains("Nothing worth a note."), page);
        assertTrue(page.endsWith("</html>\n"), page);
        assertEquals(List.of(), all("<figure", page));
        HtmlReport.of(List.of(Samples.run("local"), new Run("empty", Samples.empty(), "x")));
    }

    @Test
    void oneRunOrTwo() {
        assertThrows(IllegalArgumentException.class, () -> HtmlReport.of(List.of()));
        Run run = Samples.run("local");
        assertThrows(IllegalArgumentException.class, () -> HtmlReport.of(List.of(run, run, run)));
    }

    @Test
    void theSameRunGivesTheSameBytesWhereverItIs() {
        String here = page("local")
                + HtmlReport.of(Samples.two())
                + Summary.of(Samples.two())
                + SvgChart.picture(Samples.two());
        Locale locale = Locale.getDefault();
        TimeZone zone = TimeZone.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
            String there = page("local")
                    + HtmlReport.of(Samples.two())
                    + Summary.of(Samples.two())
                    + SvgChart.picture(Samples.two());
            assertEquals(here, there);
        } finally {
            Locale.setDefault(locale);
            TimeZone.setDefault(zone);
        }
    }

    @Test
    void everyLineAndEveryLabelStandsOutFromThePaper() {
        String style = Resources.read("chart.css");
        int dark = style.indexOf("@media");
        for (String part : List.of(style.substring(0, dark), style.substring(dark))) {
            double paper = luminance(part.replaceAll("(?s).*\\.paper \\{ fill: (#[0-9a-f]+);.*", "$1"));
            Stream.of("[abc][0-7]", "guide").forEach(name -> {
                Matcher colours = Pattern.compile("\\." + name + " \\{ (?:color|stroke): (#[0-9a-f]+);")
                        .matcher(part);
                while (colours.find()) {
                    assertTrue(contrast(paper, luminance(colours.group(1))) >= 3, colours::group);
                }
            });
            for (String text : List.of("label", "heading", "guide-name")) {
                String colour = part.replaceAll("(?s).*\\." + text + " \\{ fill: (#[0-9a-f]+);.*", "$1");
                assertTrue(contrast(paper, luminance(colour)) >= 4.5, text);
            }
        }
    }

    private static double contrast(double one, double other) {
        return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    }

    private static double luminance(String colour) {
        String hex = colour.length() == 4 ? colour.replaceAll("([0-9a-f])", "$1$1") : colour;
        double[] weights = {0.2126, 0.7152, 0.0722};
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            double part = Integer.parseInt(hex.substring(1 + 2 * i, 3 + 2 * i), 16) / 255.0;
            sum += weights[i] * (part <= 0.03928 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4));
        }
        return sum;
    }
}
