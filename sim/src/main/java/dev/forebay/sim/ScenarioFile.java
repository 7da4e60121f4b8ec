// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.internal.NearestName;
import dev.forebay.model.yaml.YamlProblems;
import dev.forebay.model.yaml.YamlText;
import dev.forebay.sim.ScenarioKeys.Section;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads scenarios from YAML. Nothing in a file is passed over: what is unknown or impossible is an error with its line and
 * column. The keys are listed in {@code docs/simulator.md}. Stateless.
 */
public final class ScenarioFile {

    private ScenarioFile() {}

    /**
     * Reads the scenario in {@code file}.
     *
     * @throws ScenarioException saying all that is wrong with it
     */
    public static Scenario read(Path file) {
        return read(file, UnaryOperator.identity());
    }

    /**
     * Reads the scenario in {@code file}, with {@code changes}: what they make of it is checked as if it were written
     * there.
     *
     * @throws ScenarioException saying all that is wrong with it
     */
    public static Scenario read(Path file, UnaryOperator<Scenario> changes) {
        try {
            if (Files.size(file) > YamlText.LARGEST) {
                throw new ScenarioException(file + ": larger than 1 MiB", null);
            }
            return parse(file, Files.readString(file), changes);
        } catch (NoSuchFileException e) {
            throw new ScenarioException(file + ": there is no such file" + neighbour(file), e);
        } catch (CharacterCodingException e) {
            throw new ScenarioException(file + ": not text in UTF-8", e);
        } catch (IOException e) {
            throw new ScenarioException(file + ": cannot be read: " + e, e);
        }
    }

    /**
     * Reads a scenario as if {@code text} stood in {@code file}, by which errors call it and from where other files are
     * found.
     *
     * @throws ScenarioException saying all that is wrong with it
     */
    public static Scenario parse(Path file, String text) {
        return parse(file, text, UnaryOperator.identity());
    }

    private static Scenario parse(Path file, String text, UnaryOperator<Scenario> changes) {
        YamlProblems problems = new YamlProblems(file.toString());
        Node root = YamlText.compose(text, problems);
        check(problems);
        if (root == null) {
            throw new ScenarioException(file + ":1:1: the file is empty; a scenario has at least services", null);
        }
        YamlBlock top = YamlBlock.of(Section.TOP, root, problems);
        Scenario written = new ScenarioReader(file, top).read(title(file));
        check(problems);
        Scenario scenario = changes.apply(written);
        new ScenarioChecks(top, scenario).run();
        check(problems);
        return scenario;
    }

    private static void check(YamlProblems problems) {
        problems.summary().ifPresent(all -> {
            throw new ScenarioException(all, null);
        });
    }

    private static String title(Path file) {
        Path name = file.getFileName();
        return name == null ? "scenario" : name.toString().replaceFirst("\\.ya?ml$", "");
    }

    /** A question to append to an error, if a file beside this one has nearly its name. */
    private static String neighbour(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            return "";
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<String> titles = files.filter(other -> other.toString().endsWith(".yaml"))
                    .map(ScenarioFile::title)
                    .sorted()
                    .toList();
            String hint = NearestName.hint(title(file), titles);
            return hint.isEmpty() && !titles.isEmpty() ? "; there are: " + String.join(", ", titles) : hint;
        } catch (IOException | UncheckedIOException e) {
            return ""; // it was only a question
        }
    }
}
