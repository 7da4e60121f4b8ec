// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import java.util.Map;

/**
 * An item of a {@link FleetStore}: attributes that are numbers or texts. Immutable.
 *
 * @param attributes the values by name, each a {@link Long} or a {@link String}; an item without any does not exist
 */
public record Item(Map<String, Object> attributes) {

    /** The item that does not exist. */
    public static final Item NONE = new Item(Map.of());

    public Item {
        attributes = Map.copyOf(attributes);
        attributes.forEach((name, value) -> {
            if (!(value instanceof Long) && !(value instanceof String)) {
                throw new IllegalArgumentException("an attribute is a number or a text: " + name);
            }
        });
    }

    /** Whether it exists. */
    public boolean exists() {
        return !attributes.isEmpty();
    }

    /** A number, or {@code otherwise} if there is none of that name. */
    public long number(String name, long otherwise) {
        return attributes.get(name) instanceof Long number ? number : otherwise;
    }
}
