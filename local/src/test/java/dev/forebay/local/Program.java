// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Another program, run to its end by a test. */
final class Program {

    private static final long LONGEST_SECONDS = 60;

    private Program() {}

    /** Skips the test, by the program's name, where there is no such program. */
    static void assumeInstalled(String name) {
        assumeTrue(
                Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, name))),
                "skipped: " + name + " is not installed");
    }

    static Ended run(Map<String, String> environment, Path directory, String input, List<String> command)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("program", ".out");
        Path err = Files.createTempFile("program", ".err");
        Path in = Files.writeString(Files.createTempFile("program", ".in"), input);
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectInput(in.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return new Ended(
                        -1, Files.readString(out), "still running after " + LONGEST_SECONDS + " s: " + command);
            }
            return new Ended(
                    process.exitValue(),
                    Files.readString(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8));
        } finally {
            Files.delete(out);
            Files.delete(err);
            Files.delete(in);
        }
    }

    /** Its outcome. */
    record Ended(int code, String out, String err) {

        String ok() {
            assertEquals(0, code, this::toString);
            return out.strip();
        }

        void failed(int expected, String... words) {
            assertEquals(expected, code, this::toString);
            for (String word : words) {
                assertTrue(err.contains(word), () -> "no \"" + word + "\" in " + this);
            }
        }
    }
}
