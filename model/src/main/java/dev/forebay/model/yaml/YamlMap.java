// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model.yaml;

import dev.forebay.engine.internal.NearestName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A mapping of a file. What is wrong is noted with its place, and reading goes on with nothing in its stead. Values are
 * never repeated: they may be secret. Not thread-safe.
 */
public final class YamlMap {

    private static final Set<Tag> PLAIN = Set.of(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL);

    private final String title;
    private final Node node;
    private final Map<String, Node> keys = new LinkedHashMap<>();
    private final Map<String, Node> values = new LinkedHashMap<>();
    private final YamlProblems problems;

    private YamlMap(String title, Node node, YamlProblems problems) {
        this.title = title;
        this.node = node;
        this.problems = problems;
    }

    /** The mapping at {@code node}, which errors call {@code title}; an empty one if it is none. */
    public static YamlMap of(String title, Node node, YamlProblems problems) {
        YamlMap map = new YamlMap(title, node, problems);
        if (!(node instanceof MappingNode mapping) || !node.getTag().equals(Tag.MAP)) {
            if (!node.getTag().equals(Tag.NULL)) {
                problems.add(node, title + ": not a mapping; write key: value");
            }
            return map;
        }
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                problems.add(tuple.getKeyNode(), title + ": a key is a word");
            } else if (map.values.putIfAbsent(key.getValue(), tuple.getValueNode()) != null) {
                problems.add(key, title + ": '" + key.getValue() + "' is written twice");
            } else {
                map.keys.put(key.getValue(), key);
            }
        }
        return map;
    }

    /** The keys that are written, in their order. */
    public Set<String> keys() {
        return values.keySet();
    }

    /** Notes every key that is not in {@code known}. */
    public void refuseOthers(Collection<String> known) {
        keys.forEach((key, where) -> {
            if (!known.contains(key)) {
                String hint = NearestName.hint(key, known);
                String all = hint.isEmpty() ? "; there are: " + String.join(", ", known) : hint;
                problems.add(where, title + ": unknown key '" + key + "'" + all);
            }
        });
    }

    /** The value of {@code key}; null, and noted unless the key is not there, if there is none. */
    public @Nullable String text(String key) {
        Node value = values.get(key);
        if (value == null) {
            return null;
        }
        if (value instanceof ScalarNode scalar && PLAIN.contains(value.getTag())) {
            return scalar.getValue();
        }
        problems.add(value, key + (value.getTag().equals(Tag.NULL) ? ": there is no value" : ": not a single value"));
        return null;
    }

    /** The same, noted also if the key is not there; then it is empty. */
    public String need(String key) {
        String text = text(key);
        if (text == null && !values.containsKey(key)) {
            problems.add(node, title + ": " + key + " is missing");
        }
        return text == null ? "" : text;
    }

    /** All the values by their keys. */
    public Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        for (String key : values.keySet()) {
            String text = text(key);
            if (text != null) {
                texts.put(key, text);
            }
        }
        return texts;
    }

    /** The mapping under {@code key}; an empty one if there is none. */
    public YamlMap map(String key) {
        Node value = values.get(key);
        return value == null ? new YamlMap(key, node, problems) : of(key, value, problems);
    }

    /** The mapping under {@code key}, called {@code title}. */
    public YamlMap map(String key, String title) {
        Node value = values.get(key);
        return value == null ? new YamlMap(title, node, problems) : of(title, value, problems);
    }

    /** The mappings of the list under {@code key}. */
    public List<YamlMap> maps(String key) {
        Node value = values.get(key);
        List<YamlMap> maps = new ArrayList<>();
        if (value instanceof SequenceNode sequence) {
            sequence.getValue().forEach(item -> maps.add(of(key, item, problems)));
        } else if (value != null) {
            problems.add(value, key + ": not a list");
        }
        return maps;
    }

    /** Notes what is wrong with this mapping as a whole. */
    public void refuse(String problem) {
        problems.add(node, title + ": " + problem);
    }

    /** Notes what is wrong with {@code key}, where it stands, or where the mapping does if it is not there. */
    public void refuse(String key, String problem) {
        problems.add(keys.getOrDefault(key, node), title + ": " + problem);
    }
}
