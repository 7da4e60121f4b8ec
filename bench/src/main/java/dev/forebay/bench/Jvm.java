// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Runs a class in a JVM of its own, with the class path of this one. */
public final class Jvm {

    private Jvm() {}

    /** As the other, with the JDK of this one. */
    public static void run(Consumer<String> lines, Class<?> main, String... args)
            throws IOException, InterruptedException {
        run(Path.of(System.getProperty("java.home")), lines, main, args);
    }

    /**
     * Runs {@code main} to its end and hands each line that it prints to {@code lines}; its errors go where ours go. It
     * ends with us.
     *
     * @param jdk the home of the JDK
     * @throws IllegalStateException if it ends with a status other than 0
     */
    public static void run(Path jdk, Consumer<String> lines, Class<?> main, String... args)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                jdk.resolve(Path.of("bin", "java")).toString(),
                "-Xmx1g",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread end = new Thread(process::destroy, "end of " + main.getSimpleName());
        Runtime.getRuntime().addShutdownHook(end);
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.accept(line);
            }
        }
        int status = process.waitFor();
        Runtime.getRuntime().removeShutdownHook(end);
        if (status != 0) {
            throw new IllegalStateException(
                    main.getSimpleName() + " " + List.of(args) + " ended with status " + status);
        }
    }
}
