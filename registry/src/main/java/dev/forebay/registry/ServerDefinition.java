// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.internal.NearestName;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A server as it was defined: name, type and options, checked. Immutable. Two are equal if all of that is.
 *
 * <p>Only the options that were given are kept, so that a definition can be stored and read back; the defaults are
 * {@link ServerOption}'s and the type's.
 */
public final class ServerDefinition {

    private static final int LONGEST_NAME = 128;

    /** The modes from the weakest to the strictest. */
    private static final List<String> SSL_MODES = List.of("disable", "prefer", "require", "verify-ca", "verify-full");

    private final String name;
    private final DatabaseType type;
    private final @Nullable String version;
    private final @Nullable String owner;
    private final Map<String, String> options;
    private final Settings settings;

    private ServerDefinition(Builder builder) throws RegistryException {
        this.name = builder.name;
        this.type = builder.type;
        this.version = builder.version;
        this.owner = builder.owner;
        Map<String, String> checked = new TreeMap<>();
        for (Map.Entry<String, String> given : builder.options.entrySet()) {
            checked.put(given.getKey(), checked(given.getKey(), given.getValue()));
        }
        this.options = Collections.unmodifiableMap(checked);
        if (name.isBlank() || name.length() > LONGEST_NAME) {
            throw RegistryException.invalid("a server needs a name of at most " + LONGEST_NAME + " characters");
        }
        if (name.chars().anyMatch(Character::isISOControl)) {
            throw RegistryException.invalid("the name of a server holds no control characters");
        }
        this.settings = Settings.of(this);
        type.check(this);
    }

    private static String checked(String key, String value) throws RegistryException {
        if (key.startsWith(ServerOption.DRIVER_PREFIX) && key.length() > ServerOption.DRIVER_PREFIX.length()) {
            String property = key.substring(ServerOption.DRIVER_PREFIX.length());
            if (property.equalsIgnoreCase("user") || property.equalsIgnoreCase("password")) {
                throw RegistryException.invalid(List.of(key), key + " belongs into a user mapping");
            }
            return value;
        }
        ServerOption option = ServerOption.of(key)
                .orElseThrow(() -> RegistryException.invalid(
                        List.of(key),
                        "there is no option '" + key + "'"
                                + NearestName.hint(
                                        key,
                                        Arrays.stream(ServerOption.values())
                                                .map(ServerOption::key)
                                                .toList())));
        return option.checked(value);
    }

    /** Returns a builder with no options yet. */
    public static Builder builder(String name, DatabaseType type) {
        return new Builder(name, type);
    }

    /** Returns a builder that starts from this definition. */
    public Builder toBuilder() {
        Builder builder = new Builder(name, type).version(version).owner(owner);
        builder.options.putAll(options);
        return builder;
    }

    public String name() {
        return name;
    }

    public DatabaseType type() {
        return type;
    }

    /** The version that was declared, if any; it has no effect. */
    public Optional<String> version() {
        return Optional.ofNullable(version);
    }

    /** The owner of the definition, if known. */
    public Optional<String> owner() {
        return Optional.ofNullable(owner);
    }

    /** The options that were given, in the order of their names. */
    public Map<String, String> options() {
        return options;
    }

    /** Returns the value of {@code option}: as given, or its default for this type; empty if there is neither. */
    public Optional<String> option(ServerOption option) {
        String given = options.get(option.key());
        return given != null ? Optional.of(given) : type.byDefault(option).or(option::byDefault);
    }

    /** The options in the form the pools use. */
    public Settings settings() {
        return settings;
    }

    /** Whether a password that was given for {@code before} goes to the same place, at least as well protected. */
    public boolean isAsSafeAs(ServerDefinition before) {
        Settings now = settings;
        Settings then = before.settings;
        int strictness = SSL_MODES.indexOf(now.sslMode());
        boolean verifies = now.sslMode().startsWith("verify");
        return type == before.type
                && now.host().equalsIgnoreCase(then.host())
                && now.port() == then.port()
                && strictness >= SSL_MODES.indexOf(then.sslMode())
                && (!verifies || Objects.equals(now.sslCa(), then.sslCa()));
    }

    /** Whether connections opened for {@code other} serve for this one as well. */
    boolean hasTheSameConnections(ServerDefinition other) {
        return type == other.type
                && settings.withSizesOf(other.settings).equals(other.settings)
                && driverOptions().equals(other.driverOptions());
    }

    /** The options that go to the driver, without their prefix. */
    public Map<String, String> driverOptions() {
        Map<String, String> properties = new TreeMap<>();
        options.forEach((key, value) -> {
            if (key.startsWith(ServerOption.DRIVER_PREFIX)) {
                properties.put(key.substring(ServerOption.DRIVER_PREFIX.length()), value);
            }
        });
        return properties;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ServerDefinition server
                && name.equals(server.name)
                && type == server.type
                && Objects.equals(version, server.version)
                && Objects.equals(owner, server.owner)
                && options.equals(server.options);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, type, options);
    }

    /** Name, type and place; the other options may hold secrets. */
    @Override
    public String toString() {
        return "server " + name + " (" + type.label() + " at " + settings.host() + ":" + settings.port() + ")";
    }

    /** Collects a definition. Not thread-safe. */
    public static final class Builder {
        private String name;
        private final DatabaseType type;
        private @Nullable String version;
        private @Nullable String owner;
        private final Map<String, String> options = new TreeMap<>();

        private Builder(String name, DatabaseType type) {
            this.name = Objects.requireNonNull(name, "name");
            this.type = Objects.requireNonNull(type, "type");
        }

        public Builder name(String other) {
            this.name = other;
            return this;
        }

        public Builder version(@Nullable String version) {
            this.version = version;
            return this;
        }

        public Builder owner(@Nullable String owner) {
            this.owner = owner;
            return this;
        }

        /** Sets an option; {@link #build} checks that it exists and its value can be used. */
        public Builder option(String key, String value) {
            options.put(key, value);
            return this;
        }

        public Builder option(ServerOption option, Object value) {
            return option(option.key(), value.toString());
        }

        public Builder options(Map<String, String> more) {
            options.putAll(more);
            return this;
        }

        /** Goes back to the default; false if the option was not given. */
        public boolean drop(String key) {
            return options.remove(key) != null;
        }

        public boolean has(String key) {
            return options.containsKey(key);
        }

        /**
         * Checks the definition and returns it.
         *
         * @throws RegistryException RD032, if an option is unknown, missing, or its value cannot be used
         */
        public ServerDefinition build() throws RegistryException {
            return new ServerDefinition(this);
        }
    }
}
