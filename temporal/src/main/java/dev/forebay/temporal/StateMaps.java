// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The content of the seven maps of a mutable state: all of it, or the entries to put there. Immutable.
 *
 * <pre>{@code
 * StateMaps.builder().put(MapKind.ACTIVITIES, 5L, info).put(MapKind.TIMERS, "t1", timer).build()
 * }</pre>
 */
public final class StateMaps {

    /** Nothing in any of them. */
    public static final StateMaps EMPTY = builder().build();

    private final Map<MapKind<?, ?>, Map<?, ?>> maps;

    private StateMaps(Map<MapKind<?, ?>, Map<?, ?>> maps) {
        this.maps = maps;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The entries of the map of this kind, in the order in which they were put. */
    @SuppressWarnings("unchecked") // put takes nothing else
    public <K, V> Map<K, V> get(MapKind<K, V> kind) {
        return (Map<K, V>) maps.getOrDefault(kind, Map.of());
    }

    /** The members of the set of this kind. */
    public Set<String> members(MapKind<String, MapKind.Nothing> kind) {
        return get(kind).keySet();
    }

    /** The number of entries in all of them. */
    public int size() {
        return maps.values().stream().mapToInt(Map::size).sum();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StateMaps that && maps.equals(that.maps);
    }

    @Override
    public int hashCode() {
        return maps.hashCode();
    }

    /** The number of entries of each kind. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        maps.forEach((kind, map) -> text.append(text.length() > 1 ? ", " : "")
                .append(kind)
                .append(' ')
                .append(map.size()));
        return text.append('}').toString();
    }

    /** Makes {@link StateMaps}. Not thread-safe. */
    public static final class Builder {

        private final Map<MapKind<?, ?>, Map<Object, Object>> maps = new LinkedHashMap<>();

        private Builder() {}

        /** Puts an entry, in the place of one with the same key. */
        public <K, V> Builder put(MapKind<K, V> kind, K key, V value) {
            maps.computeIfAbsent(kind, none -> new LinkedHashMap<>())
                    .put(Objects.requireNonNull(key), Objects.requireNonNull(value));
            return this;
        }

        /** Puts a member of a set. */
        public Builder put(MapKind<String, MapKind.Nothing> kind, String member) {
            return put(kind, member, MapKind.Nothing.NOTHING);
        }

        public StateMaps build() {
            Map<MapKind<?, ?>, Map<?, ?>> built = new LinkedHashMap<>();
            maps.forEach((kind, map) -> built.put(kind, Collections.unmodifiableMap(new LinkedHashMap<>(map))));
            return new StateMaps(Collections.unmodifiableMap(built));
        }
    }

    /** Entries of the maps of a mutable state that are to go. Immutable. */
    public static final class Keys {

        /** None. */
        public static final Keys NONE = builder().build();

        private final Map<MapKind<?, ?>, Set<?>> keys;

        private Keys(Map<MapKind<?, ?>, Set<?>> keys) {
            this.keys = keys;
        }

        public static Builder builder() {
            return new Builder();
        }

        /** The keys of the map of this kind. */
        @SuppressWarnings("unchecked") // add takes nothing else
        public <K> Set<K> get(MapKind<K, ?> kind) {
            return (Set<K>) keys.getOrDefault(kind, Set.of());
        }

        /** Makes {@link Keys}. Not thread-safe. */
        public static final class Builder {

            private final Map<MapKind<?, ?>, Set<Object>> keys = new LinkedHashMap<>();

            private Builder() {}

            public <K> Builder add(MapKind<K, ?> kind, K key) {
                keys.computeIfAbsent(kind, none -> new LinkedHashSet<>()).add(Objects.requireNonNull(key));
                return this;
            }

            public Keys build() {
                Map<MapKind<?, ?>, Set<?>> built = new LinkedHashMap<>();
                keys.forEach((kind, some) -> built.put(kind, Collections.unmodifiableSet(new LinkedHashSet<>(some))));
                return new Keys(Collections.unmodifiableMap(built));
            }
        }
    }
}
