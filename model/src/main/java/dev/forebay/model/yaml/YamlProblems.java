// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model.yaml;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;

/** The problems of a file, each with its line and column. Not thread-safe. */
public final class YamlProblems {

    private static final int MOST_SHOWN = 20;

    private final String file;
    private final List<Problem> problems = new ArrayList<>();

    /** None yet, of {@code file} as errors call it. */
    public YamlProblems(String file) {
        this.file = file;
    }

    public void add(Node node, String text) {
        add(node.getStartMark(), text);
    }

    public void add(Optional<Mark> mark, String text) {
        problems.add(new Problem(
                mark.map(Mark::getLine).orElse(0) + 1, mark.map(Mark::getColumn).orElse(0) + 1, text));
    }

    /** All of it in the order of the file, a line each; empty if nothing is wrong. */
    public Optional<String> summary() {
        if (problems.isEmpty()) {
            return Optional.empty();
        }
        List<String> lines = problems.stream()
                .sorted(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column))
                .map(problem -> file + ":" + problem.line + ":" + problem.column + ": " + problem.text)
                .distinct() // what an alias repeats is wrong once
                .toList();
        String shown = lines.stream().limit(MOST_SHOWN).collect(Collectors.joining("\n"));
        int more = lines.size() - MOST_SHOWN;
        return Optional.of(more > 0 ? shown + "\nand " + more + " more" : shown);
    }

    private record Problem(int line, int column, String text) {}
}
