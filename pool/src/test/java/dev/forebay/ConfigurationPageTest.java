// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.internal.Option;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page {@code docs/configuration.md} says what the declaration of the knobs says. */
class ConfigurationPageTest {

    private static final List<String> PAGE = page();

    private static List<String> page() {
        try {
            return Files.readAllLines(Path.of("..", "docs", "configuration.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void listsEveryKnobWithItsNamesDefaultAndReasonAndNoOther() {
        assertEquals(String.join("\n", declared()), String.join("\n", rows(PAGE)));
    }

    /** The negative control: a default that was changed on the page only, and a row that was left out, are seen. */
    @Test
    void aPageThatDiffersIsNoticed() {
        List<String> changed =
                rows(PAGE).stream().map(row -> row.replace("`11m`", "`12m`")).toList();
        assertNotEquals(declared(), changed);
        assertNotEquals(declared(), rows(PAGE).subList(1, rows(PAGE).size()));
    }

    @Test
    void namesNoVariableOrPropertyThatDoesNotExist() {
        List<String> known = new ArrayList<>(List.of("forebay.", "dsql.retry.", "dsql.monitoring."));
        known.addAll(ForebayConfig.Builder.OUR_VARIABLES);
        Knobs.ALL.forEach(knob -> known.addAll(List.of(knob.variable(), knob.name())));
        Matcher names = Pattern.compile("\\bDSQL_[A-Z_]+|(?<!\\.)\\b(?:forebay|dsql)\\.[a-z._-]*")
                .matcher(String.join("\n", PAGE));
        while (names.find()) {
            boolean isFleets = names.group().matches("(DSQL_DISTRIBUTED_|forebay\\.fleet\\.).*");
            assertTrue(isFleets || known.contains(names.group()), names.group());
        }
    }

    @Test
    void namesEveryBeginningByWhichAVariableLooksLikeOurs() {
        String text = String.join("\n", PAGE);
        ForebayConfig.Builder.OUR_VARIABLES.forEach(
                beginning -> assertTrue(text.contains("`" + beginning + "`"), beginning));
    }

    @Test
    void itsExamplesAreValid() throws IOException {
        String text = String.join("\n", PAGE);
        Matcher shell = Pattern.compile("```bash\n(.*?)```", Pattern.DOTALL).matcher(text);
        int examples = 0;
        for (; shell.find(); examples++) {
            Map<String, String> variables = new HashMap<>();
            shell.group(1)
                    .lines()
                    .map(line -> line.replace("export ", "").split("=", 2))
                    .forEach(pair -> variables.put(pair[0], pair[1]));
            ForebayConfig config = ForebayConfig.fromEnvironment(variables);
            assertEquals(List.of(), config.notices());
            config.toPoolConfig();
        }
        Matcher properties =
                Pattern.compile("```properties\n(.*?)```", Pattern.DOTALL).matcher(text);
        for (; properties.find(); examples++) {
            Properties read = new Properties();
            read.load(new StringReader(properties.group(1)));
            ForebayConfig.fromProperties(read).toPoolConfig();
        }
        assertEquals(3, examples);
    }

    private static List<String> declared() {
        List<String> lines = new ArrayList<>();
        for (Option<?> knob : Knobs.ALL) {
            String value = knob.defaultValue() == null ? knob.defaultText() : "`" + knob.defaultText() + "`";
            lines.add("| " + knob.heading() + " | `" + knob.variable() + "` | `" + knob.name() + "` | " + value + " | "
                    + knob.kind().type() + " | " + knob.purpose() + " |");
        }
        return lines;
    }

    /** The rows about knobs of the pool, each with the heading above it. */
    private static List<String> rows(List<String> page) {
        List<String> rows = new ArrayList<>();
        String heading = "";
        for (String line : page) {
            if (line.startsWith("## ")) {
                heading = line.substring(3);
            } else if (!heading.equals("Fleet") && line.matches("\\| `[A-Z_]+` \\| `.*")
                    || line.startsWith("| `forebay.")) {
                rows.add("| " + heading + " " + line);
            }
        }
        return rows;
    }
}
