// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.sim.ScenarioFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds scenarios: files, and those that are shipped, by their names. Immutable. */
final class ScenarioShelf {

    private static final String EXTENSION = ".yaml";

    private final Path directory;

    /** A shelf of the files in {@code directory}. */
    ScenarioShelf(Path directory) {
        this.directory = directory;
    }

    /** The shipped ones: beside the script that started this, otherwise in the working directory. */
    static ScenarioShelf shipped() {
        return new ScenarioShelf(Path.of(System.getProperty("forebay.home", ""), "scenarios"));
    }

    /**
     * The file that {@code name} means.
     *
     * @throws IllegalArgumentException with the names there are, if it is none of them
     */
    Path find(String name) throws IOException {
        try {
            Path file = Path.of(name);
            if (Files.isDirectory(file)) {
                throw new IllegalArgumentException(name + " is a directory, not a scenario");
            }
            if (Files.exists(file)) {
                return file;
            }
            if (file.getNameCount() == 1 && !file.isAbsolute()) {
                Path shipped = directory.resolve(name.endsWith(EXTENSION) ? name : name + EXTENSION);
                if (Files.isRegularFile(shipped)) {
                    return shipped;
                }
            }
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("not the name of a file: " + name, e);
        }
        throw new IllegalArgumentException("there is no scenario " + name + "; " + offer());
    }

    /** The names there are, as the end of a sentence. */
    String offer() throws IOException {
        List<String> names = names();
        return names.isEmpty()
                ? "give the path of a file"
                : "there are " + String.join(", ", names) + ", or give the path of a file";
    }

    /** The names there are, in their order, each with the description of its scenario. */
    Map<String, String> descriptions() throws IOException {
        Map<String, String> descriptions = new LinkedHashMap<>();
        for (String name : names()) {
            descriptions.put(
                    name, ScenarioFile.read(directory.resolve(name + EXTENSION)).description());
        }
        return descriptions;
    }

    private List<String> names() throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(EXTENSION))
                    .map(name -> name.substring(0, name.length() - EXTENSION.length()))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }
}
