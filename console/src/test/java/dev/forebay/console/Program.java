// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The jar that is shipped, run as a program with an environment of its own. */
final class Program {

    private static final Path JAR = Path.of("target", "forebay.jar").toAbsolutePath();

    private final Map<String, String> variables = new LinkedHashMap<>();

    /** Its outcome. */
    record End(int code, String out, String err) {

        End fails(int expected, String word) {
            assertEquals(expected, code, toString());
            assertTrue(err.contains(word), err);
            assertEquals(1, err.lines().count(), err);
            assertFalse(err.contains("\tat "), err);
            return this;
        }

        End says(String line) {
            assertTrue(out.contains(line), toString());
            return this;
        }

        End saysNot(String text) {
            assertFalse(out.contains(text), toString());
            return this;
        }

        End ends(int expected) {
            assertEquals(expected, code, toString());
            return this;
        }
    }

    Program with(String variable, String value) {
        variables.put(variable, value);
        return this;
    }

    Program without(String variable) {
        variables.remove(variable);
        return this;
    }

    End run(String... arguments) throws IOException, InterruptedException {
        Path out = Files.createTempFile("forebay", ".out");
        Path err = Files.createTempFile("forebay", ".err");
        try {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx128m",
                    "-XX:TieredStopAtLevel=1",
                    "-jar",
                    JAR.toString()));
            command.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment()
                    .keySet()
                    .removeIf(name -> name.startsWith("AWS_")
                            || name.startsWith("DSQL_")
                            || name.equals("REGION")
                            || name.equals("CLUSTER_ENDPOINT"));
            builder.environment()
                    .putAll(Map.of(
                            "AWS_EC2_METADATA_DISABLED", "true",
                            "AWS_CONFIG_FILE", "/dev/null",
                            "AWS_SHARED_CREDENTIALS_FILE", "/dev/null"));
            builder.environment().putAll(variables);
            Process process = builder.start();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            End end = new End(process.waitFor(), Files.readString(out), Files.readString(err));
            noSecretIn(end, arguments[0].equals("token"));
            return end;
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    private void noSecretIn(End end, boolean tokenIsWanted) {
        String all = end.err() + (tokenIsWanted ? "" : end.out());
        assertFalse(all.contains("X-Amz-Signature"), all);
        String secret = variables.get("AWS_SECRET_ACCESS_KEY");
        assertFalse(secret != null && (end.out() + end.err()).contains(secret), all);
    }
}
