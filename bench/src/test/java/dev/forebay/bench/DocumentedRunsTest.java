// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every {@code bench/run} that a document names would run: it takes minutes, so only its name and its options are looked at. */
final class DocumentedRunsTest {

    private static final Pattern RUN = Pattern.compile("(?m)(?:`|^    |^)bench/run ([^`\\n]*)");
    private static final Pattern ARGUMENT = Pattern.compile("'([^']*)'|(\\S+)");

    @Test
    void everyRunThatADocumentNamesIsUnderstood() throws IOException {
        Set<String> runs = new TreeSet<>();
        for (Path document : documents()) {
            RUN.matcher(Files.readString(document)).results().forEach(run -> runs.add(run.group(1)));
        }
        assertTrue(runs.size() > 10, runs::toString);
        runs.forEach(DocumentedRunsTest::understand);
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        for (String folder : List.of("..", "../bench", "../docs")) {
            try (Stream<Path> files = Files.list(Path.of(folder))) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
            }
        }
        return documents;
    }

    private static void understand(String run) {
        String[] arguments = ARGUMENT.matcher(run.replace("NAME", "checkout"))
                .results()
                .map(argument -> argument.group(1) != null ? argument.group(1) : argument.group(2))
                .toArray(String[]::new);
        if (!arguments[0].equals("--help")) {
            Comparison comparison = Bench.named(arguments[0])
                    .orElseThrow(() -> new IllegalArgumentException("there is no bench/run " + run));
            Options.parse(Arrays.copyOfRange(arguments, 1, arguments.length), comparison.options());
        }
    }

    /** The negative control. */
    @Test
    void oneThatWouldNotRunIsNoticed() {
        assertThrows(IllegalArgumentException.class, () -> understand("chekout"));
        assertThrows(IllegalArgumentException.class, () -> understand("checkout --fast"));
        assertEquals("checkout", Bench.named("checkout").orElseThrow().name());
    }
}
