// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Entries of the maps of a mutable state that are to go. Immutable. */
public final class MapKeys {

    /** None. */
    public static final MapKeys NONE = builder().build();

    private final Map<MapKind<?, ?>, Set<?>> keys;

    private MapKeys(Map<MapKind<?, ?>, Set<?>> keys) {
        this.keys = keys;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Those of the map of this kind. */
    @SuppressWarnings("unchecked") // add takes nothing else
    public <K> Set<K> get(MapKind<K, ?> kind) {
        return (Set<K>) keys.getOrDefault(kind, Set.of());
    }

    /** Makes {@link MapKeys}. Not thread-safe. */
    public static final class Builder {

        private final Map<MapKind<?, ?>, Set<Object>> keys = new LinkedHashMap<>();

        private Builder() {}

        public <K> Builder add(MapKind<K, ?> kind, K key) {
            keys.computeIfAbsent(kind, none -> new LinkedHashSet<>()).add(Objects.requireNonNull(key));
            return this;
        }

        public MapKeys build() {
            Map<MapKind<?, ?>, Set<?>> built = new LinkedHashMap<>();
            keys.forEach((kind, some) -> built.put(kind, Collections.unmodifiableSet(new LinkedHashSet<>(some))));
            return new MapKeys(Collections.unmodifiableMap(built));
        }
    }
}
