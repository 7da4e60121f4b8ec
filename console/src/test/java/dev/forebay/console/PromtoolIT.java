// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The verdict of Prometheus's own tool on the alert rules, and on the text that it is to read. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PromtoolIT {

    private static final int MATTERS_OF_STYLE = 3;

    @Test
    void theAlertRulesAreGood() throws Exception {
        assumeTrue(isInstalled(), "skipped: promtool is not installed");
        End end = run(null, "check", "rules", "../dashboards/alerts.yaml");
        assertEquals(0, end.code, end.text);
        assertTrue(end.text.contains("SUCCESS: 12 rules found"), end.text);
    }

    @Test
    void everyAlertFiresWhenItShouldAndNoneWhenAllIsWell() throws Exception {
        assumeTrue(isInstalled(), "skipped: promtool is not installed");
        End end = run(null, "test", "rules", "src/test/resources/alerts-test.yaml");
        assertEquals(0, end.code, end.text);
        assertEquals(
                alerts("../dashboards/alerts.yaml", "- alert: "),
                alerts("src/test/resources/alerts-test.yaml", "alertname=\"").stream()
                        .distinct()
                        .toList());
    }

    /** The names of all alerts in a file, each of which follows {@code word} and ends with the line or a quote. */
    private static List<String> alerts(String file, String word) throws IOException {
        return Files.readAllLines(Path.of(file)).stream()
                .filter(line -> line.contains(word))
                .map(line -> line.substring(line.indexOf(word) + word.length()).split("\"")[0])
                .toList();
    }

    static boolean isInstalled() {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "promtool")));
    }

    /** Asserts that Prometheus can read {@code scrape}, and has nothing against it but the names that others have given. */
    static void assertReads(String scrape) throws Exception {
        End end = run(scrape, "check", "metrics");
        assertTrue(end.code == 0 || end.code == MATTERS_OF_STYLE, end.text);
        List<String> complaints = end.text
                .lines()
                .filter(line -> !line.startsWith("db_client_connection_count ")) // OpenTelemetry's
                .filter(line ->
                        !line.startsWith("dsql_reservoir_checkout_latency_milliseconds")) // the Go implementation's
                .filter(line -> !line.startsWith("dsql_retry_attempts_histogram")) // the same, once one retried
                .toList();
        assertEquals(List.of(), complaints);
    }

    private record End(int code, String text) {}

    private static End run(String input, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Path in = Files.createTempFile("forebay", ".in");
        Path out = Files.createTempFile("forebay", ".out");
        try {
            Files.writeString(in, input == null ? "" : input);
            Process process = new ProcessBuilder(command)
                    .redirectInput(in.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            return new End(process.waitFor(), Files.readString(out));
        } finally {
            Files.delete(in);
            Files.delete(out);
        }
    }
}
