// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariConfig;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.engine.internal.Option;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page {@code docs/migration.md} has every property of HikariCP, and names only what Forebay has. */
class MigrationPageTest {

    private static final Path PAGE = Path.of("..", "docs", "migration.md");
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(\\w+)` \\| (.*?) \\| (.*?) \\| (.*?) \\| (.*?) ?\\|$");
    private static final Pattern KNOB = Pattern.compile("`((?:forebay|dsql)\\.[a-z.-]+)`");
    private static final Pattern BUILDER_METHOD = Pattern.compile("`(\\w+)\\(…\\)`");

    private record Row(String theirDefault, String ours, String ourDefault) {}

    private static Map<String, Row> rows() throws IOException {
        Map<String, Row> rows = new TreeMap<>();
        ROW.matcher(Files.readString(PAGE).replace("| |", "|  |"))
                .results()
                .forEach(row -> rows.put(row.group(1), new Row(row.group(2), row.group(3), row.group(4))));
        return rows;
    }

    @Test
    void everyPropertyOfHikariHasARow() throws IOException {
        Set<String> theirs = Stream.of(HikariConfig.class.getMethods())
                .map(Method::getName)
                .filter(name -> name.startsWith("set"))
                .map(name -> name.substring(3, 4).toLowerCase(Locale.ROOT) + name.substring(4))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(theirs, rows().keySet());
    }

    @Test
    void whatStandsBesideItIsThere() throws IOException {
        Set<String> knobs = Knobs.ALL.stream().map(Option::name).collect(Collectors.toSet());
        Set<String> methods = Stream.of(ForebayDataSource.Builder.class.getMethods())
                .map(Method::getName)
                .collect(Collectors.toSet());
        String page = Files.readString(PAGE);
        KNOB.matcher(page)
                .results()
                .forEach(knob -> assertTrue(
                        knobs.contains(knob.group(1)) || knob.group(1).startsWith("forebay.fleet."), knob.group(1)));
        BUILDER_METHOD
                .matcher(page)
                .results()
                .forEach(method -> assertTrue(methods.contains(method.group(1)), method.group(1)));
        rows().forEach((property, row) ->
                assertTrue(row.ours().equals("none") || row.ours().contains("`"), property + ": " + row.ours()));
    }

    @Test
    void theDefaultsAreThoseThatThereAre() throws Exception {
        HikariConfig fresh = new HikariConfig();
        for (Map.Entry<String, Row> row : rows().entrySet()) {
            String printed = row.getValue().theirDefault().replace("`", "").strip();
            if (!printed.isEmpty() && !row.getKey().equals("minimumIdle")) {
                assertEquals(
                        theirs(fresh, row.getKey()),
                        printed.matches(".*\\d.*[a-z]") ? millis(printed) : printed,
                        row.getKey());
            }
            List<String> knobs = KNOB.matcher(row.getValue().ours())
                    .results()
                    .map(knob -> knob.group(1))
                    .toList();
            String ours = row.getValue().ourDefault().replace("`", "").strip();
            for (Option<?> knob : Knobs.ALL) {
                if (knobs.contains(knob.name()) && knob.defaultValue() != null) {
                    assertEquals(knob.defaultText(), ours, row.getKey());
                }
            }
        }
    }

    private static String theirs(HikariConfig fresh, String property) throws ReflectiveOperationException {
        String name = property.substring(0, 1).toUpperCase(Locale.ROOT) + property.substring(1);
        for (String prefix : List.of("get", "is")) {
            for (Method method : HikariConfig.class.getMethods()) {
                if (method.getName().equals(prefix + name)) {
                    return String.valueOf(method.invoke(fresh));
                }
            }
        }
        throw new NoSuchMethodException(property);
    }

    private static String millis(String duration) {
        return Long.toString(GoDuration.parse(duration).toMillis());
    }
}
