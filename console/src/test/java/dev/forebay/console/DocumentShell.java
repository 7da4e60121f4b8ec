// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The terminal of a reader of one document: a directory that looks like the repository, the variables exported, and the
 * programs started and not yet stopped.
 */
final class DocumentShell implements AutoCloseable {

    private static final Path JAR = Path.of("target", "forebay.jar").toAbsolutePath();
    private static final Pattern PLACEHOLDER = Pattern.compile("=\\.\\.\\.|=ID\\.");
    private static final long LONGEST_SECONDS = 60;

    private final Path directory;
    private final Map<String, String> given;
    private final StringBuilder exports = new StringBuilder();
    private final List<Serving> serving = new ArrayList<>();
    private int outputs;

    private record Serving(String command, Process process, Path output) {}

    /** In {@code directory}, with the variables of a reader who has a cluster. */
    DocumentShell(Path directory, Map<String, String> given) throws IOException {
        this.directory = directory;
        this.given = given;
        Path forebay = Files.writeString(directory.resolve("forebay"), """
                #!/bin/sh
                exec '%s' -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.io.tmpdir='%s' '-Dforebay.home=%s' -jar '%s' "$@"
                """.formatted(
                        Path.of(System.getProperty("java.home"), "bin", "java"), directory, Document.ROOT, JAR));
        assertTrue(forebay.toFile().setExecutable(true));
        for (String part : List.of("scenarios", "dashboards")) {
            copy(part);
        }
        Files.createDirectory(directory.resolve("docs"));
    }

    private void copy(String part) throws IOException {
        try (Stream<Path> files = Files.walk(Document.ROOT.resolve(part))) {
            for (Path file : files.toList()) {
                Files.copy(file, directory.resolve(Document.ROOT.relativize(file)));
            }
        }
    }

    /** Writes down a file that the document shows. */
    void write(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** Keeps an {@code export} for what follows, unless it stands for something of the reader's. */
    void export(String command) {
        if (!PLACEHOLDER.matcher(command).find()) {
            exports.append(command).append('\n');
        }
    }

    /** Whether a program is installed. */
    static boolean has(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** Runs a command to its end. */
    void run(String command, int code) throws IOException, InterruptedException {
        Path output = output();
        Process process = start(List.of(), command, output);
        boolean ended = process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        String said = said(command, output);
        assertTrue(ended, "it did not end: " + said);
        assertEquals(code, process.waitFor(), said);
    }

    /** Starts a command, and returns when it says {@code ready}. */
    void serve(String command, String ready) throws IOException, InterruptedException {
        Path output = output();
        Process process = start(LocalCommandIT.ALONE, command, output);
        serving.add(new Serving(command, process, output));
        while (!Files.readString(output).contains(ready)) {
            assertFalse(
                    process.waitFor(20, TimeUnit.MILLISECONDS),
                    () -> said(command, output)); // the test's own limit ends this
        }
    }

    /** Stops what still serves, as Ctrl-C does. */
    @Override
    public void close() throws IOException, InterruptedException {
        for (Serving program : serving) {
            Process signal = new ProcessBuilder("/bin/sh", "-c", "kill -INT -" + program.process.pid()).start();
            assertEquals(0, signal.waitFor(), program.command);
        }
        for (Serving program : serving) {
            boolean ended = program.process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS);
            program.process.destroyForcibly();
            String said = said(program.command, program.output);
            assertTrue(ended, "it did not stop: " + said);
            assertTrue(Set.of(0, 130).contains(program.process.waitFor()), said);
        }
    }

    private Path output() {
        return directory.resolve("output" + ++outputs);
    }

    private Process start(List<String> prefix, String command, Path output) throws IOException {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(List.of("bash", "-c", exports + command));
        ProcessBuilder builder = new ProcessBuilder(all)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(output.toFile());
        builder.environment()
                .keySet()
                .removeIf(name -> name.matches("(AWS|DSQL|FOREBAY|PG).*|REGION|CLUSTER_ENDPOINT"));
        builder.environment().putAll(given);
        return builder.start();
    }

    /** The output of a command, which is no stack trace. */
    private static String said(String command, Path output) {
        try {
            String said = command + "\n" + Files.readString(output);
            assertFalse(said.contains("\tat "), said);
            return said;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
