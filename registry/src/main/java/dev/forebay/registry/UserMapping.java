// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.spi.PasswordSupplier;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * As whom a local user connects to a server. Immutable.
 *
 * @param localUser the user here, or {@link #PUBLIC} for everyone who has no mapping of his own
 * @param remoteUser the user there
 * @param auth how he proves it
 * @param secret his password or token; null if he has none
 * @param options further properties for the driver, such as a client certificate of his own
 */
public record UserMapping(
        String localUser,
        String remoteUser,
        Auth auth,
        @Nullable Secret secret,
        Map<String, String> options) {

    /** Everyone who has no mapping of his own. */
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

    /** Maps everyone who has no mapping of his own. */
    public static UserMapping ofPublic(String remoteUser, Secret secret) {
        return of(PUBLIC, remoteUser, secret);
    }

    /** Whether it is everyone's. */
    public boolean isPublic() {
        return localUser.equals(PUBLIC);
    }

    @Nullable
    PasswordSupplier password() {
        return secret == null ? null : secret.supplier();
    }

    /** How a user proves who he is. */
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
