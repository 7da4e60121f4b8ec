// SPDX-License-Identifier: Apache-2.0
package dev.forebay.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The classes at which {@code docs/architecture.md} says to begin: each of them exists, in the module that is named. */
class WalksTest {

    private static final Pattern MODULE = Pattern.compile("`([a-z-]+)`");
    private static final Pattern CLASS = Pattern.compile("`([A-Z]\\w+)`");

    @Test
    void everyWalkBeginsAtAClassThatExists() throws IOException {
        List<String> walks = rows("## To change something, begin here");
        assertTrue(walks.size() >= 15, () -> walks.size() + " walks");
        assertEquals(Set.of(), unknown(walks));
    }

    @Test
    void everyModuleBeginsAtAClassThatExists() throws IOException {
        assertEquals(Set.of(), unknown(rows("## Modules")));
    }

    /** The negative control. */
    @Test
    void aClassThatHasGoneIsNamed() {
        assertEquals(
                Set.of("Pool in [tx]", "ReadySlotz in [engine]"),
                unknown(List.of(
                        "| how a checkout finds one | `engine` | `ReadySlotz`, `Pool` |",
                        "| what is retried | `tx` | `Pool`, `Attempts` |")));
    }

    /** The classes named in the last column of {@code rows} that no module named in the columns before it has. */
    private static Set<String> unknown(List<String> rows) {
        Map<String, Set<String>> modules = Ours.CLASSES.stream()
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName, Collectors.mapping(Ours::module, Collectors.toSet())));
        Set<String> unknown = new TreeSet<>();
        for (String row : rows) {
            int last = row.lastIndexOf('|', row.length() - 2);
            Set<String> in = names(MODULE, row.substring(0, last));
            for (String name : names(CLASS, row.substring(last))) {
                if (Collections.disjoint(modules.getOrDefault(name, Set.of()), in)) {
                    unknown.add(name + " in " + in);
                }
            }
        }
        return unknown;
    }

    private static Set<String> names(Pattern kind, String cells) {
        return kind.matcher(cells)
                .results()
                .map((MatchResult name) -> name.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The rows of the table below {@code heading}. */
    private static List<String> rows(String heading) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("..", "docs", "architecture.md"));
        int from = lines.indexOf(heading);
        assertTrue(from >= 0, () -> "no heading " + heading);
        return lines.stream()
                .skip(from + 1L)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("| ") && line.contains("`"))
                .toList();
    }
}
