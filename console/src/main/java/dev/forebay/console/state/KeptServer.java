// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import dev.forebay.registry.ServerDefinition;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A server as it is kept, with its mappings by local user. Immutable.
 *
 * @param definition its definition
 * @param created the time it was made
 * @param modified the time its definition was last changed
 * @param mappings the users that may use it
 */
public record KeptServer(
        ServerDefinition definition, Instant created, Instant modified, Map<String, KeptMapping> mappings) {

    public KeptServer {
        mappings = Collections.unmodifiableMap(new TreeMap<>(mappings));
    }

    public String name() {
        return definition.name();
    }

    /** The same server, defined differently. */
    public KeptServer with(ServerDefinition other, Instant now) {
        return new KeptServer(other, created, now, mappings);
    }

    /** The same server with {@code mapping}, in the place of that user's, if there is one. */
    public KeptServer with(KeptMapping mapping) {
        Map<String, KeptMapping> all = new TreeMap<>(mappings);
        all.put(mapping.localUser(), mapping);
        return new KeptServer(definition, created, modified, all);
    }

    /** The same server without the mapping of {@code localUser}. */
    public KeptServer without(String localUser) {
        Map<String, KeptMapping> all = new TreeMap<>(mappings);
        all.remove(localUser);
        return new KeptServer(definition, created, modified, all);
    }
}
