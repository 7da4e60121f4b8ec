// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import static dev.forebay.sim.report.Wording.escape;

import dev.forebay.sim.Result;
import dev.forebay.sim.Scenario;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One page about a run, or about two over each other: plots, verdicts, figures, notes, the scenario. It loads nothing, and
 * its policy forbids any script but its own, which only says the values under the pointer. Not thread-safe.
 */
public final class HtmlReport {

    private static final int PLOT_HEIGHT = 230;
    private static final int MOST_NOTES = 1_000;

    private final List<Run> runs;
    private final StringBuilder html = new StringBuilder(1 << 16);

    private HtmlReport(List<Run> runs) {
        this.runs = runs;
    }

    /** The page about {@code runs}, one or two of them. */
    public static String of(List<Run> runs) {
        if (runs.isEmpty() || runs.size() > 2) {
            throw new IllegalArgumentException("a report is about one run or two, not " + runs.size());
        }
        return new HtmlReport(List.copyOf(runs)).page();
    }

    private String page() {
        head();
        html.append("<main>\n");
        charts();
        verdicts();
        figures();
        notes();
        scenario();
        again();
        html.append("</main>\n<footer></footer>\n<script>")
                .append(Resources.read("page.js"))
                .append("</script>\n</body>\n</html>\n");
        return html.toString();
    }

    private boolean compares() {
        return runs.size() > 1;
    }

    private void head() {
        String style = Resources.read("chart.css") + Resources.read("page.css");
        String title = Wording.title(runs);
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append(
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src ")
                .append(source(style))
                .append("; script-src ")
                .append(source(Resources.read("page.js")))
                .append("; base-uri 'none'; form-action 'none'\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>")
                .append(escape(title))
                .append(" – Forebay simulation</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>")
                .append(style)
                .append("</style>\n</head>\n<body>\n<header>\n<h1>")
                .append(escape(title))
                .append("</h1>\n");
        Set<String> descriptions = new LinkedHashSet<>();
        for (Run run : runs) {
            descriptions.add(run.result().scenario().description());
        }
        for (String description : descriptions) {
            if (!description.isBlank()) {
                html.append("<p>").append(escape(description.strip())).append("</p>\n");
            }
        }
        for (Run run : runs) {
            Scenario scenario = run.result().scenario();
            String label = compares() ? run.label() + ": " + scenario.name() + ", " : "";
            html.append("<p class=\"soft\">")
                    .append(escape(label + Wording.outline(scenario)))
                    .append("</p>\n");
        }
        html.append("<div class=\"results\">\n");
        runs.forEach(this::outcome);
        html.append("</div>\n</header>\n");
    }

    private void outcome(Run run) {
        boolean held = run.result().passed();
        html.append("<p class=\"result ")
                .append(held ? "held\">✓ " : "failed\">✗ ")
                .append(escape((compares() ? run.label() + ": " : "") + Wording.outcome(run.result())))
                .append("</p>\n");
    }

    /** A source of the page's policy: this text and no other. */
    private static String source(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(hash) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("bug: every Java has SHA-256", e);
        }
    }

    private void verdicts() {
        heading("Verdicts");
        for (Run run : runs) {
            if (run.result().verdicts().isEmpty()) {
                continue;
            }
            table("wrap cards", caption("What had to hold", run), List.of("", "Assertion", "Asked for", "Found"), 4);
            run.result().verdicts().forEach(this::verdict);
            endTable();
        }
    }

    private void verdict(Result.Verdict verdict) {
        Result.Failure failure = verdict.failure();
        html.append("<tr><td class=\"verdict ")
                .append(failure == null ? "held\">✓ held" : "failed\">✗ failed")
                .append("</td><th scope=\"row\">")
                .append(escape(verdict.name()))
                .append("</th><td data-name=\"Asked for\">")
                .append(escape(verdict.bound()))
                .append("</td><td data-name=\"Found\">")
                .append(escape(verdict.measured()))
                .append("</td></tr>\n");
        if (failure == null) {
            return;
        }
        html.append("<tr class=\"failure\"><td colspan=\"4\">First at <strong>")
                .append(Wording.moment(failure.atNanos()))
                .append("</strong>, ")
                .append(escape(failure.where() + ": " + failure.what()));
        if (!failure.before().isEmpty()) {
            html.append("<br>Just before:\n<ul>");
            for (Result.Note note : failure.before()) {
                html.append("<li>")
                        .append(escape(Wording.moment(note.atNanos()) + " " + Wording.note(note)))
                        .append("</li>\n");
            }
            html.append("</ul>");
        }
        html.append("</td></tr>\n");
    }

    private void figures() {
        heading("Figures");
        List<Figure> figures = Figure.of(runs);
        if (compares()) {
            table(
                    "figures",
                    "The fleet",
                    List.of("Figure", runs.get(0).label(), runs.get(1).label(), "Ratio"),
                    1);
            for (Figure figure : figures) {
                html.append("<tr><th scope=\"row\">")
                        .append(escape(figure.name()))
                        .append("</th>");
                figure.values().forEach(this::number);
                number(figure.ratio());
                html.append("</tr>\n");
            }
            endTable();
        } else {
            html.append("<dl class=\"tiles\">\n");
            figures.forEach(
                    figure -> tile(escape(figure.name()), figure.values().get(0)));
            html.append("</dl>\n");
        }
        for (Run run : runs) {
            if (!run.result().services().isEmpty()) {
                services(run);
            }
        }
    }

    /** A key that may be broken between its words. */
    private static String breakable(String key) {
        return escape(key).replaceAll("(?<=[a-z.])(?=[A-Z])|(?<=\\.)", "<wbr>");
    }

    private void tile(String nameMarkup, String value) {
        html.append("<div><dt>")
                .append(nameMarkup)
                .append("</dt><dd>")
                .append(escape(value))
                .append("</dd></div>\n");
    }

    private void services(Run run) {
        List<String> columns = Arrays.asList(
                "Service",
                "Processes",
                "Target",
                "Lowest",
                "Checkouts",
                "Nothing ready",
                "Gave up",
                "Refills",
                "Failed",
                "Discards",
                "Work begun",
                "Done",
                "Lost",
                "Wait p50",
                "p99",
                "Longest");
        table("pinned", caption("The services", run), columns, 1);
        for (Result.ServiceTotals service : run.result().services()) {
            html.append("<tr><th scope=\"row\">").append(escape(service.name())).append("</th>");
            number(Wording.count(service.instances()));
            number(Wording.count(service.target()));
            number(service.lowest() < 0 ? "–" : Wording.count(service.lowest()));
            for (long count : new long[] {
                service.checkouts(),
                service.empties(),
                service.timeouts(),
                service.refills(),
                service.refillFailures(),
                service.discards(),
                service.workStarted(),
                service.workCompleted(),
                service.workFailed()
            }) {
                number(Wording.count(count));
            }
            number(Wording.waited(service.waits().p50Nanos()));
            number(Wording.waited(service.waits().p99Nanos()));
            number(Wording.waited(service.waits().mostNanos()));
            html.append("</tr>\n");
        }
        endTable();
    }

    private void charts() {
        List<Plot> plots = Plot.multiples(runs);
        if (plots.isEmpty()) {
            return;
        }
        heading("Over time");
        html.append("<div class=\"columns\">\n");
        for (Plot plot : plots) {
            chart(plot);
        }
        html.append("</div>\n");
    }

    private void chart(Plot plot) {
        String id = "chart-" + escape(plot.id()).replaceAll("[^A-Za-z0-9-]", "-");
        html.append("<figure class=\"chart\" id=\"" + id + "\" data-seconds=\"")
                .append(Wording.decimal(plot.time().end() / 1_000, 3))
                .append("\">\n<figcaption><h3 id=\"" + id + "-title\">")
                .append(escape(plot.title()))
                .append(" <span class=\"soft\">")
                .append(escape(SvgChart.unit(plot)))
                .append("</span></h3></figcaption>\n<ul class=\"legend\">\n");
        for (int i = 0; i < plot.lines().size(); i++) {
            Plot.Line line = plot.lines().get(i);
            html.append("<li><svg aria-hidden=\"true\">");
            SvgChart.key(html, line, plot.stacked());
            html.append("</svg><span data-line=\"" + i + "\">")
                    .append(escape(line.name()))
                    .append("</span></li>\n");
        }
        for (Plot.Guide guide : plot.guides()) {
            if (!guide.drawn()) {
                html.append("<li>")
                        .append(escape(guide.name() + " " + Wording.value(guide.value())))
                        .append(", off the chart</li>\n");
            }
        }
        html.append("</ul>\n<div class=\"plot\"><svg role=\"img\" aria-labelledby=\"" + id
                        + "-title\" aria-describedby=\"")
                .append(id + "-numbers\" height=\"" + PLOT_HEIGHT + "\" width=\"100%\">\n");
        SvgChart.body(html, plot, PLOT_HEIGHT);
        html.append("</svg></div>\n<div class=\"readout\"></div>\n<details><summary>In numbers</summary>\n");
        numbers(plot, id);
        html.append("</details>\n</figure>\n");
    }

    private void numbers(Plot plot, String id) {
        html.append("<div id=\"" + id + "-numbers\">\n");
        table("", plot.title() + SvgChart.unit(plot), List.of("Line", "Least", "Mean", "Most", "Last"), 1);
        for (Plot.Line line : plot.lines()) {
            double[] known =
                    Arrays.stream(line.values()).filter(Double::isFinite).toArray();
            double sum = 0;
            for (double value : known) { // not by a stream, whose order of adding is its own business
                sum += value;
            }
            html.append("<tr><th scope=\"row\">").append(escape(line.name())).append("</th>");
            number(Wording.value(Arrays.stream(known).min().orElse(Double.NaN)));
            number(Wording.value(known.length == 0 ? Double.NaN : sum / known.length));
            number(Wording.value(Arrays.stream(known).max().orElse(Double.NaN)));
            number(Wording.value(known.length == 0 ? Double.NaN : known[known.length - 1]));
            html.append("</tr>\n");
        }
        endTable();
        html.append("</div>\n");
    }

    private void notes() {
        List<Result.Note> incidents = Plot.incidents(runs);
        heading("What happened");
        if (!incidents.isEmpty()) {
            table("wrap", "Incidents, numbered as in the charts", List.of("", "When", "Where", "What"), 4);
            for (int i = 0; i < incidents.size(); i++) {
                html.append("<tr><td>" + (i + 1) + "</td>");
                note(incidents.get(i));
            }
            endTable();
        }
        boolean none = incidents.isEmpty();
        for (Run run : runs) {
            List<Result.Note> notes = run.result().notes();
            if (notes.isEmpty()) {
                continue;
            }
            none = false;
            html.append("<details")
                    .append(notes.size() <= 30 && !compares() ? " open" : "")
                    .append("><summary>");
            html.append(escape(caption("All " + Wording.count(notes.size()) + " notes", run)))
                    .append("</summary>\n");
            table("wrap", caption("Notes", run), List.of("When", "Where", "What"), 3);
            for (Result.Note note : notes.subList(0, Math.min(notes.size(), MOST_NOTES))) {
                html.append("<tr>");
                note(note);
            }
            endTable();
            if (notes.size() > MOST_NOTES) {
                html.append("<p class=\"soft\">and ")
                        .append(Wording.count(notes.size() - MOST_NOTES))
                        .append(" more</p>\n");
            }
            html.append("</details>\n");
        }
        if (none) {
            html.append("<p>Nothing worth a note.</p>\n");
        }
    }

    private void note(Result.Note note) {
        html.append("<td class=\"when\">")
                .append(Wording.moment(note.atNanos()))
                .append("</td><td>")
                .append(escape(note.where()))
                .append("</td><td>")
                .append(escape(note.text()))
                .append("</td></tr>\n");
    }

    private void scenario() {
        heading("The scenario");
        List<Map<String, String>> facts = runs.stream()
                .map(run -> ScenarioFacts.of(run.result().scenario()))
                .toList();
        if (compares()) {
            Set<String> keys = new LinkedHashSet<>();
            facts.forEach(one -> keys.addAll(one.keySet()));
            table(
                    "wrap",
                    "Settings",
                    List.of("Key", runs.get(0).label(), runs.get(1).label()),
                    3);
            for (String key : keys) {
                html.append("<tr><th scope=\"row\">").append(breakable(key)).append("</th>");
                facts.forEach(one -> cell(one.getOrDefault(key, "–")));
                html.append("</tr>\n");
            }
            endTable();
        } else {
            html.append("<dl class=\"tiles settings\">\n");
            facts.get(0).forEach((key, value) -> tile(breakable(key), value));
            html.append("</dl>\n");
        }
        boolean same = runs.stream()
                        .map(run -> run.result().scenario().services())
                        .distinct()
                        .count()
                == 1;
        for (Run run : same ? runs.subList(0, 1) : runs) {
            List<String> columns = ScenarioFacts.serviceColumns();
            table("services", same ? "Services" : caption("Services", run), columns, columns.size());
            for (Scenario.Service service : run.result().scenario().services()) {
                html.append("<tr>");
                ScenarioFacts.service(service).forEach(this::cell);
                html.append("</tr>\n");
            }
            endTable();
        }
    }

    private void cell(String text) {
        html.append("<td>").append(escape(text)).append("</td>");
    }

    private void again() {
        heading("Run it again");
        Set<String> commands = new LinkedHashSet<>();
        runs.forEach(run -> commands.add(run.command()));
        commands.forEach(
                command -> html.append("<pre><code>").append(escape(command)).append("</code></pre>\n"));
        html.append("<p class=\"soft\">The same scenario and seed give the same page, byte for byte.</p>\n");
    }

    private String caption(String text, Run run) {
        return compares() ? text + ": " + run.label() : text;
    }

    private void heading(String text) {
        html.append("<h2>").append(text).append("</h2>\n");
    }

    /** Begins a table whose columns are numbers from {@code numbersFrom} on. */
    private void table(String style, String caption, List<String> columns, int numbersFrom) {
        html.append("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"")
                .append(escape(caption))
                .append("\"><table class=\"" + style + "\">\n<caption>")
                .append(escape(caption))
                .append("</caption>\n<thead><tr>");
        for (int i = 0; i < columns.size(); i++) {
            String column = columns.get(i);
            html.append(
                            column.isEmpty()
                                    ? "<td>"
                                    : i < numbersFrom ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"number\">")
                    .append(escape(column))
                    .append(column.isEmpty() ? "</td>" : "</th>");
        }
        html.append("</tr></thead>\n<tbody>\n");
    }

    private void number(String text) {
        html.append("<td class=\"number\">").append(escape(text)).append("</td>");
    }

    private void endTable() {
        html.append("</tbody>\n</table></div>\n");
    }
}
