// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.console.state.KeptMapping;
import dev.forebay.console.state.SecretText;
import dev.forebay.engine.internal.NearestName;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.ServerOption;
import dev.forebay.registry.UserMapping.Auth;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The options of a user mapping while they are put together. Not thread-safe. */
final class MappingOptions {

    /** All options, beside those for the driver. */
    static final List<String> NAMES = List.of("user", "password", "auth");

    private final Map<String, String> options = new TreeMap<>();
    private @Nullable SecretText password;

    MappingOptions() {}

    /** The options of {@code mapping}. */
    MappingOptions(KeptMapping mapping) {
        options.put("user", mapping.remoteUser());
        if (mapping.auth() != Auth.PASSWORD) {
            options.put("auth", mapping.auth().name());
        }
        mapping.options().forEach((name, value) -> options.put(ServerOption.DRIVER_PREFIX + name, value));
        password = mapping.password();
    }

    boolean has(String key) {
        return key.equals("password") ? password != null : options.containsKey(key);
    }

    /** Sets {@code key} to {@code value}, whatever it was. */
    void put(String key, String value) throws AdminException {
        if (key.equals("password")) {
            try {
                password = SecretText.of(value);
            } catch (IllegalArgumentException e) {
                throw invalid(String.valueOf(e.getMessage()));
            }
        } else if (key.equals("auth") || key.equals("user") || isForDriver(key)) {
            options.put(key, value);
        } else {
            String hint = NearestName.hint(key, NAMES);
            throw invalid("a user mapping has no option '" + key + "'"
                    + (hint.isEmpty() ? "; there are: " + String.join(", ", NAMES) + ", driver.NAME" : hint));
        }
    }

    void drop(String key) {
        if (key.equals("password")) {
            password = null;
        } else {
            options.remove(key);
        }
    }

    private static boolean isForDriver(String key) throws AdminException {
        if (!key.startsWith(ServerOption.DRIVER_PREFIX) || key.length() == ServerOption.DRIVER_PREFIX.length()) {
            return false;
        }
        String property = key.substring(ServerOption.DRIVER_PREFIX.length());
        if (property.equalsIgnoreCase("user") || property.equalsIgnoreCase("password")) {
            throw invalid(key + ": say " + property.toLowerCase(Locale.ROOT));
        }
        return true;
    }

    /** The mapping that they make. */
    KeptMapping mapping(String localUser, Instant created, Instant now) throws AdminException {
        String user = options.get("user");
        if (user == null || user.isEmpty()) {
            throw invalid("a user mapping needs the option user: as whom to connect");
        }
        Map<String, String> properties = new TreeMap<>();
        options.forEach((key, value) -> {
            if (key.startsWith(ServerOption.DRIVER_PREFIX)) {
                properties.put(key.substring(ServerOption.DRIVER_PREFIX.length()), value);
            }
        });
        return new KeptMapping(localUser, user, auth(), password, properties, created, now);
    }

    private Auth auth() throws AdminException {
        String given = options.getOrDefault("auth", Auth.PASSWORD.name());
        return Arrays.stream(Auth.values())
                .filter(auth -> auth.name().equalsIgnoreCase(given))
                .findFirst()
                .orElseThrow(() -> invalid("auth must be password, kerberos or certificate"));
    }

    private static AdminException invalid(String message) {
        return new AdminException(RegistryError.INVALID_OPTION.sqlState(), message);
    }
}
