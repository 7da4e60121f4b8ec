// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.spi.PasswordSupplier;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The remote user as which a local user connects to a server. Immutable.
 *
 * @param localUser the user here, or {@link #PUBLIC} for every user without a mapping of its own
 * @param remoteUser the user there
 * @param auth the proof of its identity
 * @param secret its password or token; null if it has none
 * @param options further properties for the driver, such as a client certificate of its own
 */
public record UserMapping(
        String localUser,
        String remoteUser,
        Auth auth,
        @Nullable Secret secret,
        Map<String, String> options) {

    /** The local user that stands for every user without a mapping of its own. */
    public static final String PUBLIC = "PUBLIC";

    public UserMapping {
        Objects.requireNonNull(localUser, "localUser");
        Objects.requireNonNull(remoteUser, "remoteUser");
        Objects.requireNonNull(auth, "auth");
        if (localUser.isBlank()) {
            throw new IllegalArgumentException("a local user needs a name");
        }
        options = Map.copyOf(options);
    }

    /** Maps {@code localUser} to {@code remoteUser} with a password. */
    public static UserMapping of(String localUser, String remoteUser, Secret secret) {
        return new UserMapping(localUser, remoteUser, Auth.PASSWORD, secret, Map.of());
    }

    /** Maps every user without a mapping of its own. */
    public static UserMapping ofPublic(String remoteUser, Secret secret) {
        return of(PUBLIC, remoteUser, secret);
    }

    /** Whether it is that of {@link #PUBLIC}. */
    public boolean isPublic() {
        return localUser.equals(PUBLIC);
    }

    @Nullable
    PasswordSupplier password() {
        return secret == null ? null : secret.supplier();
    }

    /** The proof of a user's identity. */
    public enum Auth {
        PASSWORD,
        /** Refused by {@link Registry#map}: no type supports it. */
        KERBEROS,
        CERTIFICATE
    }

    /** Without the secret and without the values of the options, which may be secrets too. */
    @Override
    public String toString() {
        return "user mapping for " + localUser + " as " + remoteUser + ", " + auth + ", options "
                + new TreeMap<>(options).keySet();
    }
}
