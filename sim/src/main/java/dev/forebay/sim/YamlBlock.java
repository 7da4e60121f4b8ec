// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.internal.NearestName;
import dev.forebay.engine.internal.Option;
import dev.forebay.model.yaml.YamlProblems;
import dev.forebay.sim.ScenarioKeys.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A mapping of the file, asked by the keys of its section. What is wrong is noted with its place, and reading goes on with
 * something else, so that all of it is said at once. Not thread-safe.
 */
final class YamlBlock {

    private static final int MOST_ITEMS = 10_000;
    private static final Set<Tag> PLAIN = Set.of(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.MAP, Tag.SEQ);

    private final Section section;
    private final Optional<Mark> start;
    private final boolean isMapping;
    private final Map<String, Node> values;
    private final YamlProblems problems;

    private YamlBlock(
            Section section, Optional<Mark> start, boolean isMapping, Map<String, Node> values, YamlProblems problems) {
        this.section = section;
        this.start = start;
        this.isMapping = isMapping;
        this.values = values;
        this.problems = problems;
    }

    /** The block of {@code section} at {@code node}. */
    static YamlBlock of(Section section, Node node, YamlProblems problems) {
        Map<String, Node> values = entries(section.title(), node, problems);
        List<String> known = section.keys().stream().map(Option::name).toList();
        if (node instanceof MappingNode mapping) {
            for (NodeTuple tuple : mapping.getValue()) {
                if (tuple.getKeyNode() instanceof ScalarNode key && !known.contains(key.getValue())) {
                    problems.add(key, "unknown key " + quoted(key.getValue()) + meant(key.getValue(), known));
                }
            }
        }
        return new YamlBlock(section, node.getStartMark(), node instanceof MappingNode, values, problems);
    }

    private static String meant(String name, List<String> known) {
        List<String> elsewhere = ScenarioKeys.ALL.stream()
                .filter(key -> key.name().equals(name))
                .map(Option::heading)
                .toList();
        if (!elsewhere.isEmpty()) {
            return "; it belongs to " + String.join(" or ", elsewhere);
        }
        String hint = NearestName.hint(name, known);
        return hint.isEmpty() ? "; there are: " + String.join(", ", known) : hint;
    }

    private static Map<String, Node> entries(String where, Node node, YamlProblems problems) {
        Map<String, Node> entries = new LinkedHashMap<>();
        if (!(node instanceof MappingNode mapping) || !isPlain(node)) {
            problems.add(node, where + ": not a mapping; valid is " + ScenarioKinds.MAPPING.valid());
            return entries;
        }
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                problems.add(tuple.getKeyNode(), where + ": a key is a word");
            } else if (entries.putIfAbsent(key.getValue(), tuple.getValueNode()) != null) {
                problems.add(key, quoted(key.getValue()) + " is written twice");
            }
        }
        return entries;
    }

    /** A text as messages quote it. */
    static String quoted(String text) {
        return '"' + Option.printable(text) + '"';
    }

    private static boolean isPlain(Node node) {
        return PLAIN.contains(node.getTag());
    }

    boolean has(Option<?> key) {
        return values.containsKey(key.name());
    }

    /** Returns the value of {@code key}, or its default. */
    <T> T get(Option<T> key) {
        T value = find(key);
        if (value != null) {
            return value;
        }
        require(key);
        T other = key.defaultValue();
        if (other == null) {
            throw new IllegalStateException("bug: " + key + " has neither a value nor a default");
        }
        return other;
    }

    /** Notes that {@code key} is missing if it has to be written and is not. */
    void require(Option<?> key) {
        if (isMapping && !has(key) && ScenarioKeys.isRequired(key)) {
            problems.add(
                    start,
                    key.name() + " is missing in " + section.title() + "; valid is "
                            + key.kind().valid());
        }
    }

    /** Returns the value of {@code key}; null if there is none, or none that can be read. */
    <T> @Nullable T find(Option<T> key) {
        Node node = values.get(key.name());
        String text = node == null ? null : scalar(key.name(), key.kind().valid(), node);
        if (node == null || text == null) {
            return null;
        }
        try {
            return key.read(text);
        } catch (IllegalArgumentException e) {
            problems.add(node, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private @Nullable String scalar(String name, String valid, Node node) {
        String problem = node.getTag().equals(Tag.NULL)
                ? "there is no value"
                : !isPlain(node) ? "the tag " + node.getTag() + " is not allowed" : "not a single value";
        if (node instanceof ScalarNode scalar && isPlain(node)) {
            if (!scalar.getValue().isBlank()) {
                return scalar.getValue();
            }
            problem = "there is no value";
        }
        problems.add(node, name + ": " + problem + "; valid is " + valid);
        return null;
    }

    /** The block under {@code key}; an empty one if there is none. */
    YamlBlock block(Option<?> key, Section inner) {
        Node node = values.get(key.name());
        return node == null ? new YamlBlock(inner, start, true, Map.of(), problems) : of(inner, node, problems);
    }

    /** The blocks of the list under {@code key}. */
    List<YamlBlock> blocks(Option<?> key, Section inner) {
        Node node = values.get(key.name());
        if (node == null) {
            return List.of();
        }
        if (!(node instanceof SequenceNode sequence) || !isPlain(node)) {
            problems.add(
                    node, key.name() + ": not a list; valid is " + key.kind().valid());
            return List.of();
        }
        if (sequence.getValue().size() > MOST_ITEMS) {
            problems.add(node, key.name() + ": more than " + MOST_ITEMS + " items");
            return List.of();
        }
        List<YamlBlock> blocks = new ArrayList<>();
        for (Node item : sequence.getValue()) {
            blocks.add(of(inner, item, problems));
        }
        return blocks;
    }

    /** The texts under {@code key}, by names of any kind. */
    Map<String, String> texts(Option<?> key) {
        Map<String, String> texts = new LinkedHashMap<>();
        Node node = values.get(key.name());
        if (node != null) {
            entries(key.name(), node, problems).forEach((name, value) -> {
                String text = scalar(name, "a value as in docs/configuration.md", value);
                if (text != null) {
                    texts.put(name, text);
                }
            });
        }
        return texts;
    }

    /** Notes that the value of {@code key} makes no sense, at its place, or at that of the block if it is not written. */
    void refuse(Option<?> key, String problem) {
        Node node = values.get(key.name());
        problems.add(node == null ? start : node.getStartMark(), key.name() + ": " + problem);
    }

    /** The same for the text {@code name} under {@code key}. */
    void refuse(Option<?> key, String name, String problem) {
        if (values.get(key.name()) instanceof MappingNode mapping) {
            for (NodeTuple tuple : mapping.getValue()) {
                if (tuple.getKeyNode() instanceof ScalarNode written
                        && written.getValue().equals(name)) {
                    problems.add(written, problem);
                    return;
                }
            }
        }
        problems.add(start, problem);
    }

    /** Notes that each of {@code keys} that is written has no effect. */
    void refuseAll(List<Option<?>> keys, String why) {
        for (Option<?> key : keys) {
            if (has(key)) {
                refuse(key, "has no effect " + why);
            }
        }
    }
}
