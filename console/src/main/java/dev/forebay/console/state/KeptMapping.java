// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import dev.forebay.registry.UserMapping;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A user mapping as it is kept. Immutable.
 *
 * @param localUser the user it is for, or {@link UserMapping#PUBLIC}
 * @param remoteUser the user on the server
 * @param auth the method of authentication
 * @param password the password; null if there is none
 * @param options further properties for the driver
 * @param created the time it was made
 * @param modified the time it was last changed
 */
public record KeptMapping(
        String localUser,
        String remoteUser,
        UserMapping.Auth auth,
        @Nullable SecretText password,
        Map<String, String> options,
        Instant created,
        Instant modified) {

    public KeptMapping {
        options = Collections.unmodifiableMap(new TreeMap<>(options));
    }

    /** The mapping for the registry. */
    public UserMapping mapping() {
        return new UserMapping(localUser, remoteUser, auth, password == null ? null : password.secret(), options);
    }

    /** The same without its password. */
    KeptMapping withoutPassword() {
        return new KeptMapping(localUser, remoteUser, auth, null, options, created, modified);
    }

    /** Returns whether it is the same but for its times. */
    public boolean saysTheSameAs(KeptMapping other) {
        return equals(new KeptMapping(
                other.localUser, other.remoteUser, other.auth, other.password, other.options, created, modified));
    }

    /** The mapping without the values of its options, which may be secrets. */
    @Override
    public String toString() {
        return mapping().toString();
    }
}
