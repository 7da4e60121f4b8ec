// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.Metric;
import dev.forebay.engine.OpenFailure;
import dev.forebay.tx.ErrorMeaning;
import dev.forebay.tx.internal.UnsupportedFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page {@code docs/observability.md} lists the metrics and reasons that exist, and no others. */
class ObservabilityPageTest {

    @Test
    void listsEveryMetricWithItsTypeAndLabels() throws IOException {
        String declared = Catalogues.all().stream()
                .map(ObservabilityPageTest::row)
                .distinct() // pools and servers share OpenTelemetry's rows
                .collect(Collectors.joining("\n"));
        List<String> listed = rows().filter(row -> row.matches("\\| `(dsql_|scratchbird_|db\\.|hikaricp).*"))
                .toList();
        assertEquals(declared, String.join("\n", listed));
    }

    private static String row(Metric<?> metric) {
        String kind = metric.kind().name().toLowerCase(Locale.ROOT).replaceAll("_millis|_seconds", "");
        String further = metric.labels().isEmpty() ? "" : "`" + String.join("`, `", metric.labels()) + "` ";
        return "| `" + metric.id() + "` | " + kind + " | " + further + "| " + metric.description() + " |";
    }

    @Test
    void listsEveryReason() throws IOException {
        List<String> declared = new ArrayList<>();
        Stream.of(ErrorMeaning.values())
                .map(ErrorMeaning::label)
                .distinct()
                .sorted(Comparator.comparing("permanent"::equals)) // which is any other, comes last
                .forEach(declared::add);
        Stream.of(UnsupportedFeature.values()).map(UnsupportedFeature::label).forEach(declared::add);
        Stream.of(DiscardReason.values()).map(DiscardReason::label).forEach(declared::add);
        Stream.of(OpenFailure.Cause.values()).map(OpenFailure.Cause::label).forEach(declared::add);
        List<String> listed = rows().filter(row -> row.matches("\\| `[a-z_]+` \\| [^|]+ \\|"))
                .map(row -> row.replaceFirst("\\| `([a-z_]+)`.*", "$1"))
                .toList();
        assertEquals(declared, listed);
    }

    private static Stream<String> rows() throws IOException {
        return Files.readAllLines(Path.of("..", "docs", "observability.md")).stream();
    }
}
