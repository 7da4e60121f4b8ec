// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page {@code docs/simulator.md} lists the keys of a scenario's file as they are declared, and no others. */
class ScenarioPageTest {

    private static List<String> page() throws IOException {
        return Files.readAllLines(Path.of("..", "docs", "simulator.md"));
    }

    private static List<String> declared() {
        return ScenarioKeys.ALL.stream()
                .map(key -> "### " + key.heading() + " | `" + key.name() + "` | "
                        + (key.kind().words().isEmpty()
                                ? key.kind().type()
                                : key.kind().valid()) + " | " + key.defaultText() + " | " + key.purpose() + " |")
                .sorted()
                .toList();
    }

    /** The rows about keys, each with the heading above it. */
    private static List<String> rows(List<String> page) {
        List<String> rows = new ArrayList<>();
        String heading = "";
        boolean ours = false;
        for (String line : page) {
            if (line.startsWith("## ")) {
                ours = line.equals("## The scenario file");
            } else if (line.startsWith("### ")) {
                heading = line;
            } else if (ours && line.startsWith("| `")) {
                rows.add(heading + " " + line);
            }
        }
        return rows.stream().sorted().toList();
    }

    @Test
    void listsEveryKeyWithItsTypeDefaultAndMeaningAndNoOther() throws IOException {
        assertEquals(String.join("\n", declared()), String.join("\n", rows(page())));
    }

    /** The negative control: a default that was changed on the page only is seen. */
    @Test
    void aPageThatDiffersIsNoticed() throws IOException {
        List<String> changed =
                rows(page()).stream().map(row -> row.replace("`11m`", "`12m`")).toList();
        assertNotEquals(declared(), changed);
    }

    @Test
    void itsExamplesCanBeRead() throws IOException {
        Matcher examples = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(String.join("\n", page()));
        int count = 0;
        for (; examples.find(); count++) {
            ScenarioFile.parse(Path.of("example.yaml"), examples.group(1));
        }
        assertTrue(count > 0);
    }
}
