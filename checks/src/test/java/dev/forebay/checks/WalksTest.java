// SPDX-License-Identifier: Apache-2.0
package dev.forebay.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The classes at which {@code docs/architecture.md} says to begin: each of them exists, under one roof. */
class WalksTest {

    private static final Pattern CLASS = Pattern.compile("`([A-Z]\\w+)`");

    @Test
    void everyWalkBeginsAtAClassThatExists() throws IOException {
        List<String> walks = rows("## To change something, begin here");
        assertTrue(walks.size() >= 15, () -> walks.size() + " walks");
        assertEquals(Set.of(), unknown(walks));
    }

    @Test
    void everyRoomBeginsAtAClassThatExists() throws IOException {
        assertEquals(Set.of(), unknown(rows("## Rooms")));
    }

    /** The negative control. */
    @Test
    void aClassThatHasGoneIsNamed() {
        assertEquals(Set.of("ReadySlotz"), unknown(List.of("| how a checkout finds one | `ReadySlotz`, `Pool` |")));
    }

    /** The names in the last column of {@code rows} that no module has. */
    private static Set<String> unknown(List<String> rows) {
        Set<String> known = Ours.CLASSES.stream().map(JavaClass::getSimpleName).collect(Collectors.toSet());
        Set<String> unknown = new TreeSet<>();
        for (String row : rows) {
            String[] cells = row.split("\\|");
            CLASS.matcher(cells[cells.length - 1])
                    .results()
                    .map((MatchResult name) -> name.group(1))
                    .filter(name -> !known.contains(name))
                    .forEach(unknown::add);
        }
        return unknown;
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
