// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.fleet.Item;
import dev.forebay.fleet.Write;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A write in DynamoDB's expressions. Every attribute has a placeholder, since many names are reserved there. */
final class DynamoExpressions {

    private final Map<String, String> names = new HashMap<>();
    private final Map<String, AttributeValue> values = new HashMap<>();
    private final @Nullable String condition;
    private final @Nullable String update;

    DynamoExpressions(Write write) {
        List<String> conditions = new ArrayList<>();
        write.conditions().forEach(one -> conditions.add(condition(one)));
        this.condition = conditions.isEmpty() ? null : String.join(" AND ", conditions);
        this.update = write.delete() ? null : update(write.changes());
    }

    @Nullable
    String condition() {
        return condition;
    }

    @Nullable
    String update() {
        return update;
    }

    /** Returns null if there are none: an empty map is an error to DynamoDB. */
    @Nullable
    Map<String, String> names() {
        return names.isEmpty() ? null : names;
    }

    @Nullable
    Map<String, AttributeValue> values() {
        return values.isEmpty() ? null : values;
    }

    private String condition(Write.Condition one) {
        String name = name(one.attribute());
        return switch (one.test()) {
            case EQUAL -> name + " = " + value(one.value());
            case ABSENT -> "attribute_not_exists(" + name + ")";
            case AT_LEAST -> name + " >= " + value(one.value());
            case ABSENT_OR_AT_MOST ->
                "(attribute_not_exists(" + name + ") OR " + name + " <= " + value(one.value()) + ")";
        };
    }

    private String update(List<Write.Change> changes) {
        if (changes.isEmpty()) {
            throw new IllegalArgumentException("bug: a write that changes nothing");
        }
        List<String> sets = new ArrayList<>();
        List<String> adds = new ArrayList<>();
        List<String> removes = new ArrayList<>();
        for (Write.Change change : changes) {
            String name = name(change.attribute());
            Object to = change.value();
            if (to == null) {
                removes.add(name);
            } else if (change.kind() == Write.Kind.ADD) {
                adds.add(name + " " + value(to));
            } else {
                sets.add(name + " = " + value(to));
            }
        }
        List<String> clauses = new ArrayList<>();
        addClause(clauses, "SET ", sets);
        addClause(clauses, "ADD ", adds);
        addClause(clauses, "REMOVE ", removes);
        return String.join(" ", clauses);
    }

    private static void addClause(List<String> clauses, String verb, List<String> parts) {
        if (!parts.isEmpty()) {
            clauses.add(verb + String.join(", ", parts));
        }
    }

    private String name(String attribute) {
        for (Map.Entry<String, String> known : names.entrySet()) {
            if (known.getValue().equals(attribute)) {
                return known.getKey();
            }
        }
        String placeholder = "#n" + names.size();
        names.put(placeholder, attribute);
        return placeholder;
    }

    private String value(Object value) {
        String placeholder = ":v" + values.size();
        values.put(
                placeholder,
                value instanceof Long number
                        ? AttributeValue.fromN(Long.toString(number))
                        : AttributeValue.fromS((String) value));
        return placeholder;
    }

    /** Returns an item without its key; attributes that are neither number nor text are not ours and left out. */
    static Item item(@Nullable Map<String, AttributeValue> attributes) {
        if (attributes == null || attributes.isEmpty()) {
            return Item.NONE;
        }
        Map<String, Object> known = new HashMap<>();
        attributes.forEach((name, value) -> {
            if (name.equals(DynamoStore.KEY)) {
                return;
            }
            if (value.n() != null) {
                known.put(name, new BigDecimal(value.n()).longValue());
            } else if (value.s() != null) {
                known.put(name, value.s());
            }
        });
        return new Item(known);
    }
}
