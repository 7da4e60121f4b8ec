// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.engine.internal.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** What an editor offers for completion is what the pool declares. */
class MetadataTest {

    private static final Path WRITTEN = Path.of("src/main/resources/META-INF/spring-configuration-metadata.json");
    private static final Path MADE = Path.of("target/spring-configuration-metadata.json");

    @Test
    void theMetadataAreThoseOfTheKnobs() throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        List<Map<String, Object>> properties = new ArrayList<>();
        List<Map<String, Object>> hints = new ArrayList<>();
        for (Option<?> knob : SpringSettings.KNOBS) {
            properties.add(property(knob));
            if (knob.kind().type().equals("choice")) {
                hints.add(hint(knob));
            }
        }
        Map<String, Object> readiness = new LinkedHashMap<>();
        readiness.put("name", SpringSettings.READINESS);
        readiness.put("type", "java.lang.Boolean");
        readiness.put("description", "Whether the health of the pool is a part of readiness.");
        readiness.put("defaultValue", true);
        properties.add(readiness);
        all.put("properties", properties);
        all.put("hints", hints);
        String made = JsonMapper.builder()
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .build()
                        .writeValueAsString(all)
                        .replace("\r\n", "\n")
                + "\n";
        Files.writeString(MADE, made);
        assertThat(Files.exists(WRITTEN) ? Files.readString(WRITTEN) : "")
                .as("the knobs have changed: cp spring-boot-starter/%s spring-boot-starter/%s", MADE, WRITTEN)
                .isEqualTo(made);
    }

    @Test
    void everyKindOfValueHasATypeOfJava() {
        assertThat(SpringSettings.KNOBS)
                .allSatisfy(knob -> assertThat(type(knob)).startsWith("java."));
    }

    private static Map<String, Object> property(Option<?> knob) {
        Map<String, Object> property = new LinkedHashMap<>();
        property.put("name", SpringSettings.springName(knob.name()));
        property.put("type", type(knob));
        String otherwise = (knob.defaultValue() != null) || knob.defaultText().equals("none")
                ? ""
                : " Without it: " + knob.defaultText() + ".";
        property.put("description", knob.purpose() + otherwise + " Also " + knob.variable() + ".");
        if (knob.defaultValue() != null) {
            property.put("defaultValue", value(knob));
        }
        return property;
    }

    private static String type(Option<?> knob) {
        return switch (knob.kind().type()) {
            case "duration" -> "java.time.Duration";
            case "integer" -> "java.lang.Integer";
            case "factor" -> "java.lang.Double";
            case "boolean", "flag" -> "java.lang.Boolean";
            case "choice", "name", "text" -> "java.lang.String";
            default ->
                throw new IllegalStateException(
                        "a new kind of value: " + knob.kind().type());
        };
    }

    private static Object value(Option<?> knob) {
        return switch (knob.kind().type()) {
            case "integer" -> Integer.valueOf(knob.defaultText());
            case "factor" -> Double.valueOf(knob.defaultText());
            case "boolean", "flag" -> Boolean.valueOf(knob.defaultText());
            default -> knob.defaultText();
        };
    }

    private static Map<String, Object> hint(Option<?> knob) {
        List<Map<String, Object>> values = new ArrayList<>();
        for (String word : knob.kind().words()) {
            values.add(Map.of("value", word));
        }
        Map<String, Object> hint = new LinkedHashMap<>();
        hint.put("name", SpringSettings.springName(knob.name()));
        hint.put("values", values);
        return hint;
    }
}
