// SPDX-License-Identifier: Apache-2.0
package dev.forebay.event;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.pool.DiscardReason;
import dev.forebay.pool.FailureCause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page {@code docs/observability.md} lists the metrics and reasons that exist, and no others. */
class ObservabilityPageTest {

    @Test
    void listsEveryMetricWithItsTypeAndLabel() throws IOException {
        List<String> declared = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            String type = metric.type().name().toLowerCase(Locale.ROOT).replaceAll("_millis|wait_", "");
            String label = metric.label() == null ? "" : "`" + metric.label() + "` ";
            declared.add("| `" + metric.id() + "` | " + type + " | " + label + "| " + metric.description() + " |");
        }
        List<String> listed = rows().filter(row -> row.matches("\\| `(dsql_|db\\.|hikaricp).*"))
                .toList();
        assertEquals(String.join("\n", declared), String.join("\n", listed));
    }

    @Test
    void listsEveryReason() throws IOException {
        List<String> declared = new ArrayList<>();
        Stream.of(DiscardReason.values()).map(DiscardReason::label).forEach(declared::add);
        Stream.of(FailureCause.values()).map(FailureCause::label).forEach(declared::add);
        List<String> listed = rows().filter(row -> row.matches("\\| `[a-z_]+` \\| [^|]+ \\|"))
                .map(row -> row.replaceFirst("\\| `([a-z_]+)`.*", "$1"))
                .toList();
        assertEquals(declared, listed);
    }

    private static Stream<String> rows() throws IOException {
        return Files.readAllLines(Path.of("..", "docs", "observability.md")).stream();
    }
}
