// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.Postgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The README's example compiles, runs, and is the one printed there. */
class ReadmeExampleIT {

    @Test
    void theExampleRuns() throws SQLException {
        AtomicInteger asked = new AtomicInteger();
        String answer = ReadmeExample.run(Postgres.shared().url(), () -> {
            asked.incrementAndGet();
            return "postgres";
        });
        assertEquals("a connection in nanoseconds", answer);
        assertTrue(asked.get() >= 20, "a password for each connection: " + asked);
    }

    @Test
    void theReadmePrintsTheExampleThatRuns() throws IOException {
        List<String> source = Files.readAllLines(Path.of("src/test/java/dev/forebay/ReadmeExample.java"));
        List<String> example = source.subList(
                source.indexOf("        ForebayConfig config = ForebayConfig.builder()"),
                source.indexOf("    // spotless:on") - 1);
        String printed = String.join("\n", example).indent(-8).stripTrailing();
        assertTrue(Files.readString(Path.of("../README.md")).contains(printed), "the README should print:\n" + printed);
    }
}
