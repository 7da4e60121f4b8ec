// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.util.List;
import java.util.Locale;

/** The hosts and ports that servers may be on. Immutable. */
final class AllowedHosts {

    private final List<Place> places;

    /** A host, or with {@code *.} before it all below it, and a port, or 0 for any. */
    private record Place(String host, int port) {
        boolean holds(String otherHost, int otherPort) {
            String name = otherHost.toLowerCase(Locale.ROOT);
            boolean named = host.startsWith("*.") ? name.endsWith(host.substring(1)) : name.equals(host);
            return named && (port == 0 || port == otherPort);
        }
    }

    private AllowedHosts(List<Place> places) {
        this.places = places;
    }

    /** The hosts in {@code patterns}, each {@code HOST} or {@code HOST:PORT}; all if there are none. */
    static AllowedHosts of(List<String> patterns) {
        return new AllowedHosts(patterns.stream().map(AllowedHosts::place).toList());
    }

    private static Place place(String pattern) {
        String lower = pattern.toLowerCase(Locale.ROOT);
        int colon = lower.lastIndexOf(':');
        boolean hasPort = colon > 0 && lower.indexOf(':') == colon; // more of them are an address
        try {
            return hasPort
                    ? new Place(lower.substring(0, colon), Integer.parseInt(lower.substring(colon + 1)))
                    : new Place(lower, 0);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--allow takes HOST or HOST:PORT: " + pattern, e);
        }
    }

    boolean holds(String host, int port) {
        return places.isEmpty() || places.stream().anyMatch(place -> place.holds(host, port));
    }
}
