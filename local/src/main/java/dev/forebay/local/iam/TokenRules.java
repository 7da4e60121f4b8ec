// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.iam;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which tokens are good. Immutable.
 *
 * @param keys the keys that may sign
 * @param region the region that a token must name
 * @param hosts the hosts that a token may be for, in any case of letters
 * @param clockSkew the furthest in the future that a token may have been signed
 */
public record TokenRules(List<AccessKey> keys, String region, Set<String> hosts, Duration clockSkew) {

    /** The skew that AWS allows. */
    public static final Duration DEFAULT_CLOCK_SKEW = Duration.ofMinutes(5);

    /** The names of this machine for itself. */
    public static final Set<String> LOCAL_HOSTS = Set.of("localhost", "127.0.0.1");

    public TokenRules {
        keys = List.copyOf(keys);
        hosts = hosts.stream().map(host -> host.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
        if (keys.stream().map(AccessKey::id).distinct().count() != keys.size()) {
            throw new IllegalArgumentException("two access keys have the same id");
        }
        if (clockSkew.isNegative()) {
            throw new IllegalArgumentException("a clock skew is not negative: " + clockSkew);
        }
    }

    /** Rules for one key and one endpoint, which may also be called localhost and 127.0.0.1. */
    public static TokenRules of(AccessKey key, String region, String endpoint) {
        return new TokenRules(List.of(key), region, withLocal(endpoint), DEFAULT_CLOCK_SKEW);
    }

    private static Set<String> withLocal(String endpoint) {
        Set<String> hosts = new HashSet<>(LOCAL_HOSTS);
        hosts.add(endpoint);
        return hosts;
    }
}
