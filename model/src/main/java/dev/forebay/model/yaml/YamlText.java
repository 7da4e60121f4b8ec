// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model.yaml;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.schema.JsonSchema;

/** Makes nodes, which know their places, of a text that need not be trusted. Stateless. */
public final class YamlText {

    /** Maximum bytes of a file that people write. */
    public static final int LARGEST = 1 << 20;

    private static final int DEEPEST = 20;

    private YamlText() {}

    /** The root of {@code text}; null if it is empty or, with its place in {@code problems}, not YAML. */
    public static @Nullable Node compose(String text, YamlProblems problems) {
        return compose(text, LARGEST, problems);
    }

    /** The same for a text of up to {@code most} characters. */
    public static @Nullable Node compose(String text, int most, YamlProblems problems) {
        LoadSettings settings = LoadSettings.builder()
                .setSchema(new JsonSchema()) // it knows no merge key
                .setAllowNonScalarKeys(true) // so that they can be refused with their place
                .setCodePointLimit(most)
                .build();
        try {
            return isShallow(text, settings, problems)
                    ? new Compose(settings).composeString(text).orElse(null)
                    : null;
        } catch (MarkedYamlEngineException e) {
            String context = e.getContext() == null || e.getContext().isEmpty() ? "" : e.getContext() + ": ";
            problems.add(e.getProblemMark(), "not YAML: " + context + e.getProblem());
        } catch (YamlEngineException e) {
            problems.add(Optional.empty(), "not YAML: " + e.getMessage());
        }
        return null;
    }

    /** Whether the file can be composed, which takes stack for each level, without running out of it. */
    private static boolean isShallow(String text, LoadSettings settings, YamlProblems problems) {
        int depth = 0;
        for (Event event : new Parse(settings).parseString(text)) {
            switch (event.getEventId()) {
                case MappingStart, SequenceStart -> depth++;
                case MappingEnd, SequenceEnd -> depth--;
                default -> {}
            }
            if (depth > DEEPEST) {
                problems.add(event.getStartMark(), "nested more than " + DEEPEST + " deep");
                return false;
            }
        }
        return true;
    }
}
