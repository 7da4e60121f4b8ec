// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.Metric;
import dev.forebay.engine.OpenFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What {@code dashboards/} asks for is what the code exports, under these names and with these labels. */
class DashboardsTest {

    private static final Path DASHBOARDS = Path.of("..", "dashboards");
    private static final Path RUNBOOK = Path.of("..", "docs", "operating.md");

    private static final Path ALERTS_TEST = Path.of("..", "console", "src", "test", "resources", "alerts-test.yaml");

    private static final Pattern SERIES = Pattern.compile("series: '(\\w+)\\{(.*)}'");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");
    private static final Pattern DASHBOARD_EXPRESSION = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern RULE_EXPRESSION = Pattern.compile("(?m)^ +expr: (.*)$");
    private static final Pattern NAME = Pattern.compile("\\b(?:dsql|scratchbird)_[a-z_0-9]+");
    private static final Pattern SELECTED = Pattern.compile("(\\w+)\\{([^}]*)}");
    private static final Pattern GROUPED = Pattern.compile("by \\(([^)]*)\\)");
    private static final Pattern LINK = Pattern.compile("(?m)^ +runbook: docs/operating\\.md#(\\S+)$");

    /** Every name that Prometheus shows, with its labels. */
    private static Map<String, Set<String>> exported() {
        Map<String, Set<String>> exported = new HashMap<>();
        for (Metric<?> metric : Catalogues.all()) {
            Set<String> labels = new HashSet<>(metric.ownerLabels());
            labels.addAll(metric.labels());
            exported.put(metric.id(), labels);
            if (metric.kind().name().startsWith("HISTOGRAM")) {
                Set<String> ofBuckets = new HashSet<>(labels);
                ofBuckets.add("le");
                exported.put(metric.id() + "_bucket", ofBuckets);
                exported.put(metric.id() + "_sum", labels);
                exported.put(metric.id() + "_count", labels);
            }
        }
        return exported;
    }

    private static List<String> expressions() throws IOException {
        List<String> expressions = new ArrayList<>();
        DASHBOARD_EXPRESSION
                .matcher(Files.readString(DASHBOARDS.resolve("forebay.json")))
                .results()
                .forEach(found -> expressions.add(found.group(1).replace("\\\"", "\"")));
        RULE_EXPRESSION
                .matcher(Files.readString(DASHBOARDS.resolve("alerts.yaml")))
                .results()
                .forEach(found -> expressions.add(found.group(1)));
        return expressions;
    }

    @Test
    void everyExpressionAsksForMetricsAndLabelsThatThereAre() throws IOException {
        Map<String, Set<String>> exported = exported();
        List<String> expressions = expressions();
        assertTrue(expressions.size() > 25, expressions::toString);
        for (String expression : expressions) {
            Set<String> names =
                    NAME.matcher(expression).results().map(MatchResult::group).collect(Collectors.toSet());
            assertFalse(names.isEmpty(), expression);
            Set<String> known = new HashSet<>();
            for (String name : names) {
                assertTrue(exported.containsKey(name), () -> name + " is not exported: " + expression);
                known.addAll(exported.get(name));
            }
            assertTrue(known.containsAll(labelsOf(expression)), () -> known + " are the labels of: " + expression);
        }
    }

    /** A test of the alerts with a state that is never exported would show nothing. */
    @Test
    void theAlertsAreTestedWithValuesThatThereAre() throws IOException {
        Set<String> reasons = new HashSet<>();
        Stream.of(DiscardReason.values()).forEach(reason -> reasons.add(reason.label()));
        Stream.of(OpenFailure.Cause.values()).forEach(failure -> reasons.add(failure.label()));
        List<String> states = Catalogues.values(Catalogues.ofFleets(), "state");
        Map<String, Set<String>> exported = exported();
        List<MatchResult> series =
                SERIES.matcher(Files.readString(ALERTS_TEST)).results().toList();
        assertTrue(series.size() > 25, "it reads " + series.size());
        for (MatchResult one : series) {
            assertTrue(exported.containsKey(one.group(1)), one::group);
            for (MatchResult label : LABEL.matcher(one.group(2)).results().toList()) {
                assertTrue(exported.get(one.group(1)).contains(label.group(1)), one::group);
                switch (label.group(1)) {
                    case "state" -> assertTrue(states.contains(label.group(2)), one::group);
                    case "reason" -> assertTrue(reasons.contains(label.group(2)), one::group);
                    default -> {} // a name that somebody gives
                }
            }
        }
    }

    @Test
    void everyReasonOfADiscardHasARowInTheGuide() throws IOException {
        String guide = Files.readString(RUNBOOK);
        String part = guide.substring(guide.indexOf("### Many connections are thrown away"));
        String table = part.substring(0, part.indexOf("\n### ", 1));
        for (DiscardReason reason : DiscardReason.values()) {
            assertTrue(table.contains("`" + reason.label() + "`"), reason::label);
        }
    }

    private static Set<String> labelsOf(String expression) {
        Set<String> labels = new HashSet<>();
        GROUPED.matcher(expression)
                .results()
                .forEach(found -> labels.addAll(List.of(found.group(1).split(", "))));
        SELECTED.matcher(expression).results().forEach(found -> {
            for (String condition : found.group(2).split(",")) {
                labels.add(condition.split("[=!]")[0]);
            }
        });
        return labels;
    }

    @Test
    void everyAlertNamesAPartOfTheGuide() throws IOException {
        Set<String> parts = Files.readAllLines(RUNBOOK).stream()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 -]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
        String rules = Files.readString(DASHBOARDS.resolve("alerts.yaml"));
        List<String> links =
                LINK.matcher(rules).results().map(found -> found.group(1)).toList();
        assertEquals(rules.split("- alert: ", -1).length - 1, links.size(), "an alert without a link");
        for (String link : links) {
            assertTrue(parts.contains(link), () -> "no part " + link + " in " + parts);
        }
    }
}
