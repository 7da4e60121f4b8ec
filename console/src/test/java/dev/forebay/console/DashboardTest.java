// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.testkit.Json;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The shipped dashboard has the form that Grafana's schema 39 asks for: what is required, what values are taken. */
class DashboardTest {

    private static final Path FILE = Path.of("..", "dashboards", "forebay.json");
    private static final Set<String> UNITS = Set.of("short", "percentunit", "ms", "s", "cps");
    private static final Set<String> LEGENDS = Set.of("list", "table", "hidden");
    private static final Set<String> TOOLTIPS = Set.of("single", "multi", "none");
    private static final Set<String> THRESHOLD_STYLES =
            Set.of("off", "line", "dashed", "area", "line+area", "dashed+area", "series");

    @Test
    void theDashboardHasTheFormThatGrafanaReads() throws IOException {
        check(Files.readString(FILE));
    }

    /** The negative control: each of these would not be shown as it is meant. */
    @Test
    void whatGrafanaWouldNotReadIsSeen() throws IOException {
        String good = Files.readString(FILE);
        for (String[] change : new String[][] {
            {"\"schemaVersion\": 39", "\"schemaVersion\": \"39\""},
            {"\"id\": 3,", "\"id\": 2,"},
            {"\"type\": \"timeseries\"", "\"type\": \"timeserie\""},
            {"\"w\": 8", "\"w\": 25"},
            {"\"refId\": \"B\"", "\"refId\": \"A\""},
            {"\"unit\": \"cps\"", "\"unit\": \"connects\""},
            {"\"mode\": \"line\"", "\"mode\": \"lines\""},
            {"\"uid\": \"${datasource}\"", "\"uid\": \"${source}\""},
            {"\"y\": 1\n", "\"y\": 0\n"}
        }) {
            int at = good.indexOf(change[0]);
            assertTrue(at >= 0, change[0]);
            String bad = good.substring(0, at) + change[1] + good.substring(at + change[0].length());
            assertThrows(AssertionError.class, () -> check(bad), change[1]);
        }
    }

    private static void check(String text) {
        Map<String, Object> dashboard = Json.map(Json.read(text));
        assertEquals(39, whole(dashboard, "schemaVersion"));
        word(dashboard, "title");
        word(dashboard, "uid");
        Set<String> variables = new HashSet<>();
        for (Map<String, Object> variable : maps(part(dashboard, "templating"), "list")) {
            variables.add("${" + word(variable, "name") + "}");
            if (!word(variable, "type").equals("datasource")) {
                assertEquals("query", word(variable, "type"));
                source(part(variable, "datasource"), variables);
            }
        }
        Set<Integer> ids = new HashSet<>();
        Set<List<Integer>> taken = new HashSet<>();
        List<Map<String, Object>> panels = maps(dashboard, "panels");
        assertFalse(panels.isEmpty());
        for (Map<String, Object> panel : panels) {
            assertTrue(ids.add(whole(panel, "id")), () -> "another panel has this id: " + panel);
            word(panel, "title");
            place(part(panel, "gridPos"), taken);
            switch (word(panel, "type")) {
                case "row" -> {
                    assertTrue(panel.get("collapsed") instanceof Boolean, panel::toString);
                    assertEquals(List.of(), panel.get("panels"));
                }
                case "timeseries" -> series(panel, variables);
                default -> throw new AssertionError("no such panel: " + panel);
            }
        }
    }

    private static void series(Map<String, Object> panel, Set<String> variables) {
        source(part(panel, "datasource"), variables);
        Map<String, Object> config = part(panel, "fieldConfig");
        assertTrue(config.get("overrides") instanceof List, panel::toString);
        Map<String, Object> defaults = part(config, "defaults");
        assertTrue(UNITS.contains(word(defaults, "unit")), defaults::toString);
        if (defaults.containsKey("thresholds")) {
            Map<String, Object> thresholds = part(defaults, "thresholds");
            assertTrue(Set.of("absolute", "percentage").contains(word(thresholds, "mode")), thresholds::toString);
            List<Map<String, Object>> steps = maps(thresholds, "steps");
            for (int i = 0; i < steps.size(); i++) {
                word(steps.get(i), "color");
                assertEquals(i == 0, steps.get(i).get("value") == null, "only the first step has no value");
            }
            String style = word(part(part(defaults, "custom"), "thresholdsStyle"), "mode");
            assertTrue(THRESHOLD_STYLES.contains(style), style);
        }
        Map<String, Object> options = part(panel, "options");
        assertTrue(LEGENDS.contains(word(part(options, "legend"), "displayMode")), options::toString);
        assertTrue(TOOLTIPS.contains(word(part(options, "tooltip"), "mode")), options::toString);
        Set<String> references = new HashSet<>();
        for (Map<String, Object> target : maps(panel, "targets")) {
            assertTrue(references.add(word(target, "refId")), () -> "two queries of one name: " + panel);
            word(target, "expr");
            word(target, "legendFormat");
            source(part(target, "datasource"), variables);
        }
        assertFalse(references.isEmpty(), panel::toString);
    }

    private static void source(Map<String, Object> source, Set<String> variables) {
        assertEquals("prometheus", word(source, "type"));
        assertTrue(variables.contains(word(source, "uid")), source::toString);
    }

    /** A grid of 24 columns, in which no two panels lie on each other. */
    private static void place(Map<String, Object> place, Set<List<Integer>> taken) {
        int x = whole(place, "x");
        int y = whole(place, "y");
        int width = whole(place, "w");
        int height = whole(place, "h");
        assertTrue(x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= 24, place::toString);
        for (int column = x; column < x + width; column++) {
            for (int row = y; row < y + height; row++) {
                assertTrue(taken.add(List.of(column, row)), () -> "it lies on another: " + place);
            }
        }
    }

    private static Map<String, Object> part(Map<String, Object> of, String name) {
        assertTrue(of.get(name) instanceof Map, () -> "no " + name + " in " + of);
        return Json.map(of.get(name));
    }

    private static List<Map<String, Object>> maps(Map<String, Object> of, String name) {
        assertTrue(of.get(name) instanceof List, () -> "no " + name + " in " + of);
        List<Map<String, Object>> maps = new ArrayList<>();
        for (Object each : Json.list(of.get(name))) {
            maps.add(Json.map(each));
        }
        return maps;
    }

    private static String word(Map<String, Object> of, String name) {
        assertTrue(of.get(name) instanceof String word && !word.isBlank(), () -> "no " + name + " in " + of);
        return (String) of.get(name);
    }

    private static int whole(Map<String, Object> of, String name) {
        assertTrue(of.get(name) instanceof Number, () -> "no " + name + " in " + of);
        return new BigDecimal(of.get(name).toString()).intValueExact();
    }
}
